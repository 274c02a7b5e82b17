"""Values of the moves of stored states: the chances that both players can force after each, from those that tables store."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.functions.chance.chances import UNIT
from tablebase.game.kernels import CHANCE, DOUBT, LABEL, NOBODY, OVER, STATE, WEIGHT, Int64, Kernels
from tablebase.system.compute.jit import jit

HOW, COUNT, NEXT, WEIGHTS, WORTH, FRAME = range(6)
"""Columns of a frame: the mover in a state that is not stored, the rows after it, the next of these, weights and worth so far."""
UNDECIDED = -1
"""Instead of a chance: the region knows less of what follows a move than the rules do, or there is no winner."""


class MovesOfStates(NamedTuple):
    """Moves of states, one state after the other."""

    counts: Int64  # of moves of each state
    codes: Int64  # of the moves
    chances: Int64  # (2, moves): of the mover, and of the other player, in units; or `UNDECIDED`


def states_at(kernels: Kernels, rules: Int64, numbers: Int64) -> tuple[Int64, NDArray[np.bool_]]:
    """The states with these numbers, of shape (numbers, fields), and which of them there are."""
    states, there = np.zeros((len(numbers), kernels.fields), np.int64), np.zeros(len(numbers), np.bool_)
    _fill(kernels.state_at, rules, numbers, states, there)
    return states, there


def moves_of_states(kernels: Kernels, rules: Int64, states: Int64, chances: Int64) -> MovesOfStates:
    """The moves of states in which a player is to move; `chances` are those of a region, as files of its layers have them."""
    most = len(states) * kernels.widest
    counts, codes, worth = np.zeros(len(states), np.int64), np.zeros(most, np.int64), np.zeros((2, most), np.int64)
    rows = np.zeros((kernels.deepest + 2, kernels.widest, STATE + kernels.fields), np.int64)
    _list(kernels.expand, kernels.index, rules, states, chances, rows, counts, codes, worth)
    end = int(counts.sum())
    return MovesOfStates(counts, codes[:end], worth[:, :end])


@jit
def _fill(state_at: Any, rules: Int64, numbers: Int64, states: Int64, there: NDArray[np.bool_]) -> None:
    for place in range(len(numbers)):
        there[place] = state_at(rules, numbers[place], states[place])


@jit
def _list(
    expand: Any, index: Any, rules: Int64, states: Int64, chances: Int64, rows: Int64, counts: Int64, codes: Int64, worth: Int64
) -> None:
    """Fill in the last three arrays; the first rows are for the moves of a state, the others for states after these."""
    frames, listed = np.zeros((len(rows), FRAME), np.int64), 0
    for place in range(len(states)):
        mover, count = expand(rules, states[place], NOBODY, rows[0])
        counts[place] = count
        for move in range(count):
            codes[listed] = rows[0, move, LABEL]
            for role in range(2):
                attacker = mover if role == 0 else 1 - mover
                worth[role, listed] = _after(expand, index, rules, rows[0, move, STATE:], attacker, chances, rows, frames)
            listed += 1


@jit
def _after(expand: Any, index: Any, rules: Int64, state: Int64, attacker: int, chances: Int64, rows: Int64, frames: Int64) -> int:
    """The chance that a player can force in a state: the stored one, one that follows from those after it, or `UNDECIDED`."""
    level = 0
    while True:
        number, player = index(rules, state)
        if number >= 0:
            value = chances[int(player != attacker), number]
        elif level + 1 == len(rows):
            return UNDECIDED
        else:
            who, count = expand(rules, state, attacker, rows[level + 1])
            if who == DOUBT or (who == OVER and count == NOBODY):
                return UNDECIDED
            if who == OVER:
                value = UNIT if count == attacker else 0
            else:
                level += 1
                frames[level] = who, count, 0, 0, 0 if who in (CHANCE, attacker) else UNIT
                state = rows[level, 0, STATE:]
                continue
        while level > 0:
            frame = frames[level]
            if frame[HOW] == CHANCE:
                frame[WEIGHTS] += rows[level, frame[NEXT], WEIGHT]
                frame[WORTH] += rows[level, frame[NEXT], WEIGHT] * value
            else:
                frame[WORTH] = max(frame[WORTH], value) if frame[HOW] == attacker else min(frame[WORTH], value)
            frame[NEXT] += 1
            if frame[NEXT] < frame[COUNT]:
                state = rows[level, frame[NEXT], STATE:]
                break
            value = frame[WORTH] // frame[WEIGHTS] if frame[HOW] == CHANCE else frame[WORTH]
            level -= 1
        else:
            return int(value)
