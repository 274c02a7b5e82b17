"""Matches in rounds: who meets whom, from which openings; means over games that share openings, shares, ranks and intervals."""

import math
from collections import Counter
from pathlib import Path
from random import Random
from statistics import NormalDist, fmean, pvariance, stdev
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.checks import at_least_one

from tablebase.game.installed import load_rules
from tablebase.game.rules import Ending
from tablebase.play.comparison import Mean, mean_of, ranks, share_of_pairs, student, wilson
from tablebase.play.match import BROKEN_OFF
from tablebase.play.schedules import Fixture, Rounds
from tablebase.play.standings import of_rounds, points
from tablebase.play.tournament import Conditions, Played, tournament

RACE: Any = load_rules("harehedgehog")
DRY: Any = load_rules("harehedgehog-cards=none")
THREE: Any = load_rules("pig-players=3")
NOWHERE = Path("nowhere")


def test_fixtures_change_seats() -> None:
    """Every order of seats comes up equally often, and a round of them has one seed; each contestant chooses by its own."""
    rounds = Rounds(THREE, 2, 6, seed=5)
    found = list(rounds)
    assert len(rounds) == len(found)
    assert [one.number for one in found] == list(range(12))
    assert Counter(one.seats for one in found) == dict.fromkeys(
        [(0, 0, 1), (0, 1, 0), (1, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 0)], 2
    )
    assert [len({one.draws for one in found[begin : begin + 3]}) for begin in range(0, 12, 3)] == [1] * 4
    assert len({one.draws for one in found}) == len({one.opening for one in found}) == 4
    for one in found:
        assert len({*one.choices, one.opening, one.draws}) == 4
        assert len(set(zip(one.seats, one.choices, strict=True))) == 2
    assert found == list(rounds) != list(Rounds(THREE, 2, 6, seed=6))


