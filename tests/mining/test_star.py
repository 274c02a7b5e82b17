"""What ``*`` stands for, and that every value of a result stands under its own name."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support.queries import examples, mined, mined_table, plain_table
from twins.mining import rows_of

from tablebase.commands.tablebase import Tablebase
from tablebase.errors import TablebaseError
from tablebase.game.features import Values, feature
from tablebase.mining.results import distinct_names
from tablebase.slices.mixed import Positions
from tablebase_rules.doushouqi import game as doushouqi

JUNGLE = doushouqi()
Database = duckdb.DuckDBPyConnection

OF_PIECES = [f"p{number}{what}" for number in (1, 2) for what in ("", "_square", "_file", "_rank")]
PLAIN = ["material", "pieces", "side", "outcome", "distance", "stalemate", *OF_PIECES]
"""The columns that the documents name for ``*``, with tables of two pieces."""
EXTRA = [
    *("position", "mobility", "captures", "capturable_1", "to_den_1", "to_den_2", "first", "even_1_2", "relation_1_2", "region_2"),
]
NUMBERS = ["pieces", "p1_file", "p2_rank", "mobility", "captures", "to_den_1", "to_den_2"]
KEYS = ["material", "p1_square", "p2_square"]


@pytest.fixture(scope="module")
def animals(tables: Tablebase) -> Iterator[Database]:
    """The twin's rows of two slices, with all columns, as an ordinary table."""
    with plain_table(row for material in ("RvC", "EvL") for row in rows_of(tables, JUNGLE, material)) as database:
        yield database


# Statements at random, each in two texts: one for `mine`, and one for the ordinary table, where * would have all columns


@dataclass(frozen=True)
class Source:
    """Something that a SELECT reads: in either text, what it is called, and the columns that ``*`` shows of it.

    A table of positions has further columns; a subquery has just those that it shows, and `*` stands for these in either text.
    """

    mine: str
    plain: str
    alias: str
    shown: tuple[str, ...]
    is_table: bool = True

    @property
    def columns(self) -> list[str]:
        """All columns that it has."""
        return [*PLAIN, *EXTRA] if self.is_table else list(self.shown)

    def listed(self, pattern: str = "") -> str:
        """The columns that are shown and match a pattern, one by one."""
        return ", ".join(f"{self.alias}.{name}" for name in self.shown if re.search(pattern, name))


Item = tuple[str, str]
PATTERNS = ["p1", "p._rank", "o.*e", "position|mob|p2", "to_den_.|p1_file", "^p", "a"]
TABLES = ["positions", "Positions", '"positions"', "main.positions"]


@st.composite
def starry_items(draw: st.DrawFn, sources: list[Source], patterns: bool) -> Item:
    """Columns that are not named one by one."""
    source = sources[0]
    star = draw(st.sampled_from(["*", f"{source.alias}.*"][len(sources) > 1 :]))
    some = draw(st.lists(st.sampled_from(source.shown), min_size=1, max_size=3, unique=True))
    number = f"{source.alias}.{draw(st.sampled_from([name for name in NUMBERS if name in source.columns]))}"
    pattern, extra = draw(st.sampled_from(PATTERNS)), draw(st.sampled_from(EXTRA))
    matched = ", ".join(filter(None, (each.listed(pattern) for each in sources)))
    shown = {name: f"{source.alias}.{name}" for name in source.shown}
    kept = ", ".join(text for name, text in shown.items() if name not in some)
    of_one: list[Item] = [
        (star, source.listed()),
        (f"{star} EXCLUDE ({', '.join(some)})", kept),
        (f"{star} EXCLUDE {some[0]}", ", ".join(text for name, text in shown.items() if name != some[0])),
        (f"{star} REPLACE ({number} AS {some[0]})", ", ".join((shown | {some[0]: f"{number} AS {some[0]}"}).values())),
        (f"{star} RENAME ({some[0]} AS other)", ", ".join((shown | {some[0]: f"{shown[some[0]]} AS other"}).values())),
    ]
    lists: list[Item] = [(f"COLUMNS({some})", ", ".join(text for name, text in shown.items() if name in some))]
    if source.is_table:
        # Extra columns may be excluded, though they are not in it.
        of_one.append((f"{star} EXCLUDE ({', '.join([extra, *some])})", kept))
        lists.append((f"COLUMNS(['{extra}', 'p1'])", f"p1, {extra}"))
    of_all: list[Item] = [
        ("*", ", ".join(each.listed() for each in sources)),
        ("COLUMNS(*)", ", ".join(each.listed() for each in sources)),
    ]
    by_name: list[Item] = [
        ("* LIKE 'p%'", ", ".join(each.listed("^p") for each in sources)),
        ("COLUMNS([c for c in (*) if c LIKE 'p%'])", ", ".join(each.listed("^p") for each in sources)),
        (f"COLUMNS('{pattern}')", matched),
        (f"COLUMNS(lambda c: regexp_matches(c, '{pattern}'))", matched),
    ]
    mine, plain = draw(st.sampled_from(of_one + of_all + by_name * patterns + lists * (len(sources) == 1)))
    return (mine, plain) if plain else ("1 AS one", "1 AS one")


