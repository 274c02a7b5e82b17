"""Line-ups of a match, with their openings and seeds.

Two players of a game without chance play *pairs*: random moves make an opening, and both play it with either side.

In all other games there are *rounds*. Where more contestants take part than a game has players, every choice of them meets; where
fewer do, some sit at the table more than once. Within a round, all orders of seats begin with the same opening and the same seed;
of more than `MOST_ORDERS`, those in which all move on by a seat, so that a match has several openings.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from itertools import combinations_with_replacement, count, islice, permutations
from random import Random
from typing import Any, ClassVar, NamedTuple

from tablebase.errors import ArgumentError
from tablebase.game.rules import P, Rules
from tablebase.play.match import Match

TRIES = 1_000
"""Openings that are looked at for one after which the game goes on."""
MOST_ORDERS = 24
"""Orders of seats, those of four players, with which one opening is played."""


class Fixture(NamedTuple):
    """A game to be played; its seeds are names of random generators, and equal names share one."""

    number: int  # from 0, in the order of the match
    seats: tuple[int, ...]  # the contestant that each player of the game is
    opening: str  # seed of the moves that it begins with
    draws: str  # seed of chance
    choices: tuple[str, ...]  # seed of the choices of each player of the game


class Schedule(list[Fixture]):
    """The fixtures of a match, a number of games of each line-up of contestants; `TablebaseError` if that makes no match."""

    paired: ClassVar[bool]
    """True if two games each share an opening, and are one observation."""
    most_plies: ClassVar[int | None]
    """Plies behind the opening with which a game is a draw, unless something else is said."""

    @abstractmethod
    def begun(self, rules: Rules[P], fixture: Fixture, start: P, opening: int) -> Match[P]:
        """A game after a number of turns of random moves, in which somebody is to move."""


class Pairs(Schedule):
    """Two games of each opening, with colours swapped; both players of a game draw from one generator."""

    paired = True
    most_plies = 300

    def __init__(self, _rules: Rules[Any], contestants: int, games: int, seed: int) -> None:
        if contestants != 2:
            raise ArgumentError(f"a match of paired games needs two players, not {contestants}: give --player twice")
        if games % 2:
            raise ArgumentError(f"invalid --games {games}: expected an even number, because each opening is played twice")
        for number in range(games):
            seats = (0, 1) if number % 2 == 0 else (1, 0)
            opening, draws = (f"{seed} {number // 2} {what}" for what in ("opening", "draws"))
            self.append(Fixture(number, seats, opening, draws, (f"{seed} {number} players",) * 2))

    def begun(self, rules: Rules[P], fixture: Fixture, start: P, opening: int) -> Match[P]:
        """The opening is part of the game: its positions count as repetitions. `TablebaseError` if every one ends the game."""
        match = _opened(rules, fixture, start, opening)
        if match is None:
            raise ArgumentError(f"openings of {opening} random plies nearly always end the game: choose a smaller --opening")
        return match


class Rounds(Schedule):
    """Orders of seats with each opening; each contestant draws from a generator of its own."""

    paired = False
    most_plies = None

    def __init__(self, rules: Rules[Any], contestants: int, games: int, seed: int) -> None:
        if contestants < 2:
            raise ArgumentError("a match needs at least two players: give --player for each player")
        # All line-ups with as many different contestants as possible.
        different = min(contestants, rules.players)
        for line_up in combinations_with_replacement(range(contestants), rules.players):
            if len(set(line_up)) == different:
                for opening, seats in islice(_seated(line_up, seed), games):
                    name = f"{seed} {line_up} {opening}"
                    choices = tuple(f"{name} player {contestant}" for contestant in seats)
                    self.append(Fixture(len(self), seats, f"{name} opening", f"{name} draws", choices))

    def begun(self, rules: Rules[P], fixture: Fixture, start: P, opening: int) -> Match[P]:
        """The game begins anew behind the opening; at `start` itself if every opening ends it."""
        match = _opened(rules, fixture, start, opening)
        return Match(rules, start if match is None else match.position, Random(fixture.draws))


def schedule_of(rules: Rules[Any]) -> type[Pairs] | type[Rounds]:
    """The kind of schedule that matches in a game have."""
    return Pairs if rules.players == 2 and "paired matches" in rules.can else Rounds


def _opened(rules: Rules[P], fixture: Fixture, start: P, opening: int) -> Match[P] | None:
    """A match after random moves; None if they end the game again and again."""
    random = Random(fixture.opening)
    for _ in range(TRIES):
        match = Match(rules, start, random)
        while match.turns < opening and (legal := match.legal()):
            match.play(random.choice(list(legal)))
        if match.ending() is None:
            return match
    return None


def _seated(line_up: tuple[int, ...], seed: int) -> Iterator[tuple[int, tuple[int, ...]]]:
    """The number of an opening with an order of seats, without end."""
    orders = sorted(set(permutations(line_up)))
    # Of the many orders of a large table, any may come first.
    Random(f"{seed} {line_up}").shuffle(orders)
    rounds = [orders]
    if len(orders) > MOST_ORDERS:
        rounds = [list(dict.fromkeys(order[first:] + order[:first] for first in range(len(order)))) for order in orders]
    for opening in count():
        for seats in rounds[opening % len(rounds)]:
            yield opening, seats
