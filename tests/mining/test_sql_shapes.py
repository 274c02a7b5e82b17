"""Statements of every shape give what a plain table gives; what is read of stars, pivots and random numbers."""

import re
from pathlib import Path

import duckdb
import pytest
from sqlglot import exp
from support.checks import thinned
from support.program import ask_fresh
from support.queries import MOVE_COLUMNS, mined, mined_table
from twins.mining import rows_of

from tablebase.commands.tablebase import Tablebase
from tablebase.errors import TablebaseError
from tablebase.game.features import Values, feature
from tablebase.mining import reading
from tablebase.mining.reading import parsed
from tablebase.positions.position_arrays import Positions
from tablebase_rules.doushouqi import game as doushouqi

JUNGLE = doushouqi()

STATEMENTS = [
    "SELECT a.material, count(*) FROM positions a JOIN positions b USING (p1_square, p2_square) "
    "WHERE a.material = 'RvC' AND b.material = 'LvE' AND a.outcome <> b.outcome GROUP BY ALL",
    "SELECT count(*) FROM (positions a JOIN positions b ON a.p1_square = b.p1_square AND a.p2_square = b.p2_square) "
    "WHERE a.material = 'RvC' AND b.material = 'WvC'",
    "SELECT count(*) FROM positions a WHERE material = 'RvC' AND distance > "
    "(SELECT avg(distance) FROM positions b WHERE b.material = 'LvE' AND b.p1_square = a.p1_square)",
    "SELECT count(*) FROM positions WHERE material = 'RvC' AND EXISTS "
    "(SELECT 1 FROM positions b WHERE b.material = 'EvL' AND b.p1_square = positions.p1_square "
    "AND b.distance = positions.distance)",
    "SELECT distance FROM positions WHERE material = 'RvC' EXCEPT SELECT distance FROM positions WHERE material = 'EvL' ORDER BY 1",
    "SELECT distance FROM positions WHERE material = 'RvC' INTERSECT "
    "SELECT distance FROM positions WHERE material = 'LvE' ORDER BY 1",
    "WITH a AS (SELECT * FROM positions WHERE material = 'RvC'), b AS (SELECT * FROM a WHERE outcome = 'win') "
    "SELECT count(*), max(distance) FROM b",
    "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r, (SELECT max(distance) AS most FROM positions "
    "WHERE material = 'RvC') WHERE n < most) SELECT max(n) FROM r",
    "SELECT outcome, distance FROM positions WHERE material = 'LvE' ORDER BY distance DESC NULLS FIRST, outcome LIMIT 5 OFFSET 3",
    "SELECT p1_rank AS distance, p1_square FROM positions WHERE distance = 3 AND material = 'RvC' ORDER BY ALL LIMIT 20",
    "SELECT distance AS d FROM positions WHERE d = 3 AND material = 'RvC'",
    "SELECT material AS outcome, count(*) FROM positions WHERE outcome = 'win' "
    "AND material IN ('RvC', 'LvE') GROUP BY material ORDER BY 1",
    "SELECT count(*) FROM positions p1 WHERE p1.material = 'RvC' AND p1 = 'R'",
    "SELECT DISTINCT ON (outcome) outcome, p1_square, p2_square FROM positions WHERE material = 'RvC' "
    "ORDER BY outcome, distance, p1_square, p2_square",
    "SELECT p1_square FROM positions WHERE material = 'RvC' "
    "QUALIFY row_number() OVER (ORDER BY distance, p1_square, p2_square) < 5 ORDER BY 1",
    "SELECT COLUMNS('p1_.*') FROM positions WHERE material = 'RvC' AND distance = 1 ORDER BY ALL LIMIT 5",
    "SELECT max(COLUMNS('p._rank')) FROM positions WHERE material = 'RvC'",
    "SELECT count(*) FROM positions WHERE COLUMNS('outcome|side') <> 'w' AND material = 'RvC'",
    "SELECT count(DISTINCT a) FROM (SELECT p1_square, p2_square FROM positions WHERE material = 'RvC') a",
    "SELECT n, sum(v) FROM positions UNPIVOT (v FOR n IN (p1_file, p2_file)) WHERE material = 'RvC' GROUP BY n ORDER BY n",
    "SELECT count(*), sum(win) FROM (SELECT side, outcome, p1_square FROM positions WHERE material = 'RvC') "
    "PIVOT (count(*) FOR outcome IN ('win', 'loss'))",
    "SELECT count(*) FROM positions, unnest([1, 2]) AS u(x) WHERE material = 'RvC' AND distance = 3 AND x = 1",
    "SELECT count(*) FROM positions, LATERAL (SELECT distance + 1 AS later) WHERE material = 'RvC' AND later = 4",
    "SELECT count(*) FROM 'positions' WHERE \"material\" = 'RvC'",
    "SELECT count(*) FROM main.positions WHERE main.positions.material = 'RvC' AND positions.distance = 3",
    "SELECT main.positions.mobility, count(*) FROM main.positions WHERE main.positions.captures = 1 "
    "AND main.positions.material = 'RvC' GROUP BY ALL ORDER BY ALL",
    "FROM positions SELECT count(*) WHERE material = 'RvC'",
    "SELECT count(*) FROM positions WHERE material = 'RvC' AND first = 'mover' AND even_1_2 AND region_1 = 'home'",
    "SELECT relation_1_2, passing_1_2, min(distance_1_2), count(*) FROM positions WHERE material = 'RvC' GROUP BY ALL ORDER BY ALL",
    "SELECT count(*) FROM positions WHERE material = 'RvC' AND typeof(distance) = 'SMALLINT' AND typeof(outcome) = 'VARCHAR'",
]


