"""Counts paths by the compiled functions of a game; see `tablebase.stochastic.paths`."""

from __future__ import annotations

from typing import Any

import numpy as np

from tablebase.compute.jit import jit
from tablebase.game.kernels import BEGINS, OVER, STATE, Int64, Kernels
from tablebase.game.stochastic import State

NOBODY = -1
"""The attacker where nobody's chance is asked for."""


def walk(kernels: Kernels, state: State, turns: int) -> int:
    """The paths from a state that have a number of turns, of at least 1."""
    rows = np.empty((kernels.widest, STATE + kernels.fields), np.int64)
    return int(_walk(kernels.expand, kernels.rules, np.array(state, np.int64), turns, rows))


@jit
def _walk(expand: Any, rules: Int64, state: Int64, turns: int, rows: Int64) -> Any:
    """Keep the states that are still to be expanded, with the turns that are left there, and take the last one first."""
    states = np.empty((len(rows), len(state)), np.int64)
    left = np.empty(len(states), np.int64)
    states[0], left[0] = state, turns
    waiting, total = 1, 0
    while waiting:
        waiting -= 1
        turns = left[waiting]
        who, count = expand(rules, states[waiting], NOBODY, rows)
        if who == OVER:
            continue
        if waiting + count > len(states):
            states, left = np.concatenate((states, states)), np.concatenate((left, left))
        for row in range(count):
            after = turns - rows[row, BEGINS]
            if after:
                states[waiting], left[waiting] = rows[row, STATE:], after
                waiting += 1
            else:
                total += 1
    return total
