"""Elo, intervals and the sequential test: against other ways to compute what was published."""

import math
from statistics import NormalDist, fmean, pvariance

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablebase.errors import TablebaseError
from tablebase.play.comparison import SequentialTest, elo, expected_share, strength, wilson

PAIRS = st.lists(st.sampled_from([0.0, 0.5, 1.0, 1.5, 2.0]), min_size=2, max_size=60)
Z = NormalDist().inv_cdf(0.975)


def likelihood_ratio(counts: list[float], one: float, other: float) -> float:
    """The exact one of the generalised test: each hypothesis by its likeliest distribution with that mean share."""
    total = sum(counts)
    values = [each / 4 for each in range(5)]

    def likeliest(mean: float) -> list[float]:
        """By Lagrange's method, p / (1 + t (a - mean)), with t found by halving an interval."""
        low, high = -1 / (1 - mean) + 1e-12, 1 / mean - 1e-12
        for _ in range(200):
            t = (low + high) / 2
            slope = sum(n / total * (a - mean) / (1 + t * (a - mean)) for n, a in zip(counts, values, strict=True))
            low, high = (t, high) if slope > 0 else (low, t)
        return [n / total / (1 + t * (a - mean)) for n, a in zip(counts, values, strict=True)]

    first, second = likeliest(one), likeliest(other)
    return sum(n * math.log(q / p) for n, p, q in zip(counts, first, second, strict=True))


@pytest.mark.parametrize(("difference", "share"), [(0, 0.5), (50, 0.57), (100, 0.64), (200, 0.76), (400, 0.91), (-200, 0.24)])
def test_expected_shares_are_the_published_ones(difference: float, share: float) -> None:
    """The table of chances that goes with the logistic curve, to two decimals."""
    assert round(expected_share(difference), 2) == share


@pytest.mark.parametrize(
    ("successes", "trials", "expected"),
    [(81, 263, (0.2553, 0.3662)), (15, 148, (0.0624, 0.1605)), (0, 20, (0.0, 0.1611)), (1, 29, (0.0061, 0.1718))],
)
def test_intervals_are_those_of_the_literature(successes: int, trials: int, expected: tuple[float, float]) -> None:
    """Newcombe, "Two-sided confidence intervals for the single proportion" (1998), table I, method 3: Wilson's score."""
    assert wilson(successes, trials) == pytest.approx(expected, abs=5e-5)
    mirrored = wilson(trials - successes, trials)
    assert mirrored == pytest.approx((1 - expected[1], 1 - expected[0]), abs=5e-5)


def test_elo() -> None:
    """Ten to one is 400 points; nothing against something has no number."""
    assert elo(10 / 11) == pytest.approx(400)
    assert elo(1 / 11) == pytest.approx(-400)
    assert (elo(0.5), elo(0), elo(1)) == (0, None, None)
    assert wilson(0, 0) == (0, 1)


@given(PAIRS)
def test_strength(pairs: list[float]) -> None:
    """The mean of the pairs, and the interval of a normal distribution with their variance, as differences in Elo points."""
    found, shares = strength(pairs), [points / 2 for points in pairs]
    assert found.share == pytest.approx(fmean(shares))
    if pvariance(shares) > 1e-12:
        half = Z * math.sqrt(pvariance(shares) / len(pairs))
        assert (found.low, found.high) == pytest.approx((max(0, fmean(shares) - half), min(1, fmean(shares) + half)))
    else:
        assert found.low < found.high
    for share, points in ((found.share, found.elo), (found.low, found.elo_low), (found.high, found.elo_high)):
        assert (points is None) == (not 0 < share < 1)
        if points is not None:
            assert expected_share(points) == pytest.approx(share)


@pytest.mark.parametrize("counts", [[20, 60, 120, 70, 25], [5, 30, 90, 45, 12], [40, 80, 100, 60, 20], [1, 3, 4, 4, 2]])
@pytest.mark.parametrize(("least", "most"), [(0, 10), (-5, 5), (0, 30)])
def test_the_ratio_is_close_to_the_exact_one(counts: list[int], least: float, most: float) -> None:
    """The approximation by variance, against the likeliest distributions with either mean."""
    pairs = [each / 2 for each, count in enumerate(counts) for _ in range(count)]
    exact = likelihood_ratio([float(count) for count in counts], expected_share(least), expected_share(most))
    assert SequentialTest(least, most).ratio(pairs) == pytest.approx(exact, rel=0.06, abs=0.02)


def test_decisions() -> None:
    """Clear results accept a hypothesis soon, even ones does not; who swaps the players swaps the sign."""
    test = SequentialTest(-20, 20)
    assert test.ratio([]) == 0
    assert test.accepted([]) is None
    pairs = [2.0, 1.5, 1.0, 1.5, 2.0, 1.0] * 8
    assert test.accepted(pairs) == "H1"
    assert test.accepted([2 - points for points in pairs]) == "H0"
    assert test.ratio(pairs) == pytest.approx(-test.ratio([2 - points for points in pairs]))
    assert test.accepted([1.0, 0.5, 1.5] * 10) is None
    # Without the other results there is no variance, but wins are wins.
    assert test.accepted([2.0] * 30) == "H1"


@pytest.mark.parametrize(("least", "most"), [(5, 5), (10, 0), (0, math.inf), (math.nan, 1)])
def test_hypotheses_must_differ(least: float, most: float) -> None:
    with pytest.raises(TablebaseError, match="needs two differences, the smaller one first"):
        SequentialTest(least, most)
