"""The compiled move generator for many positions of one slice; `tablebase.slices.move_lists` calls it.

Its twins are `tablebase.game.moves` and `tablebase.slices.movegen`.
"""

from __future__ import annotations

import numpy as np

from tablebase.compute.jit import inline, jit
from tablebase.slices.conversions import ENDS, ILLEGAL
from tablebase.slices.index_arrays import IndexArrays, IndexTerms
from tablebase.slices.index_kernels import index_of
from tablebase.slices.slice_arrays import NOBODY, Bool, EscapeArrays, Int8, Int32, Int64, SliceArrays

EMPTY = -1
"""In a board array: no slot stands on the square."""
NONE = -1
"""No earlier step, or no captured slot."""


@jit
def list_moves(
    arrays: SliceArrays,
    layouts: IndexArrays,
    child_slots: Int64,
    terms_of: IndexTerms,
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
        With child 0 for the table that holds the other side to move.
    layouts : IndexArrays
        Of the table that holds the other side to move, and of each child.
    child_slots : ndarray of int64
        Number of slots of each of them.
    terms_of : IndexTerms
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
    escape = arrays.escape
    add_up, lead, flips, terms = terms_of.add_up, terms_of.lead, terms_of.flips, terms_of.terms
    may_escape = escape.runner != NOBODY
    board = np.full(child_square.shape[1], EMPTY, dtype=np.int8)
    child = np.empty(len(owner), dtype=np.int8)
    placed = np.empty(len(owner), dtype=np.int8)
    count = 0
    for row in range(len(squares)):
        begin[row] = count
        for slot in range(len(owner)):
            placed[slot] = squares[row, slot]
            board[placed[slot]] = slot
        if not may_escape or not has_escaped(escape, step_begin, step_target, side, placed):
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
                    if destination == ENDS:
                        numbers[count] = 0
                    elif add_up[destination]:
                        leading = lead[destination]
                        flip = np.int64(flips[destination, target if leading == slot else placed[leading]])
                        number = terms[destination, flip, slot, target]
                        for other in range(len(owner)):
                            # A captured piece adds nothing to the index of the child.
                            if other != slot:
                                number += terms[destination, flip, other, placed[other]]
                        numbers[count] = number
                    else:
                        for i in range(child_slots[destination]):
                            source = child_slot[destination, i]
                            child[i] = child_square[destination, target if source == slot else placed[source]]
                        numbers[count] = index_of(layouts, destination, child[: child_slots[destination]])
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


@inline
def clear(squares: Int8, board: Int8) -> None:
    """Take all pieces off the board."""
    for slot in range(len(squares)):
        board[squares[slot]] = EMPTY


@inline
def blocked(begin: Int32, blockers: Int8, step: int, board: Int8) -> bool:
    """Whether a piece stands on a square that the step needs empty."""
    for i in range(begin[step], begin[step + 1]):
        if board[blockers[i]] != EMPTY:
            return True
    return False


@inline
def _unguarded(guards: Bool, squares: Int8, square: int) -> bool:
    for slot in range(len(squares)):
        if guards[slot, squares[slot], square]:
            return False
    return True


@jit
def has_escaped(escape: EscapeArrays, step_begin: Int32, step_target: Int8, side: int, squares: Int8) -> bool:
    """Whether the runner has escaped; the twin of `tablebase.game.moves.has_escaped`."""
    runner, guards = escape.runner, escape.guards
    if runner == NOBODY or not escape.counts[side] or not _unguarded(guards, squares, squares[runner]):
        return False
    if not escape.room:
        return True
    for step in range(step_begin[runner, squares[runner]], step_begin[runner, squares[runner] + 1]):
        if _unguarded(guards, squares, step_target[step]):
            return True
    return False
