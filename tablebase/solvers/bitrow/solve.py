"""The bit-row engine: retrograde analysis on 64 positions at a time.

A row (see `tablebase.solvers.bitrow.arrays`) is one word; a step of any other piece maps a whole row onto another row, and the
row piece's own steps shift bits inside it. Under the mirror, a lead that crosses the middle lands on the mirrored row.
For each side to move the engine keeps, a word a row,

- `known`: squares where the result is settled (or there is no position),
- `won`: those of them that are wins,
- `shut`: `known`, and squares that can never become a loss by quiet moves alone: a drawing or winning capture is
  there, or a loss that captures delay,
- `ripe`: squares whose result waits in `codes` for its own distance, captures mostly; `due` is the row's next one,

and a code a position. Step 0 (`tablebase.solvers.bitrow.captures`) looks all captures up, once. Then, for d = 0, 1, 2, …:

1. `_enter`: what is due at distance d becomes known;
2. `_step_back`: all that became known at d is stepped back by whole rows, once for each un-step;
3. `_settle_wins`: where it was a loss, its predecessors win in d + 1;
   `_settle_losses`: where it was a win, its predecessors are candidates: those with all quiet children won have
   lost, in d + 1 or when their longest capture loses, whichever is later.

Parity tells wins (odd) from losses (even), so each distance has only one of the two. The twins of the kernels in
plain Python are in ``tests/naive_rows.py``; the whole is held against the reference engine byte for byte.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tablebase.compute.bits import moved, trailing_zeros
from tablebase.compute.jit import inline, jit
from tablebase.solvers.bitrow.arrays import MIRRORED, NOTHING_DUE, PLAIN, STRIDE, RowArrays, State, Words, compile_rows
from tablebase.solvers.bitrow.captures import look
from tablebase.solvers.bitrow.words import collides, free_origins, mirrored, mirrored_rest, set_up_row
from tablebase.solvers.compiled import CompiledSlice, Int8, Int32, Int64
from tablebase.solvers.kernels import distance_of, win_code
from tablebase.values import DRAW, Codes


def solve(problem: CompiledSlice) -> tuple[Codes, Codes] | None:
    """Codes of both sides to move, or None if a distance does not fit the coding."""
    arrays = compile_rows(problem)
    states = [_new_state(problem, arrays) for _ in (0, 1)]
    last = max(look(arrays, side, states[side]) for side in (0, 1))
    fresh = [0, 0]
    level = 0
    while level <= last or any(fresh):
        for side in (0, 1):
            fresh[side] = _enter(arrays, states[side], fresh[side], level)
        found = [_step_back(arrays, side, states[side], fresh[side], states[1 - side], level) for side in (0, 1)]
        for side in (0, 1):
            # What side 1 - `side` has fresh was found to have predecessors with `side` to move.
            if level % 2 == 0:
                fresh[side] = _settle_wins(arrays, states[side], found[1 - side], level + 1)
            else:
                fresh[side] = _settle_losses(arrays, side, states[side], states[1 - side].won, found[1 - side], level + 1)
        level += 1
        if level > problem.coding.reach and any(fresh):
            return None
    for state in states:
        _finish(arrays, state, problem.coding.void)
    return states[0].codes, states[1].codes


def _new_state(problem: CompiledSlice, arrays: RowArrays) -> State:
    words = [np.zeros(arrays.rows, dtype=np.uint64) for _ in range(6)]
    known, won, shut, ripe, fresh, found = words
    return State(
        codes=np.zeros(arrays.rows * arrays.length, dtype=problem.coding.dtype),
        known=known,
        won=won,
        shut=shut,
        ripe=ripe,
        due=np.full(arrays.rows, NOTHING_DUE, dtype=np.uint16),
        fresh=fresh,
        fresh_rows=np.zeros(arrays.rows, dtype=np.int32),
        found=found,
        found_rows=np.zeros(arrays.rows, dtype=np.int32),
    )


# Step 1


@jit
def _enter(arrays: RowArrays, state: State, fresh: int, level: int) -> int:
    """What waits for this distance becomes known; the number of rows with something fresh."""
    bit, length, codes = arrays.bit, arrays.length, state.codes
    place = arrays.place[len(arrays.stride)]
    known, won, ripe, due = state.known, state.won, state.ripe, state.due
    for row in range(arrays.rows):
        if due[row] != level:
            continue
        waiting = ripe[row] & ~known[row]
        later = NOTHING_DUE
        now = np.uint64(0)
        left = waiting
        while left:
            at = trailing_zeros(left)
            left &= left - np.uint64(1)
            distance = distance_of(codes[row * length + place[at]], STRIDE)
            if distance == level:
                now |= bit[at]
            else:
                later = min(later, distance)
        due[row] = later
        ripe[row] = waiting & ~now
        if now:
            known[row] |= now
            if level % 2 == 1:
                won[row] |= now
            if not state.fresh[row]:
                state.fresh_rows[fresh] = row
                fresh += 1
            state.fresh[row] |= now
    return fresh


# Step 2


@jit
def _step_back(arrays: RowArrays, side: int, state: State, fresh: int, parents: State, level: int) -> int:
    """Step all fresh rows of `side` to move back; the number of rows of predecessors found."""
    stride, square, place, bit, mirror, owner = arrays.stride, arrays.square, arrays.place, arrays.bit, arrays.mirror, arrays.owner
    begin, mask, delta, image, base = arrays.back
    shift, origins, barred, mirror_bytes = arrays.shift, arrays.origins, arrays.barred, arrays.mirror_bytes
    words, rows = parents.found, parents.found_rows
    closed = parents.known if level % 2 == 0 else parents.shut
    pieces = len(stride)
    squares = np.zeros(pieces, dtype=np.int8)
    found = 0
    for i in range(fresh):
        row = np.int64(state.fresh_rows[i])
        word = state.fresh[row]
        state.fresh[row] = 0
        taken = set_up_row(stride, square, bit, row, squares)
        rest = mirrored_rest(stride, place, mirror, squares)
        for slot in range(pieces):
            if owner[slot] == side:
                continue
            for n in range(begin[slot, squares[slot]], begin[slot, squares[slot] + 1]):
                if mask[n] & taken:
                    continue
                some = word & ~mask[n]
                if image[n] != MIRRORED:
                    found = _find(words, rows, closed, found, row + delta[n], some)
                if image[n] != PLAIN:
                    found = _find(words, rows, closed, found, base[n] + rest, mirrored(mirror_bytes, some))
        if owner[pieces] != side:
            some = np.uint64(0)
            for kind in range(len(shift)):
                some |= moved(word, -shift[kind]) & free_origins(origins, barred, kind, squares, pieces)
            found = _find(words, rows, closed, found, row, some & ~taken)
    return found


@inline
def _find(words: Words, rows: Int32, closed: Words, found: int, row: Any, word: Any) -> Any:
    """Add predecessors that are still open; the number of rows that have any."""
    word &= ~closed[row]
    if word:
        if not words[row]:
            rows[found] = row
            found += 1
        words[row] |= word
    return found


# Step 3


@jit
def _settle_wins(arrays: RowArrays, state: State, found: int, level: int) -> int:
    """Predecessors of losses win; the number of rows with something fresh."""
    length, codes = arrays.length, state.codes
    place = arrays.place[len(arrays.stride)]
    known, won, shut = state.known, state.won, state.shut
    code = win_code(level, STRIDE)
    for i in range(found):
        row = np.int64(state.found_rows[i])
        word = state.found[row]
        state.found[row] = 0
        known[row] |= word
        shut[row] |= word
        won[row] |= word
        state.fresh[row] = word
        state.fresh_rows[i] = row
        while word:
            codes[row * length + place[trailing_zeros(word)]] = code
            word &= word - np.uint64(1)
    return found


@jit
def _settle_losses(arrays: RowArrays, side: int, state: State, won: Words, found: int, level: int) -> int:
    """Predecessors of wins lose if all quiet children are won; the number of rows with something fresh."""
    stride, square, place, bit, mirror, owner = arrays.stride, arrays.square, arrays.place, arrays.bit, arrays.mirror, arrays.owner
    begin, mask, delta, image, base = arrays.forth
    shift, origins, barred, mirror_bytes = arrays.shift, arrays.origins, arrays.barred, arrays.mirror_bytes
    home, length, codes = arrays.home, arrays.length, state.codes
    known, shut, ripe, due = state.known, state.shut, state.ripe, state.due
    pieces = len(stride)
    squares = np.zeros(pieces, dtype=np.int8)
    code = win_code(level, STRIDE)
    fresh = 0
    for i in range(found):
        row = np.int64(state.found_rows[i])
        word = state.found[row]
        taken = set_up_row(stride, square, bit, row, squares)
        if owner[pieces] == side:
            open_squares = home & ~(won[row] | taken)
            for kind in range(len(shift)):
                word &= ~(moved(open_squares, -shift[kind]) & free_origins(origins, barred, kind, squares, pieces))
        rest = mirrored_rest(stride, place, mirror, squares)
        for slot in range(pieces):
            if owner[slot] == side and word:
                word &= _all_won(begin, mask, delta, image, base, mirror_bytes, won, row, rest, slot, squares[slot], taken, word)
        state.found[row] = 0
        now = word
        while word:
            at = trailing_zeros(word)
            word &= word - np.uint64(1)
            index = row * length + place[pieces, at]
            if codes[index] > code:
                # A capture delays the loss.
                now &= ~bit[at]
                shut[row] |= bit[at]
                ripe[row] |= bit[at]
                due[row] = min(due[row], distance_of(codes[index], STRIDE))
            else:
                codes[index] = code
        if now:
            known[row] |= now
            shut[row] |= now
            state.fresh[row] = now
            state.fresh_rows[fresh] = row
            fresh += 1
    return fresh


@inline
def _all_won(
    begin: Int32,
    mask: Words,
    delta: Int64,
    image: Int8,
    base: Int64,
    mirror_bytes: Words,
    won: Words,
    row: Any,
    rest: Any,
    slot: int,
    origin: int,
    taken: Any,
    word: Any,
) -> Any:
    """Squares of a row, out of `word`, from which every quiet step of one piece leads to a win of the other side."""
    for n in range(begin[slot, origin], begin[slot, origin + 1]):
        if not mask[n] & taken:
            child = won[row + delta[n]] if image[n] == PLAIN else mirrored(mirror_bytes, won[base[n] + rest])
            word &= child | mask[n]
    return word


# After the last distance


@jit
def _finish(arrays: RowArrays, state: State, void: int) -> None:
    """Give draws and voids their codes."""
    stride, square, bit, length, codes = arrays.stride, arrays.square, arrays.bit, arrays.length, state.codes
    pieces = len(stride)
    squares = np.zeros(pieces, dtype=np.int8)
    for row in range(arrays.rows):
        legal = arrays.home & ~set_up_row(stride, square, bit, row, squares)
        if collides(squares, pieces):
            legal = np.uint64(0)
        for digit in range(length):
            here = bit[square[pieces, digit]]
            if not legal & here:
                codes[row * length + digit] = void
            elif not state.known[row] & here:
                codes[row * length + digit] = DRAW
