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
        Argument `rules` of `expand` for states outside a table's region; inside the region, `Region.rules` is used.
    expand : compiled function
        ``expand(rules, state, attacker, rows) -> (who, count)``, made with `expands`. The result `who` is the player to move,
        `CHANCE`, `OVER`, or `DOUBT` (it is unknown which row applies, so the attacker's worst row is used); `count` is the number
        of rows written. Each row describes one move or outcome of chance. A row consists of the move's code or the outcome's
        number, a weight proportional to the probability, a flag that is 1 if the next state begins a turn, and the next state. If
        the game is over, `count` is the number of the winner, or -1 if several players share first place. Chances of winning are
        computed for the player `attacker`; if `attacker` is `NOBODY`, `who` is never `DOUBT`.
    index : compiled function
        ``index(rules, state) -> (number, player)``, made with `indexes`. Returns the number of a stored state that has the same
        value as `state`, and the player to move in the stored state. Returns (-1, -1) if tables do not store the state.
    state_at : compiled function
        ``state_at(rules, number, state) -> bool``, made with `lists_states`. Writes the state with the given number to `state`;
        returns False if the number is invalid.
    fields : int
        Number of integers in a state.
    widest : int
        Maximum number of rows that `expand` writes.
    deepest : int
        Maximum number of states that can follow each other without being stored in tables.
    labels : tuple of str
        Labels of the outcomes of chance, in the order of their numbers.
    module : str
        Name of the module that defines the rules; the digest of the rules includes the module's source code.
    alike : compiled function
        ``alike(rules, number) -> (count, step)``, made with `counts_alike`. Groups similar states, because solving them together
        is much faster. The numbers of the states in a group increase by `step`. The result `count` is the size of the group for
        its last state, and 0 for other states. All states in a group have equal rows, except that the number of each next state
        increases by a constant, ideally 1, from one state to the next. All states in a group must belong to the same block (see
        `Region.block`). By default, each group contains one state.
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
        Numbers that are passed to `evaluate`, such as weights.
    evaluate : compiled function
        ``evaluate(rules, parameters, state, values) -> finished``, made with `evaluates`. Writes the value of the state for each
        player, an integer between -2^40 and 2^40; the integer `POINT` represents one point. Bit n of the result is set if player
        n has finished the game, which can only happen on the turn of player n. The result is -1 if the state must be expanded to
        find the winner; the caller then sets the winner's value to `WIN`.
    """

    parameters: Int64
    evaluate: Any


def no_evaluation() -> StateEvaluation:
    """Return the default evaluation, which gives every state before the end of the game the value 0."""
    return StateEvaluation(np.zeros(1, np.int64), indifferent)


@dataclass(frozen=True)
class Layer:
    """A range of states that a table stores in one file; moves never lead to a later layer.

    Parameters
    ----------
    name : str
        Name of the layer, used in the name of the file.
    begin, end : int
        Range of state numbers; `end` is not included.
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
        Name of the folder that contains the table files. Two regions share a name if one consists of the other's first layers.
    limits : dict of str to int or str
        Values of all limits of the game, in the order of `Rules.limits`.
    rules : ndarray of int64
        Argument `rules` of the functions `expand`, `index` and `state_at`.
    layers : tuple of Layer
        Layers in the order in which they are solved; their ranges are contiguous and begin at 0.
    block : int
        Number of consecutive states that are solved together; the size of each layer must be a multiple of this number.
    generous : bool
        Whether leaving the region counts as a win for the attacker. If True, the table contains upper bounds on the chances of
        winning; otherwise, it contains lower bounds.
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
