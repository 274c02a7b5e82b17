"""Means over games that share openings: by hand, against simple formulas, and how often their intervals are right."""

import math
from random import Random
from statistics import NormalDist, fmean, pvariance, stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablebase.play.comparison import Mean, Rank, mean_of, ranks, share_of_pairs, student, wilson

NUMBERS = st.sampled_from([0.0, 0.25, 0.5, 1.0])
EQUAL = st.integers(1, 4).flatmap(lambda size: st.lists(st.lists(NUMBERS, min_size=size, max_size=size), min_size=2, max_size=12))


def observed(blocks: list[list[float]]) -> list[tuple[str, str, float]]:
    """The numbers of games of one line-up, each with the name of its block."""
    return [("us", str(name), number) for name, block in enumerate(blocks) for number in block]


@pytest.mark.parametrize(
    ("freedom", "confidence", "expected"),
    [(1, 0.95, 12.706), (2, 0.95, 4.303), (3, 0.99, 5.841), (10, 0.95, 2.228), (30, 0.99, 2.750), (120, 0.95, 1.980)],
)
def test_quantiles_are_the_published_ones(freedom: int, confidence: float, expected: float) -> None:
    """Abramowitz and Stegun, table 26.10."""
    assert student(freedom, confidence) == pytest.approx(expected, abs=5e-4)


def test_quantiles_come_to_those_of_the_normal_distribution() -> None:
    assert student(1_001, 0.95) == pytest.approx(1.959964)
    assert student(1_000, 0.95) == pytest.approx(1.9623, abs=5e-5)


@given(EQUAL)
def test_errors_of_equal_blocks(blocks: list[list[float]]) -> None:
    """That of the mean of the blocks' own means."""
    found, means = mean_of(observed(blocks)), [fmean(block) for block in blocks]
    assert found.value == pytest.approx(fmean(means))
    assert found.error == pytest.approx(stdev(means) / math.sqrt(len(means)), abs=1e-9)
    low, high = found.interval()
    assert 0 <= low <= found.value + 1e-9
    assert found.value - 1e-9 <= high <= 1


def test_blocks_of_other_sizes_by_hand() -> None:
    """Three games and one: the mean is that of the games, and each block moves it by its sum of deviations."""
    found = mean_of(observed([[1, 1, 0.5], [0.5]]))
    assert (found.value, found.games, found.freedom) == (0.75, 4, 1)
    assert found.moves == pytest.approx({("us", "0"): 0.0625, ("us", "1"): -0.0625})
    assert found.error == pytest.approx(math.sqrt(2 * 2 * 0.0625**2))
    other = mean_of([("us", "1", 0.5), ("us", "2", 1.0)])
    assert found.minus(other).moves == pytest.approx({("us", "0"): 0.0625, ("us", "1"): 0.0625, ("us", "2"): -0.125})


def test_who_meets_whom_is_no_chance() -> None:
    """Winning all games against one and losing all against another leaves no doubt; a line-up with one opening adds nothing."""
    games = [(who, str(opening), share) for who, share in (("weak", 1.0), ("strong", 0.0)) for opening in range(5)]
    found = mean_of(games)
    assert (found.value, found.freedom, found.error) == (0.5, 8, 0)
    more = mean_of([*games, ("even", "a", 0.5)])
    assert (more.freedom, more.error) == (8, 0)
    mixed = mean_of([*games, ("weak", "b", 0.0), ("strong", "b", 1.0)])
    # Each line-up has the mean 5/6 or 1/6, from which five blocks differ by 1/6 and one by 5/6.
    assert mixed.error == pytest.approx(math.sqrt(2 * (5 / 36 + 25 / 36) * 12 / 10) / 12)


def test_without_an_error_games_count_one_by_one() -> None:
    """One opening says nothing about others, nor do openings that are all alike."""
    for blocks in ([[1, 0, 1]], [[1, 1], [1, 1]], [[0, 1], [1, 0]]):
        found = mean_of(observed([list(map(float, block)) for block in blocks]))
        assert found.interval() == wilson(found.value * found.games, found.games)
    assert mean_of([]).interval() == (0, 1)


def test_intervals_are_right_as_often_as_they_say() -> None:
    """With openings that favour one player; taking games one by one is wrong three times as often."""
    blocked = single = 0
    for trial in range(1_000):
        random = Random(trial)
        blocks = [[float(random.random() < chance) for _ in range(6)] for chance in (random.betavariate(2, 1) for _ in range(12))]
        found = mean_of(observed(blocks))
        low, high = found.interval()
        blocked += low <= 2 / 3 <= high
        low, high = wilson(found.value * found.games, found.games)
        single += low <= 2 / 3 <= high
    assert 930 <= blocked <= 975
    assert single < 860


def test_ranks() -> None:
    """What both owe to an opening cancels: shares that overlap by far can be told apart."""
    luck = [0.1, 0.8, 0.2, 0.7, 0.3, 0.6]
    good = mean_of(("us", str(opening), share + 0.1 + opening / 1000) for opening, share in enumerate(luck))
    fair = mean_of(("us", str(opening), share) for opening, share in enumerate(luck))
    other = mean_of(("us", str(opening), share) for opening, share in enumerate(reversed(luck)))
    assert good.interval()[0] < fair.interval()[1]
    assert ranks([fair, good]) == [Rank(2, 2, 2), Rank(1, 1, 1)]
    assert ranks([fair, other]) == [Rank(1, 1, 2), Rank(1, 1, 2)]
    assert ranks([other, fair, good]) == [Rank(2, 1, 3), Rank(2, 2, 3), Rank(1, 1, 2)]


@pytest.mark.parametrize(("blocks", "expected"), [(1, 2), (3, 2), (8, 1), (30, 1)])
def test_how_many_openings_all_alike_decide(blocks: int, expected: int) -> None:
    """As many as Wilson's interval needs."""
    won, lost = (mean_of(("us", str(name), share) for name in range(blocks)) for share in (1.0, 0.0))
    assert ranks([won, lost]) == [Rank(1, 1, expected), Rank(2, 3 - expected, 2)]
    nobody = Mean(0.5, 0, {})
    assert ranks([nobody]) == [Rank(1, 1, 1)]


# Shares of single games and of pairs

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
