"""Fixtures of all tests: tables solved in memory, tablebases on disk, commands run in this process."""

from __future__ import annotations

import os
from functools import cache

import pytest
from hypothesis import settings
from support.solved import Solved, Tables
from support.tablebases import (  # noqa: F401 (fixtures)
    ask,
    catalog_url,
    copied,
    hexapawns,
    more_tables,
    pawn_tables,
    piglet_tables,
    race_tables,
    schemas,
    server,
    shut_in,
    tables,
    three_pieces,
    two_pieces,
)

from tablebase.game import Game
from tablebase_rules.doushouqi import game as doushouqi

# Processes of pytest-xdist have one; without it, tables for people are as wide as they need to be.
os.environ.pop("COLUMNS", None)
# The readline library sets it where Python does not see it, but children do.
os.unsetenv("COLUMNS")

# Kernels load or compile on first use, which no deadline can foresee.
settings.register_profile("tests", deadline=None)
settings.load_profile("tests")


@pytest.fixture(scope="session")
def solved() -> Solved:
    """Gives the tables of a game, as ``solved(game)`` or ``solved(game, "sweep")``."""

    @cache
    def tables_of(game: Game, engine: str = "reference") -> Tables:
        return Tables(game, engine)

    return tables_of


@pytest.fixture(scope="session")
def jungle() -> Game:
    """Dou Shou Qi."""
    return doushouqi()
