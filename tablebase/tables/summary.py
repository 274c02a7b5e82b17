"""What a solved slice amounts to: its histogram and its longest wins and losses."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tablebase.game import Outcome
from tablebase.slices.indexing import Layout
from tablebase.values import DRAW, FIRST, STALEMATE, Codes, Coding

BLOCK = 1 << 20


@dataclass(frozen=True)
class Summary:
    """The histogram of one stored side to move.

    Parameters
    ----------
    coding : Coding
    histogram : tuple of int
        Placements of each code from 0 on, mirror images counted; void is not among them.
    first : tuple of int
        For each code, the least index that has it; -1 if none has.
    """

    coding: Coding
    histogram: tuple[int, ...]
    first: tuple[int, ...]

    @property
    def placements(self) -> int:
        """All positions, those without a move included."""
        return sum(self.histogram)

    @property
    def stalemates(self) -> int:
        """Positions that are a draw for want of a move."""
        return self.histogram[STALEMATE]

    @property
    def draws(self) -> int:
        """Draws in which there is a move."""
        return self.histogram[DRAW]

    def distances(self, outcome: Outcome) -> dict[int, int]:
        """Placements by distance of all wins or all losses, ascending."""
        found = {}
        for code in range(FIRST, len(self.histogram)):
            value = self.coding.value(code)
            if value.outcome is outcome and value.distance is not None and self.histogram[code]:
                found[value.distance] = self.histogram[code]
        return found

    def count(self, outcome: Outcome) -> int:
        """Number of wins or of losses."""
        return sum(self.distances(outcome).values())

    def longest(self, outcome: Outcome) -> tuple[int, int] | None:
        """Largest distance of a win or a loss, and the least index that has it."""
        codes = [code for code in range(FIRST, len(self.histogram)) if self.histogram[code]]
        found = [
            (self.coding.value(code).distance or 0, self.first[code])
            for code in codes
            if self.coding.value(code).outcome is outcome
        ]
        return max(found, default=None)


class Tally:
    """Counts codes block by block.

    Parameters
    ----------
    coding : Coding
    """

    def __init__(self, coding: Coding) -> None:
        self.coding = coding
        self.histogram = np.zeros(coding.void + 1, dtype=np.int64)
        self.first = np.full(coding.void + 1, -1, dtype=np.int64)

    def add(self, codes: Codes, index: NDArray[np.int64] | int, weight: NDArray[np.int64] | int) -> None:
        """Count a block.

        Parameters
        ----------
        codes : ndarray
            None of an earlier block's indices may be larger than any of this one's.
        index : ndarray of int64, or int
            Index of each code; of the first one if they are consecutive.
        weight : ndarray of int64, or int
            Placements that each index stands for, or that all do.
        """
        counts = np.bincount(codes, minlength=len(self.histogram))
        for code in np.flatnonzero((counts > 0) & (self.first < 0)):
            place = int(np.argmax(codes == code))
            self.first[code] = index + place if isinstance(index, int) else index[place]
        if isinstance(weight, int):
            self.histogram += counts * weight
        else:
            # Weights are small integers, so the floats that bincount adds them up in are exact.
            self.histogram += np.bincount(codes, weights=weight, minlength=len(self.histogram)).astype(np.int64)

    def merge(self, other: Tally) -> None:
        """Add what another tally counted of larger indices."""
        self.histogram += other.histogram
        self.first = np.where(self.first < 0, other.first, self.first)

    def summary(self) -> Summary:
        """What has been counted, void left out."""
        self.histogram[self.coding.void] = 0
        used = max(FIRST, 1 + int(np.flatnonzero(self.histogram)[-1]) if self.histogram.any() else 0)
        return Summary(self.coding, tuple(self.histogram[:used].tolist()), tuple(self.first[:used].tolist()))


def summarize(layout: Layout, codes: Codes, coding: Coding) -> Summary:
    """Count the codes of all positions of a layout.

    Parameters
    ----------
    layout : Layout
    codes : ndarray of uint8 or uint16, shape (layout.size,)
        Void indices hold `coding.void`.
    coding : Coding
    """
    tally = Tally(coding)
    run = layout.size // layout.radices[0]
    weights = layout.lead_weights
    # Neighbouring leads of one weight are counted together, for a slice may have millions of them.
    edges = [0, *(1 + np.flatnonzero(np.diff(weights))).tolist(), len(weights)]
    for first, last in pairwise(edges):
        for begin in range(first * run, last * run, BLOCK):
            tally.add(codes[begin : min(begin + BLOCK, last * run)], begin, int(weights[first]))
    return tally.summary()
