"""Samples of rows depend only on the seed and the row, with any threads and in any blocks."""

from collections import Counter
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.checks import before_release, thinned
from support.queries import mined

from tablebase.errors import TablebaseError
from tablebase.mining import scan
from tablebase.mining.query import Query
from tablebase.mining.scan import Scan
from tablebase.mining.selection import row_hashes, select_by_name
from tablebase.positions.common_features import features_of
from tablebase.tables.store import Store
from tablebase_rules.doushouqi import game as doushouqi

GAME = doushouqi()
WORDS = 2**64 - 1
Rows = Counter[tuple[object, ...]]


def answer(folder: Path, statement: str, threads: int = 2) -> Rows:
    with Query(GAME, folder, statement, features_of(GAME), threads) as query:
        return Counter(query.fetchall())


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


@pytest.mark.parametrize("table", thinned(["positions", "distinct_positions", "moves"], 3))
def test_a_sample_is_even_over_slices(two_pieces: Path, table: str) -> None:
    """From each slice about its part is drawn, as the binomial distribution has it, and nothing twice."""
    names = "material, position" + (", move" if table == "moves" else "")
    drawn = answer(two_pieces, f"SELECT {names} FROM {table} WHERE hash < 0.25")
    counts = dict(mined(GAME, two_pieces, f"SELECT material, count(*) FROM {table} GROUP BY ALL"))
    assert len(drawn) == drawn.total()
    by_slice = Counter(str(material) for material, *_ in drawn)
    assert set(by_slice) == set(counts)
    # Squares of as many standard normal variables add up to their number, within five standard deviations.
    squares = sum((by_slice[each] - 0.25 * count) ** 2 / (0.25 * count * 0.75) for each, count in counts.items())
    assert abs(squares - len(counts)) < 5 * (2 * len(counts)) ** 0.5


def test_a_hash_depends_on_the_row_alone(two_pieces: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads, the size of blocks and other columns change nothing; the same placements of other pieces are drawn apart."""
    statement = "SELECT material, position, hash FROM positions WHERE material IN ('CvC', 'DvD', 'LvT', 'TvL') AND hash < 0.05"
    first = answer(two_pieces, statement)
    assert first == answer(two_pieces, statement, threads=1)
    wide = answer(two_pieces, statement.replace(" FROM", ", mobility, only_move FROM"))
    assert Counter(row[:3] for row in wide) == first
    for size in (1 << 7, 1 << 10):
        monkeypatch.setattr(scan, "BLOCK", size)
        assert answer(two_pieces, statement) == first
    by_slice = {material: {text for its, text, _ in first if its == material} for material in ("CvC", "DvD")}
    assert by_slice["CvC"] != {str(text).replace("D", "C").replace("d", "c") for text in by_slice["DvD"]}


@pytest.mark.parametrize("table", thinned(["positions", "moves"], 2))
@pytest.mark.parametrize(
    ("condition", "share"),
    [
        ("a.hash <= 0.2 AND a.position < '3'", 0.2),
        ("a.hash BETWEEN 0.5 AND 0.6", 0.6 - 0.5),
        ("(a.hash < 0.1 OR a.hash >= 0.95)", 1),
        *before_release(
            ("a.hash < 0.2", 0.2),
            ("a.hash < 0.3 AND a.hash < 0.1", 0.3),
            ("0.9 < a.hash AND a.hash < 1", 1),
            ("a.hash < 2 AND a.hash BETWEEN 0.6 AND 0.5", 1),
            ("NOT a.hash < 0.9", 1),
        ),
    ],
)
def test_a_bound_is_checked_before_columns_are_computed(two_pieces: Path, table: str, condition: str, share: float) -> None:
    """It draws what it draws if it is checked afterwards, and only the rows within it reach DuckDB."""
    name = "distance, position" + (", move" if table == "moves" else "")
    statement = f"SELECT {name} FROM {table} a WHERE material IN ('CvC', 'LvT') AND {{}}"
    assert answer(two_pieces, statement.format(condition)) == answer(two_pieces, statement.format(f"(random() < 0 OR {condition})"))
    with Query(GAME, two_pieces, statement.format(condition), ()) as query:
        [relation] = query.relations
        read = sum(batch.num_rows for batch in relation.scan.batches())
        [(whole,)] = mined(GAME, two_pieces, f"SELECT count(*) FROM {table} WHERE material IN ('CvC', 'LvT')")
    assert abs(read - share * whole) <= 5 * (share * (1 - share) * whole) ** 0.5


def test_two_references_with_other_bounds(two_pieces: Path) -> None:
    """What one of them does not need, another may."""
    part = "(SELECT count(*) FROM positions WHERE material = 'CvC' AND hash < {})"
    few, many = (mined(GAME, two_pieces, f"SELECT {part.format(bound)}")[0][0] for bound in (0.1, 0.4))
    assert 0 < few < many
    assert mined(GAME, two_pieces, f"SELECT {part.format(0.1)}, {part.format(0.4)}") == [(few, many)]


@pytest.mark.parametrize("clause", ["TABLESAMPLE 1%", "USING SAMPLE 20 ROWS", "AS p TABLESAMPLE reservoir(3 ROWS) REPEATABLE (4)"])
def test_samples_of_duckdb_are_refused(two_pieces: Path, clause: str) -> None:
    """They would draw whole blocks; the sentence has the condition."""
    with pytest.raises(TablebaseError, match=r"write a condition on hash, as in WHERE hash < 0\.01"):
        Query(GAME, two_pieces, f"SELECT pieces FROM positions {clause}", ())
