"""What games say about the strength of players.

A share of p of the points is a difference of 400·log10(p / (1 - p)) Elo points to the opponents (A. Elo, *The Rating of
Chessplayers, Past and Present*, 1978, in its logistic form). The interval of 95 % of a share in games that do not depend on each
other is that of Wilson, "Probable inference, the law of succession, and statistical inference" (1927), for as many trials as games:
points lie between 0 and 1, so that they vary no more than wins and losses with the same mean do. For games in rounds, which share
openings, see `tablebase.play.blocks`.

Pairs are two games with the same opening and colours swapped. The points of a pair, from 0 to 2 by halves, are one observation,
since its games depend on each other (the *pentanomial* model). With the mean share s of the points of n pairs and the variance v
of a pair's share:

- the interval of 95 % of the share is s ± 1.96·sqrt(v / n);
- the sequential test (A. Wald, "Sequential tests of statistical hypotheses", 1945) of a difference of e0 against one of e1 Elo
  points, with expected shares s0 and s1, goes on while the logarithm of the likelihood ratio lies between log(b / (1 - a)) and
  log((1 - b) / a). It is approximated by n·(s1 - s0)·(2·s - s0 - s1) / (2·v) (M. Van den Bergh, "A practical introduction to the
  GSPRT", 2020).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from statistics import NormalDist

from tablebase.errors import TablebaseError

CONFIDENCE = 1.959963984540054
"""Standard deviations to either side of the mean within which a normal distribution lies with a probability of 95 %."""
ERROR = 0.05
"""The chance of either error of the sequential test."""
NORMAL = 1_000
"""Degrees of freedom above which Student's distribution is taken for the normal one."""
HALVINGS = 60
UNSEEN = 0.5
"""What a number of pairs that is 0 counts as in the sequential test, so that there is a variance after few pairs, too."""


def wilson(points: float, trials: float) -> tuple[float, float]:
    """The 95 % interval of Wilson for the share of `points` in `trials`.

    Examples
    --------
    >>> [round(bound, 4) for bound in wilson(81, 263)]
    [0.2553, 0.3662]
    """
    if trials == 0:
        return 0.0, 1.0
    squared = CONFIDENCE**2
    share = points / trials
    middle = (share + squared / (2 * trials)) / (1 + squared / trials)
    half = CONFIDENCE * math.sqrt(share * (1 - share) / trials + squared / (4 * trials**2)) / (1 + squared / trials)
    return max(0.0, middle - half), min(1.0, middle + half)


@cache
def student(freedom: int, confidence: float) -> float:
    """How many standard errors to either side of the mean Student's distribution lies within with a probability.

    The probability is a finite sum (M. Abramowitz and I. Stegun, *Handbook of Mathematical Functions*, 1964, 26.7.3 and 26.7.4).

    Examples
    --------
    >>> round(student(10, 0.95), 3), round(student(1, 0.95), 3)
    (2.228, 12.706)
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


def elo(share: float) -> float | None:
    """The difference in Elo points that a share of points amounts to; None if it is infinite."""
    return 400 * math.log10(share / (1 - share)) if 0 < share < 1 else None


@dataclass(frozen=True)
class Strength:
    """How much stronger one player is than another."""

    # The share of the points, with the interval of 95 %.
    share: float
    low: float
    high: float
    # The same as a difference in Elo points; None if it is infinite.
    elo: float | None
    elo_low: float | None
    elo_high: float | None

    @classmethod
    def of(cls, share: float, low: float, high: float) -> Strength:
        """The strength that a share and its interval amount to."""
        return cls(share, low, high, elo(share), elo(low), elo(high))


def strength(pairs: Sequence[float]) -> Strength:
    """The strength of a player by its points in pairs of games, each from 0 to 2.

    Where all pairs are alike, they have no variance, and the interval is that of Wilson for as many trials as games, which is
    wider than necessary.

    Examples
    --------
    >>> found = strength([2, 1, 1.5, 1])
    >>> round(found.share, 4), round(found.elo or 0)
    (0.6875, 137)
    """
    count = len(pairs)
    share = sum(pairs) / (2 * count) if count else 0.5
    variance = sum((points / 2 - share) ** 2 for points in pairs) / count if count else 0.0
    if variance > 0:
        half = CONFIDENCE * math.sqrt(variance / count)
        low, high = max(0.0, share - half), min(1.0, share + half)
    else:
        low, high = wilson(sum(pairs), 2 * count)
    return Strength.of(share, low, high)


def expected_share(difference: float) -> float:
    """The share of the points that a player gets who is stronger by a number of Elo points."""
    return 1 / (1 + 10 ** (-difference / 400))


@dataclass(frozen=True)
class SequentialTest:
    """A test of two hypotheses about the difference in strength that ends as soon as one of them is likely enough."""

    # The differences in Elo points of the hypotheses H0 and H1.
    least: float
    most: float

    def __post_init__(self) -> None:
        if not (math.isfinite(self.least) and math.isfinite(self.most) and self.least < self.most):
            raise TablebaseError(
                f"a sequential test needs two differences, the smaller one first, not {self.least:g},{self.most:g}"
            )

    @property
    def bounds(self) -> tuple[float, float]:
        """The logarithms of the likelihood ratio at which H0 and H1 are accepted."""
        return math.log(ERROR / (1 - ERROR)), math.log((1 - ERROR) / ERROR)

    def ratio(self, pairs: Sequence[float]) -> float:
        """The logarithm of the likelihood ratio after some pairs of games; 0 after none."""
        if not pairs:
            return 0.0
        counts = [max(UNSEEN, sum(points == each / 2 for points in pairs)) for each in range(5)]
        total = sum(counts)
        share = sum(count * each / 4 for each, count in enumerate(counts)) / total
        variance = sum(count * (each / 4 - share) ** 2 for each, count in enumerate(counts)) / total
        one, other = expected_share(self.least), expected_share(self.most)
        return total * (other - one) * (2 * share - one - other) / (2 * variance)

    def accepted(self, pairs: Sequence[float]) -> str | None:
        """The hypothesis that is likely enough, ``H0`` or ``H1``; None while the test goes on."""
        low, high = self.bounds
        ratio = self.ratio(pairs)
        return "H0" if ratio <= low else "H1" if ratio >= high else None
