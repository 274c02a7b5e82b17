"""Matches in rounds: who meets whom, from which openings, what the results say, and that a seed repeats them."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from support.checks import at_least_one

from tablebase.game.installed import load_rules
from tablebase.game.rules import Ending
from tablebase.play.comparison import mean_of, wilson
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
    """One for each other contestant's player behind, half for one beside."""
    assert points(places, seats) == expected


def played(seats: tuple[int, ...], places: tuple[int, ...], why: str = "finished", opening: str = "") -> Played:
    """A game that ended like this."""
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
