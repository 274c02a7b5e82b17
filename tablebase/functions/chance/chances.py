"""The chance of winning that a player can force: one step back from what follows a state.

Chances are whole numbers of units of 2^-52, so that every sum is exact and the only rounding is that of a division by the
sum of weights, which rounds down. A chance that is computed from chances that are not too high is not too high either: this
is what certifies the bounds. As floating-point numbers, the same numbers are exact, too.

In a generous region, that division rounds up. Chances that then stay as they are, to the unit, are not too low: the true
ones are the least that stay as they are (Tarski 1955).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.functions.chance.formulas import (
    AVERAGE,
    CODE,
    COUNT,
    END,
    FORMULAS,
    FROM,
    LOST,
    MOVERS,
    NUMBER,
    OTHERS,
    SEEN,
    STEP,
    TAKE,
    TAKE_TURNED,
    WON,
    WORST,
    Formulas,
    decoded,
)
from tablebase.system.compute.jit import inline, jit
from tablebase.system.compute.pointers import borrowed

Int64 = NDArray[np.int64]
UNIT = 1 << 52
"""A chance of 1."""
FINAL = 1 << 6
"""Chances of both players that leave no more than this to chance or to endless play are final."""
MOST_WEIGHT = (1 << 63) // UNIT - 1
"""The largest sum of weights for which a sum of chances fits into 64 bits."""

ADD, MOST, LEAST = range(3)
"""Ways to combine the chances of a frame."""
HOW, WEIGHTS, NONE = range(3)
"""Fields of a frame: that way, the sum of the weights, and whether nothing that follows can change its result."""
UNSEEN, CLOSED = 0, (1 << 63) - 1
"""Instead of a time: a run that has not been computed yet, and one whose chances are final."""
NOT_RISEN = -1
"""Instead of the first chance of a run that has not risen."""
GRANULE = 6
"""Chances whose numbers differ in the last bits only, in so many, form a granule and share the time of their last rise."""


class Evaluating(NamedTuple):
    """Space to evaluate formulas; each thread needs its own."""

    frames: Int64  # (levels + 1, 3)
    sums: Int64  # (levels + 1, states) the chances of all states of a run in each frame


def new_evaluating(levels: int, longest: int) -> Evaluating:
    """Space for formulas of so many frames and runs of so many states."""
    return Evaluating(np.zeros((levels + 1, 3), np.int64), np.zeros((levels + 1, longest), np.int64))


def new_rises(size: int) -> NDArray[np.int32]:
    """When each granule of so many chances has risen for the last time, of the player to move and of the other one: never."""
    return np.zeros((2, (size >> GRANULE) + 1), np.int32)


def improve(
    formulas: Formulas, chances: Int64, risen: Int64, rises: NDArray[np.int32], now: int, space: Evaluating, *, up: bool = False
) -> int:
    """Compute chances anew from those after them, and note those that have risen; return the largest rise, in units.

    A run whose sources have not risen since it was computed last would stay the same, and is left out. `rises` is that of
    `new_rises`; the time `now` is at least 1 and grows from batch to batch. `chances` has shape (2, size): for each stored state,
    the chance of the player to move there, and that of the other one. They are not changed; `risen`, of shape (2, states), is
    filled in for `store`. With `up`, divisions round up.
    """
    return int(_improve(formulas, chances, risen, rises, now, space, up, False))


def store(formulas: Formulas, chances: Int64, risen: Int64, rises: NDArray[np.int32], now: int, *, up: bool = False) -> None:
    """Store the chances that `improve` noted, with the time of their rise, and mark the runs whose chances are final."""
    _store(formulas.runs, chances, risen, rises, now, up)


def improve_at_once(
    formulas: Formulas, chances: Int64, risen: Int64, rises: NDArray[np.int32], now: int, space: Evaluating, *, up: bool = False
) -> int:
    """Improve and store one run after the other, each from the latest chances; return the largest rise, in units."""
    return int(_improve(formulas, chances, risen, rises, now, space, up, True))


@jit
def _improve(
    formulas: Formulas, chances: Int64, risen: Int64, rises: NDArray[np.int32], now: int, space: Evaluating, up: bool, at_once: bool
) -> int:
    """Evaluate the formulas of all runs that are not final and that read something new."""
    (runs, instructions), (frames, sums) = borrowed(formulas), borrowed(space)
    chances, risen, rises = borrowed((chances, risen, rises))
    largest, place = 0, 0
    for run in range(len(runs)):
        count = runs[run, COUNT]
        for role in range(2):
            risen[role, place] = NOT_RISEN
            formula = instructions[runs[run, FORMULAS + 2 * role] : runs[run, FORMULAS + 2 * role + 1]]
            if _reads_new(formula, role, count, rises, runs[run, SEEN]):
                _evaluate(formula, role, count, chances, frames, sums, up)
                gain = _gain(sums[0, :count], chances[role], runs[run, NUMBER], runs[run, STEP])
                if gain > 0:
                    risen[role, place : place + count] = sums[0, :count]
                    largest = max(largest, gain)
            if at_once:
                # Before the other player's chances are computed: in symmetric states these may be read from the same run.
                _store_chances(runs[run], role, chances, risen[role, place : place + count], rises, now)
        if at_once:
            _mark_run(runs[run], chances, risen[:, place], now, up)
        place += count
    return largest


@inline
def _reads_new(formula: Int64, role: int, count: int, rises: NDArray[np.int32], seen: int) -> bool:
    """Check if a granule that a formula reads, or one between, has risen since the formula's evaluation at the time `seen`."""
    if seen == UNSEEN:
        return True
    if seen == CLOSED:
        return False
    for at in range(len(formula)):
        kind, _, stride = decoded(formula[at, CODE])
        if kind in (TAKE, TAKE_TURNED):
            times = rises[role if kind == TAKE else 1 - role]
            first = formula[at, FROM]
            last = first + stride * (count - 1)
            latest = 0
            for granule in range(min(first, last) >> GRANULE, (max(first, last) >> GRANULE) + 1):
                latest = max(latest, times[granule])
            if latest >= seen:
                return True
    return False


