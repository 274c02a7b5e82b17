"""EXPLAIN and SHOW: what a statement reads, and what there is to be read."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.queries import mined, mined_table

from tablebase.mining.query import Query
from tablebase.mining.statement import read_request
from tablebase.slices.indexing import layout_of
from tablebase.slices.location import locate
from tablebase.slices.material import parse_material
from tablebase_rules.doushouqi import game as doushouqi

JUNGLE = doushouqi()


@pytest.mark.parametrize("statement", ["EXPLAIN {}", "explain {};", "/* why */ Explain\n{}"])
def test_explain_decodes_nothing(statement: str, two_pieces: Path) -> None:
    """It says what the statement would read, and makes no progress."""
    select = "SELECT mobility, position FROM positions WHERE material = 'RvC'"
    names, rows = mined_table(JUNGLE, two_pieces, statement.format(select))
    assert names == ["table", "slices", "indices", "columns", "rows"]
    layout = layout_of(JUNGLE, locate(JUNGLE, parse_material(JUNGLE, "RvC"), 0).material)
    assert rows == [("positions", 1, layout.size, "material, position, mobility", "decoded")]
    with Query(JUNGLE, two_pieces, statement.format("SELECT max(p1_file) FROM positions"), ()) as query:
        assert query.cells == 0


def test_explain_counts_each_table(two_pieces: Path) -> None:
    """Each table that is read has a row; a look-up decodes what it names, and a condition without any slice nothing."""
    statement = """
        EXPLAIN SELECT p.outcome, m.move FROM positions p JOIN moves m ON m.position = p.position
        WHERE p.position = '1C5/2c4/7/7/7/7/7/7/7 w'"""
    assert sorted(row[:3] for row in mined(JUNGLE, two_pieces, statement)) == [("moves", 1, 1), ("positions", 1, 1)]
    assert mined(JUNGLE, two_pieces, "EXPLAIN SELECT count(*) FROM positions WHERE distance = 999") == [
        ("positions", 0, 0, "distance", "decoded")
    ]
    assert mined(JUNGLE, two_pieces, "EXPLAIN SELECT 1") == []
    assert len(mined(JUNGLE, two_pieces, statement, limit=1)) == 1


def test_show(two_pieces: Path) -> None:
    """SHOW TABLES lists the tables, and SHOW of a table its columns."""
    expected = [(name,) for name in ("positions", "distinct_positions", "moves", "distinct_moves")]
    assert mined(JUNGLE, two_pieces, "SHOW TABLES") == mined(JUNGLE, two_pieces, "show all tables;") == expected
    for (name,) in expected:
        assert mined(JUNGLE, two_pieces, f"SHOW {name}") == mined(JUNGLE, two_pieces, f"DESCRIBE {name}")


def test_other_texts_stay() -> None:
    """What begins otherwise, or cannot be read, is left to the parser."""
    for text in ("SELECT 'EXPLAIN'", "SHOW", "", "SELECT '", "SHOW TABLES FROM x"):
        assert read_request(text) == (text, False)
