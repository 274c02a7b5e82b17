"""The sweep solver: one pass over all positions for each distance, as the Dou Shou Qi paper describes.

It only generates forward moves and shares no bookkeeping with the reference solver, which makes it an independent
check and a baseline. At distance d an undecided position becomes

- a win if some move leads to a loss in d - 1, within the slice or out of it;
- a loss if every move is known to lead to a win of the other side, the longest in d - 1.

It stops when a distance changes nothing and no conversion can decide a later one.
"""

from __future__ import annotations

import numpy as np

from tablebase.compute.jit import jit
from tablebase.compute.stages import reach
from tablebase.slices.conversions import STAYS
from tablebase.solvers.compiled import NOBODY, CompiledSlice, Int32, Int64, SliceArrays
from tablebase.solvers.kernels import (
    EMPTY,
    clear,
    distance_of,
    is_win,
    list_moves,
    loss_code,
    most_moves,
    move_code,
    next_code,
    over_code,
    set_up,
)
from tablebase.tables.values import DRAW, FIRST, Codes


def solve(problem: CompiledSlice) -> tuple[Codes, Codes] | None:
    """Codes of both sides to move, or None if a distance does not fit the coding."""
    arrays, coding, checkpoint = problem.arrays, problem.coding, problem.checkpoint
    codes = np.full((2, arrays.size), DRAW, dtype=coding.dtype)
    decided = arrays.children[(arrays.children >= FIRST) & (arrays.children < coding.void)]
    last_conversion = 1 + (distance_of(int(decided.max()), coding.stride) if len(decided) else 0)
    level = 1
    changed = 1
    saved = checkpoint.load()
    if saved is None:
        for side in (0, 1):
            _mark(arrays, side, codes[side], coding.void, coding.stride)
    else:
        saved.fill([codes])
        level, changed = saved.numbers["level"], saved.numbers["changed"]
    while changed or level <= last_conversion + 1:
        changed = 0
        for side in (0, 1):
            changed += _sweep(arrays, side, codes[side], codes[1 - side], level, coding.stride)
        if changed and level > coding.reach:
            return None
        reach("solving", level)
        level += 1
        if checkpoint.due():
            checkpoint.save({"level": level, "changed": changed}, [codes])
    return codes[0], codes[1]


@jit
def _mark(arrays: SliceArrays, side: int, codes: Codes, void: int, stride: int) -> None:
    """Set the codes of void indices and of positions in which the game is over."""
    squares, child = np.zeros(len(arrays.side), dtype=np.int8), np.zeros(len(arrays.side), dtype=np.int8)
    board = np.full(len(arrays.layouts.mirror), EMPTY, dtype=np.int8)
    most = most_moves(arrays)
    destinations, numbers = np.zeros(most, dtype=np.int32), np.zeros(most, dtype=np.int64)
    for number in range(arrays.size):
        if not set_up(arrays.layouts, number, squares, board):
            codes[number] = void
            continue
        moves = list_moves(arrays, side, squares, board, False, destinations, numbers, child)
        over = over_code(arrays, side, moves, squares, stride)
        if over != NOBODY:
            codes[number] = over
        clear(squares, board)


@jit
def _sweep(arrays: SliceArrays, side: int, codes: Codes, others: Codes, level: int, stride: int) -> int:
    """Decide all positions of one distance; return how many there are."""
    squares, child = np.zeros(len(arrays.side), dtype=np.int8), np.zeros(len(arrays.side), dtype=np.int8)
    board = np.full(len(arrays.layouts.mirror), EMPTY, dtype=np.int8)
    most = most_moves(arrays)
    destinations, numbers = np.zeros(most, dtype=np.int32), np.zeros(most, dtype=np.int64)
    offset, children = arrays.offset, arrays.children
    changed = 0
    for number in range(arrays.size):
        if codes[number] != DRAW:
            continue
        set_up(arrays.layouts, number, squares, board)
        moves = list_moves(arrays, side, squares, board, True, destinations, numbers, child)
        clear(squares, board)
        code = _decide(moves, destinations, numbers, others, offset, children, level, stride)
        if code != DRAW:
            codes[number] = code
            changed += 1
    return changed


@jit
def _decide(
    moves: int, destinations: Int32, numbers: Int64, others: Codes, offset: Int64, children: Codes, level: int, stride: int
) -> int:
    """The code of a position with these moves if this level decides it, else `DRAW`."""
    lost = True
    for move in range(moves):
        if destinations[move] == STAYS:
            code = next_code(others[numbers[move]], stride)
        else:
            code = move_code(destinations[move], numbers[move], offset, children, stride)
        known = code >= FIRST and distance_of(code, stride) <= level
        if known and is_win(code, stride):
            return code
        lost = lost and known
    return loss_code(level, stride) if lost else DRAW
