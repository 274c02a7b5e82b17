"""Intervals of shares, against other ways to compute what was published."""

import math
from statistics import NormalDist, fmean, pvariance

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablebase.play.comparison import share_of_pairs, wilson

PAIRS = st.lists(st.sampled_from([0.0, 0.5, 1.0, 1.5, 2.0]), min_size=2, max_size=60)
Z = NormalDist().inv_cdf(0.975)


@pytest.mark.parametrize(
    ("successes", "trials", "expected"),
    [(81, 263, (0.2553, 0.3662)), (15, 148, (0.0624, 0.1605)), (0, 20, (0.0, 0.1611)), (1, 29, (0.0061, 0.1718))],
)
def test_intervals_are_those_of_the_literature(successes: int, trials: int, expected: tuple[float, float]) -> None:
    """Newcombe, "Two-sided confidence intervals for the single proportion" (1998), table I, method 3: Wilson's score."""
    assert wilson(successes, trials) == pytest.approx(expected, abs=5e-5)
    mirrored = wilson(trials - successes, trials)
    assert mirrored == pytest.approx((1 - expected[1], 1 - expected[0]), abs=5e-5)


def test_no_trials_say_nothing() -> None:
    assert wilson(0, 0) == (0, 1)


@given(PAIRS)
def test_share_of_pairs(pairs: list[float]) -> None:
    """The mean of the pairs, and the interval of a normal distribution with their variance."""
    (share, low, high), shares = share_of_pairs(pairs), [points / 2 for points in pairs]
    assert share == pytest.approx(fmean(shares))
    if pvariance(shares) > 1e-12:
        half = Z * math.sqrt(pvariance(shares) / len(pairs))
        assert (low, high) == pytest.approx((max(0, fmean(shares) - half), min(1, fmean(shares) + half)))
    else:
        assert low < high
