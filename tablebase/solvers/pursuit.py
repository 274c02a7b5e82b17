"""The pursuit engine: one pass over the rows of a pursuit (see `tablebase.slices.pursuit`), the last tier first.

For one placement of the pursuers, with them to move, the row of values is the minimum over the rows that their steps
lead to; with the runner to move it is, square by square, the maximum over the runner's steps within the row just
found. So a tier takes rows of the next tier in, gives its own out, and is never looked at again.

Values are kept as *scores* as the runner sees them, so that minimum and maximum are single instructions on whole
rows: a loss in d plies is d, a win in d plies is top - 1 - d, and top itself stands for no move, or no position.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tablebase.compute.jit import inline, jit
from tablebase.compute.threads import spread
from tablebase.slices.conversions import STAYS
from tablebase.slices.pursuit import NOWHERE, Pursuit
from tablebase.solvers.compiled import CompiledSlice
from tablebase.solvers.pursuit_arrays import GRAIN, PursuitArrays, compile_pursuit, mark_escapes, rank_after, stands, unrank
from tablebase.values import Codes, Coding, is_win

BLOCK = 1 << 22
"""Codes translated at once."""
FIRST_EXIT = STAYS + 1

Scores = NDArray[Any]


def solve(problem: CompiledSlice) -> tuple[Codes, Codes] | None:
    """Codes of both sides to move, or None if a distance does not fit the coding."""
    pursuit, coding = Pursuit(problem.layout), problem.coding
    arrays = compile_pursuit(pursuit)
    worth = _translate(problem.arrays.children, _scores(coding))
    codes = [np.empty(problem.layout.size, dtype=coding.dtype) for _ in (0, 1)]
    running, pursuing = codes[pursuit.runner.side], codes[pursuit.pursuer.side]
    furthest = spread(
        lambda begin, end: _solve_rows(arrays, worth, begin, end, running, pursuing, _codes(coding, True), _codes(coding, False)),
        pursuit.rows,
        GRAIN,
    )
    return (codes[0], codes[1]) if max(furthest) <= coding.reach else None


def _top(coding: Coding) -> int:
    """The largest score: room for as many losses and wins as the coding has distances, and one ply more."""
    return 2 * coding.reach + 3


def _scores(coding: Coding) -> Scores:
    """The score of each code of the runner to move."""
    top = _top(coding)
    found = np.full(coding.void + 1, top, dtype=np.min_scalar_type(top))
    for code in range(coding.void):
        distance = coding.value(code).distance
        if distance is not None:
            found[code] = top - 1 - distance if is_win(code, coding.stride) else distance
    return found


def _codes(coding: Coding, runner: bool) -> Codes:
    """The code of each score, the runner or the pursuers to move."""
    top = _top(coding)
    found = np.full(top + 1, coding.void, dtype=coding.dtype)
    for distance in range(coding.reach + 1):
        win, loss = (2 + coding.stride * distance, 1 + coding.stride * (distance + 1))
        found[distance] = loss if runner else win
        found[top - 1 - distance] = win if runner else loss
    return found


def _translate(codes: Codes, table: Codes) -> Codes:
    """Each code by a table, block by block."""
    found = np.empty(codes.shape, dtype=table.dtype)
    for begin in range(0, len(codes), BLOCK):
        np.take(table, codes[begin : begin + BLOCK], out=found[begin : begin + BLOCK])
    return found


@inline
def later(score: int, half: int) -> Any:
    """The score one ply before."""
    return score - 1 if score >= half else score + 1


@jit
def _solve_rows(
    arrays: PursuitArrays,
    worth: Scores,
    begin: int,
    end: int,
    running: Codes,
    pursuing: Codes,
    runner_codes: Codes,
    pursuer_codes: Codes,
) -> int:
    """Solve these rows with either side to move; the largest distance."""
    count, length, squares, places, level, ways = (
        arrays.pursuers,
        arrays.length,
        arrays.squares,
        arrays.places,
        arrays.level,
        arrays.ways,
    )
    advance, steps, runner_steps, row_place = arrays.advance, arrays.steps, arrays.runner_steps, arrays.row_place
    guards, near, room, counts = arrays.guards, arrays.near, arrays.room, arrays.counts
    top, half = len(runner_codes) - 1, len(runner_codes) // 2
    stand, at = np.zeros(count, dtype=np.int8), np.zeros(count, dtype=np.int64)
    row, taken = np.zeros(length, dtype=worth.dtype), np.zeros(length, dtype=np.bool_)
    open_words, away = np.zeros(guards.shape[1], dtype=np.uint64), np.zeros(length, dtype=np.bool_)
    furthest = 0
    for number in range(begin, end):
        unrank(number, count, squares, level, ways, advance, stand, at)
        taken[:] = False
        for i in range(count):
            if row_place[stand[i]] != NOWHERE:
                taken[row_place[stand[i]]] = True
        row[:] = top
        for i in range(count):
            for n in range(steps.shape[1]):
                target = steps[stand[i], n]
                if target != NOWHERE and not stands(at, count, places[target]):
                    base = length * rank_after(at, i, places[target], count, level, ways, advance + 1)
                    # A runner on the target is in the way.
                    met = row_place[target]
                    kept = row[met]
                    for f in range(length):
                        row[f] = min(row[f], worth[base + f])
                    if met != NOWHERE:
                        row[met] = kept
        escapes = (counts[0] or counts[1]) and mark_escapes(guards, near, room, stand, count, length, open_words, away)
        base = length * number
        for f in range(length):
            score = top - 1 if row[f] == top or (escapes and counts[1] and away[f]) else later(row[f], half)
            row[f] = top if taken[f] else score
            pursuing[base + f] = pursuer_codes[row[f]]
            if not taken[f]:
                furthest = max(furthest, top - 1 - score if score >= half else score)
        for f in range(length):
            score = -1
            for n in range(runner_steps.shape[1]):
                target = runner_steps[f, n]
                if target != NOWHERE and not taken[target]:
                    score = max(score, int(row[target]))
            score = 0 if score < 0 else top - 1 if escapes and counts[0] and away[f] else later(score, half)
            running[base + f] = runner_codes[top if taken[f] else score]
            if not taken[f]:
                furthest = max(furthest, top - 1 - score if score >= half else score)
    return furthest
