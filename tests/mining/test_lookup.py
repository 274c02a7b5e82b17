"""Positions that a statement names are looked up: the same rows as of a plain table, and next to nothing is read for them."""

from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.checks import at_least_one, thinned
from support.queries import combined, examples, mined

from tablebase.errors import MissingTableError, TablebaseError
from tablebase.game import Game, load_game
from tablebase.mining import selection
from tablebase.mining.query import Query
from tablebase.positions.common_features import features_of
from tablebase.tables.reader import Table
from tablebase_rules.doushouqi import game as doushouqi

JUNGLE = doushouqi()
PAWNS = load_game("hexapawn")
FOXES = load_game("foxhounds-4x4")
Database = duckdb.DuckDBPyConnection
NAMES = ["position", "material", "side", "pieces", "outcome", "distance", "zugzwang", "p1_square"]
HERE, THERE = "7/7/7/7/3c3/7/7/R6/7 w", "7/7/7/7/7/7/7/R2c3/7 w"


def scanned(game: Game, folder: Path, condition: str = "true") -> list[dict[str, Any]]:
    """Rows of all positions, which `test_mining` compares with a twin."""
    rows = mined(game, folder, f"SELECT {', '.join(NAMES)} FROM positions WHERE {condition}")
    return at_least_one(dict(zip(NAMES, row, strict=True)) for row in rows)


def cells(game: Game, folder: Path, statement: str) -> int:
    """How many indices a statement decodes."""
    with Query(game, folder, statement, features_of(game)) as query:
        return query.cells


def literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def listed(texts: list[str]) -> str:
    return ", ".join(map(literal, texts))