@st.composite
def named_items(draw: st.DrawFn, sources: list[Source]) -> Item:
    """A column, an expression, or a window."""
    source = draw(st.sampled_from(sources))
    name = f"{source.alias}.{draw(st.sampled_from(source.columns))}"
    number = f"{source.alias}.{draw(st.sampled_from([each for each in NUMBERS if each in source.columns]))}"
    order = ", ".join(f"{each.alias}.{key}" for each in sources for key in KEYS if key in each.columns)
    windows = [f"max({number}) OVER (PARTITION BY {name}) AS most", f"row_number() OVER (ORDER BY {order}) AS place"]
    text = draw(st.sampled_from([name, name, f"{number} * 10 AS ten", *windows]))
    return text, text


@st.composite
def conditions(draw: st.DrawFn, source: Source) -> str:
    """A condition on columns of any sort, which leaves some hundred rows of a table of positions."""
    name, number = source.alias, draw(st.sampled_from([each for each in NUMBERS if each in source.columns]))
    choices = [f"{name}.{number} > {draw(st.integers(1, 4))}", f"{name}.p1_rank BETWEEN 2 AND 6", "true"]
    if not source.is_table:
        return draw(st.sampled_from(choices))
    choices += [
        f"{name}.position LIKE '7/%'",
        f"{name}.first = 'mover' AND NOT {name}.even_1_2",
        f"{name}.distance IN (SELECT q.mobility FROM positions q WHERE q.material = 'RvC' AND q.captures = 1)",
        f"EXISTS (SELECT * FROM positions q WHERE q.material = 'EvL' AND q.p1_square = {name}.p1_square "
        f"AND q.p2_square = {name}.p2_square AND q.to_den_1 > {name}.to_den_2)",
    ]
    material, file = draw(st.sampled_from(["RvC", "EvL"])), draw(st.integers(1, 7))
    return f"{name}.material = '{material}' AND {name}.p1_file = {file} AND {draw(st.sampled_from(choices))}"


@st.composite
def positions(draw: st.DrawFn, alias: str, shown: tuple[str, ...] = tuple(PLAIN)) -> Source:
    """A table of positions."""
    return Source(f"{draw(st.sampled_from(TABLES))} {alias}", f"positions {alias}", alias, shown)


@st.composite
def subqueries(draw: st.DrawFn) -> tuple[Source, Item]:
    """A subquery, as a part of a FROM or as a WITH."""
    table = draw(positions("p"))
    names = draw(st.lists(st.sampled_from(EXTRA), max_size=3, unique=True))
    where = draw(conditions(table))
    mine = f"SELECT {', '.join(['*', *names])} FROM {table.mine} WHERE {where}"
    plain = f"SELECT {', '.join([*PLAIN, *names])} FROM {table.plain} WHERE {where}"
    if draw(st.booleans()):
        return Source("c AS s", "c AS s", "s", (*PLAIN, *names), False), (f"WITH c AS ({mine}) ", f"WITH c AS ({plain}) ")
    return Source(f"({mine}) s", f"({plain}) s", "s", (*PLAIN, *names), False), ("", "")


