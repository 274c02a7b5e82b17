"""Samples of rows: drawn by nothing but the seed and the row, the same on any threads and in any blocks."""

from collections import Counter
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.checks import before_release
from support.queries import mined

from tablebase.errors import TablebaseError
from tablebase.features.common import features_of
from tablebase.mining import sample, scan
from tablebase.mining.columns import columns
from tablebase.mining.query import Query
from tablebase.mining.rewrite import samples
from tablebase.mining.sample import ALL, Sample, end_of_smallest, row_hashes
from tablebase.mining.scan import Scan
from tablebase.mining.selection import select_by_name
from tablebase.mining.statement import read_statement
from tablebase.slices.location import slices
from tablebase.tables.store import Store
from tablebase_rules.doushouqi import game as doushouqi

GAME = doushouqi()
WORDS = 2**64 - 1
Rows = Counter[tuple[object, ...]]


def answer(folder: Path, statement: str, threads: int = 2) -> Rows:
    """The rows of a statement."""
    with Query(GAME, folder, statement, features_of(GAME), threads) as query:
        return Counter(query.fetchall())


# Hashes


def slow_hash(key: int, number: int) -> int:
    """SplitMix64, one number at a time."""
    z = (key + number * 0x9E3779B97F4A7C15) & WORDS
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & WORDS
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & WORDS
    return z ^ (z >> 31)


@given(st.integers(0, WORDS), st.lists(st.integers(0, 2**62), max_size=5))
def test_hashes_are_those_of_the_twin(key: int, numbers: list[int]) -> None:
    assert row_hashes(key, np.array(numbers, dtype=np.int64)).tolist() == [slow_hash(key, number) for number in numbers]


def test_the_generator_is_splitmix() -> None:
    """The first number of the published generator for the seed 1234567 is what its authors print."""
    assert slow_hash(1234567, 1) == 6457827717110365317


@given(st.integers(0, 8), st.lists(st.lists(st.integers(0, WORDS), max_size=6), max_size=6), st.integers(1, 6))
def test_the_smallest_hashes(count: int, blocks: list[list[int]], waiting: int) -> None:
    """The number found is that of the first hash too many in their order, however many are collected."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sample, "WAITING", waiting)
        found = end_of_smallest(count, (np.array(block, dtype=np.uint64) for block in blocks))
    ordered = sorted(number for block in blocks for number in block)
    assert found == (ordered[count] if count < len(ordered) else ALL)


@pytest.mark.parametrize("of_moves", [False, True])
def test_each_row_has_a_number(two_pieces: Path, *, of_moves: bool) -> None:
    """No two rows of a slice have the same one, mirror images and moves of one position included."""
    selection = select_by_name(GAME, two_pieces, ["CvC", "LvT"], None)
    with closing(Store(two_pieces)) as store:
        read = Scan(GAME, store, selection, (), 2, of_moves=of_moves)
        blocks = [each for block in read.spread(lambda rows: (rows.slice, rows.numbers.tolist())) for each in block]
    for slice_ in selection:
        numbers = [number for its, those in blocks if its == slice_ for number in those]
        assert len(numbers) == len(set(numbers)) > 1000


# Shares


@pytest.mark.parametrize(
    ("table", "size"),
    [
        ("distinct_positions", "25%"),
        *before_release(("moves", "25%"), ("positions", "5000 ROWS")),
    ],
)
def test_a_sample_is_even_over_slices(two_pieces: Path, table: str, size: str) -> None:
    """From each slice about its part is drawn, as the binomial distribution has it, and nothing twice."""
    names = "material, position" + (", move" if table == "moves" else "")
    method = "bernoulli" if size.endswith("%") else "reservoir"
    drawn = answer(two_pieces, f"SELECT {names} FROM {table} TABLESAMPLE {method}({size}) REPEATABLE (11)")
    counts = dict(mined(GAME, two_pieces, f"SELECT material, count(*) FROM {table} GROUP BY ALL"))
    assert len(drawn) == drawn.total()
    by_slice = Counter(str(material) for material, *_ in drawn)
    assert set(by_slice) == set(counts)
    share = 0.25 if method == "bernoulli" else 5000 / sum(counts.values())
    # Squares of as many standard normal variables add up to their number, within five standard deviations.
    squares = sum((by_slice[each] - share * count) ** 2 / (share * count * (1 - share)) for each, count in counts.items())
    assert abs(squares - len(counts)) < 5 * (2 * len(counts)) ** 0.5


def test_what_is_drawn_depends_on_the_seed_alone(two_pieces: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads, the size of blocks and other columns change nothing; the seed does, and so does the slice."""
    wanted = "material IN ('CvC', 'DvD', 'LvT', 'TvL')"
    statement = f"SELECT material, position FROM positions WHERE {wanted} USING SAMPLE 5% (bernoulli, {{}})"
    first = answer(two_pieces, statement.format(1))
    assert first == answer(two_pieces, statement.format(1), threads=1)
    assert first != answer(two_pieces, statement.format(2))
    wide = answer(two_pieces, statement.replace(" FROM", ", mobility, only_move FROM").format(1))
    assert Counter(row[:2] for row in wide) == first
    for size in (1 << 7, 1 << 10):
        monkeypatch.setattr(scan, "BLOCK", size)
        assert answer(two_pieces, statement.format(1)) == first
    by_slice = {material: {text for its, text in first if its == material} for material in ("CvC", "DvD")}
    # The same placements of other pieces are drawn on their own.
    assert by_slice["CvC"] != {str(text).replace("D", "C").replace("d", "c") for text in by_slice["DvD"]}


