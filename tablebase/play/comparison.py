"""What games say about the strength of players.

A share of p of the points is a difference of 400·log10(p / (1 - p)) Elo points to the opponents (A. Elo, *The Rating of
Chessplayers, Past and Present*, 1978, in its logistic form). Its interval of 95 % is that of Wilson, "Probable inference, the law
of succession, and statistical inference" (1927), for as many trials as games: points lie between 0 and 1, so that they vary no
more than wins and losses with the same mean do.

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

from tablebase.errors import TablebaseError

CONFIDENCE = 1.959963984540054
"""Standard deviations to either side of the mean within which a normal distribution lies with a probability of 95 %."""
ERROR = 0.05
"""The chance of either error of the sequential test."""
UNSEEN = 0.5
"""What a number of pairs that is 0 counts as in the sequential test, so that there is a variance after few pairs, too."""


def wilson(points: float, trials: int) -> tuple[float, float]:
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
    return Strength(share, low, high, elo(share), elo(low), elo(high))


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