@pytest.mark.parametrize("limit", [None, pytest.param(1000, marks=pytest.mark.full)])
@pytest.mark.parametrize("statement", thinned(STATEMENTS, 3))
def test_statements_of_every_shape(statement: str, limit: int | None, two_pieces: Path, beasts: duckdb.DuckDBPyConnection) -> None:
    """Joins, unions, subqueries and all else that SQL has give what a plain table gives, also in order and with a limit."""
    assert mined(JUNGLE, two_pieces, statement, limit=limit) == beasts.execute(statement).fetchall()


WITH_ALL = """WITH v AS (SELECT 1 AS x) SELECT DISTINCT outcome AS o FROM positions JOIN v ON x = pieces WHERE x > 0
    GROUP BY ALL HAVING true ORDER BY 1"""


def test_parts_of_trees() -> None:
    """Clauses are direct parts of a SELECT, by kind; a few arguments are read by name, and one that is missing is an error."""
    clauses = [exp.With, exp.Distinct, exp.Alias, exp.From, exp.Join, exp.Where, exp.Group, exp.Having, exp.Order]
    assert {type(each) for each in parsed(WITH_ALL).iter_expressions()} == {*clauses}
    case = parsed("CASE x WHEN 'a' THEN 1 END")
    assert [type(each) for each in case.iter_expressions()] == [exp.Column, exp.If]
    table = parsed("FROM positions p PIVOT (count(*) FOR outcome IN ('win'))").find(exp.Table)
    sample = parsed("FROM positions TABLESAMPLE 1%").find(exp.TableSample)
    assert table is not None
    assert exp.Pivot in map(type, table.iter_expressions())
    assert sample is not None
    assert isinstance(sample.parent, exp.Table)
    named = {exp.Join: {"on", "using"}, exp.Between: {"low", "high"}, exp.Distinct: {"on"}, exp.Union: {"by_name"}}
    sources = [path.read_text(encoding="utf-8") for path in Path(reading.__file__).parent.glob("*.py")]
    assert {name for text in sources for name in re.findall(r'argument\(\w+, "(\w+)"\)', text)} == set().union(*named.values())
    assert sum(len(re.findall(r"\.args\b", text)) for text in sources) == 1
    for kind, names in named.items():
        assert names <= {*kind.arg_types}
    [join] = parsed(WITH_ALL).find_all(exp.Join)
    with pytest.raises(TablebaseError, match=r"^sqlglot [\d.]+ has no argument condition of Join: install another version"):
        reading.argument(join, "condition")


