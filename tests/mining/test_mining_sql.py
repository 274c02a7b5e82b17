"""SQL over positions: what is chosen before anything is decoded never changes an answer."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.program import Answer
from support.queries import examples, mined, mined_rows, plain_table
from twins.mining import rows_of

from tablebase.api.tablebase import Tablebase
from tablebase.errors import TablebaseError
from tablebase.game import load_game
from tablebase.mining.query import Query
from tablebase.mining.rewrite.reading import written
from tablebase.mining.statement import parse_select
from tablebase_rules.doushouqi import game as doushouqi

JUNGLE = doushouqi()
PAWNS = load_game("hexapawn")
Ask = Callable[..., Answer]
Database = duckdb.DuckDBPyConnection

PAWN_MATERIALS = [f"{'P' * white}v{'P' * black}" for white in (1, 2, 3) for black in (1, 2, 3) if white + black > 2]
BEASTS = ("RvC", "LvE", "EvL", "WvC", "RvR")
AMONG = f"material IN {BEASTS}"


@pytest.fixture(scope="module")
def pawns(hexapawns: Path, pawn_tables: Tablebase) -> Iterator[Database]:
    """The twin's rows of all Hexapawn as a plain table."""
    known = {material for (material,) in mined(PAWNS, hexapawns, "SELECT DISTINCT material FROM positions")}
    assert known <= {"PvP", *PAWN_MATERIALS}
    with plain_table(row for material in sorted(known) for row in rows_of(pawn_tables, PAWNS, material, pieces=6)) as database:
        yield database


@pytest.fixture(scope="module")
def beasts(two_pieces: Path) -> Iterator[Database]:
    """Rows of some two-piece slices as a plain table; `test_mining` compares such rows with the twin."""
    with plain_table(mined_rows(JUNGLE, two_pieces, AMONG)) as database:
        yield database


# Conditions at random

WORDS: dict[str, list[str]] = {
    "outcome": ["win", "loss", "draw"],
    "side": ["w"],
    "p1": ["P", "p"],
    "p1_square": ["a1", "b2", "c3"],
}
NUMBERS = ["pieces", "distance", "p1_file", "p1_rank", "p2_rank", "mobility", "captures"]
FLAGS = ["stalemate", "capturable_1"]
COMPARED = st.sampled_from(["=", "<>", "!=", "<", "<=", ">", ">=", "IS DISTINCT FROM", "IS NOT DISTINCT FROM"])
PATTERNS = st.sampled_from(
    ["LIKE 'w%'", "NOT LIKE '%s_'", "ILIKE 'W%'", "LIKE '%v_'", "SIMILAR TO '[a-w]*'", "~ '.*o.*'", "GLOB 'P*'"]
)
WHOLE = st.integers(-2, 12).map(str)