@inline
def _gain(found: Int64, chances: Int64, first: int, step: int) -> int:
    """The largest rise of the chances of a run."""
    gain = 0
    for state in range(len(found)):
        gain = max(gain, found[state] - chances[first + state * step])
    return gain


@jit
def _store(runs: Int64, chances: Int64, risen: Int64, rises: NDArray[np.int32], now: int, up: bool) -> None:
    """Store what has risen in all runs."""
    runs, chances, risen, rises = borrowed((runs, chances, risen, rises))
    place = 0
    for run in range(len(runs)):
        count = runs[run, COUNT]
        for role in range(2):
            _store_chances(runs[run], role, chances, risen[role, place : place + count], rises, now)
        _mark_run(runs[run], chances, risen[:, place], now, up)
        place += count


@inline
def _store_chances(run: Int64, role: int, chances: Int64, risen: Int64, rises: NDArray[np.int32], now: int) -> None:
    """Store those chances of a run that have risen, with the time."""
    if risen[0] == NOT_RISEN:
        return
    for state in range(run[COUNT]):
        number = run[NUMBER] + state * run[STEP]
        if risen[state] > chances[role, number]:
            chances[role, number] = risen[state]
            rises[role, number >> GRANULE] = now


@inline
def _mark_run(run: Int64, chances: Int64, risen: Int64, now: int, up: bool) -> None:
    """Note when a run was computed, or that it is final; `risen` has the first chance for each player, or `NOT_RISEN`."""
    if run[SEEN] == CLOSED:
        return
    changed = run[SEEN] == UNSEEN or risen[0] != NOT_RISEN or risen[1] != NOT_RISEN
    run[SEEN] = now
    # Rounded up, both may be sure to win.
    if changed and not up:
        open_ = 0
        for state in range(run[COUNT]):
            number = run[NUMBER] + state * run[STEP]
            # Of what the one can force, nothing more is left for the other.
            open_ = max(open_, UNIT - chances[0, number] - chances[1, number])
        if open_ < FINAL:
            run[SEEN] = CLOSED


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
            sums[state] += weight * source[start + state * stride]
    elif frame[HOW] == MOST:
        for state in range(len(sums)):
            sums[state] = max(sums[state], source[start + state * stride])
    else:
        for state in range(len(sums)):
            sums[state] = min(sums[state], source[start + state * stride])


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
    weights = frame[WEIGHTS]
    if frame[HOW] == ADD and weights > 1:
        more = weights - 1 if up else 0
        inverse = 1.0 / weights
        for state in range(len(sums)):
            sums[state] = quotient(sums[state] + more, weights, inverse)


@inline
def quotient(total: int, weights: int, inverse: float) -> int:
    """Divide whole numbers by multiplying, given ``1 / weights``; unlike a division, a loop of it is done with vectors.

    The total is not negative, and the quotient at most `UNIT`. So the first product is off by less than 2, and at most five times
    the weights are left after it; half a unit more keeps their quotient from being rounded past a whole number.
    """
    least = int(total * inverse) - 2
    return least + int((total - least * weights + 0.5) * inverse)
