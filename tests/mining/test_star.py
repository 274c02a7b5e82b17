"""Columns of ``*``: those that every table shows, and those that the statement names."""

from pathlib import Path

import pytest
from support.checks import thinned
from support.queries import mined_table
from twins.mining import rows_of

from tablebase.commands.tablebase import Tablebase
from tablebase.game.features import Values, feature
from tablebase.positions.many import Positions
from tablebase_rules.doushouqi import game as doushouqi

JUNGLE = doushouqi()
OF_PIECES = [f"p{number}{what}" for number in (1, 2) for what in ("", "_square", "_file", "_rank")]
PLAIN = ["material", "pieces", "side", "outcome", "distance", "stalemate", *OF_PIECES]
"""The columns that the documents name for ``*``, with tables of two pieces."""
OF_MOVES = [
    *("material", "pieces", "side", "move", "piece", "origin", "target", "captures", "jump", "ends", "outcome", "distance"),
    *("position_outcome", "position_distance", "is_best", "is_only"),
]
HERE = "p.position = '1C5/2c4/7/7/7/7/7/7/7 w'"


@feature(kind="float")
def Odd(positions: Positions) -> Values:  # noqa: N802 (a name with a capital letter)
    """Half of a square's number."""
    return positions.squares[:, 0] / 2


STATEMENTS = {
    "nothing else": ("SELECT * FROM positions", PLAIN),
    "no SELECT": ("FROM positions", PLAIN),
    "a condition": ("SELECT * FROM positions WHERE mobility > 1", [*PLAIN, "mobility"]),
    "an order": ("SELECT * FROM positions ORDER BY relation_1_2, \"Position\"", [*PLAIN, "position", "relation_1_2"]),
    "a column twice": ("SELECT *, first FROM positions", [*PLAIN, "first", "first_16"]),
    "a list": ("SELECT COLUMNS(['p1', 'mobility']) FROM positions", ["p1", "mobility"]),
    "a pattern": ("SELECT COLUMNS('p1|odd|Odd') FROM positions WHERE oDD > 3", [*OF_PIECES[:4], "Odd"]),
    "without it": ("SELECT * EXCLUDE (mobility, p1) FROM positions", [each for each in PLAIN if each != "p1"]),
    "in its place": ("SELECT * REPLACE (mobility + 1 AS pieces) FROM positions", [*PLAIN, "mobility"]),
    "around a subquery": ("SELECT p1, mobility FROM (SELECT * FROM positions)", ["p1", "mobility"]),
    "in a subquery": ("SELECT * FROM (SELECT * FROM positions WHERE first = 'mover')", [*PLAIN, "first"]),
    "the name of a result": ("SELECT *, p1_rank > 2 AS first FROM positions", [*PLAIN, "first"]),
    "the name of a table": ("WITH best AS (SELECT 2 AS n) SELECT p.* FROM positions p JOIN best ON best.n = p.pieces", PLAIN),
    "a string": ("SELECT *, 'mobility' AS word FROM positions", [*PLAIN, "word"]),
    "a star of text": ("SELECT * FROM (SELECT 'é🦊' AS \"*\") JOIN positions ON true", ["*", *PLAIN]),
    "moves": (f"SELECT m.*, p.mobility FROM positions p JOIN moves m ON m.position = p.position WHERE {HERE}",
        [*OF_MOVES, "position", "mobility"]),
    "a natural join": ("SELECT * FROM positions NATURAL JOIN distinct_positions WHERE material = 'RvC' AND mobility = 2",
        [*PLAIN, "mobility"]),
    "a pivot": ("SELECT * FROM positions PIVOT (count(*) FOR outcome IN ('win')) WHERE material = 'RvC' AND mobility = 2",
        [*(each for each in PLAIN if each != "outcome"), "mobility", "win"]),
}  # fmt: skip


@pytest.mark.parametrize(("statement", "columns"), thinned(STATEMENTS.values(), 3), ids=STATEMENTS)
def test_a_star_has_the_columns_that_are_named(statement: str, columns: list[str], two_pieces: Path) -> None:
    """Features, texts and the like are shown if they are named as columns, in the order of DESCRIBE."""
    names, rows = mined_table(JUNGLE, two_pieces, statement, (Odd,), limit=3)
    assert names == columns
    assert len(rows) == 3 if "NATURAL" not in statement else rows


def test_values_stand_under_their_names(two_pieces: Path, tables: Tablebase) -> None:
    """A star has the values that the twin finds, with features and texts among them."""
    statement = "SELECT * FROM positions WHERE material = 'EvL' AND mobility = 3 AND position LIKE '%E%' AND even_1_2"
    names, rows = mined_table(JUNGLE, two_pieces, statement)
    expected = [row for row in rows_of(tables, JUNGLE, "EvL") if row["mobility"] == 3 and row["even_1_2"]]
    assert len(names) == len(PLAIN) + 3
    assert sorted(map(str, rows)) == sorted(str(tuple(row[name] for name in names)) for row in expected)
