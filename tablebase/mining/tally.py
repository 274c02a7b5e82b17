"""Rows of a block that agree in all columns, counted together before DuckDB reads them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tablebase.mining.rows import Rows
from tablebase.mining.scan import Scan
from tablebase.mining.scan_kernels import count_keys

MOST = np.iinfo(np.uint16).max
"""Combinations of values up to which a batch is tallied: keys are small, and their counts stay in the processor's cache."""


class TalliedScan(Scan):
    """A scan whose last column is `COUNT`, and each of whose rows stands for all rows of a batch that agree in the others."""

    def _batch(self, rows: Rows) -> pa.RecordBatch:
        return tallied(super()._batch(rows))


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
    keys, combinations = np.zeros(len(batch), dtype=np.uint16), 1
    for column in columns:
        numbers, different = _numbered(column)
        combinations *= different
        if combinations > MOST:
            return batch
        if different > 1:
            keys *= np.uint16(different)
            keys += numbers
    counts, places = np.zeros((2, combinations), dtype=np.int64)
    count_keys(keys, counts, places)
    [occurring] = np.nonzero(counts)
    rows = pa.array(places[occurring])
    return pa.record_batch([*(column.take(rows) for column in columns), pa.array(counts[occurring])], schema=batch.schema)


def _numbered(column: pa.Array) -> tuple[NDArray[np.uint16], int]:
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
