"""Step 0 of the bit-row solver: every capture of every position, looked up once.

For each row the kernels collect the squares with a quiet move (`quiet`), the squares with a capture or a step that
wins at once (`offered`), and the code of the best such move on each of the latter (`best`, by square).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tablebase.compute.bits import moved, trailing_zeros
from tablebase.compute.jit import inline, jit
from tablebase.slices.conversions import ENDS
from tablebase.solvers.bitrow.arrays import STRIDE, Captures, Into, RowArrays, State, Steps, Words
from tablebase.solvers.bitrow.words import collides, free_origins, set_up_row
from tablebase.solvers.compiled import Int8, Int32, Int64
from tablebase.solvers.kernels import EMPTY, distance_of, is_win
from tablebase.tables import values
from tablebase.tables.values import DRAW, STALEMATE, Codes

WIN_NOW = values.win_code(1, STRIDE)


@jit
def look(arrays: RowArrays, side: int, state: State) -> int:
    """Look up the captures of all positions with `side` to move; return the largest pending distance."""
    stride, square, bit, owner, home = arrays.stride, arrays.square, arrays.bit, arrays.owner, arrays.home
    begin, mask = arrays.forth.begin, arrays.forth.mask
    shift, origins, barred = arrays.shift, arrays.origins, arrays.barred
    steps, into, captures = arrays.steps, arrays.into, arrays.captures
    known, shut = state.known, state.shut
    pieces = len(stride)
    squares = np.zeros(pieces + 1, dtype=np.int8)
    board = np.full(len(arrays.mirror), EMPTY, dtype=np.int8)
    best = np.zeros(64, dtype=state.codes.dtype)
    last = 0
    for row in range(arrays.rows):
        occupied = set_up_row(stride, square, bit, row, squares)
        if collides(squares, pieces):
            known[row] = shut[row] = ~np.uint64(0)
            continue
        for slot in range(pieces):
            board[squares[slot]] = slot
        legal = home & ~occupied
        known[row] = ~legal
        quiet, offered = np.uint64(0), np.uint64(0)
        for slot in range(pieces):
            if owner[slot] == side:
                for n in range(begin[slot, squares[slot]], begin[slot, squares[slot] + 1]):
                    if not mask[n] & occupied:
                        quiet |= legal & ~mask[n]
                offered = _look_along(steps, captures, bit, board, squares, best, slot, occupied, legal, offered)
        if owner[pieces] == side:
            for number in range(len(shift)):
                quiet |= moved(legal, -shift[number]) & free_origins(origins, barred, number, squares, pieces)
            offered = _look_inside(steps, into, captures, owner, bit, squares, best, occupied, legal, offered)
        if legal & (offered | ~quiet):
            last = max(last, _store(arrays, state, row, legal, quiet, offered, best))
        shut[row] |= known[row]
        for slot in range(pieces):
            board[squares[slot]] = EMPTY
    return last


@inline
def _offer(merit: Int32, best: Codes, offered: Any, square: int, bit: Any, code: int) -> Any:
    """Offer a move's code on a square of the row: keep it if it is the best so far; return the new `offered`."""
    if not offered & bit or merit[code] > merit[best[square]]:
        best[square] = code
    return offered | bit


@inline
def _capture(captures: Captures, victim: int, captor: int, target: int, squares: Int8) -> Any:
    """What a capture is worth to the captor, from the child's table."""
    lead, flips, part, worth, _ = captures
    leader = lead[victim]
    if leader == ENDS:
        return WIN_NOW
    flip = 1 if flips[victim, target if leader == captor else squares[leader]] else 0
    return np.int64(worth[_index(part, victim, flip, captor, target, squares, len(squares))])


@inline
def _index(part: Int64, victim: int, flip: int, captor: int, target: int, squares: Int8, slots: int) -> Any:
    """What the first `slots` slots add to the index after a capture."""
    index = np.int64(0)
    for slot in range(slots):
        if slot != victim:
            index += part[victim, flip, slot, target if slot == captor else squares[slot]]
    return index


