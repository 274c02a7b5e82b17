"""What a solved slice amounts to: its histogram and its longest wins and losses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tablebase.game import Outcome
from tablebase.indexing import Layout
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


def summarize(layout: Layout, codes: Codes, coding: Coding) -> Summary:
    """Count the codes of all positions of a layout.

    Parameters
    ----------
    layout : Layout
    codes : ndarray of uint8 or uint16, shape (layout.size,)
        Void indices may hold anything.
    coding : Coding
    """
    histogram = np.zeros(coding.void + 1, dtype=np.int64)
    first = np.full(coding.void + 1, -1, dtype=np.int64)
    run = layout.size // layout.radices[0]
    for begin in range(0, layout.size, BLOCK):
        index = np.arange(begin, min(begin + BLOCK, layout.size))
        legal = layout.legal_many(index)
        block = codes[begin : begin + len(index)][legal]
        weight = _weights(layout, index[legal] // run)
        histogram += np.bincount(block, weights=weight, minlength=len(histogram)).astype(np.int64)
        present, place = np.unique(block, return_index=True)
        fresh = first[present] < 0
        first[present[fresh]] = index[legal][place[fresh]]
    used = int(np.flatnonzero(histogram)[-1]) + 1 if histogram.any() else 0
    used = max(used, FIRST)
    return Summary(coding, tuple(map(int, histogram[:used])), tuple(map(int, first[:used])))


def _weights(layout: Layout, digit: NDArray[np.int64]) -> NDArray[np.float64]:
    """Placements each index stands for, by its lead digit; floats hold these counts exactly."""
    if layout.game.mirror is None:
        return np.ones(len(digit))
    return np.where(layout.lead_fixed[digit], 1.0, 2.0)
