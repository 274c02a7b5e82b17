"""Faults of rules as functions, found one state at a time by the plain functions; what all rules must fulfil is in `contract`."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from tablebase.game.stochastic import State, StochasticGame
from tablebase.testing.playouts import following

KNOWN_DIGEST = "digest"
"""Where `StochasticGame.digest` keeps what it has computed."""


def _shape_fault(game: StochasticGame, state: Any) -> str | None:
    """Why something is no state."""
    if not isinstance(state, tuple) or any(type(number) is not int for number in state):
        return f"{state!r} is not a tuple of whole numbers"
    if len(state) != len(game.start):
        return f"{state!r} has {len(state)} numbers, but the start has {len(game.start)}"
    return None


def state_fault(game: StochasticGame, state: State) -> str | None:
    """Something that follows a state and is none, or a move's code that is not a number."""
    for after in (state, *following(game, state)):
        if (fault := _shape_fault(game, after)) is not None:
            return f"after {game.format(state)}: {fault}"
    wrong = next((code for code in game.moves(state) if type(code) is not int), None)
    return None if wrong is None else f"{game.format(state)} has a move with the code {wrong!r}, which is not a whole number"


def digest_fault(game: StochasticGame, how: str) -> str | None:
    """Options that are no options, or a digest that changes when the game is built again."""
    for name, value in game.options.items():
        if type(name) is not str or type(value) not in (int, str):
            return f"the option {name!r} is {value!r}, but options are words with whole numbers or words"
    again = deepcopy(game)
    vars(again).pop(KNOWN_DIGEST, None)
    return None if again.digest == game.digest else f"built again {how}, {game.name} has digest {again.digest}, not {game.digest}"
