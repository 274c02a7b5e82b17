"""Combinadics: how many choices of places identical pieces have, and the number of each choice.

Places 0, 1, 2, … have *levels*. Of interest are the choices of k places whose levels sum to a given total, the
*advance*. They are numbered as in the combinatorial number system (Knuth, The Art of Computer Programming 4A,
7.2.1.3): by their largest place, then the next, …; a choice c1 < … < ck of advance a has the number

    W(1, c1, a1) + … + W(k, ck, ak),    ak = a, aj = a less the levels of c(j+1) … ck,

where W(j, p, s) counts the choices of j of the first p places with advance s. If all levels are 0, W(j, p, 0) is the
binomial coefficient "p choose j", and the number is the usual combinatorial one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

Int64 = NDArray[np.int64]


@cache
def ways(levels: tuple[int, ...], count: int) -> Int64:
    """The array W for these levels, none of them negative, and up to `count` places.

    Its shape is (count + 1, places + 1, largest advance + 1).
    """
    counts = np.zeros((count + 1, len(levels) + 1, count * max(levels, default=0) + 1), dtype=np.int64)
    counts[0, :, 0] = 1
    for place, level in enumerate(levels):
        counts[1:, place + 1] = counts[1:, place]
        counts[1:, place + 1, level:] += counts[:-1, place, : counts.shape[2] - level]
    return counts


@cache
def advances(levels: tuple[int, ...], count: int) -> tuple[int, ...]:
    """The advances that a choice of this many places can have, ascending."""
    possible: list[int] = np.flatnonzero(ways(levels, count)[count, -1]).tolist()
    return tuple(possible)


@dataclass(frozen=True)
class Combinations:
    """All choices of `count` places whose levels sum to `advance`."""

    levels: tuple[int, ...]
    count: int
    advance: int

    @cached_property
    def ways(self) -> Int64:
        """The array W of these levels."""
        return ways(self.levels, self.count)

    @cached_property
    def _level_array(self) -> Int64:
        return np.array(self.levels, dtype=np.int64)

    @cached_property
    def _are_places(self) -> bool:
        """True if a choice of one place has the number of that place."""
        return self.count == 1 and not any(self.levels)

    @cached_property
    def size(self) -> int:
        """Number of choices."""
        return int(self.ways[self.count, -1, self.advance])

    def rank(self, places: Sequence[int]) -> int:
        """Number of a choice, counted from 0; its places may come in any order."""
        if self._are_places:
            return places[0]
        number, left = 0, self.advance
        for j, place in zip(range(self.count, 0, -1), sorted(places, reverse=True), strict=True):
            number += int(self.ways[j, place, left])
            left -= self.levels[place]
        return number

    def unrank(self, number: int) -> tuple[int, ...]:
        """The places of a choice, ascending."""
        if self._are_places:
            return (number,)
        places, left = [], self.advance
        for j in range(self.count, 0, -1):
            # The last place below which there are no more choices than the number.
            place = int(np.searchsorted(self.ways[j, :, left], number, side="right")) - 1
            number -= int(self.ways[j, place, left])
            left -= self.levels[place]
            places.append(place)
        return tuple(reversed(places))

    def rank_many(self, places: NDArray[np.integer]) -> Int64:
        """Numbers of choices given as an array of shape (choices, count)."""
        if self._are_places:
            return places[:, 0].astype(np.int64)
        places = np.sort(places, axis=1)
        left = np.full(len(places), self.advance)
        numbers = np.zeros(len(places), dtype=np.int64)
        for j in range(self.count, 0, -1):
            place = places[:, j - 1]
            numbers += self.ways[j, place, left]
            left -= self._level_array[place]
        return numbers

    def unrank_many(self, numbers: Int64) -> NDArray[np.int8]:
        """Places of choices, ascending, shape (choices, count)."""
        if self._are_places:
            return numbers[:, None].astype(np.int8)
        places = np.empty((len(numbers), self.count), dtype=np.int8)
        left = np.full(len(numbers), self.advance)
        numbers = np.array(numbers, dtype=np.int64)
        for j in range(self.count, 0, -1):
            for total in np.unique(left).tolist():
                rows = np.flatnonzero(left == total)
                # The last place below which there are no more choices than the number.
                places[rows, j - 1] = np.searchsorted(self.ways[j, :, total], numbers[rows], side="right") - 1
            numbers -= self.ways[j, places[:, j - 1], left]
            left -= self._level_array[places[:, j - 1]]
        return places


@cache
def count_symmetric(choices: Combinations, image: tuple[int, ...]) -> int:
    """Count the choices that a mirror leaves unchanged, without enumerating them; `image` has the mirror image of each place."""
    ways = Counter({(0, 0): 1})
    for place, twin in enumerate(image):
        if place <= twin:
            orbit = {place, twin}
            level = sum(choices.levels[one] for one in orbit)
            for (count, advance), number in list(ways.items()):
                if count + len(orbit) <= choices.count:
                    ways[count + len(orbit), advance + level] += number
    return ways[choices.count, choices.advance]
