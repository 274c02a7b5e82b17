"""The chance of winning that a player can force: one step back from what follows a state.

Chances are whole numbers of units of 2^-52, so that every sum is exact and the only rounding is that of a division by the
sum of weights, which rounds down. A chance that is computed from chances that are not too high is not too high either: this
is what certifies the bounds. As floating-point numbers, the same numbers are exact, too.

States that no table stores are expanded in turn. Numba loses its way in recursive functions that are called by other cached
functions, so there is a frame for each level.
"""

from __future__ import annotations

from typing import Any

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


WHO, COUNT, ROW, SUM, WEIGHTS, TURNS = range(6)
"""What a frame holds: what `expand` has returned, the next row, the sum of chances or the best one, the sum of weights (1 if no
chance moves), and the turns that are left."""
FRAME = 6


def new_space(kernels: Kernels, levels: int) -> tuple[Int64, Int64, Int64]:
    """Space for a state, for what follows it and the states after it, and for frames; each thread needs its own.

    Parameters
    ----------
    kernels : Kernels
    levels : int
        Most states, one after another, that are expanded.

    Returns
    -------
    state : ndarray of int64, shape (fields,)
    rows : ndarray of int64, shape (levels + 1, widest, STATE + fields)
    frames : ndarray of int64, shape (levels + 1, FRAME)
    """
    rows = np.zeros((levels + 1, kernels.widest, STATE + kernels.fields), np.int64)
    return np.zeros(kernels.fields, np.int64), rows, np.zeros((levels + 1, FRAME), np.int64)


@inline
def _enter(expand: Any, rules: Int64, state: Int64, attacker: int, turns: int, rows: Int64, frames: Int64, level: int) -> None:
    """Expand a state and begin its frame; one in which the game is over, or no turn is left, is complete."""
    who, count = expand(rules, state, attacker, rows[level])
    frames[level, WHO] = who
    frames[level, COUNT] = 0 if who == OVER or turns == 0 else count
    frames[level, ROW] = 0
    frames[level, WEIGHTS] = 0 if who == CHANCE and turns != 0 else 1
    frames[level, TURNS] = turns
    if who == OVER:
        frames[level, SUM] = UNIT if count == attacker else 0
    elif who in (attacker, CHANCE) or turns == 0:
        frames[level, SUM] = 0
    else:
        frames[level, SUM] = UNIT


@inline
def _take(attacker: int, chance: int, rows: Int64, frames: Int64, level: int) -> None:
    """Add the chance after the next row to a frame: chance weighs, the attacker takes the most, others the least."""
    who = frames[level, WHO]
    if who == CHANCE:
        weight = rows[level, frames[level, ROW], WEIGHT]
        frames[level, SUM] += weight * chance
        frames[level, WEIGHTS] += weight
    elif (chance > frames[level, SUM]) == (who == attacker):
        frames[level, SUM] = chance
    frames[level, ROW] += 1


@jit
def forced(expand: Any, index: Any, rules: Int64, state: Int64, attacker: int, chances: Int64, rows: Int64, frames: Int64) -> Any:
    """The attacker's chance in a state, in units, by the chances of the stored states that come next.

    Parameters
    ----------
    expand, index : compiled functions
        Of `tablebase.game.kernels.Kernels`.
    rules : ndarray of int64
    state : ndarray of int64
    attacker : int
        The player who tries to win; the other one tries to prevent that.
    chances : ndarray of int64, shape (2, size)
        For each stored state, the chance of the player to move there, and that of the other one.
    rows, frames : ndarray of int64
        As `new_space` returns them.
    """
    level = 0
    _enter(expand, rules, state, attacker, -1, rows, frames, 0)
    while True:
        while frames[level, ROW] < frames[level, COUNT]:
            after = rows[level, frames[level, ROW], STATE:]
            number, player = index(rules, after)
            if number >= 0:
                _take(attacker, chances[0 if player == attacker else 1, number], rows, frames, level)
            else:
                level += 1
                _enter(expand, rules, after, attacker, -1, rows, frames, level)
        chance = frames[level, SUM] // frames[level, WEIGHTS]
        if level == 0:
            return chance
        level -= 1
        _take(attacker, chance, rows, frames, level)