@inline
def _look_along(
    steps: Steps,
    captures: Captures,
    bit: Words,
    board: Int8,
    squares: Int8,
    best: Codes,
    slot: int,
    occupied: Any,
    legal: Any,
    offered: Any,
) -> Any:
    """Look up captures by one piece other than the row piece, and its steps that win at once."""
    begin, targets, masks, quiet, wins, victims = steps
    row_slot = len(squares) - 1
    for step in range(begin[slot, squares[slot]], begin[slot, squares[slot] + 1]):
        if masks[step] & occupied:
            continue
        target = targets[step]
        free = legal & ~masks[step]
        victim = board[target]
        if victim == EMPTY:
            if free & bit[target] and (victims[step] >> row_slot) & 1:
                squares[row_slot] = target
                code = WIN_NOW if wins[step] else _capture(captures, row_slot, slot, target, squares)
                offered = _offer(captures.merit, best, offered, target, bit[target], code)
            if wins[step] and quiet[step]:
                offered = _win_row(captures.merit, best, offered, bit, free & ~bit[target])
        elif (victims[step] >> victim) & 1:
            if wins[step] or captures.lead[victim] == ENDS:
                offered = _win_row(captures.merit, best, offered, bit, free)
            else:
                offered = _capture_row(captures, bit, squares, best, victim, slot, target, free, offered)
    return offered


@inline
def _win_row(merit: Int32, best: Codes, offered: Any, bit: Words, free: Any) -> Any:
    """Offer a move that wins at once on each of the `free` squares of the row."""
    while free:
        row_square = trailing_zeros(free)
        free &= free - np.uint64(1)
        offered = _offer(merit, best, offered, row_square, bit[row_square], WIN_NOW)
    return offered


@inline
def _capture_row(
    captures: Captures,
    bit: Words,
    squares: Int8,
    best: Codes,
    victim: int,
    captor: int,
    target: int,
    free: Any,
    offered: Any,
) -> Any:
    """Offer a capture by and of other pieces than the row piece on each of the `free` squares of the row."""
    lead, flips, part, worth, merit = captures
    row_slot = len(squares) - 1
    leader = lead[victim]
    flip = 1 if flips[victim, target if leader == captor else squares[leader]] else 0
    rest = _index(part, victim, 0, captor, target, squares, row_slot)
    rest_mirrored = _index(part, victim, 1, captor, target, squares, row_slot)
    while free:
        row_square = trailing_zeros(free)
        free &= free - np.uint64(1)
        if leader == row_slot:
            flip = 1 if flips[victim, row_square] else 0
        index = part[victim, flip, row_slot, row_square] + (rest_mirrored if flip else rest)
        offered = _offer(merit, best, offered, row_square, bit[row_square], worth[index])
    return offered


@inline
def _look_inside(
    steps: Steps,
    into: Into,
    captures: Captures,
    owner: Int8,
    bit: Words,
    squares: Int8,
    best: Codes,
    occupied: Any,
    legal: Any,
    offered: Any,
) -> Any:
    """Look up captures by the row piece, and its steps that win at once."""
    _, targets, masks, _, wins, victims = steps
    begin, step_into, origins, winning, winning_origin = into
    row_slot = len(squares) - 1
    for i in range(len(winning)):
        step, row_square = winning[i], winning_origin[i]
        if legal & bit[row_square] and not (masks[step] | bit[targets[step]]) & occupied:
            offered = _offer(captures.merit, best, offered, row_square, bit[row_square], WIN_NOW)
    for victim in range(row_slot):
        if owner[victim] == owner[row_slot]:
            continue
        target = squares[victim]
        for i in range(begin[target], begin[target + 1]):
            row_square, step = origins[i], step_into[i]
            if (victims[step] >> victim) & 1 and legal & bit[row_square] and not masks[step] & occupied:
                squares[row_slot] = row_square
                code = WIN_NOW if wins[step] else _capture(captures, victim, row_slot, target, squares)
                offered = _offer(captures.merit, best, offered, row_square, bit[row_square], code)
    return offered


@jit
def _store(arrays: RowArrays, state: State, row: int, legal: Any, quiet: Any, offered: Any, best: Codes) -> int:
    """Store the results of captures, or of having no move, in one row; return the largest pending distance."""
    bit, codes = arrays.bit, state.codes
    place = arrays.place[len(arrays.stride)]
    last = 0
    due = state.due[row]
    settled, shut, ripe = np.uint64(0), np.uint64(0), np.uint64(0)
    left = legal & (offered | ~quiet)
    while left:
        row_square = trailing_zeros(left)
        left &= left - np.uint64(1)
        code = best[row_square] if offered & bit[row_square] else arrays.no_move
        codes[row * arrays.length + place[row_square]] = code
        if code == STALEMATE:
            settled |= bit[row_square]
        elif code == DRAW:
            shut |= bit[row_square]
        else:
            distance = distance_of(code, STRIDE)
            last = max(last, distance)
            if is_win(code, STRIDE) or not quiet & bit[row_square]:
                shut |= bit[row_square]
                ripe |= bit[row_square]
                due = min(due, distance)
    state.known[row] |= settled
    state.shut[row] |= shut
    state.ripe[row] = ripe
    state.due[row] = due
    return last