def test_large_tables_have_several_openings() -> None:
    """Of 720 orders of six, an opening has six, in which each contestant has each seat; the next one has others."""
    six: Any = load_rules("harehedgehog-players=6")
    found = list(Rounds(six, 6, 13, seed=5))
    openings = list(dict.fromkeys(one.opening for one in found))
    assert [one.opening for one in found] == [openings[number // 6] for number in range(13)]
    for begin in (0, 6):
        turn = found[begin : begin + 6]
        assert all({one.seats[seat] for one in turn} == set(range(6)) for seat in range(6))
    assert {one.seats for one in found[:6]}.isdisjoint(one.seats for one in found[6:12])


@pytest.mark.parametrize(
    ("places", "seats", "expected"),
    [
        ((1, 2), (0, 1), {0: [1.0], 1: [0.0]}),
        ((1, 1), (0, 1), {0: [0.5], 1: [0.5]}),
        ((2, 1, 3), (0, 1, 2), {0: [0.5], 1: [1.0], 2: [0.0]}),
        ((1, 2, 3), (0, 1, 0), {0: [1.0, 0.0], 1: [0.5]}),
        ((1, 2, 2), (0, 1, 2), {0: [1.0], 1: [0.25], 2: [0.25]}),
    ],
)
def test_points(places: tuple[int, ...], seats: tuple[int, ...], expected: dict[int, list[float]]) -> None:
    assert points(places, seats) == expected


def played(seats: tuple[int, ...], places: tuple[int, ...], why: str = "finished", opening: str = "") -> Played:
    return Played(Fixture(0, seats, opening, "", ()), "", 0, (), 30, Ending(places, why), False)


def test_standings_by_hand() -> None:
    """Games, wins, mean places and shares of two contestants in three games of three players."""
    games = [played((0, 0, 1), (1, 3, 2)), played((1, 0, 1), (2, 1, 3)), played((0, 1, 1), (1, 1, 3), BROKEN_OFF)]
    first, second = of_rounds(["a", "b"], games)
    # Shares of the games: 1/2, 1 and 3/4.
    low, high = wilson(2.25, 3)
    assert (first["player"], first["games"], first["wins"], first["place"], first["broken_off"]) == ("a", 3, 2, 6 / 4, 1)
    assert (first["share"], first["share_from"], first["share_to"]) == (0.75, low, high)
    assert (second["wins"], second["place"], second["share"]) == (0, 11 / 5, 0.25)


def test_games_of_an_opening_are_one_observation() -> None:
    """Who wins in three openings and loses in one, in both seats, has four results and not eight."""
    games = [
        played(seats, (1, 2) if (seats[0] == 0) == (opening > 0) else (2, 1), opening=f"opening {opening}")
        for opening in range(4)
        for seats in ((0, 1), (1, 0))
    ]
    first, second = of_rounds(["a", "b"], games)
    found = mean_of(("us", game.fixture.opening, float(game.fixture.opening != "opening 0")) for game in games)
    assert (first["share"], first["share_from"], first["share_to"]) == (0.75, *found.interval())
    assert first["share_to"] - first["share_from"] > wilson(6, 8)[1] - wilson(6, 8)[0]
    assert (first["place"], second["place"]) == (1.25, 1.75)
    assert (first["place_from"], first["place_to"]) == pytest.approx((2 - first["share_to"], 2 - first["share_from"]))
    assert [(row["rank"], row["rank_from"], row["rank_to"]) for row in (first, second)] == [(1, 1, 2), (2, 1, 2)]


def test_the_same_seed_gives_the_same_games() -> None:
    """And another one others; openings are shared by the orders of seats."""
    names, start = ["computer:depth=2", "random"], RACE.parse("52:60:0,48:60:0 1")

    def games(seed: int) -> list[Played]:
        return list(tournament(RACE, names, 6, Conditions(start, 3, seed, NOWHERE)))

    whole = games(1)
    assert whole == games(1) != games(2)
    for one, other in zip(whole[::2], whole[1::2], strict=True):
        assert one.start == other.start
        assert one.fixture.seats == other.fixture.seats[::-1]
    assert len({game.start for game in whole}) == 3


def test_places_are_those_of_the_players_who_sat_there() -> None:
    """Someone who is certain to win does so in every seat: with a move ahead, from one square before home."""
    start = RACE.parse("63:1:0,62:1:0 1")
    games = list(tournament(RACE, ["computer:depth=1", "random"], 8, Conditions(start, 0, 1, NOWHERE)))
    for game in at_least_one(games):
        assert game.start == "63:1:0,62:1:0 1"
        if game.fixture.seats[0] == 0:
            assert (game.ending, game.turns) == (Ending((1, 2)), 1)
    first, second = of_rounds(["a", "b"], games)
    assert first["wins"] + second["wins"] == 8
    assert first["share"] > second["share"]


def test_openings() -> None:
    """A number of turns of random moves, the same by the same seed; a game that cannot go on for so long begins at its start."""

    def opened(text: str, turns: int, seed: int) -> str:
        rounds = Rounds(DRY, 2, 2, seed)
        match = rounds.begun(DRY, next(iter(rounds)), DRY.parse(text), turns)
        assert (match.turns, match.events) == (0, [])
        return str(DRY.format(match.start))

    begin = "0:68:3,0:68:3 1"
    found = [opened(begin, 4, seed) for seed in (1, 1, 2, 3)]
    assert found[0] == found[1]
    assert len(set(found)) == 3
    assert opened(begin, 0, 1) == begin
    # Of both moves one ends the game, and does not count.
    assert {opened("63:1:0,0:0:0 1", 1, seed) for seed in range(9)} == {"56:71:0,0:0:0 2"}
    over = "64:0:0#1,0:0:0 2"
    assert opened(over, 3, 1) == over


NUMBERS = st.sampled_from([0.0, 0.25, 0.5, 1.0])
EQUAL = st.integers(1, 4).flatmap(lambda size: st.lists(st.lists(NUMBERS, min_size=size, max_size=size), min_size=2, max_size=12))


def observed(blocks: list[list[float]]) -> list[tuple[str, str, float]]:
    return [("us", str(name), number) for name, block in enumerate(blocks) for number in block]


@pytest.mark.parametrize(
    ("freedom", "confidence", "expected"),
    [(1, 0.95, 12.706), (2, 0.95, 4.303), (3, 0.99, 5.841), (30, 0.99, 2.750), (1_000, 0.95, 1.9623), (1_001, 0.95, 1.959964)],
)
def test_quantiles_are_the_published_ones(freedom: int, confidence: float, expected: float) -> None:
    """Abramowitz and Stegun, table 26.10; from 1,001 degrees of freedom on, those of the normal distribution."""
    assert student(freedom, confidence) == pytest.approx(expected, abs=5e-4)


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
    assert ranks([fair, good]) == [(2, 2, 2), (1, 1, 1)]
    assert ranks([fair, other]) == [(1, 1, 2), (1, 1, 2)]
    assert ranks([other, fair, good]) == [(2, 1, 3), (2, 2, 3), (1, 1, 2)]


@pytest.mark.parametrize(("blocks", "expected"), [(1, 2), (3, 2), (8, 1), (30, 1)])
def test_how_many_openings_all_alike_decide(blocks: int, expected: int) -> None:
    won, lost = (mean_of(("us", str(name), share) for name in range(blocks)) for share in (1.0, 0.0))
    assert ranks([won, lost]) == [(1, 1, expected), (2, 3 - expected, 2)]
    nobody = Mean(0.5, 0, {})
    assert ranks([nobody]) == [(1, 1, 1)]


@pytest.mark.parametrize(
    ("successes", "trials", "expected"),
    [(81, 263, (0.2553, 0.3662)), (15, 148, (0.0624, 0.1605)), (0, 20, (0, 0.1611)), (1, 29, (0.0061, 0.1718)), (0, 0, (0, 1))],
)
def test_intervals_are_those_of_the_literature(successes: int, trials: int, expected: tuple[float, float]) -> None:
    """Newcombe, "Two-sided confidence intervals for the single proportion" (1998), table I, method 3: Wilson's score."""
    assert wilson(successes, trials) == pytest.approx(expected, abs=5e-5)
    mirrored = wilson(trials - successes, trials)
    assert mirrored == pytest.approx((1 - expected[1], 1 - expected[0]), abs=5e-5)


@given(st.lists(st.sampled_from([0.0, 0.5, 1.0, 1.5, 2.0]), min_size=2, max_size=60))
def test_share_of_pairs(pairs: list[float]) -> None:
    """The mean of the pairs, and the interval of a normal distribution with their variance."""
    (share, low, high), shares = share_of_pairs(pairs), [points / 2 for points in pairs]
    assert share == pytest.approx(fmean(shares))
    if pvariance(shares) > 1e-12:
        half = NormalDist().inv_cdf(0.975) * math.sqrt(pvariance(shares) / len(pairs))
        assert (low, high) == pytest.approx((max(0, fmean(shares) - half), min(1, fmean(shares) + half)))
    else:
        assert low < high
