"""Kernels that the solvers share: index <-> squares, and move generation.

The pure-Python twins are `Layout.index`, `Layout.squares` and `tablebase.game.moves`. Arrays are unpacked from their named
tuples before any loop, because inside a loop each access costs Numba a reference count.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tablebase.compute.jit import inline, jit
from tablebase.slices.conversions import ENDS, ILLEGAL, STAYS
from tablebase.solvers.compiled import NOBODY, Bool, EscapeArrays, IndexArrays, Int8, Int32, Int64, SliceArrays
from tablebase.tables import values

EMPTY = -1
"""In a board array: no slot stands on the square."""

win_code = inline(values.win_code)
loss_code = inline(values.loss_code)
distance_of = inline(values.distance_of)
is_win = inline(values.is_win)
next_code = inline(values.next_code)
merit = inline(values.merit)


@inline
def _digit(
    first: int, last: int, place_of: Int32, level: Int64, advance: int, ways: Int64, mirror: Int8, squares: Int8, flip: bool
) -> Any:
    """Placement number of the group of slots first … last; the board is mirrored first if `flip`."""
    if first == last:
        square = squares[first]
        return np.int64(place_of[mirror[square] if flip else square])
    number, left, bound = np.int64(0), advance, np.int64(len(place_of))
    for j in range(last - first + 1, 0, -1):
        # The largest place not yet counted.
        largest = np.int64(-1)
        for slot in range(first, last + 1):
            square = mirror[squares[slot]] if flip else squares[slot]
            place = np.int64(place_of[square])
            if largest < place < bound:
                largest = place
        number += ways[j, largest, left]
        left -= level[largest]
        bound = largest
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
        For a lead that is its own mirror image: whether to number the mirrored position instead.
    """
    first, radix, place, level, ways = index.first, index.radix, index.place, index.level, index.ways
    advance, mirror = index.advance, index.mirror
    rank = _digit(
        first[which, 0],
        first[which, 1] - 1,
        place[which, 0],
        level[which, 0],
        advance[which, 0],
        ways[which, 0],
        mirror,
        squares,
        False,
    )
    flip = index.lead_flip[which, rank] or flip_fixed
    number = np.int64(index.lead_digit[which, rank])
    for g in range(1, index.groups[which]):
        number = number * radix[which, g] + _digit(
            first[which, g],
            first[which, g + 1] - 1,
            place[which, g],
            level[which, g],
            advance[which, g],
            ways[which, g],
            mirror,
            squares,
            flip,
        )
    return number


@inline
def lead_flips(index: IndexArrays, squares: Int8) -> Any:
    """Whether layout 0 numbers the mirror image of this position instead."""
    rank = _digit(
        index.first[0, 0],
        index.first[0, 1] - 1,
        index.place[0, 0],
        index.level[0, 0],
        index.advance[0, 0],
        index.ways[0, 0],
        index.mirror,
        squares,
        False,
    )
    return index.lead_flip[0, rank]


@jit
def set_up(index: IndexArrays, number: int, squares: Int8, board: Int8) -> bool:
    """Set up a position of layout 0 on the board; if the index is void, return False and leave the board empty.

    Parameters
    ----------
    index : IndexArrays
    number : int
    squares : ndarray of int8
        Output: the square of each slot.
    board : ndarray of int8
        Output: the slot on each square. Must be all `EMPTY` before; `clear` empties it again.
    """
    first, radix, square, level, ways = index.first[0], index.radix[0], index.square[0], index.level[0], index.ways[0]
    advance = index.advance[0]
    for g in range(index.groups[0] - 1, -1, -1):
        digit = number % radix[g]
        number //= radix[g]
        begin, end = first[g], first[g + 1]
        if g == 0:
            digit = np.int64(index.lead_rank[0, digit])
        if begin == end - 1:
            squares[begin] = square[g, digit]
            continue
        place, left = ways.shape[2] - 1, advance[g]
        for slot in range(end - 1, begin - 1, -1):
            j = slot - begin + 1
            while ways[g, j, place, left] > digit:
                place -= 1
            digit -= ways[g, j, place, left]
            left -= level[g, place]
            squares[slot] = square[g, place]
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
def blocked(begin: Int32, blockers: Int8, step: int, board: Int8) -> bool:
    """Whether a piece stands on a square that the step needs empty."""
    for i in range(begin[step], begin[step + 1]):
        if board[blockers[i]] != EMPTY:
            return True
    return False


@jit
def list_moves(
    arrays: SliceArrays, side: int, squares: Int8, board: Int8, inside: bool, destinations: Int32, numbers: Int64, child: Int8
) -> int:
    """List all moves of a position and return how many there are.

    Parameters
    ----------
    arrays : SliceArrays
    side : int
        The side to move.
    squares, board : ndarray of int8
        As `set_up` leaves them.
    inside : bool
        Whether to index the positions that moves within the slice lead to.
    destinations : ndarray of int32
        Output: where each move leads, the number of a conversion, `STAYS` or `ENDS`.
    numbers : ndarray of int64
        Output: the index of the position reached; undefined for a move that ends the game.
    child : ndarray of int8
        Scratch space, one entry per slot.
    """
    step_begin, step_target, step_destination, owner = arrays.step_begin, arrays.step_target, arrays.step_destination, arrays.side
    block, blockers, child_slot, child_square = arrays.step_block, arrays.blockers, arrays.child_slot, arrays.child_square
    layouts, child_slots = arrays.layouts, arrays.child_slots
    count = 0
    for slot in range(len(squares)):
        if owner[slot] != side:
            continue
        origin = squares[slot]
        for step in range(step_begin[slot, origin], step_begin[slot, origin + 1]):
            target = step_target[step]
            destination = step_destination[step, board[target] + 1]
            if destination == ILLEGAL or blocked(block, blockers, step, board):
                continue
            destinations[count] = destination
            if destination > STAYS or (inside and destination == STAYS):
                for i in range(child_slots[destination]):
                    source = child_slot[destination, i]
                    child[i] = child_square[destination, target if source == slot else squares[source]]
                numbers[count] = index_of(layouts, destination, child[: child_slots[destination]], False)
            count += 1
    return count


@jit
def most_moves(arrays: SliceArrays) -> int:
    """An upper bound on the number of moves of a position of the slice."""
    most = 0
    for slot in range(len(arrays.side)):
        best = 0
        for square in range(arrays.step_begin.shape[1] - 1):
            best = max(best, arrays.step_begin[slot, square + 1] - arrays.step_begin[slot, square])
        most += best
    return most


@inline
def move_code(destination: int, number: int, offset: Int64, children: values.Codes, stride: int) -> Any:
    """What a move out of the slice is worth to the mover."""
    if destination == ENDS:
        return win_code(1, stride)
    return next_code(children[offset[destination] + number], stride)


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


@inline
def over_code(arrays: SliceArrays, side: int, moves: int, squares: Int8, stride: int) -> Any:
    """The code of a position in which the game is over; `NOBODY` if it continues."""
    if moves == 0:
        return np.int64(arrays.no_move)
    if has_escaped(arrays.escape, arrays.step_begin, arrays.step_target, side, squares):
        return np.int64(win_code(0, stride) if arrays.escape.winner == side else loss_code(0, stride))
    return np.int64(NOBODY)
