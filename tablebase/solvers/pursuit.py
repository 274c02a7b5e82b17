"""The pursuit solver: one pass over the rows of a pursuit (see `tablebase.positions.pursuit`), the last tier first.

For one placement of the pursuers, with them to move, the row of values is the minimum over the rows that their steps
lead to. With the runner to move it is, square by square, the maximum over the runner's steps within that row. So a
tier needs only the rows of the next tier, and a single pass solves it.

Values are kept as *scores* from the runner's point of view, so that minimum and maximum are single instructions on whole
rows: a loss in d plies is d, a win in d plies is top - 1 - d, and top itself stands for no move, or no position.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tablebase.positions.pursuit import NOWHERE, pursuit_of
from tablebase.positions.pursuit_arrays import GRAIN, PursuitArrays, compile_pursuit, mark_escapes, rank_after, stands, unrank
from tablebase.solvers.problem import CompiledSlice
from tablebase.system.compute.jit import inline, jit
from tablebase.system.compute.messages import reach
from tablebase.system.compute.threads import spread
from tablebase.tables.values import Codes, Coding, is_win

BLOCK = 1 << 22
"""Number of codes translated at once."""
STRETCH = 1 << 16
"""The most rows that are solved without a word about how far it is."""

Scores = NDArray[Any]


def solve(problem: CompiledSlice) -> tuple[Codes, Codes] | None:
    """Codes of both sides to move, or None if a distance does not fit the coding."""
    pursuit, coding, checkpoint = pursuit_of(problem.layout), problem.coding, problem.checkpoint
    arrays = compile_pursuit(pursuit)
    worth = _translate(problem.children, _scores(coding))
    runner_codes, pursuer_codes = _codes(coding, True), _codes(coding, False)
    codes = [np.empty(problem.layout.size, dtype=coding.dtype) for _ in (0, 1)]
    running, pursuing = codes[pursuit.runner.side], codes[pursuit.pursuer.side]
    first, longest = 0, [0]
    saved = checkpoint.load()
    if saved is not None:
        first, longest = saved.numbers["rows"], [saved.numbers["longest"]]
        saved.fill([some[: arrays.length * first] for some in codes])

    def work(begin: int, end: int) -> None:
        # Each row is written once, and read by no other.
        longest.append(_solve_rows(arrays, worth, first + begin, first + end, running, pursuing, runner_codes, pursuer_codes))

    def report(solved: int) -> None:
        rows = first + solved
        reach("solving", rows, pursuit.rows)
        if checkpoint.due():
            checkpoint.save({"rows": rows, "longest": max(longest)}, [some[: arrays.length * rows] for some in codes])

    if first < pursuit.rows:
        spread(work, pursuit.rows - first, GRAIN, STRETCH, report)
    return (codes[0], codes[1]) if max(longest) <= coding.reach else None


def _top(coding: Coding) -> int:
    """The largest score: leaves room for a loss and a win at each distance of the coding and at one ply more."""
    return 2 * coding.reach + 3


@cache
def _scores(coding: Coding) -> Scores:
    """The score of each code with the runner to move."""
    top = _top(coding)
    scores = np.full(coding.void + 1, top, dtype=np.min_scalar_type(top))
    for code in range(coding.void):
        distance = coding.value(code).distance
        if distance is not None:
            scores[code] = top - 1 - distance if is_win(code, coding.stride) else distance
    return scores


@cache
def _codes(coding: Coding, runner: bool) -> Codes:
    """The code of each score, with the runner or the pursuers to move."""
    top = _top(coding)
    codes = np.full(top + 1, coding.void, dtype=coding.dtype)
    for distance in range(coding.reach + 1):
        win, loss = (2 + coding.stride * distance, 1 + coding.stride * (distance + 1))
        codes[distance] = loss if runner else win
        codes[top - 1 - distance] = win if runner else loss
    return codes


def _translate(codes: Codes, scores: Scores) -> Scores:
    """The score of each code, computed block by block to save memory."""
    translated = np.empty(codes.shape, dtype=scores.dtype)
    for begin in range(0, len(codes), BLOCK):
        np.take(scores, codes[begin : begin + BLOCK], out=translated[begin : begin + BLOCK])
    return translated


@inline
def parent_score(score: int, half: int) -> Any:
    """The score of a position, from that of its best child: one ply more."""
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
    count, length, squares, places = arrays.pursuers, arrays.length, arrays.squares, arrays.places
    level, ways = arrays.level, arrays.ways
    advance, steps, runner_steps, row_place = arrays.advance, arrays.steps, arrays.runner_steps, arrays.row_place
    guards, near, room, counts = arrays.guards, arrays.near, arrays.room, arrays.counts
    top, half = len(runner_codes) - 1, len(runner_codes) // 2
    pursuer_squares, pursuer_places = np.zeros(count, dtype=np.int8), np.zeros(count, dtype=np.int64)
    row, occupied = np.zeros(length, dtype=worth.dtype), np.zeros(length, dtype=np.bool_)
    open_words, escaped = np.zeros(guards.shape[1], dtype=np.uint64), np.zeros(length, dtype=np.bool_)
    longest = 0
    for number in range(begin, end):
        unrank(number, count, squares, level, ways, advance, pursuer_squares, pursuer_places)
        occupied[:] = False
        for i in range(count):
            if row_place[pursuer_squares[i]] != NOWHERE:
                occupied[row_place[pursuer_squares[i]]] = True
        row[:] = top
        for i in range(count):
            for n in range(steps.shape[1]):
                target = steps[pursuer_squares[i], n]
                if target != NOWHERE and not stands(pursuer_places, count, places[target]):
                    base = length * rank_after(pursuer_places, i, places[target], count, level, ways, advance + 1)
                    # A runner on the target is in the way.
                    target_place = row_place[target]
                    before = row[target_place]
                    for f in range(length):
                        row[f] = min(row[f], worth[base + f])
                    if target_place != NOWHERE:
                        row[target_place] = before
        escapes = (counts[0] or counts[1]) and mark_escapes(guards, near, room, pursuer_squares, count, length, open_words, escaped)
        base = length * number
        for f in range(length):
            score = top - 1 if row[f] == top or (escapes and counts[1] and escaped[f]) else parent_score(row[f], half)
            row[f] = top if occupied[f] else score
            pursuing[base + f] = pursuer_codes[row[f]]
            if not occupied[f]:
                longest = max(longest, top - 1 - score if score >= half else score)
        for f in range(length):
            score = -1
            for n in range(runner_steps.shape[1]):
                target = runner_steps[f, n]
                if target != NOWHERE and not occupied[target]:
                    score = max(score, int(row[target]))
            score = 0 if score < 0 else top - 1 if escapes and counts[0] and escaped[f] else parent_score(score, half)
            running[base + f] = runner_codes[top if occupied[f] else score]
            if not occupied[f]:
                longest = max(longest, top - 1 - score if score >= half else score)
    return longest
