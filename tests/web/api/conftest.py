"""Fixtures of the tests of the interface."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.web import TestClient, client_of


@pytest.fixture(scope="module")
def pawns(hexapawns: Path) -> Iterator[TestClient]:
    """A client of a server of Hexapawn."""
    with client_of(hexapawns) as client:
        yield client
