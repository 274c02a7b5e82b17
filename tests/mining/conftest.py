"""Tables that several files of tests ask: Fox & Hounds, and plain tables of what the twin finds."""

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from support.queries import BEASTS, arrow_table, columns_of, plain_tables
from twins.mining import moves_of, rows_of

from tablebase.commands.tablebase import Tablebase
from tablebase.game import load_game
from tablebase.mining.query import Query
from tablebase.positions.common_features import features_of


@pytest.fixture(scope="session")
def pawns(pawn_tables: Tablebase) -> Iterator[duckdb.DuckDBPyConnection]:
    """The twin's positions and moves of all Hexapawn as plain tables."""
    game = load_game("hexapawn")
    known = [f"{'P' * white}v{'P' * black}" for white in (1, 2, 3) for black in (1, 2, 3)]
    positions = arrow_table(row for material in known for row in rows_of(pawn_tables, game, material, pieces=6))
    moves = arrow_table(row for material in known for row in moves_of(pawn_tables, game, material))
    with plain_tables(positions=positions, moves=moves) as database:
        yield database


@pytest.fixture(scope="session")
def beasts(two_pieces: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """Rows of some two-piece slices as a plain table; `test_mining` compares such rows with the twin."""
    game = load_game("doushouqi")
    names = ", ".join(f'"{name}"' for name in columns_of(game, two_pieces))
    statement = f"SELECT {names} FROM positions WHERE material IN {BEASTS}"
    with Query(game, two_pieces, statement, features_of(game), counts=False) as query:
        rows = query.arrow()
    with plain_tables(positions=rows) as database:
        yield database
