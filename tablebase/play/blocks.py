"""Means over games of which some share an opening, and how certain they are.

Games with the same opening and the same draws (*common random numbers*) depend on each other, so one opening is one observation,
a block. A mean over all games is a ratio of two sums over blocks, and its error is estimated from how far each block moves it from
what it is in all blocks of the same line-up, since who meets whom is no chance (W. G. Cochran, *Sampling Techniques*, 1977,
chapters 5 and 9A). As this is true of the difference of two means, too, what both contestants owe to an opening cancels.

- The interval of 95 % of a mean is that of Wilson (1927), for as many trials as games that do not depend on each other would give
  the same error, less for few blocks (E. L. Korn and B. I. Graubard, "Confidence intervals for proportions with small expected
  number of positive counts estimated from survey data", 1998).
- Ranks have intervals, all of which together are right with 95 %: a contestant comes behind all who are better than he is by
  Student's test of the difference, with Bonferroni's correction for the number of pairs (M. Mogstad, J. P. Romano, A. M. Shaikh and
  D. Wilhelm, "Inference for ranks", 2024).
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from tablebase.play.comparison import CONFIDENCE, student, wilson

ROUNDING = 1e-12
"""What rounding may leave of a number that is 0."""


class Mean(NamedTuple):
    """The mean of numbers from 0 to 1, one for each game."""

    value: float
    games: int
    # How far each block moves the mean, by its line-up and its opening; the sum of each line-up is 0.
    moves: Mapping[tuple[Hashable, str], float]

    @property
    def freedom(self) -> int:
        """The degrees of freedom of its error; 0 if that is unknown."""
        return len(self.moves) - len({line_up for line_up, _ in self.moves})

    @property
    def error(self) -> float:
        """The standard error; 0 if all blocks of each line-up are alike, or if none has two."""
        squares = sum(move**2 for move in self.moves.values())
        return math.sqrt(squares * len(self.moves) / self.freedom) if self.freedom else 0.0

    def interval(self) -> tuple[float, float]:
        """The interval of 95 %; as if games did not depend on each other if there is no error to go by."""
        if self.error < ROUNDING:
            return wilson(self.value * self.games, self.games)
        certain = self.error * student(self.freedom, 0.95) / CONFIDENCE
        trials = self.value * (1 - self.value) / certain**2
        return wilson(self.value * trials, trials)

    def minus(self, other: Mean) -> Mean:
        """The difference of two means."""
        moves = {name: self.moves.get(name, 0) - other.moves.get(name, 0) for name in {**self.moves, **other.moves}}
        return Mean(self.value - other.value, max(self.games, other.games), moves)


class Rank(NamedTuple):
    """The rank of a contestant, from 1, with the best and the worst that it may be."""

    rank: int
    best: int
    worst: int


def mean_of(observed: Iterable[tuple[Hashable, str, float]]) -> Mean:
    """The mean of a number of each game, given behind the game's line-up and its opening; one half if there are none.

    Examples
    --------
    >>> found = mean_of([("us", "a", 1), ("us", "a", 0), ("us", "b", 1), ("us", "b", 1)])
    >>> found.value, found.moves
    (0.75, {('us', 'a'): -0.125, ('us', 'b'): 0.125})
    """
    numbers: list[float] = []
    of_line_up: dict[Hashable, list[float]] = {}
    of_block: dict[tuple[Hashable, str], list[float]] = {}
    for line_up, opening, number in observed:
        for some in (numbers, of_line_up.setdefault(line_up, []), of_block.setdefault((line_up, opening), [])):
            some.append(number)
    if not numbers:
        return Mean(0.5, 0, {})
    means = {line_up: sum(some) / len(some) for line_up, some in of_line_up.items()}
    moves = {block: sum(number - means[block[0]] for number in some) / len(numbers) for block, some in of_block.items()}
    return Mean(sum(numbers) / len(numbers), len(numbers), moves)


def ranks(shares: Sequence[Mean]) -> list[Rank]:
    """The ranks of contestants with these shares, the largest first."""
    pairs = math.comb(len(shares), 2)
    above, below = [0] * len(shares), [0] * len(shares)
    for one, other in combinations(range(len(shares)), 2):
        difference = shares[one].minus(shares[other])
        if _is_certain(difference, 1 - 0.05 / pairs):
            better, worse = (one, other) if difference.value > 0 else (other, one)
            above[worse] += 1
            below[better] += 1
    return [
        Rank(1 + sum(other.value > share.value + ROUNDING for other in shares), 1 + more, len(shares) - less)
        for share, more, less in zip(shares, above, below, strict=True)
    ]


def _is_certain(difference: Mean, confidence: float) -> bool:
    """Whether a difference is not 0."""
    if difference.freedom == 0 or abs(difference.value) < ROUNDING:
        return False
    quantile = student(difference.freedom, confidence)
    if difference.error < ROUNDING:
        # All blocks are alike: then as many are needed as Wilson's interval needs to be on one side of one half.
        return len(difference.moves) > quantile**2
    return abs(difference.value) > quantile * difference.error
