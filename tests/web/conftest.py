"""Servers in this process for tests of pages and of the interface, and a folder with tables of two games."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.tablebases import built_by
from support.web import TestClient, client_of

two_games = built_by("build hexapawn --pieces 6", "build foxhounds-4x4", "patterns doushouqi --material RvE", base="two_pieces")
"""The two-piece tables of Dou Shou Qi with patterns of RvE, the tiers of Fox & Hounds on 4x4, and Hexapawn."""


@pytest.fixture(scope="session")
def client(two_games: Path) -> Iterator[TestClient]:
    """Asks a server of these tables that answers statements."""
    with client_of(two_games, mine=True) as opened:
        yield opened


@pytest.fixture(scope="module")
def pawns(hexapawns: Path) -> Iterator[TestClient]:
    """A client of a server of Hexapawn."""
    with client_of(hexapawns) as client:
        yield client
