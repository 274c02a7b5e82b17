"""The chance of winning that a player can force: one step back from what follows a state.

Chances are whole numbers of units of 2^-52, so that every sum is exact and the only rounding is that of a division by the
sum of weights, which rounds down. A chance that is computed from chances that are not too high is not too high either: this
is what certifies the bounds. As floating-point numbers, the same numbers are exact, too.

States that no table stores are expanded in turn. Numba loses its way in recursive functions that are called by other cached
functions, so there is a frame for each level. States that are alike are computed together: the first and the last of them are
expanded side by side, and the numbers of what follows those between lie between.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.compute.jit import inline, jit
from tablebase.game.kernels import BEGINS, CHANCE, OVER, STATE, WEIGHT, Kernels

Int64 = NDArray[np.int64]
UNIT = 1 << 52
"""A chance of 1."""
CLOSED = 1 << 6
"""Chances of both players that leave no more than this to chance or to endless play are final."""
MOST_WEIGHT = (1 << 63) // UNIT - 1
"""The largest sum of weights for which a sum of chances fits into 64 bits."""


WHO, COUNT, ROW, WEIGHTS, TURNS = range(5)
"""What a frame holds: what `expand` has returned, the next row, the sum of weights (1 if no chance moves), and the turns left."""
FRAME = 5
TOO_DEEP, TOO_MANY = -1, -2
FIRST, LAST = 0, 1
"""The first and the last of some states that are alike."""


class Space(NamedTuple):
    """Space for the states of a computation; each thread needs its own.

    Parameters
    ----------
    states : ndarray of int64, shape (2, fields)
        The first and the last of states that are alike.
    rows : ndarray of int64, shape (2, levels + 1, widest, STATE + fields)
        What follows each of them, and the states after it.
    frames : ndarray of int64, shape (levels + 1, FRAME)
    sums : ndarray of int64, shape (levels + 1, longest)
        For each of the states that are alike, the sum of weighted chances or the best chance so far.
    """

    states: Int64
    rows: Int64
    frames: Int64
    sums: Int64


def new_space(kernels: Kernels, levels: int, longest: int = 1) -> Space:
    """Space for as many states, one after another, as `levels` says, and for as many alike as `longest` says."""
    rows = np.zeros((2, levels + 1, kernels.widest, STATE + kernels.fields), np.int64)
    states = np.zeros((2, kernels.fields), np.int64)
    return Space(states, rows, np.zeros((levels + 1, FRAME), np.int64), np.zeros((levels + 1, longest), np.int64))


@inline
def _begin(who: int, count: int, attacker: int, turns: int, frames: Int64, sums: Int64, level: int, alike: int) -> None:
    """Begin the frame of a state that has been expanded; it is complete if the game is over or no turn is left."""
    ends = who == OVER or turns == 0
    frames[level, WHO] = who
    frames[level, COUNT] = 0 if ends else count
    frames[level, ROW] = 0
    frames[level, WEIGHTS] = 0 if who == CHANCE and not ends else 1
    frames[level, TURNS] = turns
    least = 0
    if who == OVER:
        least = UNIT if count == attacker else 0
    elif who not in (attacker, CHANCE) and turns != 0:
        least = UNIT
    sums[level, :alike] = least


@inline
def _take(
    attacker: int, chances: Int64, start: int, stride: int, rows: Int64, frames: Int64, sums: Int64, level: int, alike: int
) -> None:
    """Add the chances after the next row to a frame: chance weighs, the attacker takes the most, others the least."""
    who, row = frames[level, WHO], frames[level, ROW]
    if who == CHANCE:
        weight = rows[FIRST, level, row, WEIGHT]
        for state in range(alike):
            sums[level, state] += weight * chances[start + state * stride]
        frames[level, WEIGHTS] += weight
    elif who == attacker:
        for state in range(alike):
            sums[level, state] = max(sums[level, state], chances[start + state * stride])
    else:
        for state in range(alike):
            sums[level, state] = min(sums[level, state], chances[start + state * stride])
    frames[level, ROW] = row + 1


@inline
def _finish(frames: Int64, sums: Int64, level: int, alike: int) -> None:
    """Turn the sums of a frame into chances."""
    weights = frames[level, WEIGHTS]
    if weights > 1:
        for state in range(alike):
            sums[level, state] //= weights


@jit
def forced(expand: Any, index: Any, rules: Int64, alike: int, attacker: int, chances: Int64, space: Space) -> bool:
    """The attacker's chances in states that are alike, in units, by the chances of the stored states that come next.

    Parameters
    ----------
    expand, index : compiled functions
        Of `tablebase.game.kernels.Kernels`.
    rules : ndarray of int64
    alike : int
        How many states there are; the first and the last are in `space.states`.
    attacker : int
        The player who tries to win; the other one tries to prevent that.
    chances : ndarray of int64, shape (2, size)
        For each stored state, the chance of the player to move there, and that of the other one.
    space : Space
        The first row of its sums is filled in.

    Returns
    -------
    bool
        False if the states are not alike after all.
    """
    states, rows, frames, sums = space
    both = LAST + 1 if alike > 1 else FIRST + 1
    level = 0
    who, count = expand(rules, states[FIRST], attacker, rows[FIRST, 0])
    if both == 2 and expand(rules, states[LAST], attacker, rows[LAST, 0]) != (who, count):
        return False
    _begin(who, count, attacker, -1, frames, sums, 0, alike)
    while True:
        while frames[level, ROW] < frames[level, COUNT]:
            row = frames[level, ROW]
            number, player = index(rules, rows[FIRST, level, row, STATE:])
            last, player_of_last = number, player
            if both == 2:
                last, player_of_last = index(rules, rows[LAST, level, row, STATE:])
                if player_of_last != player or rows[LAST, level, row, WEIGHT] != rows[FIRST, level, row, WEIGHT]:
                    return False
            if number >= 0:
                stride = (last - number) // (alike - 1) if alike > 1 else 0
                if number + stride * (alike - 1) != last and both == 2:
                    return False
                role = 0 if player == attacker else 1
                _take(attacker, chances[role], number, stride, rows, frames, sums, level, alike)
                continue
            level += 1
            who, count = expand(rules, rows[FIRST, level - 1, row, STATE:], attacker, rows[FIRST, level])
            if both == 2 and expand(rules, rows[LAST, level - 1, row, STATE:], attacker, rows[LAST, level]) != (who, count):
                return False
            _begin(who, count, attacker, -1, frames, sums, level, alike)
        _finish(frames, sums, level, alike)
        if level == 0:
            return True
        level -= 1
        _take(attacker, sums[level + 1], 0, 1, rows, frames, sums, level, alike)


@jit
def number_of(index: Any, rules: Int64, state: Int64) -> Any:
    """What `index` returns, for callers that are not compiled."""
    return index(rules, state)


@jit
def within(expand: Any, rules: Int64, attacker: int, turns: int, most: int, space: Space) -> Any:
    """The attacker's chance, in units, of winning within a number of turns, all players' together, the present one included.

    `TOO_DEEP` if the space has too few levels, and `TOO_MANY` if more than `most` states would have to be looked at.

    Parameters
    ----------
    expand : compiled function
    rules : ndarray of int64
    attacker : int
    turns : int
    most : int
    space : Space
        The state is the first of its states; it needs a level for each state that can follow within the turns.
    """
    states, rows, frames, sums = space
    level = seen = 0
    who, count = expand(rules, states[FIRST], attacker, rows[FIRST, 0])
    _begin(who, count, attacker, turns, frames, sums, 0, 1)
    while True:
        while frames[level, ROW] < frames[level, COUNT]:
            row = frames[level, ROW]
            left = frames[level, TURNS] - rows[FIRST, level, row, BEGINS]
            level += 1
            seen += 1
            if level == len(frames):
                return TOO_DEEP
            if seen > most:
                return TOO_MANY
            who, count = expand(rules, rows[FIRST, level - 1, row, STATE:], attacker, rows[FIRST, level])
            _begin(who, count, attacker, left, frames, sums, level, 1)
        _finish(frames, sums, level, 1)
        if level == 0:
            return sums[0, 0]
        level -= 1
        _take(attacker, sums[level + 1], 0, 1, rows, frames, sums, level, 1)


@jit
def improve(
    expand: Any,
    index: Any,
    state_at: Any,
    alike: Any,
    rules: Int64,
    chances: Int64,
    begin: int,
    end: int,
    improved: Int64,
    space: Space,
) -> int:
    """Compute the chances of states anew from those after them, the last ones first; return the largest improvement, in units.

    Parameters
    ----------
    expand, index, state_at, alike : compiled functions
    rules : ndarray of int64
    chances : ndarray of int64, shape (2, size)
    begin, end : int
        The numbers of the states.
    improved : ndarray of int64, shape (2, end - begin)
        Filled in; where there is no state, with 0. It may be a part of `chances`.
    space : Space
    """
    largest, last = 0, end - 1
    while last >= begin:
        count = min(alike(rules, last), last - begin + 1)
        first = last - count + 1
        largest = max(
            largest, _improve_alike(expand, index, state_at, rules, chances, first, count, improved[:, first - begin :], space)
        )
        last = first - 1
    return largest


@jit
def _improve_alike(
    expand: Any, index: Any, state_at: Any, rules: Int64, chances: Int64, first: int, count: int, improved: Int64, space: Space
) -> int:
    """Compute the chances of states that are alike, if they are; otherwise one after the other."""
    closed = True
    for state in range(count):
        improved[0, state] = chances[0, first + state]
        improved[1, state] = chances[1, first + state]
        # Of what the one can force, nothing more is left for the other.
        closed = closed and UNIT - chances[0, first + state] - chances[1, first + state] < CLOSED
    if closed:
        return 0
    largest = 0
    if not state_at(rules, first, space.states[FIRST]) or not state_at(rules, first + count - 1, space.states[LAST]):
        return 0 if count == 1 else _improve_each(expand, index, state_at, rules, chances, first, count, improved, space)
    _, player = index(rules, space.states[FIRST])
    for role in range(2):
        attacker = player if role == 0 else 1 - player
        if not forced(expand, index, rules, count, attacker, chances, space):
            return _improve_each(expand, index, state_at, rules, chances, first, count, improved, space)
        for state in range(count):
            gain = space.sums[0, state] - chances[role, first + state]
            if gain > 0:
                improved[role, state] = space.sums[0, state]
                largest = max(largest, gain)
    return largest


@jit
def _improve_each(
    expand: Any, index: Any, state_at: Any, rules: Int64, chances: Int64, first: int, count: int, improved: Int64, space: Space
) -> int:
    """Compute the chances of states one after the other."""
    largest = 0
    for state in range(count - 1, -1, -1):
        if not state_at(rules, first + state, space.states[FIRST]):
            continue
        _, player = index(rules, space.states[FIRST])
        for role in range(2):
            attacker = player if role == 0 else 1 - player
            forced(expand, index, rules, 1, attacker, chances, space)
            gain = space.sums[0, 0] - chances[role, first + state]
            if gain > 0:
                improved[role, state] = space.sums[0, 0]
                largest = max(largest, gain)
    return largest


@jit
def settle(
    expand: Any,
    index: Any,
    state_at: Any,
    alike: Any,
    rules: Int64,
    chances: Int64,
    begins: Int64,
    size: int,
    tolerance: int,
    space: Space,
) -> int:
    """Improve the chances of some blocks, one after the other, until no pass raises one by more than the tolerance.

    Parameters
    ----------
    begins : ndarray of int64
        The first numbers of the blocks.
    size : int
        States in a block.

    The others are those of `improve`; returns the number of passes.
    """
    passes, largest = 0, tolerance + 1
    while largest > tolerance:
        largest = 0
        passes += 1
        for begin in begins:
            block = chances[:, begin : begin + size]
            largest = max(largest, improve(expand, index, state_at, alike, rules, chances, begin, begin + size, block, space))
    return passes


@jit
def mark_reads(
    expand: Any,
    index: Any,
    state_at: Any,
    alike: Any,
    rules: Int64,
    block: int,
    begin: int,
    end: int,
    reads: NDArray[np.bool_],
    space: Space,
) -> None:
    """Mark the blocks, by number, whose chances those of the states in a range are computed from.

    What follows the first and the last of states that are alike must lie in the same blocks, and so must what follows those
    between.
    """
    last = end - 1
    while last >= begin:
        count = min(alike(rules, last), last - begin + 1)
        for number in (last - count + 1, last):
            for attacker in range(2):
                if state_at(rules, number, space.states[FIRST]):
                    _mark_after(expand, index, rules, attacker, block, reads, space)
        last -= count


@jit
def _mark_after(expand: Any, index: Any, rules: Int64, attacker: int, block: int, reads: NDArray[np.bool_], space: Space) -> None:
    """Mark the blocks that follow one state."""
    states, rows, frames, sums = space
    level = 0
    who, count = expand(rules, states[FIRST], attacker, rows[FIRST, 0])
    _begin(who, count, attacker, -1, frames, sums, 0, 1)
    while level >= 0:
        if frames[level, ROW] == frames[level, COUNT]:
            level -= 1
            continue
        after = rows[FIRST, level, frames[level, ROW], STATE:]
        frames[level, ROW] += 1
        stored, _ = index(rules, after)
        if stored >= 0:
            reads[stored // block] = True
        else:
            level += 1
            who, count = expand(rules, after, attacker, rows[FIRST, level])
            _begin(who, count, attacker, -1, frames, sums, level, 1)
