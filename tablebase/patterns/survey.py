"""A first pass over a slice: the values that its features have, and a sample of its positions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tablebase.mining.column import Column
from tablebase.mining.rows import Rows
from tablebase.mining.scan import Scan
from tablebase.patterns.levels import Levels, Raw, levels_of, raw
from tablebase.slices.positions import Positions

SAMPLE = 200_000
"""Approximate number of positions in a sample; smaller slices are kept whole."""


@dataclass(frozen=True)
class Survey:
    """What the first pass found.

    Parameters
    ----------
    positions : int
        Number of positions in the slice.
    columns : list of Column
        Those that do not have the same value in all positions.
    levels : list of Levels
        Their levels.
    sample : list of ndarray, shape (sampled positions,)
        Their values in the sample.
    outcomes : ndarray of intp, shape (sampled positions,)
        Outcomes in the sample.
    whole : bool
        Whether the sample is the whole slice.
    """

    positions: int
    columns: list[Column]
    levels: list[Levels]
    sample: list[Raw]
    outcomes: NDArray[np.intp]
    whole: bool


def survey(scan: Scan, outcome: Column, columns: Sequence[Column], max_positions: int) -> Survey:
    """Pass once over all positions of a slice.

    Parameters
    ----------
    scan : Scan
        Of one slice.
    outcome : Column
    columns : sequence of Column
        The features.
    max_positions : int
        An upper bound of the number of positions.
    """
    share = SAMPLE / max(max_positions, 1)

    def examine(rows: Rows) -> tuple[int, list[Raw], list[Raw]]:
        """The number of positions, and for each column the values that occur, and those in the sample."""
        in_sample = slice(None) if share >= 1 else drawn(rows.positions, share)
        values = (raw(column, column.compute(rows)) for column in (outcome, *columns))
        both = [(_present(column), column[in_sample].copy()) for column in values]
        return len(rows), [present for present, _ in both], [sample for _, sample in both]

    parts = [part for block in scan.spread(examine) for part in block]
    present = [np.unique(np.concatenate(arrays)) for arrays in zip(*(part for _, part, _ in parts), strict=True)]
    outcomes, *sample = (np.concatenate(arrays) for arrays in zip(*(part for _, _, part in parts), strict=True))
    levels = [levels_of(*of_column) for of_column in zip(columns, present[1:], sample, strict=True)]
    kept = [number for number, of_column in enumerate(levels) if len(of_column) > 1]
    return Survey(
        sum(count for count, _, _ in parts),
        [columns[number] for number in kept],
        [levels[number] for number in kept],
        [sample[number] for number in kept],
        outcomes.astype(np.intp),
        share >= 1,
    )


def _present(values: Raw) -> Raw:
    """The values that occur, ascending; empty for floating-point numbers, which could have very many."""
    if values.dtype != np.int16:
        return values[:0]
    seen = np.zeros(1 << 16, dtype=bool)
    seen[values.view(np.uint16)] = True
    return np.sort(np.flatnonzero(seen).astype(np.uint16).view(np.int16))


def drawn(positions: Positions, share: float) -> NDArray[np.bool_]:
    """Which positions are in a sample: this depends on their squares alone, so that the sample is reproducible.

    Squares are hashed with the finaliser of Steele, Lea and Flood 2014, *Fast Splittable Pseudorandom Number Generators*.
    """
    hashes = np.zeros(len(positions), dtype=np.uint64)
    for squares in positions.squares.T:
        hashes = (hashes << np.uint64(7)) ^ (hashes >> np.uint64(57)) ^ squares.astype(np.uint64)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        hashes = (hashes ^ (hashes >> np.uint64(shift))) * np.uint64(factor)
    return (hashes ^ (hashes >> np.uint64(31))) < np.uint64(int(share * 2**64))
