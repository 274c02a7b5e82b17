"""The compiled form of a game of two players: its own kernels, or a list of all its states, which compiled functions read.

This lets games without kernels of their own go through the same solver. A state is then a single number, its place in the
list. The states in which a player is to move come first, and these are what a table stores.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from math import lcm
from typing import Any

import numpy as np

from tablebase.errors import CapacityError, RulesError
from tablebase.game.kernels import (
    BEGINS,
    CHANCE,
    LABEL,
    OVER,
    STATE,
    WEIGHT,
    Int64,
    Kernels,
    Layer,
    Region,
    expands,
    indexes,
    lists_states,
    winner_of,
)
from tablebase.game.stochastic import State, StochasticGame

MOST_STATES = 2_000_000
"""More are not listed; plain Python takes minutes for that many."""
MOST_DRAWS = 100
"""More outcomes of chance in a row are taken for an endless number."""
BLOCK = 1024
STORED, STATES, HEADER = 0, 1, 2
"""The rules begin with the number of states that are stored, and of all. For each state there follow three numbers, and one
more at the end for where the next state's rows would begin; then the rows."""
WHO, WINNER, FIRST, COLUMNS = 0, 1, 2, 3
"""The numbers of a state: who is to move, the only player in first place or -1, and which row is its first one."""
AFTER, WIDTH = 3, 4
"""A row has the columns of `expand`, with the number of the state in this one."""


@dataclass(frozen=True)
class Explicit:
    """A game as a list of its states."""

    states: tuple[State, ...]  # by their numbers
    numbers: dict[State, int]  # the inverse
    kernels: Kernels
    region: Region  # all states in which a player is to move, as one layer


@dataclass(frozen=True)
class Compiled:
    """A game as the solver sees it."""

    game: StochasticGame
    kernels: Kernels
    listed: Explicit | None  # all states, if the game has no kernels of its own

    def region(self, limits: Mapping[str, int | str]) -> Region:
        """The part of the states that a table holds; see `StochasticGame.region`."""
        if self.listed is None:
            return self.game.region(limits)
        if limits:
            raise RulesError(f"{self.game.name} does not support the limit {next(iter(limits))}: leave out the limit")
        return self.listed.region

    def row(self, state: State) -> Int64 | None:
        """A state as the kernels see it; None if it is not among those that are listed."""
        if self.listed is None:
            return np.array(state, np.int64)
        number = self.listed.numbers.get(state)
        return None if number is None else np.array([number], np.int64)


@cache
def compiled(game: StochasticGame) -> Compiled:
    """The compiled form of a game.

    `RulesError` if it is not a game of two players with chance, `CapacityError` if it has too many states and no kernels.
    """
    if "chance" not in game.can:
        raise RulesError(f"{game.name} has no chance moves, so its tables cannot contain probabilities: choose another game")
    kernels = game.kernels()
    if kernels is not None:
        return Compiled(game, kernels, None)
    listed = explicit(game)
    return Compiled(game, listed.kernels, listed)


def explicit(game: StochasticGame) -> Explicit:
    """List all states of a game that can be reached from the start.

    `RulesError` if the game has more than two players, or lets chance follow on chance for ever; `CapacityError` if there are more
    than `MOST_STATES`.
    """
    if game.players != 2:
        raise RulesError(f"{game.name} has {game.players} players, but tables need two players: choose a two-player variant")
    states = tuple(sorted(_reachable(game), key=lambda state: game.to_move(state) < 0))
    numbers = {state: number for number, state in enumerate(states)}
    stored = sum(game.to_move(state) >= 0 for state in states)
    labels: dict[str, int] = {}
    columns, rows, widest = array("q", [stored, len(states)]), array("q"), 1
    for state in states:
        winner = winner_of(game.places(state)) if game.to_move(state) == OVER else -1
        columns.extend((game.to_move(state), winner, len(rows) // WIDTH))
        following = _rows(game, state, labels)
        widest = max(widest, len(following))
        for label, weight, after in following:
            rows.extend((label, weight, game.begins_turn(after), numbers[after]))
    columns.extend((OVER, -1, len(rows) // WIDTH))
    rules = np.concatenate([np.array(columns), np.array(rows, np.int64)])
    deepest = _most_draws(game, states[stored:])
    kernels = Kernels(rules, expand, index, state_at, 1, widest, deepest, tuple(labels), __name__)
    end = -(-stored // BLOCK) * BLOCK
    return Explicit(states, numbers, kernels, Region("all", {}, rules, (Layer("all", 0, end),), BLOCK))


def _reachable(game: StochasticGame) -> dict[State, None]:
    found = {game.start: None}
    for state in (waiting := [game.start]):
        for _, _, after in _rows(game, state, {}):
            if after not in found:
                found[after] = None
                waiting.append(after)
        if len(found) > MOST_STATES:
            raise CapacityError(
                f"listing all states of {game.name}", "choose a smaller variant", allowed=MOST_STATES, unit="states"
            )
    return found


def _rows(game: StochasticGame, state: State, labels: dict[str, int]) -> list[tuple[int, int, State]]:
    """The code or the draw's number, the weight and the state of all that follows; new labels of draws get the next number."""
    mover = game.to_move(state)
    if mover == OVER:
        return []
    if mover != CHANCE:
        return [(code, 1, after) for code, after in game.moves(state).items()]
    draws = game.draws(state)
    scale = lcm(*(draw.probability.denominator for draw in draws))
    return [(labels.setdefault(draw.label, len(labels)), int(draw.probability * scale), draw.state) for draw in draws]


def _most_draws(game: StochasticGame, unstored: tuple[State, ...]) -> int:
    """Return how many states without a player to move can follow one another."""
    most, now = 0, set(unstored)
    while now:
        if most == MOST_DRAWS:
            raise RulesError(
                f"{game.name} allows more than {MOST_DRAWS} successive chance moves, too many for a table: choose another variant"
            )
        most += 1
        now = {after for state in now for _, _, after in _rows(game, state, {}) if game.to_move(after) < 0}
    return most


@expands
def expand(rules: Int64, state: Int64, _attacker: int, rows: Int64) -> Any:
    """Copy the rows of a state."""
    place = HEADER + COLUMNS * state[0]
    who, first, end = rules[place + WHO], rules[place + FIRST], rules[place + COLUMNS + FIRST]
    if who == OVER:
        return who, rules[place + WINNER]
    table = HEADER + COLUMNS * (rules[STATES] + 1)
    for row in range(end - first):
        at = table + WIDTH * (first + row)
        rows[row, LABEL], rows[row, WEIGHT], rows[row, BEGINS] = rules[at + LABEL], rules[at + WEIGHT], rules[at + BEGINS]
        rows[row, STATE] = rules[at + AFTER]
    return who, end - first


@indexes
def index(rules: Int64, state: Int64) -> Any:
    """The state's own number, if a player is to move."""
    if state[0] >= rules[STORED]:
        return -1, -1
    return state[0], rules[HEADER + COLUMNS * state[0] + WHO]


@lists_states
def state_at(rules: Int64, number: int, state: Int64) -> Any:
    """The number is the state."""
    state[0] = number
    return number < rules[STORED]
