"""Rules of a `StochasticGame` as compiled functions, for tables of many states.

A state is a row of int64, the same numbers as the tuple of the plain functions. A rules module keeps its kernels in a
module of its own, which nothing but `StochasticGame.kernels` imports, since compiling takes seconds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import types
from numpy.typing import NDArray

from tablebase.game.types import CHANCE, OVER
from tablebase.system.compute.jit import call_compiled as call_compiled
from tablebase.system.compute.jit import callback, inline
from tablebase.system.compute.pointers import borrowed

Int64 = NDArray[np.int64]
NOBODY = -1
"""Value of the argument `attacker` of `expand` if no chance to win is computed."""
DOUBT = -3
"""Result of `expand` where a table knows less than the rules, so that the worst for the attacker must be assumed."""
LABEL, WEIGHT, BEGINS, STATE = 0, 1, 2, 3
"""Columns of a row of `expand`: code of the move or number of the outcome, weight, flag for a new turn, and state."""

_PAIR = types.UniTuple(types.int64, 2)  # type: ignore[no-untyped-call]
_VECTOR = types.int64[::1]
POINT = 1000
"""A point of an evaluation: values are whole numbers of thousandths, so that their averages need no fractions."""
WIN = 10_000 * POINT
"""Value of a win."""

expands = callback(_PAIR(_VECTOR, _VECTOR, types.int64, types.int64[:, ::1]))
"""Compile the function that lists the next states."""
indexes = callback(_PAIR(_VECTOR, _VECTOR))
"""Compile the function that numbers states."""
lists_states = callback(types.boolean(_VECTOR, types.int64, _VECTOR))
"""Compile the function that finds a state by its number."""
counts_alike = callback(_PAIR(_VECTOR, types.int64))
"""Compile the function that counts states that are alike."""
evaluates = callback(types.int64(_VECTOR, _VECTOR, _VECTOR, _VECTOR))
"""Compile the function that evaluates states."""


@evaluates
def indifferent(_rules: Any, _parameters: Any, _state: Any, values: Any) -> Any:
    """Set all values to 0; return -1, because only `expand` determines the winner."""
    values[:] = 0
    return -1


@counts_alike
def alone(_rules: Any, _number: Any) -> Any:
    """Return a run of one state."""
    return 1, 1


def winner_of(places: tuple[int, ...]) -> int:
    """Return the only player in first place, or -1 if several players share it, like `Kernels.expand`."""
    return places.index(1) if places.count(1) == 1 else -1


@dataclass(frozen=True)
class Kernels:
    """The compiled functions of a game; they must be pure and must not raise exceptions.

    Parameters
    ----------
    rules : ndarray of int64
        Argument `rules` of `expand` for states outside the region of a table; for states in it, `Region.rules` is used.
    expand : compiled function
        ``expand(rules, state, attacker, rows) -> (who, count)``, made with `expands`. `who` is the player to move, `CHANCE`,
        `DOUBT` or `OVER`. Writes `count` rows. A row contains the code of a move or the number of an outcome of chance, a weight
        proportional to the probability, a flag that is set if a turn begins, and the next state. If the game is over, `count` is
        the number of the only player in first place, or -1. The argument `attacker` is the player for whom a chance to win is
        computed, or `NOBODY`; `DOUBT` only occurs with an attacker.
    index : compiled function
        ``index(rules, state) -> (number, player)``, made with `indexes`. Returns the number of the stored state, which may be
        another state with the same value, and the player to move in it; returns (-1, -1) if tables do not store the state.
    state_at : compiled function
        ``state_at(rules, number, state) -> bool``, made with `lists_states`. Writes the state with this number; returns False if
        no state has this number.
    fields : int
        Number of integers in a state.
    widest : int
        Maximum number of rows that `expand` writes.
    deepest : int
        Maximum number of consecutive states of a game that are not stored in tables.
    labels : tuple of str
        Labels of the outcomes of chance, in the order of their numbers.
    module : str
        Name of the module that defines the rules; the digest includes its source.
    alike : compiled function
        ``alike(rules, number) -> (count, step)``, made with `counts_alike`. For the last state of a run, returns the number of
        states in the run and the difference between their numbers; for all other states, `count` is 0. The states of a run have
        the same rows, except that the number of each next state increases by a constant, ideally 1. Runs are solved much faster
        than single states. A run must not extend over several blocks. By default, each state is a separate run.
    """

    rules: Int64
    expand: Any
    index: Any
    state_at: Any
    fields: int
    widest: int
    deepest: int
    labels: tuple[str, ...]
    module: str
    alike: Any = alone


@dataclass(frozen=True)
class StateEvaluation:
    """Evaluation of states, for players that search ahead.

    Parameters
    ----------
    parameters : ndarray of int64
        Parameters of the evaluation, passed to `evaluate`.
    evaluate : compiled function
        ``evaluate(rules, parameters, state, values) -> finished``, made with `evaluates`. Writes the value of the state for each
        player, in thousandths of a `POINT`, between -2^40 and 2^40. Bit n of the result is set if player n has finished, which
        can only happen on the turn of player n. The result is -1 if the rules must decide the winner, who gets the value `WIN`.
        By default, all values are 0 before the end of the game.
    """

    parameters: Int64
    evaluate: Any


def no_evaluation() -> StateEvaluation:
    """Return the default evaluation: every state has the value 0 before the end of the game."""
    return StateEvaluation(np.zeros(1, np.int64), indifferent)


@dataclass(frozen=True)
class Layer:
    """A range of states that a table stores in one file; moves never lead to a later layer.

    Parameters
    ----------
    name : str
    begin, end : int
        Number of the first state, and number of the last state plus 1.
    """

    name: str
    begin: int
    end: int


@dataclass(frozen=True)
class Region:
    """The part of a game's states that a table stores.

    Parameters
    ----------
    name : str
        Name of the folder of the table files. Two regions share a name if one consists of the first layers of the other.
    limits : dict of str to int or str
        Values of all limits of the game, in the order of `Rules.limits`.
    rules : ndarray of int64
        The argument `rules` of `expand`, `index` and `state_at`.
    layers : tuple of Layer
        The layers in the order of solving; their ranges are contiguous and begin at 0.
    block : int
        Number of consecutive states that are solved together, beginning with the last; a divisor of the size of each layer.
    generous : bool
        Whether play that leaves the region counts as a win for the attacker. If so, the table contains upper bounds of the
        chances that players can force; otherwise, it contains lower bounds.
    """

    name: str
    limits: dict[str, int | str]
    rules: Int64
    layers: tuple[Layer, ...]
    block: int
    generous: bool = False

    @property
    def size(self) -> int:
        """Total number of indices, including indices without a state."""
        return self.layers[-1].end


__all__ = [
    "BEGINS",
    "CHANCE",
    "DOUBT",
    "LABEL",
    "OVER",
    "POINT",
    "STATE",
    "WEIGHT",
    "WIN",
    "Kernels",
    "Layer",
    "Region",
    "StateEvaluation",
    "alone",
    "borrowed",
    "counts_alike",
    "evaluates",
    "expands",
    "indexes",
    "inline",
    "lists_states",
    "no_evaluation",
]