def conditions(materials: list[str]) -> st.SearchStrategy[str]:
    """Conditions over columns that a slice or a value decides, and over others; materials and numbers of pieces are known ones."""
    number = st.sampled_from(NUMBERS).flatmap(_spelled)
    amounts = st.one_of(
        number,
        # Of a number alone it is known whether a row can have it, and a statement may be refused.
        st.builds("({} + 0)".format, WHOLE),
        st.builds("({} {} {})".format, number, st.sampled_from(["+", "-", "*", "&", "|"]), number | WHOLE),
        st.builds("{} {} {}".format, number, st.sampled_from(["//", "%", "/"]), st.sampled_from(["2", "3"])),
        st.builds("coalesce({}, {})".format, number, WHOLE),
        st.builds("-{}".format, number),
        st.builds("CASE WHEN {} > 2 THEN {} ELSE {} END".format, number, number, WHOLE),
        st.builds("greatest({}, {})".format, number, WHOLE),
    )
    texts = st.sampled_from(sorted(WORDS)).flatmap(lambda name: _about_text(name, [f"'{word}'" for word in WORDS[name]]))
    atoms = st.one_of(
        _about_text("material", [f"'{name}'" for name in materials]),
        texts,
        st.builds("{} {} {}".format, amounts, COMPARED, amounts),
        st.builds("{} {}BETWEEN {} AND {}".format, amounts, st.sampled_from(["", "NOT "]), WHOLE, amounts),
        st.builds("distance {}IN ({}, {}, {})".format, st.sampled_from(["", "NOT "]), WHOLE, WHOLE, st.sampled_from(["7", "NULL"])),
        st.builds("{} IS {}NULL".format, number, st.sampled_from(["", "NOT "])),
        st.sampled_from(FLAGS).flatmap(_spelled),
        st.builds("{} IS {}".format, st.sampled_from(FLAGS).flatmap(_spelled), st.sampled_from(["TRUE", "NOT TRUE", "NOT FALSE"])),
        st.sampled_from(
            [
                "random() >= 0",
                "random() * pieces >= 0",
                "(outcome, side) = ('win', 'w')",
                "outcome || side = 'winw'",
                "typeof(pieces) = 'SMALLINT'",
                "distance IN (SELECT 3)",
                "NULL",
                "true",
                "CASE outcome WHEN 'win' THEN distance > 3 WHEN 'loss' THEN NULL ELSE stalemate END",
            ]
        ),
    )

    def joined(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        return st.one_of(
            st.builds("{} AND {}".format, inner, inner),
            st.builds("{} OR {}".format, inner, inner),
            st.builds("({} AND {})".format, inner, inner),
            st.builds("({} OR {})".format, inner, inner),
            st.builds("NOT {}".format, inner),
            st.builds("NOT ({})".format, inner),
            st.builds("CASE WHEN {} THEN {} ELSE {} END".format, inner, inner, inner),
            st.builds("({}) IS NULL".format, inner),
        )

    return st.recursive(atoms, joined, max_leaves=6)


def _spelled(name: str) -> st.SearchStrategy[str]:
    return st.sampled_from([name, name, name.upper(), f'"{name}"', f"{{0}}.{name}", f'{{0}}."{name.title()}"'])


def _about_text(name: str, words: list[str]) -> st.SearchStrategy[str]:
    column, word = _spelled(name), st.sampled_from(words)
    return st.one_of(
        st.builds("{} {} {}".format, column, COMPARED, word),
        st.builds("{} {}IN ({}, {})".format, column, st.sampled_from(["", "NOT "]), word, word),
        st.builds("{} {}".format, column, PATTERNS),
        st.builds("substr({}, 1, 1) {} {}".format, column, COMPARED, word),
        st.builds("length({}) > {}".format, column, WHOLE),
    )


SUMS = "count(*), sum(distance), sum(mobility), sum(p1_file * 10 + p2_rank), count(DISTINCT material), min(p1_square)"
TABLES = st.sampled_from(["positions", "positions AS t", "Positions t", '"positions"', '"POSITIONS" AS "T"'])


def assert_alike(game: Any, folder: Path, database: Database, table: str, condition: str, more: str = "true") -> None:
    """A condition leaves the same rows of `positions` as of a plain table."""
    name = table.split()[-1]
    statement = f"SELECT {SUMS} FROM {table} WHERE ({condition.replace('{0}', name)}) AND {more}"
    expected = database.execute(statement).fetchall()
    assert mined(game, folder, statement) == expected, statement
    assert database.execute(written(parse_select(statement))).fetchall() == expected, statement


@examples(8)
@given(TABLES, conditions(PAWN_MATERIALS))
@example("positions", "NOT outcome = 'win' OR distance > 3 AND material LIKE 'PP%'")
@example("positions AS t", "t.distance IS NULL OR t.mobility = 0")
@example("positions", "bit_count(-pieces) < 17")
@example("positions", "NOT outcome ~ '[wl]'")
@example("positions", "outcome = 'win' AND NOT (distance > 3 AND captures > 0)")
def test_conditions_at_random_on_like_pieces(hexapawns: Path, pawns: Database, table: str, condition: str) -> None:
    """Of all Hexapawn the same rows are left as of the twin's."""
    assert_alike(PAWNS, hexapawns, pawns, table, condition)


@examples(6)
@given(TABLES, conditions(list(BEASTS)))
@example("positions", "(outcome = 'win' OR mobility = 3) AND distance > 4")
@example("positions", "length(material) = 3 AND hamming(material, 'RvC') = 1")
@example("positions", "material = 'RvC' AND random() < 2 OR stalemate IS NULL")
def test_conditions_at_random_on_animals(two_pieces: Path, beasts: Database, table: str, condition: str) -> None:
    """Of five slices of Dou Shou Qi, by a further condition, the same rows are left as of a plain table that has no others."""
    assert_alike(JUNGLE, two_pieces, beasts, table, condition, AMONG)


@examples(5)
@given(st.lists(conditions(PAWN_MATERIALS), min_size=2, max_size=3))
def test_references_with_conditions_of_their_own(hexapawns: Path, pawns: Database, asked: list[str]) -> None:
    """Several references in one statement, each with another condition, give what each gives."""
    spelled = [condition.replace("{0}", "positions") for condition in asked]
    parts = [f"SELECT {n} AS n, count(*) AS c, sum(distance) AS d FROM positions WHERE {one}" for n, one in enumerate(spelled)]
    statement = f"{' UNION ALL '.join(parts)} ORDER BY n"
    assert mined(PAWNS, hexapawns, statement) == pawns.execute(statement).fetchall()


NOWHERE = [
    "p1 = 'c'",
    "side IS NULL",
    "lower(side) = 'b'",
    "pieces > 2",
    "p2 IS NULL",
    "material = 'RvC' AND pieces = 3",
    "material = 'RvC' AND material = 'CvC'",
    "material LIKE 'XvX'",
    "NOT true",
    "p1 = 'R' AND p2 = 'R'",
]


@pytest.mark.parametrize("condition", NOWHERE)
def test_no_slice_has_no_rows(condition: str, two_pieces: Path) -> None:
    """A condition that no slice can satisfy leaves none, of any column, and does no harm to what is asked beside it."""
    nowhere = f"SELECT count(*), max(distance), min(position), sum(mobility) FROM positions WHERE {condition}"
    assert mined(JUNGLE, two_pieces, nowhere) == [(0, None, None, None)]
    rest = f"SELECT p1_square, position FROM distinct_positions WHERE {condition}"
    assert mined(JUNGLE, two_pieces, rest) == []
    branch = "SELECT material, position FROM positions WHERE"
    beside = f"{branch} material = 'RvC' UNION ALL {branch} {condition}"
    assert Counter(material for material, _ in mined(JUNGLE, two_pieces, beside)) == {"RvC": 49 * 60}


def test_slices_without_a_third_piece_have_none(three_pieces: Path) -> None:
    """Where there are columns of a third piece, slices of two pieces satisfy no condition on it."""
    assert mined(JUNGLE, three_pieces, "SELECT count(*) FROM positions WHERE pieces = 2 AND p3 IS NOT NULL") == [(0,)]


PARTS = [
    "{0}.distance > 2",
    "{0}.distance IS NULL",
    "{0}.outcome = 'win'",
    "{0}.material LIKE 'PP%'",
    "NOT {0}.stalemate",
    "{0}.side = 'w'",
    "coalesce({0}.distance, 1) = 1",
    "({0}.outcome = 'loss' OR {0}.p1_rank = 1)",
    "random() >= 0",
]
JOINS = ["JOIN", "INNER JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", ", "]


@examples(6)
@given(
    st.sampled_from(JOINS),
    st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from(PARTS)), min_size=1, max_size=3),
    st.booleans(),
)
@example("LEFT JOIN", [("b", "{0}.distance IS NULL")], False)
@example("JOIN", [("a", "{0}.outcome = 'win'"), ("b", "{0}.outcome = 'loss'")], False)
def test_joins_at_random(hexapawns: Path, pawns: Database, join: str, asked: list[tuple[str, str]], one_of_them: bool) -> None:
    """Conditions on either side of a join leave the rows that they leave of a plain table, also where the other side is null."""
    on = "a.p1_square = b.p1_square AND a.p2_square = b.p2_square AND a.side = b.side"
    conditions_ = (" OR " if one_of_them else " AND ").join(part.format(name) for name, part in asked)
    where = f"{on} AND ({conditions_})" if join == ", " else conditions_
    joined = "positions a, positions b" if join == ", " else f"positions a {join} positions b ON {on}"
    statement = f"SELECT count(*), count(b.side), sum(a.distance), sum(b.distance) FROM {joined} WHERE {where}"
    assert mined(PAWNS, hexapawns, statement) == pawns.execute(statement).fetchall(), statement


