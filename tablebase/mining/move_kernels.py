"""Kernels for the moves of many positions of one slice: what they are, what they are worth, and which is right."""

from __future__ import annotations

import numpy as np

from tablebase import values
from tablebase.compute.jit import inline, jit
from tablebase.slices.conversions import ENDS, ILLEGAL
from tablebase.solvers.compiled import Int8, Int32, Int64, SliceArrays
from tablebase.solvers.kernels import EMPTY, blocked, clear, has_escaped, index_of

NONE = -1
"""No move, or no captured slot."""
UNDECIDED = -2
"""Instead of the only move: a move of unknown value may keep the outcome as well."""
UNKNOWN = np.iinfo(np.uint16).max
"""The code of a move whose value is unknown; all codes here are in the coding `tablebase.values.FULL`."""
STRIDE = 2

is_win = inline(values.is_win)
is_loss = inline(values.is_loss)
merit = inline(values.merit)


@jit
def list_moves(
    arrays: SliceArrays,
    twin: Int32,
    side: int,
    squares: Int8,
    begin: Int64,
    steps: Int32,
    victims: Int8,
    destinations: Int32,
    numbers: Int64,
) -> int:
    """List the moves of positions, one after another, and return how many there are.

    Parameters
    ----------
    arrays : SliceArrays
        With layout 0 and child 0 of the table that holds the other side to move.
    twin : ndarray of int32, shape (steps,)
        An earlier step between the same squares, which is the same move; `NONE` if there is none.
    side : int
        The side to move.
    squares : ndarray of int8, shape (positions, slots)
    begin : ndarray of int64, shape (positions + 1,)
        Output: the moves of position i are ``begin[i]:begin[i + 1]``.
    steps : ndarray of int32
        Output: the step of each move.
    victims : ndarray of int8
        Output: the captured slot, or `NONE`.
    destinations : ndarray of int32
        Output: where it leads, the number of a conversion, `STAYS` or `ENDS`.
    numbers : ndarray of int64
        Output: the index there; 0 for a move that ends the game.
    """
    step_begin, step_target, step_destination, owner = arrays.step_begin, arrays.step_target, arrays.step_destination, arrays.side
    block, blockers, child_slot, child_square = arrays.step_block, arrays.blockers, arrays.child_slot, arrays.child_square
    layouts, child_slots, escape = arrays.layouts, arrays.child_slots, arrays.escape
    board = np.full(child_square.shape[1], EMPTY, dtype=np.int8)
    child = np.empty(len(owner), dtype=np.int8)
    placed = np.empty(len(owner), dtype=np.int8)
    count = 0
    for row in range(len(squares)):
        begin[row] = count
        for slot in range(len(owner)):
            placed[slot] = squares[row, slot]
            board[placed[slot]] = slot
        if not has_escaped(escape, step_begin, step_target, side, placed):
            for slot in range(len(owner)):
                if owner[slot] != side:
                    continue
                origin, first = placed[slot], count
                for step in range(step_begin[slot, origin], step_begin[slot, origin + 1]):
                    target = step_target[step]
                    victim = board[target]
                    destination = step_destination[step, victim + 1]
                    if destination == ILLEGAL or blocked(block, blockers, step, board):
                        continue
                    if twin[step] != NONE and _listed(step_target, steps, first, count, target):
                        continue
                    numbers[count] = 0
                    if destination != ENDS:
                        for i in range(child_slots[destination]):
                            source = child_slot[destination, i]
                            child[i] = child_square[destination, target if source == slot else placed[source]]
                        numbers[count] = index_of(layouts, destination, child[: child_slots[destination]], False)
                    steps[count] = step
                    victims[count] = victim
                    destinations[count] = destination
                    count += 1
        clear(placed, board)
    begin[len(squares)] = count
    return count


@inline
def _listed(step_target: Int8, steps: Int32, first: int, count: int, target: int) -> bool:
    """Whether one of these moves leads to a square."""
    for move in range(first, count):
        if step_target[steps[move]] == target:
            return True
    return False


@jit
def look_up(destinations: Int32, numbers: Int64, wanted: int, codes: values.Codes, worth: values.Codes, out: values.Codes) -> None:
    """Set what moves to one destination are worth, given the codes there, and what a move to each code is worth."""
    for move in range(len(destinations)):
        if destinations[move] == wanted:
            out[move] = worth[codes[numbers[move]]]


@jit
def judge(
    begin: Int64,
    rows: Int64,
    steps: Int32,
    worth: values.Codes,
    positions: values.Codes,
    order: Int32,
    wins: Int8,
    draws: Int8,
    losses: Int8,
    best: Int32,
    only: Int32,
) -> None:
    """Count the moves of positions by outcome, and find the best and the only one.

    Parameters
    ----------
    begin, steps : ndarray
        As `list_moves` leaves them.
    rows : ndarray of int64, shape (positions,)
        The numbers of the positions in `begin`.
    worth : ndarray of uint16, shape (moves,)
        The value of each move, or `UNKNOWN`.
    positions : ndarray of uint16, shape (positions,)
        The value of each position.
    order : ndarray of int32, shape (steps,)
        Of moves with the same value, that with the lowest number counts as better.
    wins, draws, losses : ndarray of int16, shape (positions,)
        Output: the number of moves with each outcome, `NONE` in all three if some value is unknown.
    best : ndarray of int32, shape (positions,)
        Output: the step of the best move; `NONE` without a move that is worth as much as the position.
    only : ndarray of int32, shape (positions,)
        Output: the step of the only move that keeps the outcome, `NONE` or `UNDECIDED`.
    """
    for place in range(len(rows)):
        counts = np.zeros(3, dtype=np.int64)
        value = np.int64(positions[place])
        wanted = _outcome(value)
        known, best_merit = True, np.int64(0)
        best[place], only[place] = NONE, NONE
        for move in range(begin[rows[place]], begin[rows[place] + 1]):
            step, code = steps[move], np.int64(worth[move])
            if code == UNKNOWN:
                known = False
                continue
            outcome = _outcome(code)
            counts[outcome] += 1
            if outcome == wanted:
                only[place] = step
            its_merit = merit(code, STRIDE)
            found = best[place]
            if found == NONE or its_merit > best_merit or (its_merit == best_merit and order[step] < order[found]):
                best[place], best_merit = step, its_merit
        if best[place] != NONE and best_merit != merit(value, STRIDE):
            best[place] = NONE
        if counts[wanted] > 1:
            only[place] = NONE
        elif not known:
            only[place] = UNDECIDED
        wins[place], draws[place], losses[place] = (counts[0], counts[1], counts[2]) if known else (NONE, NONE, NONE)


@inline
def _outcome(code: int) -> int:
    """0 for a win, 1 for a draw, 2 for a loss."""
    if is_win(code, STRIDE):
        return 0
    return 2 if is_loss(code, STRIDE) else 1
