"""Errors of the compiled functions of a `StochasticGame`, and the numbers and paths that are their cases.

What the functions do is compared with the plain ones; the numbers of a table need only agree with themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from random import Random
from typing import Any, NamedTuple

import numpy as np

from tablebase.game.kernels import BEGINS, LABEL, NOBODY, STATE, WEIGHT, Int64, Kernels, Region, call_compiled, winner_of
from tablebase.game.stochastic import CHANCE, OVER, State, StochasticGame

SPARE = 4
"""Additional rows after the permitted rows, to detect writes beyond the limit."""
UNTOUCHED = -(1 << 40)
TRIES = 100
"""Numbers drawn for one that has a state."""


class ExpandedState(NamedTuple):
    """Result of `Kernels.expand` for a state."""

    who: int  # the player to move, `CHANCE`, `DOUBT` or `OVER`
    winner: int  # if the game is over
    rows: list[list[int]]  # otherwise
    error: str | None  # what the function must not have done


def expansion(kernels: Kernels, rules: Int64, state: State, attacker: int = NOBODY) -> ExpandedState:
    """Expand a state, and check that nothing else is changed."""
    rows = np.full((kernels.widest + SPARE, STATE + kernels.fields), UNTOUCHED)
    array = np.array(state, np.int64)
    who, count = call_compiled(kernels.expand, rules, array, attacker, rows[: kernels.widest])
    error = None
    if who != OVER and not 0 < count <= kernels.widest:
        error = f"found {count} rows, but expected 1 to {kernels.widest}"
    elif (rows[kernels.widest :] != UNTOUCHED).any():
        error = f"more than {kernels.widest} rows are filled in"
    elif array.tolist() != list(state):
        error = "the state itself is changed"
    return ExpandedState(who, count, [] if who == OVER else rows[:count].tolist(), error)


# Compiled functions against plain ones.


def kernels_error(game: StochasticGame, state: State) -> str | None:
    """Return the difference between the compiled and the plain functions in a state."""
    kernels = _kernels(game)
    if kernels.fields != len(game.start):
        return f"the compiled functions have {kernels.fields} numbers in a state, the plain ones {len(game.start)}"
    found = expansion(kernels, kernels.rules, state)
    error = found.error or _difference(game, kernels, state, found)
    return error and f"{game.format(state)}: {error}"


def _difference(game: StochasticGame, kernels: Kernels, state: State, found: ExpandedState) -> str | None:
    mover = game.to_move(state)
    if found.who != mover:
        return f"the compiled functions have {found.who} to move, the plain ones {mover}"
    if mover == OVER:
        winner = winner_of(game.places(state))
        said = f"the compiled functions have {found.winner} as the winner, the plain ones {winner}"
        return None if found.winner == winner else said
    if mover != CHANCE:
        plain: list[list[Any]] = [[code, *_begun(game, after)] for code, after in game.moves(state).items()]
        compiled: list[list[Any]] = [[row[LABEL], *row[BEGINS:]] for row in found.rows]
    else:
        plain = [[draw.label, draw.probability, *_begun(game, draw.state)] for draw in game.draws(state)]
        total = sum(row[WEIGHT] for row in found.rows)
        if any(row[LABEL] not in range(len(kernels.labels)) or row[WEIGHT] <= 0 for row in found.rows):
            return f"a number of a draw has no label, or a weight is not above 0, in {found.rows}"
        compiled = [[kernels.labels[row[LABEL]], Fraction(row[WEIGHT], total), *row[BEGINS:]] for row in found.rows]
    if plain == compiled:
        return None
    return f"the compiled functions list {_listed(compiled)}; the plain ones list {_listed(plain)}"


def _begun(game: StochasticGame, state: State) -> list[int]:
    return [int(game.begins_turn(state)), *state]


def _listed(rows: list[list[Any]]) -> str:
    return ", ".join("(" + " ".join(map(str, row)) + ")" for row in rows)


def evaluation_error(game: StochasticGame, state: State) -> str | None:
    """Return the error of the values of a state."""
    evaluation = game.evaluation({})
    assert evaluation is not None
    values, array = np.full(game.players + SPARE, UNTOUCHED), np.array(state, np.int64)
    own = values[: game.players]
    finished = int(call_compiled(evaluation.evaluate, _kernels(game).rules, evaluation.parameters, array, own))
    error = None
    if (values[game.players :] != UNTOUCHED).any():
        error = f"more than {game.players} values are filled in"
    elif array.tolist() != list(state):
        error = "the state itself is changed"
    elif (abs(own) >= -UNTOUCHED).any():
        error = f"the values must lie between -2^40 and 2^40, but are {own.tolist()}"
    elif not -1 <= finished < 1 << game.players:
        error = f"{finished} is not a set of {game.players} players"
    elif finished >= 0 <= game.to_move(state) and finished >> game.to_move(state) & 1:
        error = f"player {game.to_move(state)} has finished, and is to move"
    return error and f"{game.format(state)}: {error}"


# Numbers of a table.


@cache
def _kernels(game: StochasticGame) -> Kernels:
    kernels = game.kernels()
    assert kernels is not None
    return kernels


@cache
def _region(game: StochasticGame) -> Region:
    return game.region({})


def state_of(game: StochasticGame, number: int) -> State | None:
    """Return the state with this number."""
    kernels = _kernels(game)
    state = np.zeros(kernels.fields, np.int64)
    exists = call_compiled(kernels.state_at, _region(game).rules, number, state)
    return tuple(state.tolist()) if exists else None


def number_of(game: StochasticGame, state: State) -> tuple[int, int]:
    """Return the number of the stored state, and the player to move in it."""
    number, player = call_compiled(_kernels(game).index, _region(game).rules, np.array(state, np.int64))
    return int(number), int(player)


def index_error(game: StochasticGame, case: State | int) -> str | None:
    """A state whose number leads elsewhere, or a number that is not its own state's."""
    if isinstance(case, int):
        state = state_of(game, case)
        return None if state is None else _number_error(game, case, state)
    number, player = number_of(game, case)
    if (number, player) == (-1, -1):
        return None
    if not 0 <= number < _region(game).size or not 0 <= player < game.players:
        return f"{game.format(case)} has the number {number} and the player {player}, which do not exist"
    state = state_of(game, number)
    return (
        f"{game.format(case)} has the number {number}, which has no state" if state is None else _number_error(game, number, state)
    )


