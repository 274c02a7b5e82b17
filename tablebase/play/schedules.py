"""Who meets whom in a match, from which openings, and by which seeds.

Two players of a game without chance play *pairs*: random moves make an opening, and both play it with either side.

In all other games there are *rounds*. Where more contestants take part than a game has players, every choice of them meets; where
fewer do, some sit at the table more than once. Within a round, all orders of seats begin with the same opening and the same seed;
of more than `MOST_ORDERS`, those in which all move on by a seat, so that a match has several openings.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from itertools import combinations_with_replacement, count, islice, permutations
from random import Random
from typing import ClassVar, Generic, NamedTuple

from tablebase.errors import ArgumentError
from tablebase.game.rules import P, Rules
from tablebase.play.match import Match

TRIES = 1_000
"""Openings that are looked at for one after which the game goes on."""
MOST_ORDERS = 24
"""Orders of seats, those of four players, with which one opening is played."""


class Fixture(NamedTuple):
    """A game to be played; its seeds are names of random generators, and equal names share one.

    Parameters
    ----------
    number : int
        From 0, in the order of the match.
    seats : tuple of int
        The contestant that each player of the game is.
    opening, draws : str
        Seeds of the moves that it begins with, and of what chance does.
    choices : tuple of str
        Seed of the choices of each player of the game.
    """

    number: int
    seats: tuple[int, ...]
    opening: str
    draws: str
    choices: tuple[str, ...]


class Schedule(ABC, Generic[P]):
    """The fixtures of a match, a number of games of each line-up of contestants; `TablebaseError` if that makes no match."""

    paired: ClassVar[bool]
    """Whether two games each share an opening, and are one observation."""
    most_plies: ClassVar[int | None]
    """Plies behind the opening with which a game is a draw, unless something else is said."""

    def __init__(self, rules: Rules[P], contestants: int, games: int, seed: int) -> None:
        self.rules, self.contestants, self.games, self.seed = rules, contestants, games, seed

    @abstractmethod
    def __len__(self) -> int:
        """Number of games."""

    @abstractmethod
    def __iter__(self) -> Iterator[Fixture]:
        """All games, in order."""

    @abstractmethod
    def begun(self, fixture: Fixture, start: P, opening: int) -> Match[P]:
        """A game after a number of turns of random moves, in which somebody is to move."""

    def _opened(self, fixture: Fixture, start: P, opening: int) -> Match[P] | None:
        """A match after random moves; None if they end the game again and again."""
        random = Random(fixture.opening)
        for _ in range(TRIES):
            match = Match(self.rules, start, random)
            while match.turns < opening and (legal := match.legal()):
                match.play(random.choice(list(legal)))
            if match.ending() is None:
                return match
        return None


class Pairs(Schedule[P]):
    """Two games of each opening, with colours swapped; both players of a game draw from one generator."""

    paired = True
    most_plies = 300

    def __init__(self, rules: Rules[P], contestants: int, games: int, seed: int) -> None:
        super().__init__(rules, contestants, games, seed)
        if contestants != 2:
            raise ArgumentError(f"a match is between two players, not {contestants}: name each with --player")
        if games % 2:
            raise ArgumentError(f"games are played in pairs with colours swapped: give an even number, not {games}")

    def __len__(self) -> int:
        return self.games

    def __iter__(self) -> Iterator[Fixture]:
        for number in range(self.games):
            seats = (0, 1) if number % 2 == 0 else (1, 0)
            opening, draws = (f"{self.seed} {number // 2} {what}" for what in ("opening", "draws"))
            yield Fixture(number, seats, opening, draws, (f"{self.seed} {number} players",) * 2)

    def begun(self, fixture: Fixture, start: P, opening: int) -> Match[P]:
        """The opening is part of the game: its positions count as repetitions. `TablebaseError` if every one ends the game."""
        match = self._opened(fixture, start, opening)
        if match is None:
            raise ArgumentError(f"{opening} random plies end the game again and again: use a shorter --opening")
        return match


class Rounds(Schedule[P]):
    """Orders of seats with each opening; each contestant draws from a generator of its own."""

    paired = False
    most_plies = None

    def __init__(self, rules: Rules[P], contestants: int, games: int, seed: int) -> None:
        super().__init__(rules, contestants, games, seed)
        if contestants < 2:
            raise ArgumentError("a match is between two players at least: name each with --player")

    def line_ups(self) -> list[tuple[int, ...]]:
        """Who meets whom: all line-ups with as many different contestants as possible."""
        different = min(self.contestants, self.rules.players)
        every = combinations_with_replacement(range(self.contestants), self.rules.players)
        return [seats for seats in every if len(set(seats)) == different]

    def __len__(self) -> int:
        return self.games * len(self.line_ups())

    def __iter__(self) -> Iterator[Fixture]:
        number = 0
        for line_up in self.line_ups():
            for opening, seats in islice(self._seated(line_up), self.games):
                seed = f"{self.seed} {line_up} {opening}"
                choices = tuple(f"{seed} player {contestant}" for contestant in seats)
                yield Fixture(number, seats, f"{seed} opening", f"{seed} draws", choices)
                number += 1

    def _seated(self, line_up: tuple[int, ...]) -> Iterator[tuple[int, tuple[int, ...]]]:
        """The number of an opening with an order of seats, without end."""
        orders = sorted(set(permutations(line_up)))
        # Of the many orders of a large table, any may come first.
        Random(f"{self.seed} {line_up}").shuffle(orders)
        rounds = [orders]
        if len(orders) > MOST_ORDERS:
            rounds = [list(dict.fromkeys(order[first:] + order[:first] for first in range(len(order)))) for order in orders]
        for opening in count():
            for seats in rounds[opening % len(rounds)]:
                yield opening, seats

    def begun(self, fixture: Fixture, start: P, opening: int) -> Match[P]:
        """The game begins anew behind the opening; at `start` itself if every opening ends it."""
        match = self._opened(fixture, start, opening)
        return Match(self.rules, start if match is None else match.position, Random(fixture.draws))


def schedule_of(rules: Rules[P]) -> type[Pairs[P]] | type[Rounds[P]]:
    """The kind of schedule that matches in a game have."""
    return Pairs if rules.players == 2 and not rules.has_chance else Rounds