@st.composite
def statements(draw: st.DrawFn) -> Item:
    """A statement in both texts."""
    start, ctes = draw(st.one_of(positions("a").map(lambda table: (table, ("", ""))), subqueries()))
    sources = [start]
    on = " AND ".join(f"{start.alias}.{key} = b.{key}" for key in KEYS)
    join = draw(st.sampled_from(["", "", ", ", " JOIN ", " LEFT JOIN ", " USING ", " SEMI JOIN "]))
    unmerged = tuple(name for name in PLAIN if name not in KEYS)
    other = draw(positions("b", unmerged if join == " USING " else tuple(PLAIN)))
    clause = {"": "", ", ": "", " USING ": f" USING ({', '.join(KEYS)})"}.get(join, f" ON {on} AND b.mobility > 1")
    mine, plain = (
        text + (join.replace("USING", "JOIN") + more + clause if join else "")
        for text, more in ((start.mine, other.mine), (start.plain, other.plain))
    )
    if join not in ("", " SEMI JOIN "):
        sources.append(other)
    starry = starry_items(sources, patterns=start.is_table or not join)
    items = draw(st.lists(st.one_of(starry, starry, named_items(sources)), min_size=1, max_size=3))
    selected = [", ".join(texts) for texts in zip(*items, strict=True)]
    branches = []
    for _ in range(draw(st.sampled_from([1, 1, 2]))):
        where = " AND ".join([draw(conditions(start)), *([on] if join == ", " else [])])
        branches.append((f"SELECT {selected[0]} FROM {mine} WHERE {where}", f"SELECT {selected[1]} FROM {plain} WHERE {where}"))
    union = draw(st.sampled_from([" UNION ALL ", " UNION ", " EXCEPT "]))
    asked, expected = (union.join(texts) for texts in zip(*branches, strict=True))
    return ctes[0] + asked, ctes[1] + expected


def assert_alike(folder: Path, database: Database, both: Item, limit: int | None) -> None:
    """The same rows under the same names, whatever their order."""
    relation = database.sql(both[1])
    expected = distinct_names(relation.columns), Counter(relation.fetchall())
    names, rows = mined_table(JUNGLE, folder, both[0], limit=limit)
    assert (names, Counter(rows)) == expected, both[0]


LIMITS = st.sampled_from([None, 1_000_000])
AFTER = (
    "SELECT to_den_1, position, mobility, {} FROM positions "
    "WHERE material = 'RvC' AND to_den_1 = 3 AND mobility = 2 AND position LIKE '%R%'"
)


@examples(4)
@given(statements(), LIMITS)
@example((AFTER.format("*"), AFTER.format(", ".join(PLAIN))), None)
def test_statements_at_random(two_pieces: Path, animals: Database, both: Item, limit: int | None) -> None:
    """Names and values are those of a table that is asked for the same columns one by one."""
    assert_alike(two_pieces, animals, both, limit)


@pytest.mark.release
@settings(max_examples=500)
@given(statements(), LIMITS)
def test_many_statements_at_random(two_pieces: Path, animals: Database, both: Item, limit: int | None) -> None:
    assert_alike(two_pieces, animals, both, limit)


# Statements that name features, or position, anywhere


@pytest.mark.parametrize(
    "rest",
    [
        "WHERE material = 'RvC'",
        "WHERE material = 'RvC' AND position LIKE '%/7/%' AND to_den_1 = 3 AND mobility = 2",
        "WHERE material = 'RvC' AND p1_rank IN (SELECT q.mobility FROM positions q WHERE q.material = 'EvL')",
        "WHERE material = 'RvC' ORDER BY relation_1_2, \"Position\"",
        "WHERE material = 'RvC' QUALIFY row_number() OVER (PARTITION BY first ORDER BY mobility) < 3",
    ],
)
def test_a_star_stands_for_the_same_columns(rest: str, two_pieces: Path) -> None:
    """Whatever else a statement names, and however the ``*`` is written."""
    for start in ("SELECT * FROM positions", "FROM positions", "FROM (SELECT 'é🦊' AS \"*\") JOIN positions ON true"):
        names, rows = mined_table(JUNGLE, two_pieces, f"{start} {rest}", limit=3)
        assert [name for name in names if name != "*"] == PLAIN
        assert len(rows) == 3


