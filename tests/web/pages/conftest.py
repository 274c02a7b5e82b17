"""A server of pages in this process, and a folder with tables of two games for it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.tablebases import built
from support.web import TestClient, client_of


@pytest.fixture(scope="session")
def two_games(tmp_path_factory: pytest.TempPathFactory, two_pieces: Path) -> Iterator[Path]:
    """The two-piece tables of Dou Shou Qi with patterns of RvE, the tiers of Fox & Hounds on 4x4, and Hexapawn; to be read only."""
    made = ("build hexapawn --pieces 6", "build foxhounds-4x4", "patterns doushouqi --material RvE")
    yield from built(tmp_path_factory, *made, base=two_pieces)


@pytest.fixture(scope="session")
def client(two_games: Path) -> Iterator[TestClient]:
    """Asks a server of these tables that answers statements."""
    with client_of(two_games, mine=True) as opened:
        yield opened
