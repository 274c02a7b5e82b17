"""Kernels that engines share: index <-> squares, and single steps.

The pure-Python twins are `Layout.index`, `Layout.squares` and `tablebase.moves`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tablebase import values
from tablebase.engine.compiled import IndexArrays, Int8, SliceArrays
from tablebase.engine.jit import inline, jit

EMPTY = -1
"""In a board array: no slot stands here."""

win_code = inline(values.win_code)
loss_code = inline(values.loss_code)
distance_of = inline(values.distance_of)
is_win = inline(values.is_win)
next_code = inline(values.next_code)
merit = inline(values.merit)


@inline
def _digit(index: IndexArrays, which: int, group: int, squares: Int8, flip: bool) -> Any:
    """Placement number of one group, the board mirrored first if `flip`."""
    first, last = index.first[which, group], index.first[which, group + 1] - 1
    if first == last:
        square = squares[first]
        return index.place[which, group, index.mirror[square] if flip else square]
    number = 0
    for slot in range(first, last + 1):
        square = index.mirror[squares[slot]] if flip else squares[slot]
        place = index.place[which, group, square]
        below = 0
        for other in range(first, last + 1):
            square = index.mirror[squares[other]] if flip else squares[other]
            below += index.place[which, group, square] < place
        number += index.choose[place, below + 1]
    return number


@jit
def index_of(index: IndexArrays, which: int, squares: Int8, flip_fixed: bool) -> Any:
    """Index of a position in layout `which`.

    Parameters
    ----------
    index : IndexArrays
    which : int
    squares : ndarray of int8
        Square of each slot of that layout.
    flip_fixed : bool
        For a lead that is its own mirror image: number the mirrored position instead.
    """
    rank = _digit(index, which, 0, squares, False)
    flip = index.lead_flip[which, rank] or flip_fixed
    number = np.int64(index.lead_digit[which, rank])
    for group in range(1, index.groups[which]):
        number = number * index.radix[which, group] + _digit(index, which, group, squares, flip)
    return number


@inline
def lead_flips(index: IndexArrays, squares: Int8) -> Any:
    """Whether layout 0 numbers the mirror image of this position instead."""
    return index.lead_flip[0, _digit(index, 0, 0, squares, False)]


@jit
def set_up(index: IndexArrays, number: int, squares: Int8, board: Int8) -> bool:
    """Put the pieces of a position of layout 0 on the board; False, and an empty board, if it is void.

    Parameters
    ----------
    index : IndexArrays
    number : int
    squares : ndarray of int8
        Gets the square of each slot.
    board : ndarray of int8
        Slot on each square; must be all `EMPTY`. `clear` empties it again.
    """
    for group in range(index.groups[0] - 1, -1, -1):
        digit = number % index.radix[0, group]
        number //= index.radix[0, group]
        first, last = index.first[0, group], index.first[0, group + 1] - 1
        if group == 0:
            digit = index.lead_rank[0, digit]
        if first == last:
            squares[first] = index.square[0, group, digit]
            continue
        place = index.choose.shape[0] - 1
        for slot in range(last, first - 1, -1):
            while index.choose[place, slot - first + 1] > digit:
                place -= 1
            digit -= index.choose[place, slot - first + 1]
            squares[slot] = index.square[0, group, place]
    for slot in range(len(squares)):
        if board[squares[slot]] != EMPTY:
            for placed in range(slot):
                board[squares[placed]] = EMPTY
            return False
        board[squares[slot]] = slot
    return True


@inline
def clear(squares: Int8, board: Int8) -> None:
    """Take all pieces off the board."""
    for slot in range(len(squares)):
        board[squares[slot]] = EMPTY


@inline
def blocked(arrays: SliceArrays, step: int, board: Int8) -> bool:
    """Whether a piece stands on a square that the step needs empty."""
    for i in range(arrays.step_block[step], arrays.step_block[step + 1]):
        if board[arrays.blockers[i]] != EMPTY:
            return True
    return False


@jit
def capture_code(arrays: SliceArrays, slot: int, target: int, victim: int, squares: Int8, child: Int8, stride: int) -> int:
    """What capturing is worth to the capturer, from the child's table.

    Parameters
    ----------
    slot, target, victim : int
        The capturing slot, where it lands, the slot that stands there.
    squares : ndarray of int8
        Square of each slot before the capture.
    child : ndarray of int8
        Scratch, one entry a slot of the child.
    """
    if arrays.offset[victim] < 0:
        return win_code(1, stride)
    for i in range(len(squares) - 1):
        source = arrays.child_slot[victim, i]
        square = target if source == slot else squares[source]
        child[i] = arrays.child_square[victim, square]
    number = index_of(arrays.layouts, victim + 1, child, False)
    return next_code(arrays.children[arrays.offset[victim] + number], stride)