@feature(kind="float")
def Odd(positions: Positions) -> Values:  # noqa: N802 (a name with a capital letter)
    """Half of a square's number."""
    return positions.squares[:, 0] / 2


@pytest.mark.parametrize(
    "pattern", ["'p1|Odd|odd'", "lambda c: lower(c) IN ('p1', 'odd')", "[c for c in (*) if c IN ('p1', 'Odd')]", "$$p1$|Odd$$"]
)
def test_patterns_find_no_feature_that_is_named(pattern: str, two_pieces: Path) -> None:
    """Neither do functions of the names, whatever capitals these have."""
    statement = f'SELECT COLUMNS({pattern}), oDD FROM positions AS "a ""b" WHERE "a ""b".ODD > 3 AND material = \'RvC\''
    names, rows = mined_table(JUNGLE, two_pieces, statement, (Odd,), limit=2)
    assert [name.lower() for name in names if not name.startswith("p1_")] == ["p1", "odd"]
    assert len(rows) == 2


UNNAMED = {
    "the row t": "SELECT count(DISTINCT t) FROM positions t WHERE material = 'RvC'{}",
    "NATURAL JOIN": "SELECT count(*) FROM positions NATURAL JOIN distinct_positions WHERE positions.material = 'RvC'{}",
    "PIVOT": "SELECT count(*) FROM positions PIVOT (count(*) FOR outcome IN ('win')) WHERE material = 'RvC'{}",
    "UNPIVOT": "SELECT count(*) FROM (SELECT * FROM positions UNPIVOT (v FOR n IN (p1_file, p2_file)) WHERE material = 'RvC'{})",
    "a join in brackets with a name": "SELECT count(*) FROM (positions a JOIN positions b USING (p1_square, p2_square)) t "
    "WHERE t.material = 'RvC' AND t.material_1 = 'RvC'{}",
}


@pytest.mark.parametrize(("what", "statement"), UNNAMED.items(), ids=UNNAMED)
def test_what_would_read_features_unnamed(what: str, statement: str, two_pieces: Path) -> None:
    """It reads the columns of ``*`` whatever a SELECT beside it names, and is refused in one that names a feature."""
    features = "SELECT count(mobility) FROM positions WHERE material = 'RvC' AND position LIKE '%R%'"
    alone = mined(JUNGLE, two_pieces, statement.format(""))
    assert alone[0][0] > 0
    assert mined(JUNGLE, two_pieces, f"SELECT ({statement.format('')}), ({features})") == [(alone[0][0], 49 * 60)]
    with pytest.raises(TablebaseError, match=f"{what} would include mobility, which .* does not"):
        mined(JUNGLE, two_pieces, statement.format(" AND mobility > 2"))


JOINED = "FROM positions p JOIN (SELECT 1 AS mobility) q ON p.mobility = q.mobility"
REFUSED = {
    "SELECT COLUMNS('to_den_1|position|mob') FROM positions WHERE material = 'CvC' AND to_den_1 = 3 AND mobility = 2 "
    "AND position LIKE '%C%'": "name features and position one by one",
    "SELECT * REPLACE (1 AS mobility) FROM positions": "\\* does not include mobility",
    "SELECT * RENAME (mobility AS moves) FROM positions": "\\* does not include mobility",
    f"SELECT COLUMNS('mob') {JOINED}": "a pattern for columns of several tables would include mobility",
    f"SELECT * LIKE 'mob%' {JOINED}": "a pattern for columns of several tables would include mobility",
    "SELECT mobility FROM extended.positions": "there is no table extended.positions: write positions",
    "SELECT * FROM memory.main.positions": "there is no table memory.main.positions: write positions",
}


@pytest.mark.parametrize(("statement", "said"), REFUSED.items(), ids=REFUSED)
def test_what_is_refused(statement: str, said: str, two_pieces: Path) -> None:
    """A feature as if it were in ``*``, and what cannot be told apart."""
    with pytest.raises(TablebaseError, match=said):
        mined(JUNGLE, two_pieces, statement)