SIDES = ["", "LEFT", "RIGHT", "FULL", "SEMI"]
LISTED = "(VALUES (1), (2), (7), (99), (NULL)) {0}(x)"
"""A list with distances that positions have, and others."""


def joined_twice(first: str, second: str, part: str, sources: tuple[int, int, int]) -> str:
    """Three counts of two joins of positions and of lists, in this order, of which a condition leaves some rows."""
    names = [("a", "v", "w")[number] for number in sources]
    columns = [("a.distance", "v.x", "w.x")[number] for number in sources]
    tables = [("positions a", LISTED.format("v"), LISTED.format("w"))[number] for number in sources]
    # The right side of a semi join can be named no more.
    seen = [names[0], *names[1:2] * (first != "SEMI"), *names[2:] * (second != "SEMI")]
    joined = f"{tables[0]} {first} JOIN {tables[1]} ON {columns[0]} = {columns[1]}"
    joined += f" {second} JOIN {tables[2]} ON {columns[0 if first == 'SEMI' else 1]} = {columns[2]}"
    counted = [f"count({'a.side' if name == 'a' else f'{name}.x'})" for name in seen] + ["NULL"] * (3 - len(seen))
    return f"count(*), {', '.join(counted)} FROM {joined}" + f" WHERE {part}" * ("a" in seen)


