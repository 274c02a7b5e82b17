"""Tournaments between players of a game of chance or of several players: who meets whom, and what the results say.

Where more contestants take part than a game has players, every choice of them meets; where fewer do, some sit at the table more
than once. Each line-up plays its games in rounds: within a round, all orders of seats begin with the same opening, which random
moves have led to, and with the same seed.

In a game, a player gets a point for each other contestant's player who has a worse place, and half a point for one with the same
place, divided by their number. A contestant's share is the mean over its players and games. Intervals are those of Wilson,
"Probable inference, the law of succession, and statistical inference" (1927), for as many trials as games: points lie between 0
and 1, so that they vary no more than wins and losses with the same mean do. A share of p is a difference of
400·log10(p / (1 - p)) Elo points to the opponents (A. Elo, *The Rating of Chessplayers, Past and Present*, 1978, in its logistic
form).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import combinations_with_replacement, permutations
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from tablebase.errors import TablebaseError
from tablebase.game.stochastic import State, StochasticGame
from tablebase.play.state_match import EndReason, StateMatch, opened
from tablebase.play.state_players import StatePlayer, open_state_player

CONFIDENCE = 1.959963984540054
"""Standard deviations to either side of the mean within which a normal distribution lies with a probability of 95 %."""


class Fixture(NamedTuple):
    """A game to be played."""

    number: int  # from 0, in the order of the tournament
    seats: tuple[int, ...]  # the contestant that each player of the game is
    seed: str  # that of the opening and the draws, and of the players' choices


class Played(NamedTuple):
    """A game that was played."""

    fixture: Fixture
    start: str  # the state that random moves have led to
    places: tuple[int, ...]  # of each player
    turns: int  # without those of random moves
    why: EndReason
    events: tuple[tuple[str, bool], ...] = ()  # each move and each outcome of chance, and whether it is the latter


def line_ups(contestants: int, players: int) -> list[tuple[int, ...]]:
    """Who meets whom: all line-ups with as many different contestants as possible."""
    different = min(contestants, players)
    every = combinations_with_replacement(range(contestants), players)
    return [seats for seats in every if len(set(seats)) == different]


def fixtures(contestants: int, players: int, games: int, seed: int) -> Iterator[Fixture]:
    """A number of games of each line-up."""
    number = 0
    for seats in line_ups(contestants, players):
        orders = sorted(set(permutations(seats)))
        # Of the many orders of a large table, any may come first.
        Random(f"{seed} {seats}").shuffle(orders)
        for game in range(games):
            yield Fixture(number, orders[game % len(orders)], f"{seed} {seats} {game // len(orders)}")
            number += 1


def play_fixture(game: StochasticGame, start: State, opening: int, players: Sequence[StatePlayer], fixture: Fixture) -> Played:
    """Play a game, in which the first `opening` turns are made of random moves.

    `players` are by the number of the contestant.
    """
    begun = opened(game, start, opening, Random(f"{fixture.seed} opening"))
    match = StateMatch(game, begun, Random(f"{fixture.seed} draws"))
    choices = [Random(f"{fixture.seed} player {player}") for player in range(len(players))]
    while (ending := match.ending()) is None:
        contestant = fixture.seats[match.player]
        match.play(players[contestant].choose(match.state, choices[contestant]))
    events = tuple((event.label or str(event.code), event.code is None) for event in match.events)
    return Played(fixture, game.format(begun), ending.places, match.turns, ending.why, events)


def tournament(
    game: StochasticGame,
    names: Sequence[str],
    games: int,
    seed: int,
    start: State | None = None,
    opening: int = 0,
    folder: Path = Path("data"),
    part: tuple[int, int] = (0, 1),
) -> Iterator[Played]:
    """Play a tournament; each game as soon as it is over.

    There are `games` of each line-up of two or more contestants, which are named as `open_state_player` takes them. The same seed
    gives the same games. They begin at `start`, by default that of the game, with `opening` turns of random moves. Of a part (p, q)
    only the games whose number leaves the remainder p when divided by q are played. `TablebaseError` if there are less than two
    contestants, or one of them cannot play.
    """
    if len(names) < 2:
        raise TablebaseError("a match is between two players at least: name each with --player")
    with ExitStack() as stack:
        players = [stack.enter_context(open_state_player(name, game, folder)) for name in names]
        for fixture in fixtures(len(names), game.players, games, seed):
            if fixture.number % part[1] == part[0]:
                yield play_fixture(game, game.start if start is None else start, opening, players, fixture)


def points(places: Sequence[int], seats: Sequence[int]) -> dict[int, list[float]]:
    """The points of each player of a game, by the contestant that he is."""
    found: dict[int, list[float]] = {}
    for place, seat in zip(places, seats, strict=True):
        others = [other for other, its_seat in zip(places, seats, strict=True) if its_seat != seat]
        found.setdefault(seat, []).append(sum((place < other) + (place == other) / 2 for other in others) / len(others))
    return found


def standings(names: Sequence[str], played: Sequence[Played]) -> list[dict[str, Any]]:
    """A row for each contestant, in their order.

    Its fields are `player`; `games`; `wins`, games that one of its players has won alone; `place`, the mean place; `share` of the
    points, `share_from` and `share_to`; `elo`, `elo_from` and `elo_to`, null if they are infinite; and `broken_off`, games that
    have taken too long, whose places are those of that moment.
    """
    rows = []
    for contestant, name in enumerate(names):
        own = [game for game in played if contestant in game.fixture.seats]
        places = [place for game in own for place, seat in zip(game.places, game.fixture.seats, strict=True) if seat == contestant]
        shares = [mean(points(game.places, game.fixture.seats)[contestant]) for game in own]
        share = mean(shares)
        low, high = wilson(sum(shares), len(own))
        rows.append(
            {
                "player": name,
                "games": len(own),
                "wins": sum(_won_by(game, contestant) for game in own),
                "place": mean(places),
                "share": share,
                "share_from": low,
                "share_to": high,
                "elo": elo(share),
                "elo_from": elo(low),
                "elo_to": elo(high),
                "broken_off": sum(game.why is EndReason.BROKEN_OFF for game in own),
            }
        )
    return rows


def _won_by(game: Played, contestant: int) -> bool:
    """Whether a player of this contestant alone is in first place."""
    first = [seat for place, seat in zip(game.places, game.fixture.seats, strict=True) if place == 1]
    return first == [contestant]


def mean(numbers: Sequence[float]) -> float:
    """The mean; of nothing, one half, which says nothing either."""
    return sum(numbers) / len(numbers) if numbers else 0.5


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
