"""Rows of a block that agree in all columns, counted together before DuckDB reads them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tablebase.mining.column import array_of, numbers_of
from tablebase.system.compute.jit import jit

MOST = np.iinfo(np.uint16).max
"""Combinations of values up to which rows are tallied: keys are small, and their counts stay in the processor's cache."""
Numbered = tuple[NDArray[np.integer], int]
"""A number from 0 for each value of a column, which differs where values do, and how many numbers there may be."""


class Tally(NamedTuple):
    """Frequency of each combination of values among rows."""

    places: NDArray[np.int64]  # the place of one row that has it
    counts: NDArray[np.int64]


def tally(size: int, columns: Sequence[Numbered]) -> Tally | None:
    """Count the combinations that occur in `size` rows; None if there may be more than `MOST`."""
    keys, combinations = np.zeros(size, dtype=np.uint16), 1
    for numbers, different in columns:
        combinations *= different
        if combinations > MOST:
            return None
        if different > 1:
            keys *= np.uint16(different)
            keys += numbers.astype(np.uint16, copy=False)
    counts, places = np.zeros((2, combinations), dtype=np.int64)
    _count_keys(keys, counts, places)
    [occurring] = np.nonzero(counts)
    return Tally(places[occurring], counts[occurring])


def tallied(batch: pa.RecordBatch) -> pa.RecordBatch:
    """The different rows of a batch, with the number of times that each occurs in place of the last column.

    The other columns are of small integers, of truth values or of words. If they could have too many combinations of values, the
    result is the batch itself.
    """
    found = tally(len(batch), [_numbered(column) for column in batch.columns[:-1]])
    return batch if found is None else with_counts(batch.take(array_of(found.places)), found.counts)


def with_counts(batch: pa.RecordBatch, counts: NDArray[np.int64]) -> pa.RecordBatch:
    """A batch whose last column are these numbers."""
    return pa.record_batch([*batch.columns[:-1], array_of(counts)], schema=batch.schema)


def _numbered(column: pa.Array) -> Numbered:
    values = column.indices if pa.types.is_dictionary(column.type) else column
    if pa.types.is_boolean(values.type):
        values = pc.cast(values, pa.int16())
    if values.null_count == len(values):
        return np.zeros(len(values), dtype=np.uint16), 1
    bounds = pc.min_max(values)
    least, different = bounds["min"].as_py(), bounds["max"].as_py() - bounds["min"].as_py() + 1
    # Differences of two 16-bit integers fit into 16 bits without a sign.
    numbers = numbers_of(values, least).view(np.uint16) - np.array(least, dtype=np.int16).view(np.uint16)
    if not values.null_count:
        return numbers, different
    missing = numbers_of(values.is_null().cast(pa.int8()))
    return np.where(missing, different, numbers).astype(np.uint16), different + 1


@jit
def _count_keys(keys: NDArray[np.uint16], counts: NDArray[np.int64], places: NDArray[np.int64]) -> None:
    """Count how often each key occurs, and note where it occurs last; `counts` is added to, and both are indexed by key."""
    for place in range(len(keys)):
        key = keys[place]
        counts[key] += 1
        places[key] = place


@jit
def add_pairs(first: NDArray[np.intp], second: NDArray[np.intp], width: int, counts: NDArray[np.int64]) -> None:
    """Add the pairs of two columns to a table; unlike `numpy.bincount`, it releases the interpreter's lock."""
    for position in range(len(first)):
        counts[first[position] * width + second[position]] += 1
