"""The reference solver: retrograde analysis with move counters, level by level.

It is short and obviously right rather than fast. For each index and each side to move it keeps

- `codes`: the solution so far, `DRAW` while unknown;
- `quiet`: the number of moves within the slice that are not yet known to lose;
- `outer`: the best code of the moves that leave the slice (such as captures, or those that win at once), or the code
  of a position in which the game is over; `NONE` if there is no such move.

Step 0 generates every position's moves once. Then, for d = 0, 1, 2, …:

1. positions that moves out of the slice decide at distance d get their code;
2. the moves into each position decided at d are undone: a loss makes its predecessors wins in d + 1; a win decrements
   their counters, and a predecessor with no move within the slice left and no better one out of it has lost, in d + 1
   or when the best move out of the slice loses, whichever is later.

A position with a drawing move out of the slice, or a winning one still pending, never becomes a loss.
"""

from __future__ import annotations

import numpy as np

from tablebase.compute.jit import jit
from tablebase.compute.stages import reach
from tablebase.slices.conversions import STAYS
from tablebase.solvers.compiled import CompiledSlice, Int32, SliceArrays
from tablebase.solvers.kernels import (
    EMPTY,
    blocked,
    clear,
    distance_of,
    index_of,
    is_win,
    lead_flips,
    list_moves,
    merit,
    most_moves,
    move_code,
    next_code,
    over_code,
    set_up,
)
from tablebase.tables.values import DRAW, FIRST, Codes

NONE = -1
"""In `outer`: no move leaves the slice."""


def solve(problem: CompiledSlice) -> tuple[Codes, Codes] | None:
    """Codes of both sides to move, or None if a distance does not fit the coding."""
    arrays, coding, checkpoint = problem.arrays, problem.coding, problem.checkpoint
    codes = np.full((2, arrays.size), DRAW, dtype=coding.dtype)
    # Wider than the codes: a move out of the slice may be worth more plies than they can hold.
    outer = np.full((2, arrays.size), NONE, dtype=np.int32)
    quiet = np.zeros((2, arrays.size), dtype=np.uint16)
    last, level = 0, 0
    saved = checkpoint.load()
    if saved is None:
        reach("looking up captures", 0, 2)
        for side in (0, 1):
            last = max(last, _look(arrays, side, codes[side], outer[side], quiet[side], coding.stride, coding.void))
            reach("looking up captures", side + 1, 2)
    else:
        saved.fill([codes, outer, quiet])
        last, level = saved.numbers["last"], saved.numbers["level"]
    while level <= last:
        entered = [_enter(codes[side], outer[side], quiet[side], level, coding.stride) for side in (0, 1)]
        if level > coding.reach and any(entered):
            return None
        for side in (0, 1):
            reached = _take_back(
                arrays, side, codes[side], codes[1 - side], outer[1 - side], quiet[1 - side], level, coding.stride, coding.void
            )
            if reached > coding.reach:
                return None
            last = max(last, reached)
        level += 1
        reach("solving", level)
        if checkpoint.due():
            checkpoint.save({"last": last, "level": level}, [codes, outer, quiet])
    return codes[0], codes[1]


@jit
def _look(arrays: SliceArrays, side: int, codes: Codes, outer: Int32, quiet: Codes, stride: int, void: int) -> int:
    """Step 0: generate every move of every position; return the largest distance of a move out of the slice."""
    squares, child = np.zeros(len(arrays.side), dtype=np.int8), np.zeros(len(arrays.side), dtype=np.int8)
    board = np.full(len(arrays.layouts.mirror), EMPTY, dtype=np.int8)
    most = most_moves(arrays)
    destinations, numbers = np.zeros(most, dtype=np.int32), np.zeros(most, dtype=np.int64)
    layouts, offset, children = arrays.layouts, arrays.offset, arrays.children
    last = 0
    for number in range(arrays.size):
        if not set_up(layouts, number, squares, board):
            codes[number] = void
            continue
        moves = list_moves(arrays, side, squares, board, False, destinations, numbers, child)
        over = over_code(arrays, side, moves, squares, stride)
        clear(squares, board)
        best = over
        if over == NONE:
            for move in range(moves):
                if destinations[move] == STAYS:
                    quiet[number] += 1
                    continue
                code = move_code(destinations[move], numbers[move], offset, children, stride)
                if best == NONE or merit(code, stride) > merit(best, stride):
                    best = code
        outer[number] = best
        if best >= FIRST:
            last = max(last, distance_of(best, stride))
        elif over != NONE:
            codes[number] = over
    return last


@jit
def _enter(codes: Codes, outer: Int32, quiet: Codes, level: int, stride: int) -> int:
    """Step 1: decide undecided positions by their moves out of the slice; return how many are decided at this level."""
    entered = 0
    for number in range(len(codes)):
        code = outer[number]
        if codes[number] == DRAW and code >= FIRST and distance_of(code, stride) == level:
            if is_win(code, stride) or quiet[number] == 0:
                codes[number] = code
                entered += 1
    return entered


@jit
def _take_back(
    arrays: SliceArrays, side: int, codes: Codes, parents: Codes, outer: Int32, quiet: Codes, level: int, stride: int, void: int
) -> int:
    """Step 2: undo the moves into every position decided at this level; return the largest distance assigned."""
    index = arrays.layouts
    owner, back_begin, back_origin, back_step = arrays.side, arrays.back_begin, arrays.back_origin, arrays.back_step
    block, blockers, lead_fixed = arrays.step_block, arrays.blockers, index.lead_fixed
    slots = len(owner)
    squares = np.zeros(slots, dtype=np.int8)
    board = np.full(len(index.mirror), EMPTY, dtype=np.int8)
    run = arrays.size // index.radix[0, 0]
    last = 0
    for number in range(arrays.size):
        code = codes[number]
        if code < FIRST or code == void or distance_of(code, stride) != level:
            continue
        after = next_code(code, stride)
        fixed = lead_fixed[0, number // run]
        set_up(index, number, squares, board)
        for slot in range(slots):
            if owner[slot] == side:
                continue
            square = squares[slot]
            for back in range(back_begin[slot, square], back_begin[slot, square + 1]):
                origin = back_origin[back]
                if board[origin] != EMPTY or blocked(block, blockers, back_step[back], board):
                    continue
                squares[slot] = origin
                if fixed and lead_flips(index, squares):
                    # Both images of this position are numbered; the other one undoes this step.
                    continue
                parent = index_of(index, 0, squares, False)
                last = max(last, _update_parent(parents, outer, quiet, parent, after, level, stride))
                if not fixed and lead_fixed[0, parent // run]:
                    # Both images of the parent are numbered, and both lead to this position.
                    parent = index_of(index, 0, squares, True)
                    last = max(last, _update_parent(parents, outer, quiet, parent, after, level, stride))
            squares[slot] = square
        clear(squares, board)
    return last


@jit
def _update_parent(parents: Codes, outer: Int32, quiet: Codes, parent: int, after: int, level: int, stride: int) -> int:
    """Record that one move of a parent is worth `after`; return the distance of the parent if this decides it, else 0."""
    if parents[parent] != DRAW:
        return 0
    if is_win(after, stride):
        parents[parent] = after
        return level + 1
    quiet[parent] -= 1
    if quiet[parent] > 0:
        return 0
    best = outer[parent]
    if best == NONE or (best >= FIRST and not is_win(best, stride) and distance_of(best, stride) <= level + 1):
        parents[parent] = after
        return level + 1
    return 0
