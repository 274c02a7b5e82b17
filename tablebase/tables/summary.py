"""Statistics of a solved slice: its histogram and its longest wins and losses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tablebase.game import Outcome
from tablebase.positions.indexing import Layout
from tablebase.tables.values import DRAW, FIRST, STALEMATE, Codes, Coding, Value


@dataclass(frozen=True)
class Summary:
    """The histogram of one stored side to move."""

    coding: Coding
    histogram: tuple[int, ...]  # placements of each code from 0 on, including mirror images but not void
    first: tuple[int, ...]  # for each code, the least index that has it; -1 if there is no such index

    @property
    def placements(self) -> int:
        """All positions, including stalemates."""
        return sum(self.histogram)

    @property
    def stalemates(self) -> int:
        """Positions that are a draw because there is no legal move."""
        return self.histogram[STALEMATE]

    @property
    def draws(self) -> int:
        """Draws with a legal move."""
        return self.histogram[DRAW]

    def distances(self, outcome: Outcome) -> dict[int, int]:
        """Number of placements by distance, ascending, of all wins or all losses."""
        counts = {}
        for code in range(FIRST, len(self.histogram)):
            value = self.coding.value(code)
            if value.outcome is outcome and value.distance is not None and self.histogram[code]:
                counts[value.distance] = self.histogram[code]
        return counts

    def count(self, outcome: Outcome) -> int:
        """Number of wins or of losses."""
        return sum(self.distances(outcome).values())

    def longest(self, outcome: Outcome) -> tuple[int, int] | None:
        """Largest distance of a win or a loss, and the least index that has it."""
        furthest = max(self.distances(outcome), default=None)
        return None if furthest is None else (furthest, self.first[self.coding.code(Value(outcome, furthest))])


class CodeTally:
    """Counts codes block by block."""

    def __init__(self, coding: Coding) -> None:
        self.coding = coding
        self.histogram = np.zeros(coding.void + 1, dtype=np.int64)
        self.first = np.full(coding.void + 1, -1, dtype=np.int64)

    def add(self, codes: Codes, index: NDArray[np.int64], weight: NDArray[np.int64] | int) -> None:
        """Count a block of codes with their indices; blocks come in ascending order of these.

        The weight is the number of placements that each index stands for; an int if the same for all.
        """
        counts = np.bincount(codes, minlength=len(self.histogram))
        for code in np.flatnonzero((counts > 0) & (self.first < 0)):
            self.first[code] = index[int(np.argmax(codes == code))]
        if isinstance(weight, int):
            self.histogram += counts * weight
        else:
            # Weights are small integers, so bincount's sums in floating point are exact.
            self.histogram += np.bincount(codes, weights=weight, minlength=len(self.histogram)).astype(np.int64)

    def add_run(self, codes: Codes, begin: int, weight: int) -> None:
        """Count consecutive codes from an index on, which stand for this number of placements each."""
        # Imported here because Numba is slow to load.
        from tablebase.tables.code_kernels import count_codes

        counts = np.zeros_like(self.histogram)
        count_codes(codes, begin, counts, self.first)
        self.histogram += counts * weight

    def merge(self, other: CodeTally) -> None:
        """Add the counts of another tally, whose indices must be larger."""
        self.histogram += other.histogram
        self.first = np.where(self.first < 0, other.first, self.first)

    def summary(self) -> Summary:
        """The counts as a `Summary`, without void."""
        self.histogram[self.coding.void] = 0
        used = max(FIRST, 1 + int(np.flatnonzero(self.histogram)[-1]) if self.histogram.any() else 0)
        return Summary(self.coding, tuple(self.histogram[:used].tolist()), tuple(self.first[:used].tolist()))


class LayoutCounts:
    """Counts the codes of a layout block by block; void indices hold `coding.void`."""

    def __init__(self, layout: Layout, coding: Coding) -> None:
        self._coding = coding
        # Neighbouring leads of equal weight are counted together, because a slice may have millions of leads.
        starts = np.flatnonzero(np.diff(layout.lead_weights, prepend=0))
        self._weights = layout.lead_weights[starts]
        self._ends = np.append(starts[1:], layout.radices[0]) * (layout.size // layout.radices[0])

    def tally(self, codes: Codes, begin: int) -> CodeTally:
        """The counts of a block that begins at an index."""
        tally = CodeTally(self._coding)
        place, end = begin, begin + len(codes)
        run = int(np.searchsorted(self._ends, begin, side="right"))
        while place < end:
            stop = min(end, int(self._ends[run]))
            tally.add_run(codes[place - begin : stop - begin], place, int(self._weights[run]))
            place, run = stop, run + 1
        return tally
