"""Statements that only count: equal rows counted together give what single rows give; EXPLAIN says which are read."""

from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.checks import thinned
from support.queries import examples, mined

from tablebase.game import Game
from tablebase.mining.query import Query
from tablebase.positions.common_features import features_of
from tablebase_rules.doushouqi import game as doushouqi
from tablebase_rules.hexapawn import game as hexapawn

JUNGLE, PAWNS = doushouqi(), hexapawn()

KEYS = ("material", "pieces", "side", "p1", "p2", "outcome", "distance", "stalemate", "distance / 10", "outcome = 'win'")
ARGUMENTS = (
    *("distance", "pieces", "outcome", "p2", "stalemate", "distance > 3", "(outcome = 'win')::INT", "nullif(distance, 1)"),
    *("CASE WHEN outcome = 'win' THEN 1.5 ELSE 0.5 END", "distance % 3 - 1", "CASE outcome WHEN 'win' THEN distance END"),
)
NUMBERS = tuple(each for each in ARGUMENTS if each not in ("outcome", "p2", "stalemate", "distance > 3"))
CONDITIONS = (
    *("outcome <> 'draw'", "distance BETWEEN 3 AND 20", "NOT stalemate", "p1 IN ('P', 'p')", "material LIKE 'C%'", "pieces > 8"),
    *("distance IS NULL", "side = 'w' AND distance % 2 = 1", "(p2 = 'p' OR coalesce(distance, 0) > 5)"),
)


class Words(NamedTuple):
    """What statements are made of: the words above, and others."""

    keys: tuple[str, ...]
    arguments: tuple[str, ...]
    numbers: tuple[str, ...]
    conditions: tuple[str, ...]


OF_VALUES = Words(KEYS, ARGUMENTS, NUMBERS, CONDITIONS)
OF_SQUARES = Words(
    (*KEYS, "p1_square", "p2_file", "p2_rank % 3", "p3_square", "mobility", "capturable_1", "zugzwang"),
    (*ARGUMENTS, "p1_rank", "mobility - captures"),
    (*NUMBERS, "p1_rank", "mobility - captures", "CASE WHEN capturable_2 THEN p1_file END"),
    (*CONDITIONS, "p1_file = p2_file", "zugzwang", "NOT capturable_1", "p2_square > 'b1'", "p3_file > 1"),
)
OF_TWINS = Words(
    (*KEYS, "twin_outcome", "twin_distance", "zugzwang", "outcome = twin_outcome"),
    (*ARGUMENTS, "twin_outcome", "twin_distance", "distance - twin_distance"),
    (*NUMBERS, "twin_distance", "distance - twin_distance"),
    (*CONDITIONS, "zugzwang", "NOT zugzwang", "mutual_zugzwang", "twin_outcome = 'loss'", "twin_distance > distance"),
)


@st.composite
def statements(draw: st.DrawFn, words: Words) -> str:
    """A SELECT that needs counts alone."""
    conditions = st.sampled_from(words.conditions)
    aggregates = st.one_of(
        st.just("count(*)"),
        st.builds("{}({})".format, st.sampled_from(["count", "min", "max"]), st.sampled_from(words.arguments)),
        st.builds("{}(DISTINCT {})".format, st.sampled_from(["count", "max"]), st.sampled_from(words.arguments)),
        st.builds("{}({})".format, st.sampled_from(["sum", "avg"]), st.sampled_from(words.numbers)),
        st.builds("{}({})".format, st.sampled_from(["count_if", "bool_and", "bool_or"]), conditions),
    )
    filtered = st.builds("{}{}".format, aggregates, st.one_of(st.just(""), conditions.map(" FILTER (WHERE {})".format)))
    keys = draw(st.lists(st.sampled_from(words.keys), max_size=3, unique=True))
    results = [*keys, *draw(st.lists(filtered, min_size=not keys, max_size=3))]
    clauses = [f"SELECT {', '.join(results)} FROM {draw(st.sampled_from(['positions', 'distinct_positions']))}"]
    if wanted := draw(st.lists(conditions, max_size=2)):
        clauses.append(f"WHERE {' AND '.join(wanted)}")
    if keys:
        cube = [f"GROUP BY CUBE ({', '.join(keys)})"] if all(map(str.isidentifier, keys)) else []
        clauses.append(draw(st.sampled_from(["GROUP BY ALL", f"GROUP BY {', '.join(keys)}", *cube])))
        if draw(st.booleans()):
            clauses.append(f"HAVING {draw(filtered)} IS NOT NULL AND count(*) > 7")
    return " ".join(clauses)