@pytest.mark.parametrize("first", SIDES)
@pytest.mark.parametrize("second", SIDES)
def test_the_where_of_several_joins(first: str, second: str, hexapawns: Path, pawns: Database) -> None:
    """A condition on a table leaves the rows that it leaves of a plain table, whichever sides the joins keep."""
    parts = ("a.outcome = 'win'", "a.outcome IS NULL", "coalesce(a.distance, 9) > 8")
    orders = ((0, 1, 2), (1, 0, 2), (1, 2, 0))
    every = [joined_twice(first, second, part, order) for part, order in product(parts, orders)]
    statement = " UNION ALL ".join(f"SELECT {number} AS n, {one}" for number, one in enumerate(every)) + " ORDER BY n"
    for row, expected in zip(mined(PAWNS, hexapawns, statement), pawns.execute(statement).fetchall(), strict=True):
        assert row == expected, every[row[0]]


@pytest.mark.parametrize(
    ("joined", "slices"),
    [
        ("positions a LEFT JOIN distinct_positions b ON b.position = a.twin AND b.material = 'CvW'", (1, 1)),
        ("positions a LEFT JOIN distinct_positions b ON b.position = a.twin LEFT JOIN range(3) r ON true", (1, 17)),
        ("distinct_positions b RIGHT JOIN positions a ON b.position = a.twin", (64, 17)),
        ("distinct_positions b LEFT JOIN positions a ON b.position = a.twin", (64, 17)),
        (
            "range(3) r FULL JOIN range(4) s ON true JOIN positions a ON true JOIN distinct_positions b ON b.material = 'CvW'",
            (1, 1),
        ),
    ],
)
def test_the_kept_side_of_an_outer_join_selects_slices(joined: str, slices: tuple[int, int], two_pieces: Path) -> None:
    """Its condition in the WHERE is checked before anything is decoded, and so is that of the ON on the other side."""
    with Query(JUNGLE, two_pieces, f"SELECT a.material FROM {joined} WHERE a.material = 'RvC'", ()) as query:
        assert tuple(len(each.scan.selection) for each in sorted(query.relations, key=lambda each: -len(each.name))) == slices[::-1]