def test_whole_rows_are_those_of_a_star(two_pieces: Path) -> None:
    """A table named like a column is a structure of all columns but features."""
    statement = "SELECT {} FROM positions WHERE material = 'RvC' AND distance = 1 ORDER BY p1_square, p2_square LIMIT 3"
    star = mined(JUNGLE, two_pieces, statement.format("*"))
    assert [tuple(row.values()) for (row,) in mined(JUNGLE, two_pieces, statement.format("positions"))] == star
    assert len(star[0]) == 6 + 2 * 4


@pytest.mark.parametrize("statement", ["DESCRIBE positions", "SELECT * FROM (DESCRIBE positions)"])
def test_describe_tells_all_columns(statement: str, two_pieces: Path) -> None:
    found = {row[0]: row[1] for row in mined(JUNGLE, two_pieces, statement)}
    assert found["material"] == found["relation_1_2"] == "VARCHAR"
    assert found["distance"] == found["mobility"] == "SMALLINT"
    assert found["stalemate"] == found["even_1_2"] == "BOOLEAN"
    assert found["position"] == "VARCHAR"
    assert len(found) == 6 + 2 * 4 + 4 + 3 + 5 + 1 + 3 + (2 + 2) + (1 + 1 + 1 + 2 + 2 + 1 + 2 + 2 + 1)


@pytest.mark.parametrize(
    "statement", ["SUMMARIZE positions", "SELECT column_name, column_type, min, max FROM (SUMMARIZE positions)"]
)
def test_summarize_sees_all_rows(statement: str, two_pieces: Path) -> None:
    """It has a line for each column but features, whether it is the statement or a part of it."""
    found = {row[0]: row[1:4] for row in mined(JUNGLE, two_pieces, statement)}
    assert found["distance"] == ("SMALLINT", "1", "34")
    assert len(found) == 6 + 2 * 4


def test_a_limit_ends_the_stream(three_pieces: Path) -> None:
    """A few rows of 54 million are there at once, as many as were asked for."""
    assert len(mined(JUNGLE, three_pieces, "SELECT * FROM positions", limit=7)) == 7
    assert mined(JUNGLE, three_pieces, "SELECT * FROM positions", limit=0) == []


LEAVING = """
import sys
from pathlib import Path
from tablebase.game import load_game
from tablebase.mining.query import Query

for _ in range(3):
    with Query(load_game("doushouqi"), Path(sys.argv[1]), "SELECT position FROM positions", ()) as question:
        batches = question.run()
        next(batches)
        next(batches)
print("left")
"""


@pytest.mark.full
def test_leaving_before_the_end_leaves_nothing_running(three_pieces: Path) -> None:
    """A program that asks for a few batches of many, keeps the iterator, and ends, ends well."""
    answer = ask_fresh(three_pieces, program=LEAVING)
    assert (answer.code, answer.out, answer.err) == (0, "left\n", "")


OF_PIECES = [f"p{number}{what}" for number in (1, 2) for what in ("", "_square", "_file", "_rank")]
PLAIN = ["material", "pieces", "side", "outcome", "distance", "stalemate", *OF_PIECES]
"""The columns that the documents name for ``*``, with tables of two pieces."""
HERE = "p.position = '1C5/2c4/7/7/7/7/7/7/7 w'"


@feature(kind="float")
def Odd(positions: Positions) -> Values:  # noqa: N802 (a name with a capital letter)
    """Half of a square's number."""
    return positions.squares[:, 0] / 2


STARS = {
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
        [*MOVE_COLUMNS, "position", "mobility"]),
    "a natural join": ("SELECT * FROM positions NATURAL JOIN distinct_positions WHERE material = 'RvC' AND mobility = 2",
        [*PLAIN, "mobility"]),
    "a pivot": ("SELECT * FROM positions PIVOT (count(*) FOR outcome IN ('win')) WHERE material = 'RvC' AND mobility = 2",
        [*(each for each in PLAIN if each != "outcome"), "mobility", "win"]),
}  # fmt: skip


@pytest.mark.parametrize(("statement", "columns"), thinned(STARS.values(), 3), ids=STARS)
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