IN_TWO, ODD = "WHERE material IN ('CvC', 'LvT')", "WHERE pieces = 2 AND distance % 2 = 0"


@pytest.mark.parametrize(
    ("table", "clause", "size"),
    [
        ("positions", IN_TWO, "20%"),
        ("moves", IN_TWO, "500 ROWS"),
        *before_release(("positions", ODD, "500 ROWS"), ("positions", "", "500 ROWS")),
    ],
)
def test_a_condition_is_checked_after_the_draw(two_pieces: Path, table: str, clause: str, size: str) -> None:
    """A condition leaves those of the drawn rows that satisfy it, also where it is checked before tables are opened."""
    names = "material, pieces, distance, position" + (", move" if table == "moves" else "")
    read = f"{table} TABLESAMPLE reservoir({size}) REPEATABLE (5)"
    drawn = answer(two_pieces, f"SELECT {names} FROM {table} {clause} USING SAMPLE reservoir({size}) REPEATABLE (5)")
    assert drawn
    assert drawn == answer(two_pieces, f"SELECT * FROM (SELECT {names} FROM {read}) {clause}")
    assert drawn == answer(two_pieces, f"SELECT {names} FROM {read} {clause}")


# Numbers of rows


@pytest.mark.parametrize(("table", "whole"), [("positions", 160068), pytest.param("moves", None, marks=pytest.mark.full)])
def test_a_number_of_rows(two_pieces: Path, table: str, whole: int | None) -> None:
    """Exactly as many are drawn as are asked for, those of a smaller number among those of a greater one."""
    statement = (
        f"SELECT material, position{', move' * (whole is None)} FROM {table} TABLESAMPLE reservoir({{}} ROWS) REPEATABLE (7)"
    )
    few, many = (answer(two_pieces, statement.format(count)) for count in (300, 3000))
    assert (len(few), few.total(), many.total()) == (300, 300, 3000)
    assert few < many
    assert answer(two_pieces, statement.format(0)) == Counter()
    if whole is not None:
        assert answer(two_pieces, f"SELECT count(*) FROM (SELECT stalemate FROM {table} USING SAMPLE 1e6 ROWS)") == {(whole,): 1}