NESTED = [
    "SELECT count(*), count(d.x), count(p.side) FROM (VALUES (1)) v(y) "
    "JOIN positions p {} JOIN (VALUES (1), (2), (3), (NULL)) d(x) ON d.x = p.distance ON true "
    "WHERE coalesce(p.outcome, '') <> 'win'",
    "SELECT count(*), count(d.x), count(p.side) FROM (VALUES (1)) v(y) "
    "JOIN (VALUES (1), (2), (3), (NULL)) d(x) {} JOIN positions p ON d.x = p.distance ON true "
    "WHERE coalesce(p.outcome, '') <> 'win'",
]


@pytest.mark.parametrize("join", ["LEFT", "RIGHT", "FULL", "INNER"])
@pytest.mark.parametrize("statement", NESTED)
def test_a_join_within_a_join(statement: str, join: str, hexapawns: Path, pawns: Database) -> None:
    """Rows that a condition refuses still have partners in an outer join that comes before an inner one."""
    asked = statement.format(join)
    assert mined(PAWNS, hexapawns, asked) == pawns.execute(asked).fetchall()


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT count(*) FROM (SELECT {'outcome': 'win'} AS q) t JOIN positions q ON true WHERE t.q.outcome = 'win'",
        "SELECT count(*) FROM (SELECT {'outcome': 'win'} AS q) t WHERE EXISTS "
        "(SELECT 1 FROM positions q WHERE t.q.outcome = 'win' AND q.outcome = 'loss')",
    ],
)
def test_a_field_of_another_table_is_no_column(statement: str, hexapawns: Path, pawns: Database) -> None:
    """A structure may be called like the table, and have a field called like a column."""
    assert mined(PAWNS, hexapawns, statement) == pawns.execute(statement).fetchall()


# Statements of every shape

STATEMENTS = [
    "SELECT a.material, count(*) FROM positions a JOIN positions b USING (p1_square, p2_square) "
    "WHERE a.material = 'RvC' AND b.material = 'LvE' AND a.outcome <> b.outcome GROUP BY ALL",
    "SELECT count(*) FROM positions a, positions b WHERE a.material = 'RvC' AND b.material = 'EvL' AND a.p1_square = b.p2_square "
    "AND a.distance = 3 AND b.distance = 4",
    "SELECT count(*) FROM (positions a JOIN positions b ON a.p1_square = b.p1_square AND a.p2_square = b.p2_square) "
    "WHERE a.material = 'RvC' AND b.material = 'WvC'",
    "SELECT b.material, count(b.distance), count(*) FROM (SELECT * FROM positions WHERE material = 'RvC' AND distance = 3) a "
    "LEFT JOIN (SELECT * FROM positions WHERE material = 'LvE' AND outcome = 'win') b "
    "USING (p1_square, p2_square) GROUP BY ALL ORDER BY ALL",
    "SELECT count(*) FROM positions a WHERE material = 'RvC' AND distance > "
    "(SELECT avg(distance) FROM positions b WHERE b.material = 'LvE' AND b.p1_square = a.p1_square)",
    "SELECT count(*) FROM positions WHERE material = 'RvC' AND EXISTS "
    "(SELECT 1 FROM positions b WHERE b.material = 'EvL' AND b.p1_square = positions.p1_square "
    "AND b.distance = positions.distance)",
    "SELECT count(*) FROM positions WHERE material = 'RvC' AND distance IN (SELECT distance FROM positions WHERE material = 'WvC')",
    "SELECT distance FROM positions WHERE material = 'RvC' EXCEPT SELECT distance FROM positions WHERE material = 'EvL' ORDER BY 1",
    "SELECT distance FROM positions WHERE material = 'RvC' INTERSECT "
    "SELECT distance FROM positions WHERE material = 'LvE' ORDER BY 1",
    "WITH a AS (SELECT * FROM positions WHERE material = 'RvC'), b AS (SELECT * FROM a WHERE outcome = 'win') "
    "SELECT count(*), max(distance) FROM b",
    "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r, (SELECT max(distance) AS most FROM positions "
    "WHERE material = 'RvC') WHERE n < most) SELECT max(n) FROM r",
    "SELECT outcome, stalemate, count(*) FROM positions WHERE material = 'RvC' GROUP BY ALL ORDER BY ALL",
    "SELECT outcome, max(distance) FROM positions WHERE material = 'RvC' GROUP BY outcome HAVING max(distance) > 1 ORDER BY 1 DESC",
    "SELECT count(*), count(distance), count(*) FILTER (WHERE distance IS NULL) FROM positions WHERE material = 'LvE'",
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
    "FROM positions SELECT count(*) WHERE material = 'RvC'",
    "SELECT COUNT(*) FROM POSITIONS WHERE MATERIAL = 'RvC' AND OUTCOME = 'win'; -- and no more\n",
    "SELECT count(*) FROM positions WHERE material = 'RvC' AND first = 'mover' AND even_1_2 AND region_1 = 'home'",
    "SELECT relation_1_2, passing_1_2, min(distance_1_2), count(*) FROM positions WHERE material = 'RvC' GROUP BY ALL ORDER BY ALL",
    "SELECT count(*) FROM positions WHERE material = 'RvC' AND typeof(distance) = 'SMALLINT' AND typeof(outcome) = 'VARCHAR'",
]


