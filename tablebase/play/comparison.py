"""Strength of players by their games: shares of points with intervals of 95 %.

The interval of a share in games that do not depend on each other is that of Wilson, "Probable inference, the law of succession, and
statistical inference" (1927), for as many trials as games: points lie between 0 and 1, so that they vary no more than wins and
losses with the same mean do.

Pairs are two games with the same opening and colours swapped. The points of a pair, from 0 to 2 by halves, are one observation,
since its games depend on each other. With the mean share s of the points of n pairs and the variance v of a pair's share, the
interval is s ± 1.96·sqrt(v / n).

In rounds, games with the same opening and the same draws (*common random numbers*) depend on each other, so one opening is one
observation, a block. A mean over all games is a ratio of two sums over blocks, and its error is estimated from how far each block
moves it from what it is in all blocks of the same line-up, since who meets whom is no chance (W. G. Cochran, *Sampling Techniques*,
1977, chapters 5 and 9A). As this is true of the difference of two means, too, what both contestants owe to an opening cancels.

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
from functools import cache
from itertools import combinations
from statistics import NormalDist
from typing import NamedTuple

CONFIDENCE = 1.959963984540054
"""Standard deviations to either side of the mean within which a normal distribution lies with a probability of 95 %."""
NORMAL = 1_000
"""Degrees of freedom above which Student's distribution is taken for the normal one."""
HALVINGS = 60
ROUNDING = 1e-12
"""Largest rounding error of a number that is 0."""


def wilson(points: float, trials: float) -> tuple[float, float]:
    """The 95 % interval of Wilson for the share of `points` in `trials`."""
    if trials == 0:
        return 0.0, 1.0
    squared = CONFIDENCE**2
    share = points / trials
    middle = (share + squared / (2 * trials)) / (1 + squared / trials)
    half = CONFIDENCE * math.sqrt(share * (1 - share) / trials + squared / (4 * trials**2)) / (1 + squared / trials)
    return max(0.0, middle - half), min(1.0, middle + half)


@cache
def student(freedom: int, confidence: float) -> float:
    """Return how many standard errors to either side of the mean Student's distribution lies within with a probability.

    The probability is a finite sum (M. Abramowitz and I. Stegun, *Handbook of Mathematical Functions*, 1964, 26.7.3 and 26.7.4).
    """
    if freedom > NORMAL:
        return NormalDist().inv_cdf((1 + confidence) / 2)

    def within(angle: float) -> float:
        squared, odd = math.cos(angle) ** 2, freedom % 2
        term, total = (math.cos(angle) if odd else 1.0), 0.0
        for number in range(odd, freedom - 1, 2):
            total += term
            term *= squared * (number + 1) / (number + 2)
        return 2 / math.pi * (angle + math.sin(angle) * total) if odd else math.sin(angle) * total

    low, high = 0.0, math.pi / 2
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if within(middle) < confidence else (low, middle)
    return math.tan(low) * math.sqrt(freedom)


def share_of_pairs(pairs: Sequence[float]) -> tuple[float, float, float]:
    """The share of a player's points in pairs of games, each from 0 to 2, and the ends of its interval.

    Where all pairs are alike, they have no variance, and the interval is that of Wilson for as many trials as games, which is
    wider than necessary.
    """
    count = len(pairs)
    share = sum(pairs) / (2 * count) if count else 0.5
    variance = math.fsum((points / 2 - share) ** 2 for points in pairs) / count if count else 0.0
    if variance > 0:
        half = CONFIDENCE * math.sqrt(variance / count)
        low, high = max(0.0, share - half), min(1.0, share + half)
    else:
        low, high = wilson(sum(pairs), 2 * count)
    return share, low, high


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
        squares = math.fsum(move**2 for move in self.moves.values())
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


def mean_of(observed: Iterable[tuple[Hashable, str, float]]) -> Mean:
    """The mean of a number of each game, given behind the game's line-up and its opening; one half if there are none."""
    numbers: list[float] = []
    of_line_up: dict[Hashable, list[float]] = {}
    of_block: dict[tuple[Hashable, str], list[float]] = {}
    for line_up, opening, number in observed:
        for some in (numbers, of_line_up.setdefault(line_up, []), of_block.setdefault((line_up, opening), [])):
            some.append(number)
    if not numbers:
        return Mean(0.5, 0, {})
    means = {line_up: math.fsum(some) / len(some) for line_up, some in of_line_up.items()}
    moves = {block: math.fsum(number - means[block[0]] for number in some) / len(numbers) for block, some in of_block.items()}
    return Mean(math.fsum(numbers) / len(numbers), len(numbers), moves)


def ranks(shares: Sequence[Mean]) -> list[tuple[int, int, int]]:
    """Return the rank of each contestant, from 1 for the largest share, with the best and the worst possible rank."""
    pairs = math.comb(len(shares), 2)
    above, below = [0] * len(shares), [0] * len(shares)
    for one, other in combinations(range(len(shares)), 2):
        difference = shares[one].minus(shares[other])
        if _is_certain(difference, 1 - 0.05 / pairs):
            better, worse = (one, other) if difference.value > 0 else (other, one)
            above[worse] += 1
            below[better] += 1
    return [
        (1 + sum(other.value > share.value + ROUNDING for other in shares), 1 + more, len(shares) - less)
        for share, more, less in zip(shares, above, below, strict=True)
    ]


def _is_certain(difference: Mean, confidence: float) -> bool:
    if difference.freedom == 0 or abs(difference.value) < ROUNDING:
        return False
    quantile = student(difference.freedom, confidence)
    if difference.error < ROUNDING:
        # All blocks are alike: then as many are needed as Wilson's interval needs to be on one side of one half.
        return len(difference.moves) > quantile**2
    return abs(difference.value) > quantile * difference.error