@jit
def within(expand: Any, rules: Int64, state: Int64, attacker: int, turns: int, rows: Int64, frames: Int64) -> Any:
    """The attacker's chance, in units, of winning within a number of turns, all players' together, the present one included.

    The arguments are those of `forced`, but no table is read; there must be space for all states on the way.
    """
    level = 0
    _enter(expand, rules, state, attacker, turns, rows, frames, 0)
    while True:
        while frames[level, ROW] < frames[level, COUNT]:
            row = frames[level, ROW]
            left = frames[level, TURNS] - rows[level, row, BEGINS]
            level += 1
            _enter(expand, rules, rows[level - 1, row, STATE:], attacker, left, rows, frames, level)
        chance = frames[level, SUM] // frames[level, WEIGHTS]
        if level == 0:
            return chance
        level -= 1
        _take(attacker, chance, rows, frames, level)


@jit
def improve(
    expand: Any,
    index: Any,
    state_at: Any,
    rules: Int64,
    chances: Int64,
    begin: int,
    end: int,
    improved: Int64,
    state: Int64,
    rows: Int64,
    frames: Int64,
) -> int:
    """Compute the chances of states anew from those after them, the last one first; return the largest improvement, in units.

    Parameters
    ----------
    expand, index, state_at : compiled functions
    rules : ndarray of int64
    chances : ndarray of int64, shape (2, size)
    begin, end : int
        The numbers of the states.
    improved : ndarray of int64, shape (2, end - begin)
        Filled in; where there is no state, with 0. It may be a part of `chances`.
    state, rows, frames : ndarray of int64
        As `new_space` returns them.
    """
    largest = 0
    for number in range(end - 1, begin - 1, -1):
        improved[0, number - begin] = chances[0, number]
        improved[1, number - begin] = chances[1, number]
        # Of what the one can force, nothing more is left for the other.
        if UNIT - chances[0, number] - chances[1, number] < CLOSED or not state_at(rules, number, state):
            continue
        _, player = index(rules, state)
        for role in range(2):
            attacker = player if role == 0 else 1 - player
            chance = forced(expand, index, rules, state, attacker, chances, rows, frames)
            gain = chance - chances[role, number]
            if gain > 0:
                improved[role, number - begin] = chance
                largest = max(largest, gain)
    return largest


@jit
def settle(
    expand: Any,
    index: Any,
    state_at: Any,
    rules: Int64,
    chances: Int64,
    begins: Int64,
    size: int,
    tolerance: int,
    state: Int64,
    rows: Int64,
    frames: Int64,
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
            gain = improve(expand, index, state_at, rules, chances, begin, begin + size, block, state, rows, frames)
            largest = max(largest, gain)
    return passes


@jit
def mark_reads(
    expand: Any,
    index: Any,
    state_at: Any,
    rules: Int64,
    block: int,
    begin: int,
    end: int,
    reads: NDArray[np.bool_],
    state: Int64,
    rows: Int64,
    frames: Int64,
) -> None:
    """Mark the blocks, by number, whose chances those of the states in a range are computed from."""
    for number in range(begin, end):
        for attacker in range(2):
            if not state_at(rules, number, state):
                continue
            level = 0
            _enter(expand, rules, state, attacker, -1, rows, frames, 0)
            while level >= 0:
                if frames[level, ROW] == frames[level, COUNT]:
                    level -= 1
                    continue
                after = rows[level, frames[level, ROW], STATE:]
                frames[level, ROW] += 1
                stored, _ = index(rules, after)
                if stored >= 0:
                    reads[stored // block] = True
                else:
                    level += 1
                    _enter(expand, rules, after, attacker, -1, rows, frames, level)
