"""A game of chance or of several players as it is played: its states and draws, and when and why it is over."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from random import Random
from typing import NamedTuple

from tablebase.game.stochastic import CHANCE, OVER, State, StochasticGame

MOST_TURNS = 250
"""Of each player; games that go on for longer are broken off."""
TRIES = 100
"""Beginnings of games that are looked at for one that is not over."""


class EndReason(StrEnum):
    """Why a game is over."""

    FINISHED = "finished"
    DEADLOCK = "deadlock"
    """Nobody can ever do anything again."""
    BROKEN_OFF = "broken off"


class Ending(NamedTuple):
    """The end of a game."""

    places: tuple[int, ...]  # of each player, from 1; players may share a place
    why: EndReason


@dataclass(frozen=True)
class Event:
    """Something that has happened."""

    player: int  # the player whose turn it is
    code: int | None  # his move; None for a draw
    label: str  # what was drawn; empty for a move
    state: State  # what it has led to


class StateMatch:
    """A game played from a state, in which draws are made as they come up.

    It is broken off after `most_turns` of all players together; 0 for `MOST_TURNS` of each. `turns` counts those that have ended.
    """

    def __init__(self, game: StochasticGame, start: State, random: Random, most_turns: int = 0) -> None:
        self.game, self.start, self.random = game, start, random
        self.most_turns = most_turns or MOST_TURNS * game.players
        self.events: list[Event] = []
        self.turns = 0
        self._draw(0)

    @property
    def state(self) -> State:
        """The current state, in which a player is to move unless the game is over."""
        return self.events[-1].state if self.events else self.start

    @property
    def player(self) -> int:
        """The player to move."""
        return self.game.to_move(self.state)

    def legal(self) -> dict[int, State]:
        """What each legal code leads to; empty once the game is over."""
        return {} if self.ending() is not None else self.game.moves(self.state)

    def play(self, code: int) -> list[Event]:
        """Make a legal move, and all draws that follow it; return what has happened."""
        before, player = len(self.events), self.player
        self._add(Event(player, code, "", self.game.moves(self.state)[code]))
        self._draw(player)
        return self.events[before:]

    def undo(self, player: int) -> bool:
        """Take back the last move of a player and all that came after it; returns False if he has not moved."""
        own = [place for place, event in enumerate(self.events) if event.player == player and event.code is not None]
        if not own:
            return False
        del self.events[own[-1] :]
        self.turns = sum(self.game.begins_turn(event.state) for event in self.events)
        return True

    def ending(self) -> Ending | None:
        """How the game has ended; None while it goes on."""
        game, state = self.game, self.state
        if game.to_move(state) == OVER:
            return Ending(game.places(state), EndReason.FINISHED)
        if game.is_deadlock(state):
            return Ending(game.standing(state), EndReason.DEADLOCK)
        return Ending(game.standing(state), EndReason.BROKEN_OFF) if self.turns >= self.most_turns else None

    def _draw(self, player: int) -> None:
        """Make the draws that are next."""
        while self.game.to_move(self.state) == CHANCE:
            draws = self.game.draws(self.state)
            [drawn] = self.random.choices(draws, [float(draw.probability) for draw in draws])
            self._add(Event(player, None, drawn.label, drawn.state))

    def _add(self, event: Event) -> None:
        self.events.append(event)
        self.turns += self.game.begins_turn(event.state)


def opened(game: StochasticGame, start: State, turns: int, random: Random) -> State:
    """A state after some turns of random moves in which the game is not over; `start` itself if none is found."""
    for _ in range(TRIES):
        match = StateMatch(game, start, random)
        while match.turns < turns and (legal := match.legal()):
            match.play(random.choice(list(legal)))
        if match.ending() is None:
            return match.state
    return start
