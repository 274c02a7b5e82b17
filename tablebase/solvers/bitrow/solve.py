"""The bit-row solver: retrograde analysis on 64 positions at a time.

A row (see `tablebase.solvers.bitrow.arrays`) is one word; a step of any other piece maps a whole row onto another row, and the
row piece's own steps shift bits within it. Under the mirror, a lead that crosses the middle reaches the mirrored row.
For each side to move the solver keeps a code per position and, per row, the words

- `known`: squares whose result is settled (or that are void),
- `won`: the known squares that are wins,
- `shut`: the known squares, and those that cannot become a loss by quiet moves alone, because a capture draws, wins,
  or delays the loss,
- `ripe`: squares whose result, mostly from captures, is pending in `codes` until its distance is reached; `due` is the
  row's next such distance.

Step 0 (`tablebase.solvers.bitrow.captures`) looks up all captures once. Then, for d = 0, 1, 2, …:

1. `_enter`: pending results of distance d become known;
2. `_step_back`: all positions that became known at d are stepped back by whole rows, once for each un-step;
3. `_settle_wins`: predecessors of losses win in d + 1;
   `_settle_losses`: predecessors of wins are candidates: those with all quiet children won have lost, in d + 1 or when
   their best capture loses, whichever is later.

Parity distinguishes wins (odd) from losses (even), so each distance has only one of the two. The kernels' twins in
plain Python are in ``tests/twins/rows.py``; tests compare the solver with the reference solver byte for byte.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tablebase.compute.bits import moved, trailing_zeros
from tablebase.compute.jit import inline, jit
from tablebase.compute.stages import reach
from tablebase.solvers.bitrow.arrays import MIRRORED, NOTHING_DUE, PLAIN, STRIDE, RowArrays, State, Words, compile_rows
from tablebase.solvers.bitrow.captures import look
from tablebase.solvers.bitrow.words import collides, free_origins, mirrored, mirrored_rest, set_up_row
from tablebase.solvers.checkpoint import arrays_of
from tablebase.solvers.compiled import CompiledSlice, Int8, Int32, Int64
from tablebase.solvers.kernels import distance_of, win_code
from tablebase.tables.values import DRAW, Codes


def solve(problem: CompiledSlice) -> tuple[Codes, Codes] | None:
    """Codes of both sides to move, or None if a distance does not fit the coding."""
    arrays, checkpoint = compile_rows(problem), problem.checkpoint
    states = [_new_state(problem, arrays) for _ in (0, 1)]
    kept, saved = arrays_of(states), checkpoint.load()
    if saved is None:
        last, fresh, level = _look_up(arrays, states), [0, 0], 0
    else:
        saved.fill(kept)
        last, fresh, level = saved.numbers["last"], saved.numbers["fresh"], saved.numbers["level"]
    while level <= last or any(fresh):
        for side in (0, 1):
            fresh[side] = _enter(arrays, states[side], fresh[side], level)
        rows = [_step_back(arrays, side, states[side], fresh[side], states[1 - side], level) for side in (0, 1)]
        for side in (0, 1):
            # Fresh positions of side 1 - `side` have their predecessors in the state of `side`.
            if level % 2 == 0:
                fresh[side] = _settle_wins(arrays, states[side], rows[1 - side], level + 1)
            else:
                fresh[side] = _settle_losses(arrays, side, states[side], states[1 - side].won, rows[1 - side], level + 1)
        level += 1
        reach("solving", level)
        if level > problem.coding.reach and any(fresh):
            return None
        if checkpoint.due():
            checkpoint.save({"last": last, "fresh": fresh, "level": level}, kept)
    for state in states:
        _finish(arrays, state, problem.coding.void)
    return states[0].codes, states[1].codes


def _new_state(problem: CompiledSlice, arrays: RowArrays) -> State:
    words = [np.zeros(arrays.rows, dtype=np.uint64) for _ in range(6)]
    known, won, shut, ripe, fresh, predecessors = words
    return State(
        codes=np.zeros(arrays.rows * arrays.length, dtype=problem.coding.dtype),
        known=known,
        won=won,
        shut=shut,
        ripe=ripe,
        due=np.full(arrays.rows, NOTHING_DUE, dtype=np.uint16),
        fresh=fresh,
        fresh_rows=np.zeros(arrays.rows, dtype=np.int32),
        predecessors=predecessors,
        predecessor_rows=np.zeros(arrays.rows, dtype=np.int32),
    )


def _look_up(arrays: RowArrays, states: list[State]) -> int:
    """Step 0: look up all captures; return the largest distance among them."""
    last = 0
    reach("looking up captures", 0, 2)
    for side in (0, 1):
        last = max(last, look(arrays, side, states[side]))
        reach("looking up captures", side + 1, 2)
    return last


# Step 1


@jit
def _enter(arrays: RowArrays, state: State, fresh: int, level: int) -> int:
    """Make pending results of this distance known; return the number of fresh rows."""
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
            row_square = trailing_zeros(left)
            left &= left - np.uint64(1)
            distance = distance_of(codes[row * length + place[row_square]], STRIDE)
            if distance == level:
                now |= bit[row_square]
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
def _step_back(arrays: RowArrays, side: int, state: State, fresh: int, other: State, level: int) -> int:
    """Step back all fresh rows with `side` to move; return the number of rows of predecessors."""
    stride, square, place, bit, mirror, owner = arrays.stride, arrays.square, arrays.place, arrays.bit, arrays.mirror, arrays.owner
    begin, mask, delta, image, base = arrays.back
    shift, origins, barred, mirror_bytes = arrays.shift, arrays.origins, arrays.barred, arrays.mirror_bytes
    words, rows = other.predecessors, other.predecessor_rows
    closed = other.known if level % 2 == 0 else other.shut
    pieces = len(stride)
    squares = np.zeros(pieces, dtype=np.int8)
    count = 0
    for i in range(fresh):
        row = np.int64(state.fresh_rows[i])
        word = state.fresh[row]
        state.fresh[row] = 0
        occupied = set_up_row(stride, square, bit, row, squares)
        rest = mirrored_rest(stride, place, mirror, squares)
        for slot in range(pieces):
            if owner[slot] == side:
                continue
            for n in range(begin[slot, squares[slot]], begin[slot, squares[slot] + 1]):
                if mask[n] & occupied:
                    continue
                stepped = word & ~mask[n]
                if image[n] != MIRRORED:
                    count = _add_predecessors(words, rows, closed, count, row + delta[n], stepped)
                if image[n] != PLAIN:
                    count = _add_predecessors(words, rows, closed, count, base[n] + rest, mirrored(mirror_bytes, stepped))
        if owner[pieces] != side:
            stepped = np.uint64(0)
            for number in range(len(shift)):
                stepped |= moved(word, -shift[number]) & free_origins(origins, barred, number, squares, pieces)
            count = _add_predecessors(words, rows, closed, count, row, stepped & ~occupied)
    return count


@inline
def _add_predecessors(words: Words, rows: Int32, closed: Words, count: int, row: Any, word: Any) -> Any:
    """Add the predecessors in a word that are not closed yet; return the number of rows with any."""
    word &= ~closed[row]
    if word:
        if not words[row]:
            rows[count] = row
            count += 1
        words[row] |= word
    return count


# Step 3


@jit
def _settle_wins(arrays: RowArrays, state: State, rows: int, level: int) -> int:
    """Settle predecessors of losses as wins; return the number of fresh rows."""
    length, codes = arrays.length, state.codes
    place = arrays.place[len(arrays.stride)]
    known, won, shut = state.known, state.won, state.shut
    code = win_code(level, STRIDE)
    for i in range(rows):
        row = np.int64(state.predecessor_rows[i])
        word = state.predecessors[row]
        state.predecessors[row] = 0
        known[row] |= word
        shut[row] |= word
        won[row] |= word
        state.fresh[row] = word
        state.fresh_rows[i] = row
        while word:
            codes[row * length + place[trailing_zeros(word)]] = code
            word &= word - np.uint64(1)
    return rows


@jit
def _settle_losses(arrays: RowArrays, side: int, state: State, won: Words, rows: int, level: int) -> int:
    """Settle predecessors of wins as losses if all quiet children are won; return the number of fresh rows."""
    stride, square, place, bit, mirror, owner = arrays.stride, arrays.square, arrays.place, arrays.bit, arrays.mirror, arrays.owner
    begin, mask, delta, image, base = arrays.forth
    shift, origins, barred, mirror_bytes = arrays.shift, arrays.origins, arrays.barred, arrays.mirror_bytes
    home, length, codes = arrays.home, arrays.length, state.codes
    known, shut, ripe, due = state.known, state.shut, state.ripe, state.due
    pieces = len(stride)
    squares = np.zeros(pieces, dtype=np.int8)
    code = win_code(level, STRIDE)
    fresh = 0
    for i in range(rows):
        row = np.int64(state.predecessor_rows[i])
        word = state.predecessors[row]
        occupied = set_up_row(stride, square, bit, row, squares)
        if owner[pieces] == side:
            open_squares = home & ~(won[row] | occupied)
            for number in range(len(shift)):
                word &= ~(moved(open_squares, -shift[number]) & free_origins(origins, barred, number, squares, pieces))
        rest = mirrored_rest(stride, place, mirror, squares)
        for slot in range(pieces):
            if owner[slot] == side and word:
                word &= _all_won(begin, mask, delta, image, base, mirror_bytes, won, row, rest, slot, squares[slot], occupied, word)
        state.predecessors[row] = 0
        now = word
        while word:
            row_square = trailing_zeros(word)
            word &= word - np.uint64(1)
            index = row * length + place[pieces, row_square]
            if codes[index] > code:
                # A capture delays the loss.
                now &= ~bit[row_square]
                shut[row] |= bit[row_square]
                ripe[row] |= bit[row_square]
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
    occupied: Any,
    word: Any,
) -> Any:
    """The squares in `word` from which every quiet step of one piece leads to a win of the other side."""
    for n in range(begin[slot, origin], begin[slot, origin + 1]):
        if not mask[n] & occupied:
            child = won[row + delta[n]] if image[n] == PLAIN else mirrored(mirror_bytes, won[base[n] + rest])
            word &= child | mask[n]
    return word


# After the last distance


@jit
def _finish(arrays: RowArrays, state: State, void: int) -> None:
    """Set the codes of draws and void indices."""
    stride, square, bit, length, codes = arrays.stride, arrays.square, arrays.bit, arrays.length, state.codes
    pieces = len(stride)
    squares = np.zeros(pieces, dtype=np.int8)
    for row in range(arrays.rows):
        legal = arrays.home & ~set_up_row(stride, square, bit, row, squares)
        if collides(squares, pieces):
            legal = np.uint64(0)
        for digit in range(length):
            square_bit = bit[square[pieces, digit]]
            if not legal & square_bit:
                codes[row * length + digit] = void
            elif not state.known[row] & square_bit:
                codes[row * length + digit] = DRAW
