"""The chase engine: one pass over the rows of a chase (see `tablebase.chase`), the last tier first.

For one placement of the chasers, with them to move, the row of values is the minimum over the rows that their steps
lead to; with the runner to move it is, square by square, the maximum over the runner's steps within the row just
found. So a tier takes rows of the next tier in, gives its own out, and is never looked at again.

Values are kept as *scores* as the runner sees them, so that minimum and maximum are single instructions on whole
rows: a loss in d plies is d, a win in d plies is top - 1 - d, and top itself stands for no move, or no position.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.chase import NOWHERE, Chase
from tablebase.engine.compiled import Bool, CompiledSlice, Int8, Int64
from tablebase.engine.jit import inline, jit
from tablebase.exits import STAYS
from tablebase.threads import spread
from tablebase.values import Codes, Coding, is_win

GRAIN = 256
"""Rows that are not worth another thread."""
BLOCK = 1 << 22
"""Codes translated at once."""
FIRST_EXIT = STAYS + 1

Scores = NDArray[Any]
Words = NDArray[np.uint64]


class ChaseArrays(NamedTuple):
    """A chase as kernels read it; S squares, N the most steps, K chasers, W words for a set of squares."""

    chasers: int  # K
    length: int  # squares of a row
    squares: Int8  # (chaser places,) squares of the chasers by place
    places: Int64  # (S,) and back
    level: Int64  # (chaser places,)
    ways: Int64  # (K + 1, chaser places + 1, advances) the table W of `tablebase.choices`
    advance: int
    steps: Int8  # (S, N) of a chaser
    runner_steps: Int8  # (length, N) from place to place in a row
    row_place: Int64  # (S,) place in a row
    guards: Words  # (S, W) squares that a chaser guards, as bits of places in a row
    near: Words  # (length, W) places a step away
    room: bool
    counts: Bool  # (2,) whether an escape counts with the runner to move, with the chasers to move


def solve(problem: CompiledSlice) -> tuple[Codes, Codes] | None:
    """Codes of both sides to move, or None if a distance does not fit the coding."""
    chase, coding = Chase(problem.layout), problem.coding
    arrays = compile_chase(chase)
    worth = _translate(problem.arrays.children, _scores(coding))
    codes = [np.empty(problem.layout.size, dtype=coding.dtype) for _ in (0, 1)]
    running, chasing = codes[chase.runner.side], codes[chase.chaser.side]
    furthest = spread(
        lambda begin, end: _solve_rows(arrays, worth, begin, end, running, chasing, _codes(coding, True), _codes(coding, False)),
        chase.rows,
        GRAIN,
    )
    return (codes[0], codes[1]) if max(furthest) <= coding.reach else None


def compile_chase(chase: Chase) -> ChaseArrays:
    """The arrays of a chase."""
    group, game = chase.own.groups[0], chase.own.game
    row_place = chase.runner_places
    targets = chase.targets(chase.runner)[list(chase.runner.squares)]
    steps = np.where(targets == NOWHERE, NOWHERE, row_place[targets]).astype(np.int8)
    near = np.zeros((chase.length, len(game.board)), dtype=bool)
    for place, some in enumerate(chase.targets(chase.runner)[list(chase.runner.squares)]):
        near[place, some[some != NOWHERE]] = True
    home = list(chase.runner.squares)
    return ChaseArrays(
        chasers=len(group.slots),
        length=chase.length,
        squares=np.array(group.squares, dtype=np.int8),
        places=np.array([group.places.get(square, NOWHERE) for square in range(len(game.board))], dtype=np.int64),
        level=np.array(group.choices.levels, dtype=np.int64),
        ways=group.choices.ways,
        advance=group.choices.advance,
        steps=chase.targets(chase.chaser),
        runner_steps=steps,
        row_place=row_place,
        guards=_words(chase.guards[:, home]),
        near=_words(near[:, home]),
        room=chase.needs_room,
        counts=np.array([chase.escape_counts(kind.side) for kind in (chase.runner, chase.chaser)]),
    )


def _words(flags: Bool) -> Words:
    """The rows of a matrix as bits of words, shape (rows, words)."""
    words = -(-flags.shape[1] // 64)
    padded = np.zeros((len(flags), 64 * words), dtype=np.uint64)
    padded[:, : flags.shape[1]] = flags
    bits = np.uint64(1) << np.arange(64, dtype=np.uint64)
    found: Words = (padded.reshape(len(flags), words, 64) * bits).sum(axis=2, dtype=np.uint64)
    return found


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
    """The code of each score, the runner or the chasers to move."""
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


@inline
def unrank(number: int, count: int, squares: Int8, level: Int64, ways: Int64, advance: int, found: Int8, places: Int64) -> None:
    """Squares and places of the chasers of a row, ascending by place."""
    place, left = len(squares), advance
    for j in range(count, 0, -1):
        while ways[j, place, left] > number:
            place -= 1
        number -= ways[j, place, left]
        left -= level[place]
        places[j - 1] = place
        found[j - 1] = squares[place]


@inline
def rank_after(places: Int64, mover: int, target: int, count: int, level: Int64, ways: Int64, advance: int) -> Any:
    """Number of the row that is reached when a chaser goes to another place, in a tier of that advance."""
    number, left, done = np.int64(0), advance, False
    rest = count - 1
    for j in range(count, 0, -1):
        if rest == mover:
            rest -= 1
        if not done and (rest < 0 or places[rest] < target):
            place = np.int64(target)
            done = True
        else:
            place = places[rest]
            rest -= 1
        number += ways[j, place, left]
        left -= level[place]
    return number


@inline
def stands(places: Int64, count: int, place: int) -> bool:
    """Whether a chaser stands on a place."""
    for i in range(count):
        if places[i] == place:
            return True
    return False


@inline
def mark_escapes(
    guards: Words, near: Words, room: bool, squares: Int8, count: int, length: int, open_words: Words, away: Bool
) -> bool:
    """Where in a row the runner has got away; False if nowhere, and then `away` is not touched."""
    words = guards.shape[1]
    any_open = False
    for w in range(words):
        guarded = np.uint64(0)
        for i in range(count):
            guarded |= guards[squares[i], w]
        open_words[w] = ~guarded
        any_open = any_open or (w < words - 1 and guarded != ~np.uint64(0))
    spare = np.uint64(64 * words - length)
    any_open = any_open or (open_words[words - 1] << spare) != np.uint64(0)
    if not any_open:
        return False
    for place in range(length):
        away[place] = (open_words[place >> 6] >> np.uint64(place & 63)) & np.uint64(1) != np.uint64(0)
        if away[place] and room:
            beside = np.uint64(0)
            for w in range(words):
                beside |= near[place, w] & open_words[w]
            away[place] = beside != np.uint64(0)
    return True


@jit
def _solve_rows(
    arrays: ChaseArrays, worth: Scores, begin: int, end: int, running: Codes, chasing: Codes, run_codes: Codes, chase_codes: Codes
) -> int:
    """Solve these rows with either side to move; the largest distance."""
    count, length, squares, places, level, ways = (
        arrays.chasers,
        arrays.length,
        arrays.squares,
        arrays.places,
        arrays.level,
        arrays.ways,
    )
    advance, steps, runner_steps, row_place = arrays.advance, arrays.steps, arrays.runner_steps, arrays.row_place
    guards, near, room, counts = arrays.guards, arrays.near, arrays.room, arrays.counts
    top, half = len(run_codes) - 1, len(run_codes) // 2
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
            chasing[base + f] = chase_codes[row[f]]
            if not taken[f]:
                furthest = max(furthest, top - 1 - score if score >= half else score)
        for f in range(length):
            score = -1
            for n in range(runner_steps.shape[1]):
                target = runner_steps[f, n]
                if target != NOWHERE and not taken[target]:
                    score = max(score, int(row[target]))
            score = 0 if score < 0 else top - 1 if escapes and counts[0] and away[f] else later(score, half)
            running[base + f] = run_codes[top if taken[f] else score]
            if not taken[f]:
                furthest = max(furthest, top - 1 - score if score >= half else score)
    return furthest
