"""SQL over positions: what is chosen before anything is decoded never changes an answer."""

from collections import Counter
from itertools import product
from pathlib import Path

import duckdb
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.checks import thinned
from support.queries import BEASTS, combined, examples, mined

from tablebase.game import load_game
from tablebase_rules.doushouqi import game as doushouqi

JUNGLE = doushouqi()
PAWNS = load_game("hexapawn")
Database = duckdb.DuckDBPyConnection

PAWN_MATERIALS = [f"{'P' * white}v{'P' * black}" for white in (1, 2, 3) for black in (1, 2, 3) if white + black > 2]

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

    forms = ["{} AND {}", "{} OR {}", "({} AND {})", "({} OR {})", "NOT {}", "NOT ({})", "CASE WHEN {} THEN {} ELSE {} END"]
    return combined(atoms, 6, [*forms, "({}) IS NULL"])


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


@examples(8)
@given(TABLES, conditions(PAWN_MATERIALS))
@example("positions", "NOT outcome = 'win' OR distance > 3 AND material LIKE 'PP%'")
@example("positions AS t", "t.distance IS NULL OR t.mobility = 0")
@example("positions", "bit_count(-pieces) < 17")
@example("positions", "NOT outcome ~ '[wl]'")
@example("positions", "outcome = 'win' AND NOT (distance > 3 AND captures > 0)")
def test_conditions_at_random(hexapawns: Path, pawns: Database, table: str, condition: str) -> None:
    """A condition leaves the same rows of `positions` as of a plain table."""
    statement = f"SELECT {SUMS} FROM {table} WHERE {condition.replace('{0}', table.split()[-1])}"
    assert mined(PAWNS, hexapawns, statement) == pawns.execute(statement).fetchall(), statement


@examples(6)
@given(TABLES, conditions([*BEASTS]))
@example("positions", "(outcome = 'win' OR mobility = 3) AND distance > 4")
@example("positions", "length(material) = 3 AND hamming(material, 'RvC') = 1")
@example("positions", "material = 'RvC' AND random() < 2 OR stalemate IS NULL")
def test_conditions_at_random_on_animals(two_pieces: Path, beasts: Database, table: str, condition: str) -> None:
    """Of five slices of Dou Shou Qi, aliases and exchanged colours too, it leaves the rows of a table that has no others."""
    asked = f"({condition.replace('{0}', table.split()[-1])}) AND material IN {BEASTS}"
    statement = f"SELECT {SUMS} FROM {table} WHERE {asked}"
    assert mined(JUNGLE, two_pieces, statement) == beasts.execute(statement).fetchall(), statement


NOWHERE = [
    *("p1 = 'c'", "side IS NULL", "lower(side) = 'b'", "pieces > 2", "p2 IS NULL", "material = 'RvC' AND pieces = 3"),
    *("material = 'RvC' AND material = 'CvC'", "material LIKE 'XvX'", "NOT true", "p1 = 'R' AND p2 = 'R'"),
]


@pytest.mark.parametrize("condition", thinned(NOWHERE, 3))
def test_no_slice_has_no_rows(condition: str, two_pieces: Path) -> None:
    """A condition that no slice can satisfy leaves none, of any column, and does no harm to what is asked beside it."""
    nowhere = f"SELECT count(*), max(distance), min(position), sum(mobility) FROM positions WHERE {condition}"
    assert mined(JUNGLE, two_pieces, nowhere) == [(0, None, None, None)]
    others = [f"SELECT material, position FROM {table} WHERE {condition}" for table in ("positions", "distinct_positions")]
    beside = " UNION ALL ".join(["SELECT material, position FROM positions WHERE material = 'RvC'", *others])
    assert Counter(material for material, _ in mined(JUNGLE, two_pieces, beside)) == {"RvC": 49 * 60}


SIDES = ["", "LEFT", "RIGHT", "FULL", "SEMI"]
LISTED = "(VALUES (1), (2), (7), (99), (NULL)) {0}(x)"
"""A list with distances that positions have, and others."""


def joined_twice(first: str, second: str, part: str, sources: tuple[int, int, int]) -> str:
    """Counts of two joins of positions and of lists, in this order, of which a condition leaves some rows."""
    names = [("a", "v", "w")[number] for number in sources]
    columns = [("a.distance", "v.x", "w.x")[number] for number in sources]
    tables = [("positions a", LISTED.format("v"), LISTED.format("w"))[number] for number in sources]
    # The right side of a semi join can be named no more.
    seen = [names[0], *names[1:2] * (first != "SEMI"), *names[2:] * (second != "SEMI")]
    joined = f"{tables[0]} {first} JOIN {tables[1]} ON {columns[0]} = {columns[1]}"
    joined += f" {second} JOIN {tables[2]} ON {columns[0 if first == 'SEMI' else 1]} = {columns[2]}"
    counted = [f"count({'a.side' if name == 'a' else f'{name}.x'})" for name in seen]
    return f"SELECT count(*), {', '.join(counted)} FROM {joined}" + f" WHERE {part}" * ("a" in seen)


ORDERS = [(0, 1, 2), (1, 0, 2), (1, 2, 0)]
WHERES = [
    *((first, second, "a.outcome = 'win'") for first, second in product(SIDES, SIDES)),
    *((first, second, "a.outcome IS NULL") for first, second in product(SIDES, SIDES)),
    *((first, second, "coalesce(a.distance, 9) > 8") for first, second in product(SIDES, SIDES)),
]


@pytest.mark.parametrize(("case", "order"), thinned(product(WHERES, ORDERS), 13))
def test_the_where_of_several_joins(
    case: tuple[str, str, str], order: tuple[int, int, int], hexapawns: Path, pawns: Database
) -> None:
    """A condition on a table leaves the rows that it leaves of a plain table, whichever sides the joins keep."""
    # Each is asked alone: in one statement they would share the slices that are read.
    statement = joined_twice(*case, order)
    assert mined(PAWNS, hexapawns, statement) == pawns.execute(statement).fetchall()


NEAR = "(VALUES (1), (2), (3), (NULL)) d(x)"
NESTED = [
    f"SELECT count(*), count(d.x), count(p.side) FROM (VALUES (1)) v(y) JOIN {tables} ON d.x = p.distance ON true "
    "WHERE coalesce(p.outcome, '') <> 'win'"
    for join in ("LEFT", "RIGHT", "FULL", "INNER")
    for tables in (f"positions p {join} JOIN {NEAR}", f"{NEAR} {join} JOIN positions p")
]
"""Rows that a condition refuses still have partners in an outer join that comes before an inner one."""
FIELDS = [
    "SELECT count(*) FROM (SELECT {'outcome': 'win'} AS q) t JOIN positions q ON true WHERE t.q.outcome = 'win'",
    "SELECT count(*) FROM (SELECT {'outcome': 'win'} AS q) t WHERE EXISTS "
    "(SELECT 1 FROM positions q WHERE t.q.outcome = 'win' AND q.outcome = 'loss')",
]
"""A structure may be called like the table, and have a field called like a column."""


@pytest.mark.parametrize("statement", thinned([*NESTED, *FIELDS], 2))
def test_joins_in_joins_and_fields_of_others(statement: str, hexapawns: Path, pawns: Database) -> None:
    """Conditions are checked beforehand for the rows of their own table alone."""
    assert mined(PAWNS, hexapawns, statement) == pawns.execute(statement).fetchall()