# Statements


@pytest.mark.parametrize(
    ("clause", "kept", "share", "seed", "rows"),
    [
        ("TABLESAMPLE 10%", "", 0.1, None, None),
        ("TABLESAMPLE 2.5 PERCENT (bernoulli) WHERE pieces = 2", "WHERE pieces = 2", 0.025, None, None),
        ("AS p TABLESAMPLE system(10 PERCENT) REPEATABLE (42), range(3)", "AS p, RANGE(0, 3)", 0.1, 42, None),
        ("tablesample(10%)", "", 0.1, None, None),
        ("TABLESAMPLE 100 LIMIT 3", "LIMIT 3", 1.0, None, 100),
        ("WHERE pieces = 2 USING SAMPLE 10% (bernoulli, 42) LIMIT 3", "WHERE pieces = 2 LIMIT 3", 0.1, 42, None),
        ("using /* so */ sample 1e3 rows -- or more", "", 1.0, None, 1000),
        ("USING SAMPLE reservoir(20 ROWS) REPEATABLE (3)", "", 1.0, 3, 20),
        ("USING SAMPLE 20", "", 1.0, None, 20),
    ],
)
def test_spellings(
    monkeypatch: pytest.MonkeyPatch, clause: str, kept: str, share: float, seed: int | None, rows: int | None
) -> None:
    """All spellings of DuckDB are read, and what it runs has none of them."""
    monkeypatch.setattr(samples.secrets, "randbits", lambda bits: bits)
    known = columns(GAME, slices(GAME, 2), ())
    statement = read_statement(f"SELECT pieces FROM positions {clause}", {"positions": known})
    assert list(statement.reading.samples.values()) == [Sample(share, 32 if seed is None else seed, rows)]
    assert statement.text.split() == f"SELECT pieces FROM sample_0.positions {kept}".split()


def test_stars_and_qualified_columns_of_samples(two_pieces: Path) -> None:
    """``*`` of a sample has the columns that it always has, and a column may be written with its schema."""
    plain = mined(GAME, two_pieces, "SELECT * FROM positions LIMIT 1")
    rows = answer(two_pieces, "SELECT *, position FROM positions USING SAMPLE 50 ROWS")
    assert {len(row) for row in rows} == {len(plain[0]) + 1}
    only = answer(two_pieces, "SELECT * FROM positions USING SAMPLE 50 ROWS")
    assert ({len(row) for row in only}, only.total()) == ({len(plain[0])}, 50)
    named = "SELECT main.positions.material, count(*) FROM main.positions TABLESAMPLE 30 ROWS GROUP BY ALL"
    assert sum(int(str(count)) for _, count in answer(two_pieces, named)) == 30
    both = "SELECT * FROM (SELECT * FROM positions TABLESAMPLE 5 ROWS), (SELECT position FROM positions USING SAMPLE 3 ROWS)"
    assert answer(two_pieces, both).total() == 15


@pytest.mark.parametrize(
    ("statement", "fault"),
    [
        ("SELECT 1 FROM positions a JOIN positions b USING (position) USING SAMPLE 1%", "write TABLESAMPLE after"),
        ("SELECT 1 FROM range(9), positions USING SAMPLE 1%", "USING SAMPLE would draw from a join"),
        ("SELECT 1 FROM positions TABLESAMPLE 2% USING SAMPLE 1%", "either TABLESAMPLE or USING"),
        ("SELECT 1 FROM positions USING SAMPLE 0%", "at most 1, not 0.0"),
        ("SELECT 1 FROM positions USING SAMPLE 101%", "out of range"),
    ],
)
def test_refused(two_pieces: Path, statement: str, fault: str) -> None:
    """What could not be drawn evenly is refused, with what to write instead."""
    with pytest.raises(TablebaseError, match=fault):
        Query(GAME, two_pieces, statement, ())