@pytest.mark.parametrize(
    ("game", "fixture", "condition"),
    [
        (PAWNS, "hexapawns", "true"),
        (FOXES, "foxes", "true"),
        (JUNGLE, "two_pieces", "material IN ('RvC', 'LvE', 'EvL', 'WvC', 'RvR')"),
    ],
    ids=["hexapawn", "foxhounds", "doushouqi"],
)
@pytest.mark.parametrize("near", [pytest.param(selection.NEAR, marks=pytest.mark.full), 50])
def test_every_position_is_found(
    game: Game, fixture: str, condition: str, near: int, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Mirror images, aliases, exchanged colours, identical pieces, tiers and either side to move: all rows by their texts."""
    folder = request.getfixturevalue(fixture)
    monkeypatch.setattr(selection, "NEAR", near)
    rows = scanned(game, folder, condition)
    rows = rows[:: 7 + len(rows) // 500]
    statement = f"SELECT {', '.join(NAMES)} FROM positions WHERE position IN ({listed([row['position'] for row in rows])})"
    with Query(game, folder, statement, ()) as query:
        done: list[int] = []
        found = [tuple(row.values()) for batch in query.run(tick=done.append) for row in batch.to_pylist()]
        assert 1 < done[-1] == query.cells <= len(rows)
    assert sorted(found) == sorted(tuple(row.values()) for row in rows)


TEXTS = [
    *("3/3/3 w", "ppp/3/PPP w", "pp1/2p/PPP b", "PPP/3/ppp w", "p2/P2/3 w", "2p/2P/3 w", "1p1/1P1/3 w", "p2/111/2P w"),
    *("p2/3/2P  w", "P2/3/2p w", "it's no position", ""),
]
"""Positions, mirror images, one in which nobody has moved, the other side to move, other spellings, and other texts."""
TEXT = st.sampled_from(TEXTS)
COLUMN = st.sampled_from(["position", '"Position"', "p.position", "P.POSITION"])
SAME = st.sampled_from(["{} = {}", "{} == {}", "{1} = {0}", "({} = {})", "{} IS NOT DISTINCT FROM {}", "{} <> {}", "{} || '' = {}"])
OTHERS = st.sampled_from(["outcome = 'win'", "p.distance > 1", "random() >= 0", "material LIKE 'P%v_'", "p1_square = 'a1'", "NULL"])


def conditions() -> st.SearchStrategy[str]:
    """Conditions in which positions are named in every way, and others."""
    one = st.builds(lambda form, column, text: form.format(column, literal(text)), SAME, COLUMN, TEXT)
    words = st.lists(TEXT.map(literal) | st.just("NULL"), min_size=1, max_size=4).map(", ".join)
    rows = st.lists(TEXT, min_size=1, max_size=3).map(lambda texts: ", ".join(f"({literal(text)})" for text in texts))
    several = st.one_of(
        st.builds("{} {}IN ({})".format, COLUMN, st.sampled_from(["", "NOT "]), words),
        st.builds("{} IN (SELECT unnest([{}]))".format, COLUMN, words),
        st.builds("{} IN (VALUES {})".format, COLUMN, rows),
        st.builds("{} IN (FROM (VALUES {}) v(p) WHERE p > 'p')".format, COLUMN, rows),
        st.builds("{} = ANY([{}])".format, COLUMN, words),
    )

    return combined(one | several | OTHERS, 5, ["{} AND {}", "({} OR {})", "({} AND {})", "NOT ({})"])


def assert_alike(folder: Path, database: Database, statement: str) -> None:
    """A statement has the same rows over tables and over a plain table."""
    assert sorted(mined(PAWNS, folder, statement), key=repr) == sorted(database.execute(statement).fetchall(), key=repr), statement


@examples(8)
@given(conditions())
@example("position = '2p/2P/3 w' OR position = 'p2/P2/3 w'")
@example("position = '2p/2P/3 w' OR outcome = 'win'")
@example("position = '2p/2P/3 w' AND position = 'p2/P2/3 w'")
@example("NOT (position = '2p/2P/3 w')")
def test_conditions_at_random(hexapawns: Path, pawns: Database, condition: str) -> None:
    assert_alike(hexapawns, pawns, f"SELECT p.position, outcome, distance FROM positions p WHERE {condition}")


LISTS = [
    "(VALUES {rows}) v(t, n)",
    "(SELECT * FROM (VALUES {rows}) l(t, n)) v",
    "(SELECT t, n FROM (VALUES {rows}) l(t, n) WHERE n > 0) v",
    "v",
    "w AS v",
    "(SELECT position AS t, distance AS n FROM positions WHERE outcome = 'loss') v",
    "(SELECT position AS t, distance AS n FROM positions WHERE position = '2p/2P/3 w') v",
]
JOINS = [
    "positions p JOIN {v} ON p.position = v.t",
    "positions p JOIN {v} ON v.t = position AND distance > n",
    "positions p JOIN {v} ON p.position = v.t OR v.n = 1",
    "positions p, {v} WHERE position = t",
    "positions p CROSS JOIN {v} WHERE v.t = p.position",
    "positions p LEFT JOIN {v} ON p.position = v.t",
    "positions p RIGHT JOIN {v} ON p.position = v.t",
    "{v} LEFT JOIN positions p ON p.position = v.t",
    "{v} FULL JOIN positions p ON p.position = v.t",
    "{v} LEFT JOIN positions p ON p.position = v.t LEFT JOIN positions q ON q.position = p.position AND q.outcome = 'win'",
    "positions p JOIN positions q USING (position) JOIN {v} ON q.position = v.t",
    "positions p JOIN positions q ON p.position = q.position JOIN {v} ON p.position = v.t WHERE q.outcome = 'win'",
    "{v} JOIN positions p ON p.position = v.t JOIN positions q ON q.material = p.material AND q.distance = 1",
]


@examples(6)
@given(st.sampled_from(JOINS), st.sampled_from(LISTS), st.lists(TEXT, min_size=1, max_size=4))
@example(JOINS[5], LISTS[0], ["2p/2P/3 w"])
@example(JOINS[6], LISTS[0], ["2p/2P/3 w"])
@example(JOINS[8], LISTS[0], ["2p/2P/3 w"])
def test_joins_at_random(hexapawns: Path, pawns: Database, join: str, listed_as: str, texts: list[str]) -> None:
    """The rows of a plain table, whichever side of a join names the positions, and however they are listed."""
    rows = ", ".join(f"({literal(text)}, {number})" for number, text in enumerate(texts))
    tables = join.format(v=listed_as.format(rows=rows))
    with_ = f"WITH v(t, n) AS (VALUES {rows}), w AS (SELECT t, n FROM v) "
    statement = f"{with_}SELECT p.outcome, p.distance, p.p1_square, n, v.t, count(*) FROM {tables} GROUP BY ALL"
    assert_alike(hexapawns, pawns, statement)


HIDDEN = [
    "WITH v(p) AS (VALUES ('2p/2P/3 w')) SELECT n FROM "
    "(WITH v(p) AS (SELECT '1p1/' || '1P1/3 w') SELECT min(position) AS n FROM positions JOIN v ON position = p)",
    "SELECT count(*) FROM (VALUES ('2p/2P/3 w')) v(position) FULL JOIN (SELECT '1p1/' || '1P1/3 w' AS position) w "
    "USING (position) LEFT JOIN positions USING (position) WHERE outcome IS NOT NULL",
    "SELECT count(*) FROM positions p, (VALUES ('2p/2P/3 w')) v(q), unnest([p.position, q]) u(r) WHERE p.position = u.r",
    "SELECT count(*) FROM positions p, unnest(['2p/2P/3 w', p.position]) u(r) WHERE p.position = r",
    "SELECT (SELECT count(*) FROM positions WHERE position = q) AS n FROM (VALUES ('2p/2P/3 w'), ('p2/P2/3 w')) v(q)",
    "SELECT 'p2/P2/3 w' AS r, count(*) FROM positions, (VALUES ('2p/2P/3 w')) v(r) WHERE position = r GROUP BY ALL",
    "SELECT count(*) FROM (SELECT p1_square AS position, distance FROM positions) WHERE position = 'a1'",
    "SELECT count(*) FROM positions WHERE position = 'p2/P2/3 w' UNION ALL SELECT count(*) FROM positions WHERE material = 'PvP'",
    "SELECT count(*) FROM positions SEMI JOIN (VALUES ('2p/2P/3 w')) v(position) USING (position)",
    "SELECT count(*) FROM positions ANTI JOIN (VALUES ('2p/2P/3 w')) v(position) USING (position)",
]


@pytest.mark.parametrize("statement", thinned(HIDDEN, 2))
def test_what_is_no_list_of_positions(statement: str, hexapawns: Path, pawns: Database) -> None:
    """Names that hide each other, merged columns, lists that depend on rows, and rows that matter although they do not match."""
    assert_alike(hexapawns, pawns, statement)


V = f"(VALUES ('{HERE}', 1), ('{THERE}', 2), ('{HERE}', 3), ('no position', 4)) v(p, n)"
LOOKED_UP = [
    (f"positions WHERE position = '{HERE}'", 1),
    (f"positions WHERE '{HERE}' = \"Position\" AND p1_rank = 2", 1),
    (f"positions WHERE position IN ('{HERE}', '{THERE}', '{HERE}', NULL)", 2),
    (f"positions WHERE position = '{HERE}' OR (position = '{THERE}' AND distance > 0)", 2),
    (f"positions WHERE position IN ('{HERE}', '{THERE}') AND position <> 'x' AND position IN ('x', '{THERE}')", 1),
    (f"positions p WHERE p.position IN (SELECT unnest(['{HERE}', '{THERE}']))", 2),
    ("positions WHERE position = 'no position'", 0),
    (f"positions WHERE position = '{HERE}' AND outcome = 'draw' AND distance = 3", 0),
    (f"positions JOIN {V} ON positions.position = v.p", 2),
    (f"positions, {V} WHERE position = p", 2),
    (f"{V} LEFT JOIN positions ON position = p", 2),
    (f"positions JOIN (VALUES ('{HERE}')) v(position) USING (position)", 1),
    (f"positions JOIN unnest(['{HERE}']) v(p) ON position = p", 1),
    (f"positions a JOIN positions b ON a.position = b.position WHERE b.position = '{HERE}'", 1),
    (f"distinct_positions WHERE position = '{HERE}'", 1),
    (f"positions p, distinct_positions d WHERE p.position = '{HERE}' AND d.position = p.position", 2),
    (f"positions WHERE material = 'RvC' AND position = '{HERE}'", 1),
    (f"(SELECT * FROM positions WHERE position = '{HERE}') AS inside", 1),
    (f"(WITH v(p) AS (VALUES ('{HERE}')) FROM (WITH w AS (FROM v) SELECT outcome FROM positions JOIN w ON position = p))", 1),
]


@pytest.mark.parametrize(("tables", "count"), thinned(LOOKED_UP, 2))
def test_next_to_nothing_is_decoded(tables: str, count: int, two_pieces: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As many indices as there are positions, each in a chunk that is decompressed once for each table that is read."""
    read, original = [0], Table.chunk

    def chunk(self: Table, side: int, number: int) -> Any:
        read[0] += 1
        return original(self, side, number)

    monkeypatch.setattr(Table, "chunk", chunk)
    with Query(JUNGLE, two_pieces, f"SELECT count(*) FROM {tables}", features_of(JUNGLE)) as query:
        assert query.cells == count
        query.fetchall()
    assert read[0] <= 2 * count


NUMBERS = "(SELECT unnest([{0}]) FROM (SELECT unnest([{0}]) FROM (SELECT unnest([{0}]))))".format(", ".join("1" * 100))
"""A million rows."""
SEARCHED = [
    f"positions WHERE position <> '{HERE}'",
    f"positions WHERE position = '{HERE}' OR distance = 1",
    f"positions WHERE NOT position = '{HERE}'",
    f"positions LEFT JOIN {V} ON position = p",
    "positions WHERE position IN (SELECT position FROM positions WHERE material = 'RvC')",
    f"positions JOIN (SELECT '{HERE}' AS p WHERE random() < 0.5) v ON position = p",
    f"positions WHERE position IN (SELECT unnest(['{HERE}', 'x']) FROM {NUMBERS} v)",
]


@pytest.mark.parametrize("tables", thinned(SEARCHED, 2))
def test_all_else_is_searched(tables: str, two_pieces: Path) -> None:
    """Where other rows can matter, all are decoded; so the counts above are none that every statement has."""
    assert cells(JUNGLE, two_pieces, f"SELECT count(*) FROM {tables}") > 10_000


def test_black_to_move_has_no_row(two_pieces: Path) -> None:
    """With colour swap White is to move in all rows; whether the table has been built is of no interest then."""
    for text in (HERE.replace(" w", " b"), "7/7/7/7/3c3/7/7/RC5/7 b"):
        assert mined(JUNGLE, two_pieces, f"SELECT * FROM positions WHERE position = '{text}'") == []


@pytest.mark.parametrize("text", ["7/7/7/7/3c3/7/7/RC5/7 w", JUNGLE.start], ids=["three pieces", "more than can be located"])
def test_a_position_whose_table_has_not_been_built(text: str, two_pieces: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is missed, as its material would be; it never seems not to exist, and takes no time to be missed."""
    monkeypatch.setattr(selection, "locate", None)
    for condition in (f"position = '{text}'", f"position IN ('{HERE}', '{text}')"):
        with pytest.raises(MissingTableError):
            mined(JUNGLE, two_pieces, f"SELECT * FROM positions WHERE {condition}")
    assert mined(JUNGLE, two_pieces, f"SELECT count(*) FROM positions WHERE position = '{text}' OR pieces > 9") == [(0,)]


@pytest.mark.parametrize("condition", ["position = 5", "position IN (5, 6)", "position IN (VALUES (5))"])
def test_numbers_are_no_positions(condition: str, two_pieces: Path) -> None:
    with pytest.raises(TablebaseError, match=r"convert|compare"):
        mined(JUNGLE, two_pieces, f"SELECT count(*) FROM positions WHERE {condition}")


def test_an_alias_is_no_distinct_position(two_pieces: Path) -> None:
    (text, material), *_ = mined(
        JUNGLE, two_pieces, "SELECT position, material FROM positions ANTI JOIN distinct_positions USING (material)", limit=1
    )
    with pytest.raises(TablebaseError, match=rf"stores {material} only as the equivalent .*: use the table 'positions'"):
        mined(JUNGLE, two_pieces, f"SELECT * FROM distinct_positions WHERE position = '{text}'")
