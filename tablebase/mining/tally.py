"""Rows of a block that agree in all columns, counted together before DuckDB reads them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tablebase.mining.rows import Int64, Rows
from tablebase.mining.scan import Scan
from tablebase.mining.scan_kernels import count_keys

MOST = np.iinfo(np.uint16).max
"""Combinations of values up to which a batch is tallied: keys are small, and their counts stay in the processor's cache."""
Numbered = tuple[NDArray[np.integer], int]
"""A number from 0 for each value, which differs where values do, and how many numbers there may be."""


class TalliedScan(Scan):
    """A scan whose last column is `COUNT`, and each of whose rows stands for all rows of a batch that agree in the others."""

    def _batch(self, rows: Rows) -> pa.RecordBatch:
        if not all(column.by_codes for column in self.columns):
            return tallied(super()._batch(rows))
        # Slices that are read from the same codes share a tally, since each has a single value in the columns that name it.
        return super()._batch(rows.take(*rows.shared("tally", lambda: self._by_codes(rows))))

    def _by_codes(self, rows: Rows) -> tuple[Int64, Int64]:
        """Places of rows that differ in some column, and the number of rows that each stands for; codes are compared first."""
        codes = [rows.codes, *([rows.other_codes] if any(column.of_twin for column in self.columns) else [])]
        found = _tally(len(rows), [(each, int(each.max(initial=0)) + 1) for each in codes])
        places, counts = (np.arange(len(rows)), rows.counts) if found is None else found
        batch = super()._batch(rows.take(places, counts))
        again = _tally(len(batch), [_numbered(column) for column in batch.columns[:-1]], counts)
        return (places, counts) if again is None else (places[again[0]], again[1])


def tallied(batch: pa.RecordBatch) -> pa.RecordBatch:
    """The different rows of a batch, each with the number of times that it occurs.

    Parameters
    ----------
    batch : pyarrow.RecordBatch
        The columns before the last are of small integers, of truth values, or of words. The last holds ones.

    Returns
    -------
    pyarrow.RecordBatch
        The batch itself, if its columns could have too many combinations of values.
    """
    [*columns, _] = batch.columns
    found = _tally(len(batch), [_numbered(column) for column in columns])
    if found is None:
        return batch
    places, counts = map(pa.array, found)
    return pa.record_batch([*(column.take(places) for column in columns), counts], schema=batch.schema)


def _tally(size: int, columns: Sequence[Numbered], weights: Int64 | None = None) -> tuple[Int64, Int64] | None:
    """The place of one row of each combination of values, and the sum of its rows' weights; None for too many combinations."""
    keys, combinations = np.zeros(size, dtype=np.uint16), 1
    for numbers, different in columns:
        combinations *= different
        if combinations > MOST:
            return None
        if different > 1:
            keys *= np.uint16(different)
            keys += numbers.astype(np.uint16, copy=False)
    counts, places = np.zeros((2, combinations), dtype=np.int64)
    count_keys(keys, counts, places)
    [occurring] = np.nonzero(counts)
    if weights is not None:
        counts = np.bincount(keys, weights, combinations).astype(np.int64)
    return places[occurring], counts[occurring]


def _numbered(column: pa.Array) -> Numbered:
    """A number from 0 for each value, which differs where values do, and how many numbers there may be."""
    values = column.indices if pa.types.is_dictionary(column.type) else column
    if pa.types.is_boolean(values.type):
        values = pc.cast(values, pa.int16())
    if values.null_count == len(values):
        return np.zeros(len(values), dtype=np.uint16), 1
    bounds = pc.min_max(values)
    least, different = bounds["min"].as_py(), bounds["max"].as_py() - bounds["min"].as_py() + 1
    # Differences of two 16-bit integers fit into 16 bits without a sign.
    filled = pc.fill_null(values, least) if values.null_count else values
    numbers = filled.to_numpy().view(np.uint16) - np.array(least, dtype=np.int16).view(np.uint16)
    if not values.null_count:
        return numbers, different
    missing = values.is_null().to_numpy(zero_copy_only=False)
    return np.where(missing, different, numbers).astype(np.uint16), different + 1
