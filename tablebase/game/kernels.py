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
"""The attacker that `expand` is given where nobody's chance is asked for."""
DOUBT = -3
"""Result of `expand` where a table knows less than the rules, so that the worst for the attacker must be assumed."""
LABEL, WEIGHT, BEGINS, STATE = 0, 1, 2, 3
"""Columns of a row of `expand`: the code or the draw's number, its weight, whether a turn begins, and the state."""

_PAIR = types.UniTuple(types.int64, 2)  # type: ignore[no-untyped-call]
_VECTOR = types.int64[::1]
POINT = 1000
"""A point of an evaluation: values are whole numbers of thousandths, so that their averages need no fractions."""
WIN = 10_000 * POINT
"""Value of a win."""


expands = callback(_PAIR(_VECTOR, _VECTOR, types.int64, types.int64[:, ::1]))
"""Compile the function that lists what follows a state."""
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
    """All states are worth the same; who has won, only `expand` can say."""
    values[:] = 0
    return -1


@counts_alike
def alone(_rules: Any, _number: Any) -> Any:
    """No two states are alike."""
    return 1, 1


def winner_of(places: tuple[int, ...]) -> int:
    """The only player in first place, as `Kernels.expand` returns it; -1 if there is none."""
    return places.index(1) if places.count(1) == 1 else -1


@dataclass(frozen=True)
class Kernels:
    """The compiled functions of a game; all are pure and must not raise.

    Parameters
    ----------
    rules : ndarray of int64
        Passed to `expand` in games that are not limited by a table's region; `Region.rules` replaces it elsewhere.
    expand : compiled function
        ``expand(rules, state, attacker, rows) -> (who, count)``, made with `expands`. `who` is the player to move,
        `CHANCE`, `DOUBT` or `OVER`. Fills the first `count` rows with a code or a draw's number, its weight (the
        probability is the weight's share of the sum of all), whether a turn begins, and the state. If the game is over,
        `count` is the number of the only player in first place, or -1. `attacker` is the player whose chance is asked
        for; `NOBODY` if nobody's, where `DOUBT` does not occur.
    index : compiled function
        ``index(rules, state) -> (number, player)``, made with `indexes`. The number under which a table stores the
        state, and the player who is to move there, since a table may store a state under another one that is worth the
        same; (-1, -1) if it does not store it.
    state_at : compiled function
        ``state_at(rules, number, state) -> bool``, made with `lists_states`: fills in the state that has this number;
        false if there is none.
    fields : int
        Numbers in a state.
    widest : int
        Most rows that `expand` fills.
    deepest : int
        Most states, one after the other, that a table does not store.
    labels : tuple of str
        The words for the numbers of draws.
    module : str
        The module whose source the digest of the rules covers.
    alike : compiled function
        ``alike(rules, number) -> (count, step)``, made with `counts_alike`. The state is the last of a run of ``count``, whose
        numbers are a step apart: all are followed by the same rows, in which every stored state has a number that grows
        by a constant from one to the next. 0 if the state is in a run, but not the last one. Runs are computed at once,
        which is many times as fast, most of all where that constant is 1. A block contains whole runs. By default, each
        state is a run.
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
    """Values of states for a program that looks ahead, and cannot see the end of the game.

    Parameters
    ----------
    parameters : ndarray of int64
        Passed to `evaluate`.
    evaluate : compiled function
        ``evaluate(rules, parameters, state, values) -> finished``, made with `evaluates`. Fills in the value of the state for
        each player, in thousandths of a `POINT`, between -2^40 and 2^40. `finished` has bit n set if player n has finished, which
        he never does while another one moves; -1 if only the rules can say who has won, where the winner gets `WIN`. By
        default, all states are worth nothing, but for that.
    """

    parameters: Int64
    evaluate: Any


def no_evaluation() -> StateEvaluation:
    """The evaluation of games that have none of their own."""
    return StateEvaluation(np.zeros(1, np.int64), indifferent)


@dataclass(frozen=True)
class Layer:
    """States that a table stores in one file; no move leads from an earlier layer to a later one.

    Parameters
    ----------
    name : str
    begin, end : int
        The range of their numbers.
    """

    name: str
    begin: int
    end: int


@dataclass(frozen=True)
class Region:
    """The part of a game's states that a table holds.

    Parameters
    ----------
    name : str
        The name of the folder for the files of its layers. Regions have the same name if they have the same layers, as far
        as both of them go.
    limits : dict of str to int or str
        All the game's limits, in their own order.
    rules : ndarray of int64
        What `expand`, `index` and `state_at` are given.
    layers : tuple of Layer
        In the order in which they are solved; their ranges follow one another, from 0.
    block : int
        States with consecutive numbers that are solved at a time, the last one first. It divides the ranges of all layers.
    generous : bool
        Where the table knows less than the rules, the attacker has won. Its chances are then at least, not at most, those
        that players can force, and so show what nobody can force.
    """

    name: str
    limits: dict[str, int | str]
    rules: Int64
    layers: tuple[Layer, ...]
    block: int
    generous: bool = False

    @property
    def size(self) -> int:
        """Count of all numbers, those without a state included."""
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
