"""What games say about the strength of players: shares of points with intervals of 95 %.

The interval of a share in games that do not depend on each other is that of Wilson, "Probable inference, the law of succession, and
statistical inference" (1927), for as many trials as games: points lie between 0 and 1, so that they vary no more than wins and
losses with the same mean do. For games in rounds, which share openings, see `tablebase.play.blocks`.

Pairs are two games with the same opening and colours swapped. The points of a pair, from 0 to 2 by halves, are one observation,
since its games depend on each other. With the mean share s of the points of n pairs and the variance v of a pair's share, the
interval is s ± 1.96·sqrt(v / n).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from statistics import NormalDist

CONFIDENCE = 1.959963984540054
"""Standard deviations to either side of the mean within which a normal distribution lies with a probability of 95 %."""
NORMAL = 1_000
"""Degrees of freedom above which Student's distribution is taken for the normal one."""
HALVINGS = 60


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


def share_of_pairs(pairs: Sequence[float]) -> tuple[float, float, float]:
    """The share of a player's points in pairs of games, each from 0 to 2, and the ends of its interval.

    Where all pairs are alike, they have no variance, and the interval is that of Wilson for as many trials as games, which is
    wider than necessary.

    Examples
    --------
    >>> [round(number, 4) for number in share_of_pairs([2, 1, 1.5, 1])]
    [0.6875, 0.4844, 0.8906]
    """
    count = len(pairs)
    share = sum(pairs) / (2 * count) if count else 0.5
    variance = sum((points / 2 - share) ** 2 for points in pairs) / count if count else 0.0
    if variance > 0:
        half = CONFIDENCE * math.sqrt(variance / count)
        low, high = max(0.0, share - half), min(1.0, share + half)
    else:
        low, high = wilson(sum(pairs), 2 * count)
    return share, low, high
