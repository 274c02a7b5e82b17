"""Squares of blocks, and tallies of rows, against plain loops."""

from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tablebase.game import Game
from tablebase.mining.move_values import StoredCodes
from tablebase.mining.rows import FoundPositions
from tablebase.mining.selection import SliceSelection
from tablebase.mining.tally import MOST, tallied
from tablebase.positions.indexing import layout_of
from tablebase.positions.material import parse_materials
from tablebase.tables.store import Store
from tablebase.tables.values import FULL
from tablebase_rules.doushouqi import game as doushouqi
from tablebase_rules.hexapawn import game as hexapawn

JUNGLE, PAWNS = doushouqi(), hexapawn()
INT16 = np.iinfo(np.int16)
LENGTH = 30

SMALL = st.one_of(st.none(), st.integers(-3, 3), st.sampled_from([INT16.min, INT16.max]))
COLUMNS = st.one_of(
    st.lists(SMALL, min_size=LENGTH, max_size=LENGTH).map(lambda values: pa.array(values, type=pa.int16())),
    st.lists(st.sampled_from([True, False, None]), min_size=LENGTH, max_size=LENGTH).map(lambda bits: pa.array(bits, pa.bool_())),
    st.lists(st.sampled_from(["a", "b", "c", None]), min_size=LENGTH, max_size=LENGTH).map(
        lambda words: pa.array(words, type=pa.string()).dictionary_encode().cast(pa.dictionary(pa.int16(), pa.string()))
    ),
    st.just(pa.nulls(LENGTH, pa.int16())),
)


def batch_of(columns: list[pa.Array], length: int) -> pa.RecordBatch:
    """These columns, and one of ones."""
    ones = pa.array(np.ones(length, dtype=np.int64))
    return pa.record_batch([*columns, ones], names=[*(f"c{number}" for number in range(len(columns))), "rows"])


@given(st.lists(COLUMNS, max_size=4), st.integers(0, LENGTH))
@example([pa.array([INT16.min, INT16.max] * (LENGTH // 2), pa.int16())], LENGTH)
@example([pa.array([INT16.min, INT16.max - 1] * (LENGTH // 2), pa.int16())], LENGTH)
@example([pa.array([INT16.min, INT16.max - 1, None] * (LENGTH // 3), pa.int16())], LENGTH)
@example([pa.array([INT16.min, INT16.max - 2, None] * (LENGTH // 3), pa.int16())], LENGTH)
def test_rows_are_tallied(columns: list[pa.Array], length: int) -> None:
    batch = batch_of([column[:length] for column in columns], length)
    found = tallied(batch)
    found.validate(full=True)
    assert found.schema.equals(batch.schema)
    numbers: Counter[tuple[object, ...]] = Counter()
    for *values, number in zip(*(column.to_pylist() for column in found.columns), strict=True):
        numbers[tuple(values)] += number
    rows = zip(*(column.to_pylist() for column in batch.columns[:-1]), strict=True) if columns else [()] * length
    assert numbers == Counter(rows)


@pytest.mark.parametrize(("values", "most"), [(MOST, 1), (MOST + 1, 2)])
def test_equal_rows_are_one_up_to_a_limit(values: int, most: int) -> None:
    """A batch whose columns could have too many combinations is left as it is."""
    span = pa.array(np.array([0, values - 1, 0]).astype(np.uint16).view(np.int16) + np.int16(INT16.min))
    found = tallied(batch_of([span], 3))
    assert found["rows"].to_pylist().count(1) == {1: 1, 2: 3}[most]


@pytest.mark.parametrize(("game", "material"), [(JUNGLE, "RCvE"), (JUNGLE, "CvR"), (PAWNS, "PPvPP"), (PAWNS, "PvPPP")])
@given(st.data())
def test_rows_are_spread(game: Game, material: str, data: st.DataObject) -> None:
    """Any ascending indices from anywhere on have the squares that the layout gives them one by one."""
    layout = layout_of(game, data.draw(st.sampled_from(parse_materials(game, material))))
    begin = data.draw(st.integers(0, layout.size - 1))
    count = data.draw(st.integers(1, min(300, layout.size - begin)))
    offsets = np.array(sorted(data.draw(st.sets(st.integers(0, count - 1)))), dtype=np.int64)
    codes = np.zeros(count, dtype=np.uint8)
    block = FoundPositions(layout, 0, begin, codes, FULL, StoredCodes(game, Store(Path())), SliceSelection(frozenset()))
    squares = block.squares_at(offsets)
    for offset, found in zip(offsets.tolist(), squares.tolist(), strict=True):
        expected = layout.squares(begin + offset)
        assert expected is None or found == list(expected)