@pytest.mark.parametrize("limit", [None, 1000])
@pytest.mark.parametrize("statement", STATEMENTS)
def test_statements_of_every_shape(statement: str, limit: int | None, two_pieces: Path, beasts: Database) -> None:
    """Joins, unions, subqueries and all else that SQL has give what a plain table gives, also in order and with a limit.

    They mean the same when their trees are written again, as those of rewritten statements are.
    """
    expected = beasts.execute(statement).fetchall()
    assert mined(JUNGLE, two_pieces, statement, limit=limit) == expected
    assert beasts.execute(written(parse_select(statement))).fetchall() == expected


def test_a_natural_join_is_by_all_columns_but_features(two_pieces: Path) -> None:
    """It takes the columns that a star gives; with distances that are null no two rows are alike."""
    found = mined(JUNGLE, two_pieces, "SELECT count(*) FROM positions NATURAL JOIN distinct_positions WHERE material = 'RvC'")
    assert found == mined(JUNGLE, two_pieces, "SELECT count(distance) FROM positions WHERE material = 'RvC'")


def test_whole_rows_are_those_of_a_star(two_pieces: Path) -> None:
    """A table named like a column is a structure of all columns but features."""
    statement = "SELECT {} FROM positions WHERE material = 'RvC' AND distance = 1 ORDER BY p1_square, p2_square LIMIT 3"
    star = mined(JUNGLE, two_pieces, statement.format("*"))
    assert [tuple(row.values()) for (row,) in mined(JUNGLE, two_pieces, statement.format("positions"))] == star
    assert len(star[0]) == 6 + 2 * 4


@pytest.mark.parametrize("statement", ["DESCRIBE positions", "SELECT * FROM (DESCRIBE positions)"])
def test_describe_tells_all_columns(statement: str, two_pieces: Path) -> None:
    """With their types, features too."""
    found = {row[0]: row[1] for row in mined(JUNGLE, two_pieces, statement)}
    assert found["material"] == found["relation_1_2"] == "VARCHAR"
    assert found["distance"] == found["mobility"] == "SMALLINT"
    assert found["stalemate"] == found["even_1_2"] == "BOOLEAN"
    assert found["position"] == "VARCHAR"
    assert len(found) == 6 + 2 * 4 + 4 + 3 + 5 + (2 + 2) + (1 + 1 + 1 + 2 + 2 + 1 + 2 + 2 + 1)


@pytest.mark.parametrize(
    "statement", ["SUMMARIZE positions", "SELECT column_name, column_type, min, max FROM (SUMMARIZE positions)"]
)
def test_summarize_sees_all_rows(statement: str, two_pieces: Path) -> None:
    """It has a line for each column but features, whether it is the statement or a part of it."""
    found = {row[0]: row[1:4] for row in mined(JUNGLE, two_pieces, statement)}
    assert found["distance"] == ("SMALLINT", "1", "34")
    assert len(found) == 6 + 2 * 4