def sorted_rows(table: pa.Table) -> list[str]:
    """All rows in one order, with the last digits of averages cut off."""
    rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
    return sorted(str([f"{value:.12g}" if isinstance(value, float) else value for value in row]) for row in rows)


def check(game: Game, folder: Path, statement: str, *, same: bool = True) -> set[str]:
    """Compare what is counted with what single rows give, and return the schemas that are read."""
    with Query(game, folder, statement, features_of(game)) as query:
        read, counted = {relation.schema for relation in query.relations}, query.arrow()
    with Query(game, folder, statement, features_of(game), counts=False) as query:
        assert {relation.schema for relation in query.relations} == {"main"}
        decoded = query.arrow()
    assert counted.schema.equals(decoded.schema)
    assert not same or sorted_rows(counted) == sorted_rows(decoded)
    return read


@pytest.mark.parametrize("words", [OF_VALUES, OF_SQUARES, OF_TWINS], ids=["values", "squares", "twins"])
@examples(4)
@given(st.data())
def test_tallies_are_those_of_single_rows(words: Words, two_pieces: Path, hexapawns: Path, data: st.DataObject) -> None:
    """Statements at random give the same rows of the same types, also with identical pieces, stalemates and both sides to move."""
    statement = data.draw(statements(words))
    for game, folder in ((PAWNS, hexapawns), (JUNGLE, two_pieces)):
        if game is PAWNS or words is not OF_SQUARES:
            assert check(game, folder, statement) == ({"main"} if "nullif" in statement else {"tallied"})


TALLIED = [
    "SELECT count(*), sum(distance), avg(distance), min(outcome) FROM positions WHERE pieces > 8",
    "SELECT count(distance) FILTER (WHERE pieces > 8), count_if(stalemate) FROM positions WHERE pieces > 8",
    "SELECT DISTINCT material, outcome FROM positions",
    "SELECT outcome AS o, count(*) AS n, n / 2 FROM positions p WHERE p.pieces = 2 GROUP BY o ORDER BY n DESC LIMIT 2",
    "SELECT (SELECT count(*) FROM positions), (SELECT count(*) FROM distinct_positions WHERE outcome = 'win')",
    "SELECT max(n) FROM (SELECT material, count(*) AS n FROM positions GROUP BY ALL)",
    "WITH w AS (SELECT outcome, avg(distance) AS mean FROM positions GROUP BY 1) SELECT * FROM w ORDER BY ALL",
    "SELECT material FROM positions GROUP BY material HAVING bool_or(stalemate)",
    "FROM main.positions SELECT COUNT ( * ) FILTER ( WHERE outcome = 'win' ), count()",
    "SELECT count(*) FROM positions WHERE material = 'CvC' UNION ALL SELECT max(distance) FROM distinct_positions",
    "SELECT count(p1_square) FROM positions",
    "SELECT outcome, twin_outcome, count(*) FROM positions WHERE zugzwang GROUP BY ALL",
    "SELECT mutual_zugzwang, count(*) FROM positions GROUP BY ALL",
    "SELECT twin_outcome, twin_distance, distance, material, count(*), sum(distance) FROM positions GROUP BY ALL",
    "SELECT p1_square, even_1_2, outcome, count(*) AS n FROM distinct_positions WHERE pieces = 2 GROUP BY ALL ORDER BY ALL",
    "SELECT DISTINCT p1_file FROM positions p WHERE p.to_den_1 = 3",
    "SELECT (SELECT count(*) FROM positions WHERE p1_file = 4), (SELECT count(*) FROM positions WHERE p2_file = 4)",
]
BOTH = [
    "SELECT outcome, round(100 * count(*) / (SELECT count(*) FROM positions), 1) FROM positions GROUP BY ALL",
    "SELECT count(*), (SELECT max(p1_file) FROM positions) FROM positions WHERE outcome = 'win'",
]
DECODED = [
    "SELECT outcome FROM positions WHERE material = 'CvC'",
    "SELECT p1_square FROM positions WHERE material = 'CvC'",
    "SELECT p1_square, count(*) FROM positions WHERE position < '2' AND material = 'CvC' GROUP BY ALL",
    "SELECT count(DISTINCT mirror) FROM positions WHERE material = 'CvC'",
    "SELECT count(*) FROM positions a JOIN (SELECT 'CvC' AS material) b USING (material)",
    "SELECT median(distance), count(*) FROM positions",
    "SELECT list(DISTINCT outcome ORDER BY outcome) FROM positions",
    "SELECT outcome, sum(count(*)) OVER () FROM positions GROUP BY ALL ORDER BY ALL",
    "SELECT max(material, 3) FROM positions",
    "SELECT DISTINCT ON (outcome) outcome FROM positions",
    "SELECT count(*), any_value(mobility) IS NULL FROM positions WHERE material = 'CvC'",
    "SELECT count(*) FILTER (WHERE random() < 2) FROM positions",
    "SELECT * FROM (SELECT count(*) FROM positions)",
    'SELECT "count_star()" FROM (SELECT count(*) FROM positions)',
    "SELECT (SELECT count(*) FROM positions b WHERE b.distance = v.d) FROM (VALUES (3::SMALLINT), (4)) v(d)",
    "SELECT count(*) FROM positions a WHERE (SELECT random() + 0 * a.pieces) >= 0",
    "SELECT p1_file, count(*) FROM positions WHERE hash < 0.1 GROUP BY ALL",
    "SELECT sum(pieces = 2) FROM positions",
    "SELECT arg_max(material, distance) IS NULL, count(*) FROM positions",
    "SELECT count(*) FROM (SELECT material FROM positions)",
    "SELECT count(*) FROM (PIVOT (SELECT material, outcome FROM positions) ON outcome IN ('win', 'loss') USING count(*))",
]


