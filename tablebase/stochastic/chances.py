"""The chance of winning that a player can force: one step back from what follows a state.

Chances are whole numbers of units of 2^-52, so that every sum is exact and the only rounding is that of a division by the
sum of weights, which rounds down. A chance that is computed from chances that are not too high is not too high either: this
is what certifies the bounds. As floating-point numbers, the same numbers are exact, too.

In a generous region, that division rounds up. Chances that then stay as they are, to the unit, are not too low: the true
ones are the least that stay as they are (Tarski 1955).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tablebase.compute.jit import inline, jit
from tablebase.compute.pointers import borrowed
from tablebase.stochastic.formulas import (
    AVERAGE,
    CLOSED,
    CODE,
    COUNT,
    END,
    FORMULAS,
    FROM,
    LOST,
    MOVERS,
    NUMBER,
    OTHERS,
    STEP,
    TAKE,
    TAKE_TURNED,
    WON,
    WORST,
    Formulas,
    decoded,
)

Int64 = NDArray[np.int64]
UNIT = 1 << 52
"""A chance of 1."""
FINAL = 1 << 6
"""Chances of both players that leave no more than this to chance or to endless play are final."""
MOST_WEIGHT = (1 << 63) // UNIT - 1
"""The largest sum of weights for which a sum of chances fits into 64 bits."""

ADD, MOST, LEAST = range(3)
"""How the chances of a frame are combined."""
HOW, WEIGHTS, NONE = range(3)
"""What a frame holds: that, the sum of the weights, and whether nothing that follows can change what comes out of it."""


def new_sums(levels: int, longest: int) -> tuple[Int64, Int64]:
    """Space to evaluate formulas: frames, and the chances of all states of a run in each."""
    return np.zeros((levels + 1, 3), np.int64), np.zeros((levels + 1, longest), np.int64)


def improve(
    formulas: Formulas, chances: Int64, improved: Int64, begin: int, space: tuple[Int64, Int64], *, up: bool = False
) -> int:
    """Compute the chances of states anew from those after them; return the largest improvement, in units.

    Runs whose chances are final from now on are marked in the formulas. `chances` has shape (2, size): for each stored state, the
    chance of the player to move there, and that of the other one. `improved`, shape (2, states), has their chances from the state
    `begin` on; it may be a part of `chances`, and then what is computed first counts at once. `space` is that of `new_sums`. With
    `up`, divisions round up.
    """
    return int(_improve(*formulas, chances, improved, begin, *space, up))


@jit
def _improve(
    runs: Int64, instructions: Int64, chances: Int64, improved: Int64, begin: int, frames: Int64, sums: Int64, up: bool
) -> int:
    """Evaluate the formulas of all runs that are not final."""
    runs, instructions, chances, improved, frames, sums = borrowed((runs, instructions, chances, improved, frames, sums))
    largest = 0
    for run in range(len(runs)):
        if runs[run, CLOSED]:
            continue
        first, count, step = runs[run, NUMBER] - begin, runs[run, COUNT], runs[run, STEP]
        for role in range(2):
            formula = instructions[runs[run, FORMULAS + 2 * role] : runs[run, FORMULAS + 2 * role + 1]]
            _evaluate(formula, role, count, chances, frames, sums, up)
            for state in range(count):
                gain = sums[0, state] - improved[role, first + state * step]
                if gain > 0:
                    improved[role, first + state * step] = sums[0, state]
                    largest = max(largest, gain)
        open_ = 0
        for state in range(count):
            # Of what the one can force, nothing more is left for the other.
            place = first + state * step
            open_ = max(open_, UNIT - improved[0, place] - improved[1, place])
        # Above, both may be sure to win.
        runs[run, CLOSED] = open_ < FINAL and not up
    return largest


@jit
def _evaluate(formula: Int64, role: int, count: int, chances: Int64, frames: Int64, sums: Int64, up: bool) -> None:
    """The attacker's chances in the states of a run, in the first row of the sums; he is their mover in role 0."""
    level = -1
    for at in range(len(formula)):
        kind, weight, stride = decoded(formula[at, CODE])
        if kind <= WORST:
            level += 1
            _open(kind, role, frames[level], sums[level, :count])
            frames[level, NONE] = level > 0 and frames[level - 1, NONE]
        elif kind != END and frames[level, NONE]:
            continue
        elif kind <= TAKE_TURNED:
            source = chances[role if kind == TAKE else 1 - role]
            start = formula[at, FROM]
            if stride == 1:
                _take(frames[level], weight, source[start : start + count], sums[level, :count])
            else:
                _take_apart(frames[level], weight, source, start, stride, sums[level, :count])
        elif kind == END:
            _close(frames[level], sums[level, :count], up)
            level -= 1
            if not frames[level, NONE]:
                _take(frames[level], weight, sums[level + 1, :count], sums[level, :count])
        else:
            won = (kind == WON and role == 0) or (kind == LOST and role == 1)
            _take_all(frames[level], weight, UNIT if won else 0, sums[level, :count])
    _close(frames[0], sums[0, :count], up)


@inline
def _open(kind: int, role: int, frame: Int64, sums: Int64) -> None:
    """Begin to combine chances; in doubt, as for a defender."""
    if kind == AVERAGE:
        frame[HOW] = ADD
    else:
        frame[HOW] = MOST if kind == (MOVERS if role == 0 else OTHERS) else LEAST
    frame[WEIGHTS] = 0
    sums[:] = UNIT if frame[HOW] == LEAST else 0


@inline
def _take(frame: Int64, weight: int, source: Int64, sums: Int64) -> None:
    """Combine the chances of a frame with those of as many states in a row; the branches are outside the loops for speed."""
    if frame[HOW] == ADD:
        frame[WEIGHTS] += weight
        for state in range(len(sums)):
            sums[state] += weight * source[state]
    elif frame[HOW] == MOST:
        for state in range(len(sums)):
            sums[state] = max(sums[state], source[state])
    else:
        left = 0
        for state in range(len(sums)):
            sums[state] = min(sums[state], source[state])
            left |= sums[state]
        frame[NONE] = left == 0


@inline
def _take_apart(frame: Int64, weight: int, source: Int64, start: int, stride: int, sums: Int64) -> None:
    """The same with states that are not in a row."""
    if frame[HOW] == ADD:
        frame[WEIGHTS] += weight
    for state in range(len(sums)):
        chance = source[start + state * stride]
        if frame[HOW] == ADD:
            sums[state] += weight * chance
        else:
            sums[state] = max(sums[state], chance) if frame[HOW] == MOST else min(sums[state], chance)


@inline
def _take_all(frame: Int64, weight: int, chance: int, sums: Int64) -> None:
    """The same with one chance for all."""
    if frame[HOW] == ADD:
        frame[WEIGHTS] += weight
    for state in range(len(sums)):
        if frame[HOW] == ADD:
            sums[state] += weight * chance
        else:
            sums[state] = max(sums[state], chance) if frame[HOW] == MOST else min(sums[state], chance)


@inline
def _close(frame: Int64, sums: Int64, up: bool) -> None:
    """Turn weighted sums into chances."""
    if frame[HOW] == ADD and frame[WEIGHTS] > 1:
        more = frame[WEIGHTS] - 1 if up else 0
        for state in range(len(sums)):
            sums[state] = (sums[state] + more) // frame[WEIGHTS]