def test_a_pivot_groups_by_all_columns_that_are_left(two_pieces: Path) -> None:
    """Rows that agree in all columns but the outcome are as many as placements, for each is told by its squares."""
    statement = "SELECT count(*), sum(win) FROM positions PIVOT (count(*) FOR outcome IN ('win')) WHERE material = 'RvC'"
    wins = mined(JUNGLE, two_pieces, "SELECT count(*), sum((outcome = 'win')::INT) FROM positions WHERE material = 'RvC'")
    assert mined(JUNGLE, two_pieces, statement) == wins


@pytest.mark.parametrize("sample", ["TABLESAMPLE reservoir(5000 ROWS)", "USING SAMPLE 5000 ROWS"])
def test_a_sample_is_drawn_before_the_condition(sample: str, three_pieces: Path) -> None:
    """Of 5000 rows among all, some 15 have two pieces; a condition that were applied first would leave 5000."""
    before, after = (sample, "") if sample.startswith("TABLE") else ("", sample)
    assert mined(JUNGLE, three_pieces, f"SELECT count(*) FROM positions {before} {after}") == [(5000,)]
    [(two,)] = mined(JUNGLE, three_pieces, f"SELECT count(*) FROM positions {before} WHERE pieces = 2 {after}")
    assert two < 500


def test_random_numbers_are_drawn_for_each_row(two_pieces: Path) -> None:
    """A condition on random() is not answered once for all rows of a slice."""
    [(half,)] = mined(JUNGLE, two_pieces, "SELECT count(*) FROM positions WHERE material = 'RvC' AND random() < 0.5")
    assert 49 * 60 * 0.4 < half < 49 * 60 * 0.6
    [(half,)] = mined(JUNGLE, two_pieces, "SELECT count(*) FROM positions WHERE material = 'RvC' AND random() * pieces < 1")
    assert 49 * 60 * 0.4 < half < 49 * 60 * 0.6


def test_draws_have_no_distance(two_pieces: Path) -> None:
    """It is null, so that no comparison holds for draws, nor its opposite."""
    [counts] = mined(
        JUNGLE,
        two_pieces,
        """SELECT count(*), count(*) FILTER (WHERE outcome = 'draw'), count(*) - count(distance),
        (SELECT count(*) FROM positions WHERE distance < 9 OR NOT distance < 9),
        (SELECT count(*) FROM positions WHERE distance IS NULL),
        (SELECT count(*) FROM positions WHERE (distance > 0) IS NULL) FROM positions""",
    )
    assert counts == (160_068, 12_715, 12_715, 160_068 - 12_715, 12_715, 12_715)


def test_a_limit_ends_the_stream(three_pieces: Path) -> None:
    """A few rows of 54 million are there at once, as many as were asked for."""
    assert len(mined(JUNGLE, three_pieces, "SELECT * FROM positions", limit=7)) == 7
    assert mined(JUNGLE, three_pieces, "SELECT * FROM positions", limit=0) == []


LEAVING = """
from pathlib import Path
from tablebase.mining.query import Query
from tablebase.game import load_game
from tablebase.mining.query import Query
from tablebase.mining.rewrite.reading import written
from tablebase.mining.statement import parse_select

for _ in range(3):
    with Query(load_game("doushouqi"), Path({folder!r}), "SELECT position FROM positions", ()) as question:
        batches = question.run()
        next(batches)
        next(batches)
print("left")
"""


def test_leaving_before_the_end_leaves_nothing_running(three_pieces: Path) -> None:
    """A program that asks for a few batches of many, keeps the iterator, and ends, ends well."""
    script = LEAVING.format(folder=str(three_pieces))
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "left\n", "")


def test_an_alias_is_no_distinct_position(two_pieces: Path) -> None:
    """Asking for one among the stored slices names the one that stands for it."""
    with pytest.raises(TablebaseError, match="CvD plays like CvW, which stands for it"):
        mined(JUNGLE, two_pieces, "SELECT count(*) FROM distinct_positions WHERE material = 'CvD'")