def _number_error(game: StochasticGame, number: int, state: State) -> str | None:
    again, player = number_of(game, state)
    if again != number:
        return f"the state with the number {number} is {state}, but its number is {again}"
    mover = expansion(_kernels(game), _region(game).rules, state, player).who
    return f"number {number} is stored for player {player}, but {mover} is to move in {state}" if player != mover else None


class Path(NamedTuple):
    """A path from a stored state to the next stored state."""

    number: int  # of the first state
    between: int  # how many states that are not stored come in between
    reached: int  # the number of the last state; -1 if the game is over, or something is wrong
    error: str | None  # what is wrong with the compiled functions on the way


def paths(bench: Any, rng: Random) -> Iterator[Path]:
    """Yield random paths from stored states of all layers to the next stored states, for random attackers."""
    layers = [layer for layer in _region(bench.game).layers if layer.begin < layer.end]
    for _ in range(bench.samples):
        layer = rng.choice(layers)
        for _ in range(TRIES):
            number = rng.randrange(layer.begin, layer.end)
            if (state := state_of(bench.game, number)) is not None:
                yield _path(bench.game, number, state, rng)
                break


def _path(game: StochasticGame, number: int, state: State, rng: Random) -> Path:
    """Follow random rows until a state is stored, or the path is too long."""
    kernels, region, attacker = _kernels(game), _region(game), rng.randrange(2)
    for between in range(kernels.deepest + 2):
        found = expansion(kernels, region.rules, state, attacker)
        if found.error is not None or not found.rows:
            return Path(number, between, -1, found.error)
        state = tuple(rng.choice(found.rows)[STATE:])
        reached, _ = number_of(game, state)
        if reached >= 0:
            return Path(number, between, reached, None)
    return Path(number, kernels.deepest + 1, -1, None)


def layers_error(game: StochasticGame, path: Path) -> str | None:
    """Return the error of inconsistent layers or blocks, or of a path that leads to a later layer or outside all layers."""
    region, kernels = _region(game), _kernels(game)
    begin = 0
    for layer in region.layers:
        if layer.begin != begin or layer.end <= begin or (layer.end - layer.begin) % region.block:
            needed = f"must begin at {begin} and be blocks of {region.block}"
            return f"the layer {layer.name} is {layer.begin} to {layer.end}, but {needed}"
        begin = layer.end
    if path.error is not None:
        return f"on the way from number {path.number}: {path.error}"
    if path.between > kernels.deepest:
        return f"number {path.number} is followed by more than {kernels.deepest} states that have no number"
    if _layer_of(region, path.reached) > _layer_of(region, path.number):
        return f"number {path.number} leads to {path.reached}, which is not in the same layer or an earlier one"
    return None


def _layer_of(region: Region, number: int) -> int:
    return sum(number >= layer.end for layer in region.layers)