@pytest.mark.parametrize("statement", thinned([*TALLIED, *BOTH, *DECODED], 3))
def test_what_a_statement_reads(statement: str, two_pieces: Path) -> None:
    """Equal rows of a block together, single rows, on each of which the answer might depend, or both."""
    expected = {"main", "tallied"} if statement in BOTH else {"main" if statement in DECODED else "tallied"}
    assert check(JUNGLE, two_pieces, statement, same=statement not in DECODED) == expected


def test_explain_counts_each_table(two_pieces: Path) -> None:
    """Each table that is read has a row; a look-up decodes what it names, and a condition without any slice nothing."""
    statement = """
        EXPLAIN SELECT p.outcome, m.move FROM positions p JOIN moves m ON m.position = p.position
        WHERE p.position = '1C5/2c4/7/7/7/7/7/7/7 w'"""
    assert sorted(row[:3] for row in mined(JUNGLE, two_pieces, statement)) == [("moves", 1, 1), ("positions", 1, 1)]
    assert mined(JUNGLE, two_pieces, "EXPLAIN SELECT count(*) FROM positions WHERE distance = 999") == [
        ("positions", 0, 0, "distance", "decoded")
    ]
    counted = "EXPLAIN SELECT outcome, count(*) FROM positions WHERE material IN ('CvC', 'RvC') GROUP BY ALL"
    with Query(JUNGLE, two_pieces, counted, ()) as query:
        assert query.fetchall() == [("positions", 2, 3080, "material, outcome, number of rows", "tallied")]
    assert mined(JUNGLE, two_pieces, "EXPLAIN SELECT 1") == []
    assert len(mined(JUNGLE, two_pieces, statement, limit=1)) == 1


def test_show(two_pieces: Path) -> None:
    expected = [(name,) for name in ("positions", "distinct_positions", "moves", "distinct_moves")]
    assert mined(JUNGLE, two_pieces, "SHOW TABLES") == mined(JUNGLE, two_pieces, "show all tables;") == expected
    for (name,) in expected:
        assert mined(JUNGLE, two_pieces, f"SHOW {name}") == mined(JUNGLE, two_pieces, f"DESCRIBE {name}")
