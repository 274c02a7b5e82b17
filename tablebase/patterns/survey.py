"""A first look at a slice: which values its features have, and a sample of its positions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tablebase.mining.columns import Column, Rows
from tablebase.mining.scan import Scan
from tablebase.patterns.levels import Levels, Raw, levels_of, raw
from tablebase.slices.positions import Positions

SAMPLE = 200_000
"""Positions of a sample, roughly; slices that have no more are kept whole."""


@dataclass(frozen=True)
class Survey:
    """What was seen.

    Parameters
    ----------
    positions : int
        How many the slice has.
    columns : list of Column
        Those that do not have the same value in all positions.
    levels : list of Levels
        Of each of them.
    sample : list of ndarray, shape (positions,)
        Values of each in some positions; in all of them if `whole`.
    outcomes : ndarray of intp, shape (positions,)
        Those of the sample.
    whole : bool
    """

    positions: int
    columns: list[Column]
    levels: list[Levels]
    sample: list[Raw]
    outcomes: NDArray[np.intp]
    whole: bool


def survey(scan: Scan, outcome: Column, columns: Sequence[Column], most: int) -> Survey:
    """Look at all positions of a slice once.

    Parameters
    ----------
    scan : Scan
        Of one slice.
    outcome : Column
    columns : sequence of Column
        The features.
    most : int
        At least as many as there are positions.
    """
    share = SAMPLE / max(most, 1)

    def look(rows: Rows) -> tuple[int, list[Raw], list[Raw]]:
        chosen = slice(None) if share >= 1 else drawn(rows.positions, share)
        values = (raw(column, column.compute(rows)) for column in (outcome, *columns))
        found = [(_present(one), one[chosen].copy()) for one in values]
        return len(rows), [one for one, _ in found], [one for _, one in found]

    looks = [one for block in scan.spread(look) for one in block]
    present = [np.unique(np.concatenate(parts)) for parts in zip(*(one for _, one, _ in looks), strict=True)]
    outcomes, *sample = (np.concatenate(parts) for parts in zip(*(one for _, _, one in looks), strict=True))
    levels = [levels_of(*one) for one in zip(columns, present[1:], sample, strict=True)]
    kept = [place for place, one in enumerate(levels) if len(one) > 1]
    return Survey(
        sum(count for count, _, _ in looks),
        [columns[place] for place in kept],
        [levels[place] for place in kept],
        [sample[place] for place in kept],
        outcomes.astype(np.intp),
        share >= 1,
    )


def _present(values: Raw) -> Raw:
    """The values that occur, ascending; none of numbers with a fraction, which may be very many."""
    if values.dtype != np.int16:
        return values[:0]
    seen = np.zeros(1 << 16, dtype=bool)
    seen[values.view(np.uint16)] = True
    return np.sort(np.flatnonzero(seen).astype(np.uint16).view(np.int16))


def drawn(positions: Positions, share: float) -> NDArray[np.bool_]:
    """Which positions are in a sample: decided by their squares, so that it is the same whoever draws it.

    The numbers are spread by the finaliser of Steele, Lea and Flood 2014, *Fast Splittable Pseudorandom Number Generators*.
    """
    mixed = np.zeros(len(positions), dtype=np.uint64)
    for squares in positions.squares.T:
        mixed = (mixed << np.uint64(7)) ^ (mixed >> np.uint64(57)) ^ squares.astype(np.uint64)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return (mixed ^ (mixed >> np.uint64(31))) < np.uint64(int(share * 2**64))
