"""A first pass over slices: the values that their features have, and a sample of their positions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tablebase.mining.column import Column
from tablebase.mining.rows import Rows
from tablebase.mining.sample import hashes_of
from tablebase.mining.scan import Scan
from tablebase.patterns.levels import Levels, Raw, levels_of, raw
from tablebase.patterns.targets import Target

SAMPLE = 200_000
"""Approximate number of positions in a sample; fewer are kept whole."""


@dataclass(frozen=True)
class Survey:
    """What the first pass found."""

    positions: int  # number of positions
    columns: list[Column]  # those that do not have the same value in all positions
    levels: list[Levels]  # their levels
    sample: list[Raw]  # their values in the sample, shape (sampled positions,)
    classes: Levels  # the classes of the target
    sampled_classes: NDArray[np.intp]  # their numbers in the sample, shape (sampled positions,)
    whole: bool  # whether the sample is all positions


def survey(scan: Scan, target: Target, column: Column, columns: Sequence[Column], max_positions: int) -> Survey:
    """Pass once over all positions of a scan, of which there are at most `max_positions`.

    `column` is that of the target, `columns` are the features.
    """
    share = SAMPLE / max(max_positions, 1)

    def examine(rows: Rows) -> tuple[int, list[Raw], list[Raw], list[pa.Array | None]]:
        """The number of positions, and for each column the values that occur, those in the sample, and their words."""
        in_sample = slice(None) if share >= 1 else hashes_of(rows) < share
        arrays = [each.compute(rows) for each in (column, *columns)]
        values = [raw(each, array) for each, array in zip((column, *columns), arrays, strict=True)]
        words = [array.dictionary if pa.types.is_dictionary(array.type) else None for array in arrays]
        return len(rows), [_present(of) for of in values], [of[in_sample].copy() for of in values], words

    parts = [part for block in scan.spread(examine) for part in block]
    present = [np.unique(np.concatenate(arrays)) for arrays in zip(*(part for _, part, _, _ in parts), strict=True)]
    samples = [np.concatenate(arrays) for arrays in zip(*(part for _, _, part, _ in parts), strict=True)]
    # All arrays of a column have the same dictionary.
    words = [() if found is None else tuple(found.to_pylist()) for found in parts[0][3]]
    levels = [levels_of(*of) for of in zip(columns, present[1:], samples[1:], words[1:], strict=True)]
    kept = [number for number, of_column in enumerate(levels) if len(of_column) > 1]
    classes = target.classes(column, present[0], samples[0])
    return Survey(
        sum(count for count, *_ in parts),
        [columns[number] for number in kept],
        [levels[number] for number in kept],
        [samples[1 + number] for number in kept],
        classes,
        classes.codes(samples[0]),
        share >= 1,
    )


def _present(values: Raw) -> Raw:
    """The values that occur, ascending; empty for floating-point numbers, which could have very many."""
    if values.dtype != np.int16:
        return values[:0]
    seen = np.zeros(1 << 16, dtype=bool)
    seen[values.view(np.uint16)] = True
    return np.sort(np.flatnonzero(seen).astype(np.uint16).view(np.int16))
