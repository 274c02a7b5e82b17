"""The sweep engine: for each distance look at every position, as the Dou Shou Qi paper describes.

It only ever moves forward and shares no bookkeeping with the reference engine, which makes it the
second opinion and the baseline. At distance d an undecided position becomes

- a win if some move leads to a loss in d - 1 or captures into one;
- a loss if every move is known to lead to a win of the other side, the longest in d - 1.

It ends when a distance changes nothing and no capture decides later than that.
"""

from __future__ import annotations

import numpy as np

from tablebase.engine.compiled import CompiledSlice, SliceArrays
from tablebase.engine.jit import jit
from tablebase.engine.kernels import (
    EMPTY,
    blocked,
    capture_code,
    clear,
    distance_of,
    index_of,
    is_win,
    loss_code,
    next_code,
    set_up,
    win_code,
)
from tablebase.values import DRAW, FIRST, Codes


def solve(problem: CompiledSlice) -> tuple[Codes, Codes] | None:
    """Codes of both sides to move, or None if a distance does not fit the coding."""
    arrays, coding = problem.arrays, problem.coding
    codes = np.full((2, arrays.size), DRAW, dtype=coding.dtype)
    decided = arrays.children[(arrays.children >= FIRST) & (arrays.children < coding.void)]
    last_capture = 1 + (distance_of(int(decided.max()), coding.stride) if len(decided) else 0)
    for side in (0, 1):
        _mark(arrays, side, codes[side], coding.void)
    level = 1
    changed = 1
    while changed or level <= last_capture + 1:
        changed = 0
        for side in (0, 1):
            changed += _sweep(arrays, side, codes[side], codes[1 - side], level, coding.stride)
        if changed and level > coding.reach:
            return None
        level += 1
    return codes[0], codes[1]


@jit
def _mark(arrays: SliceArrays, side: int, codes: Codes, void: int) -> None:
    """Void indices and positions without a move."""
    squares = np.zeros(len(arrays.side), dtype=np.int8)
    board = np.full(len(arrays.layouts.mirror), EMPTY, dtype=np.int8)
    for number in range(arrays.size):
        if not set_up(arrays.layouts, number, squares, board):
            codes[number] = void
            continue
        if not _can_move(arrays, side, squares, board):
            codes[number] = arrays.no_move
        clear(squares, board)


@jit
def _can_move(arrays: SliceArrays, side: int, squares: Codes, board: Codes) -> bool:
    for slot in range(len(arrays.side)):
        if arrays.side[slot] == side:
            square = squares[slot]
            for step in range(arrays.step_begin[slot, square], arrays.step_begin[slot, square + 1]):
                victim = board[arrays.step_target[step]]
                if not blocked(arrays, step, board):
                    if arrays.step_quiet[step] if victim == EMPTY else (arrays.step_victims[step] >> victim) & 1:
                        return True
    return False


@jit
def _sweep(arrays: SliceArrays, side: int, codes: Codes, others: Codes, level: int, stride: int) -> int:
    """One distance; how many positions it decided."""
    slots = len(arrays.side)
    squares, child = np.zeros(slots, dtype=np.int8), np.zeros(slots, dtype=np.int8)
    board = np.full(len(arrays.layouts.mirror), EMPTY, dtype=np.int8)
    changed = 0
    for number in range(arrays.size):
        if codes[number] != DRAW:
            continue
        set_up(arrays.layouts, number, squares, board)
        code = _decide(arrays, side, others, squares, board, child, level, stride)
        clear(squares, board)
        if code != DRAW:
            codes[number] = code
            changed += 1
    return changed


@jit
def _decide(
    arrays: SliceArrays, side: int, others: Codes, squares: Codes, board: Codes, child: Codes, level: int, stride: int
) -> int:
    """The code of a position if it is decided at this level, else `DRAW`."""
    lost = True
    for slot in range(len(arrays.side)):
        if arrays.side[slot] != side:
            continue
        square = squares[slot]
        for step in range(arrays.step_begin[slot, square], arrays.step_begin[slot, square + 1]):
            target = arrays.step_target[step]
            victim = board[target]
            if blocked(arrays, step, board):
                continue
            if victim == EMPTY:
                if not arrays.step_quiet[step]:
                    continue
                if arrays.step_wins[step]:
                    code = win_code(1, stride)
                else:
                    squares[slot] = target
                    code = next_code(others[index_of(arrays.layouts, 0, squares, False)], stride)
                    squares[slot] = square
            elif not (arrays.step_victims[step] >> victim) & 1:
                continue
            elif arrays.step_wins[step]:
                code = win_code(1, stride)
            else:
                code = capture_code(arrays, slot, target, victim, squares, child, stride)
            known = code >= FIRST and distance_of(code, stride) <= level
            if known and is_win(code, stride):
                return code
            lost = lost and known
    return loss_code(level, stride) if lost else DRAW
