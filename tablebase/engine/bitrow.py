"""The bit-row engine: retrograde analysis on 64 positions at a time.

A row (see `tablebase.engine.rows`) is one word; a step of any other piece maps a whole row onto another row, and the
row piece's own steps shift bits inside it. Under the mirror, a lead that crosses the middle lands on the mirrored row.
For each side to move the engine keeps, a word a row,

- `known`: squares where the result is settled (or there is no position),
- `won`: those of them that are wins,
- `shut`: `known`, and squares that can never become a loss by quiet moves alone: a drawing or winning capture is
  there, or a loss that captures delay,
- `ripe`: squares whose result waits in `codes` for its own distance, captures mostly; `due` is the row's next one,

and a code a position. Step 0 looks all captures up, once. Then, for d = 0, 1, 2, …:

1. `_enter`: what is due at distance d becomes known;
2. `_step_back`: all that became known at d is stepped back by whole rows, once for each un-step;
3. `_settle_wins`: where it was a loss, its predecessors win in d + 1;
   `_settle_losses`: where it was a win, its predecessors are candidates: those with all quiet children won have
   lost, in d + 1 or when their longest capture loses, whichever is later.

Parity tells wins (odd) from losses (even), so each distance has only one of the two. The twins of the kernels in
plain Python are in ``tests/naive.py``; the whole is held against the reference engine byte for byte.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase import values
from tablebase.engine.bits import mirrored, moved, trailing_zeros
from tablebase.engine.compiled import LAST_PIECE, Bool, CompiledSlice, Int8, Int32, Int64
from tablebase.engine.jit import inline, jit
from tablebase.engine.kernels import EMPTY, distance_of, is_win, win_code
from tablebase.engine.rows import MIRRORED, PLAIN, RowArrays, Words, compile_rows
from tablebase.values import DRAW, STALEMATE, Codes

NEVER = 255
"""In `due`: nothing of this row waits."""
STRIDE = 1
"""The coding's stride: wins and losses are told apart by parity."""
WIN_NOW = values.win_code(1, STRIDE)


class State(NamedTuple):
    """One side to move while it is being solved; R rows."""

    codes: Codes  # (R * length,)
    known: Words  # (R,)
    won: Words  # (R,)
    shut: Words  # (R,)
    ripe: Words  # (R,)
    due: NDArray[np.uint8]  # (R,)
    fresh: Words  # (R,) became known at this distance
    fresh_rows: Int32  # (R,) rows in which `fresh` is not empty
    found: Words  # (R,) predecessors of what the other side has fresh
    found_rows: Int32  # (R,)


def solve(problem: CompiledSlice) -> tuple[Codes, Codes] | None:
    """Codes of both sides to move, or None if a distance does not fit the coding."""
    arrays = compile_rows(problem)
    states = [_new_state(problem, arrays) for _ in (0, 1)]
    last = max(_look(arrays, side, states[side]) for side in (0, 1))
    fresh = [0, 0]
    level = 0
    while level <= last or any(fresh):
        if level >= problem.coding.reach:
            return None
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
        due=np.full(arrays.rows, NEVER, dtype=np.uint8),
        fresh=fresh,
        fresh_rows=np.zeros(arrays.rows, dtype=np.int32),
        found=found,
        found_rows=np.zeros(arrays.rows, dtype=np.int32),
    )


@inline
def _set_up(stride: Int64, square: Int8, bit: Words, row: Any, squares: Int8) -> Any:
    """Squares of all but the row piece; the word of their squares."""
    taken = np.uint64(0)
    for slot in range(len(stride)):
        digit = row // stride[slot]
        row -= digit * stride[slot]
        squares[slot] = square[slot, digit]
        taken |= bit[squares[slot]]
    return taken


@inline
def _collides(squares: Int8, pieces: int) -> bool:
    """Whether two of the first so many slots share a square."""
    for slot in range(1, pieces):
        for other in range(slot):
            if squares[slot] == squares[other]:
                return True
    return False


@inline
def _mirrored_rest(stride: Int64, place: Int32, mirror: Int8, squares: Int8) -> Any:
    """What all but the lead and the row piece add to the number of the mirrored row."""
    row = np.int64(0)
    for slot in range(1, len(stride)):
        row += place[slot, mirror[squares[slot]]] * stride[slot]
    return row


@inline
def _origins(origins: Words, barred: Words, kind: int, squares: Int8, pieces: int) -> Any:
    """Origins of one class of the row piece's steps that none of the first so many slots blocks."""
    word = origins[kind]
    for slot in range(pieces):
        word &= ~barred[kind, squares[slot]]
    return word


# Step 0


@jit
def _look(arrays: RowArrays, side: int, state: State) -> int:
    """Look up every capture of every position; the largest distance that waits."""
    stride, square, bit, owner, home = arrays.stride, arrays.square, arrays.bit, arrays.owner, arrays.home
    begin, mask = arrays.forth.begin, arrays.forth.mask
    shift, origins, barred = arrays.shift, arrays.origins, arrays.barred
    lead, flips, part, worth, merit = arrays.captures
    step_begin, targets, masks = arrays.step_begin, arrays.step_target, arrays.step_mask
    can_be_quiet, wins, victims = arrays.step_quiet, arrays.step_wins, arrays.step_victims
    into_begin, into_step, into_origin = arrays.into_begin, arrays.into_step, arrays.into_origin
    winning, winning_origin = arrays.winning, arrays.winning_origin
    known, shut = state.known, state.shut
    pieces = len(stride)
    squares = np.zeros(pieces + 1, dtype=np.int8)
    board = np.full(len(arrays.mirror), EMPTY, dtype=np.int8)
    best = np.zeros(64, dtype=state.codes.dtype)
    last = 0
    for row in range(arrays.rows):
        taken = _set_up(stride, square, bit, row, squares)
        if _collides(squares, pieces):
            known[row] = shut[row] = ~np.uint64(0)
            continue
        for slot in range(pieces):
            board[squares[slot]] = slot
        legal = home & ~taken
        known[row] = ~legal
        quiet, offered = np.uint64(0), np.uint64(0)
        for slot in range(pieces):
            if owner[slot] == side:
                quiet |= _quiet_along(begin, mask, slot, squares[slot], taken, legal)
                offered = _look_along(
                    step_begin,
                    targets,
                    masks,
                    can_be_quiet,
                    wins,
                    victims,
                    lead,
                    flips,
                    part,
                    worth,
                    merit,
                    bit,
                    board,
                    squares,
                    best,
                    slot,
                    taken,
                    legal,
                    offered,
                )
        if owner[pieces] == side:
            for kind in range(len(shift)):
                quiet |= moved(legal, -shift[kind]) & _origins(origins, barred, kind, squares, pieces)
            offered = _win_inside(winning, winning_origin, targets, masks, merit, bit, best, taken, legal, offered)
            for victim in range(pieces):
                if owner[victim] != side:
                    offered = _look_inside(
                        into_begin,
                        into_step,
                        into_origin,
                        masks,
                        wins,
                        victims,
                        lead,
                        flips,
                        part,
                        worth,
                        merit,
                        bit,
                        squares,
                        best,
                        victim,
                        taken,
                        legal,
                        offered,
                    )
        if legal & (offered | ~quiet):
            last = max(last, _note(arrays, state, row, legal, quiet, offered, best))
        shut[row] |= known[row]
        for slot in range(pieces):
            board[squares[slot]] = EMPTY
    return last


@inline
def _quiet_along(begin: Int32, mask: Words, slot: int, origin: int, taken: Any, legal: Any) -> Any:
    """Squares of the row from which a piece other than the row piece has a quiet step."""
    quiet = np.uint64(0)
    for n in range(begin[slot, origin], begin[slot, origin + 1]):
        if not mask[n] & taken:
            quiet |= legal & ~mask[n]
    return quiet


@inline
def _offer(merit: Int32, best: Codes, offered: Any, square: int, bit: Any, code: int) -> Any:
    """Keep the better of what captures give on a square of the row."""
    if not offered & bit or merit[code] > merit[best[square]]:
        best[square] = code
    return offered | bit


@inline
def _capture(lead: Int64, flips: Bool, part: Int64, worth: Codes, victim: int, taker: int, target: int, squares: Int8) -> Any:
    """What capturing is worth to the capturer, from the child's table."""
    leader = lead[victim]
    if leader == LAST_PIECE:
        return WIN_NOW
    flip = 1 if flips[victim, target if leader == taker else squares[leader]] else 0
    return np.int64(worth[_index(part, victim, flip, taker, target, squares, len(squares))])


@inline
def _index(part: Int64, victim: int, flip: int, taker: int, target: int, squares: Int8, slots: int) -> Any:
    """What the first so many slots add to the index after a capture."""
    index = np.int64(0)
    for slot in range(slots):
        if slot != victim:
            index += part[victim, flip, slot, target if slot == taker else squares[slot]]
    return index


@inline
def _look_along(
    begin: Int32,
    targets: Int8,
    masks: Words,
    quiet: Bool,
    wins: Bool,
    victims: Int64,
    lead: Int64,
    flips: Bool,
    part: Int64,
    worth: Codes,
    merit: Int32,
    bit: Words,
    board: Int8,
    squares: Int8,
    best: Codes,
    slot: int,
    taken: Any,
    legal: Any,
    offered: Any,
) -> Any:
    """Captures, and steps that win at once, of one piece other than the row piece."""
    row_slot = len(squares) - 1
    for step in range(begin[slot, squares[slot]], begin[slot, squares[slot] + 1]):
        if masks[step] & taken:
            continue
        target = targets[step]
        free = legal & ~masks[step]
        victim = board[target]
        if victim == EMPTY:
            if free & bit[target] and (victims[step] >> row_slot) & 1:
                squares[row_slot] = target
                code = WIN_NOW if wins[step] else _capture(lead, flips, part, worth, row_slot, slot, target, squares)
                offered = _offer(merit, best, offered, target, bit[target], code)
            if not (wins[step] and quiet[step]):
                continue
            free &= ~bit[target]
        elif not (victims[step] >> victim) & 1:
            continue
        if wins[step] or lead[victim] == LAST_PIECE:
            while free:
                at = trailing_zeros(free)
                free &= free - np.uint64(1)
                offered = _offer(merit, best, offered, at, bit[at], WIN_NOW)
            continue
        # All squares of the row lead to the same positions but for the row piece.
        leader = lead[victim]
        flip = 1 if flips[victim, target if leader == slot else squares[leader]] else 0
        same = _index(part, victim, 0, slot, target, squares, row_slot)
        same_flipped = _index(part, victim, 1, slot, target, squares, row_slot)
        while free:
            at = trailing_zeros(free)
            free &= free - np.uint64(1)
            if leader == row_slot:
                flip = 1 if flips[victim, at] else 0
            index = part[victim, flip, row_slot, at] + (same_flipped if flip else same)
            offered = _offer(merit, best, offered, at, bit[at], worth[index])
    return offered


@inline
def _look_inside(
    begin: Int32,
    steps: Int32,
    origins: Int8,
    masks: Words,
    wins: Bool,
    victims: Int64,
    lead: Int64,
    flips: Bool,
    part: Int64,
    worth: Codes,
    merit: Int32,
    bit: Words,
    squares: Int8,
    best: Codes,
    victim: int,
    taken: Any,
    legal: Any,
    offered: Any,
) -> Any:
    """Captures of one piece by the row piece."""
    row_slot = len(squares) - 1
    target = squares[victim]
    for i in range(begin[target], begin[target + 1]):
        at, step = origins[i], steps[i]
        if (victims[step] >> victim) & 1 and legal & bit[at] and not masks[step] & taken:
            squares[row_slot] = at
            code = WIN_NOW if wins[step] else _capture(lead, flips, part, worth, victim, row_slot, target, squares)
            offered = _offer(merit, best, offered, at, bit[at], code)
    return offered


@inline
def _win_inside(
    winning: Int32,
    origins: Int8,
    targets: Int8,
    masks: Words,
    merit: Int32,
    bit: Words,
    best: Codes,
    taken: Any,
    legal: Any,
    offered: Any,
) -> Any:
    """Quiet steps of the row piece that win at once."""
    for i in range(len(winning)):
        step, at = winning[i], origins[i]
        if legal & bit[at] and not (masks[step] | bit[targets[step]]) & taken:
            offered = _offer(merit, best, offered, at, bit[at], WIN_NOW)
    return offered


@jit
def _note(arrays: RowArrays, state: State, row: int, legal: Any, quiet: Any, offered: Any, best: Codes) -> int:
    """Note what captures, or the want of any move, give in one row; the largest distance that waits."""
    bit, codes = arrays.bit, state.codes
    place = arrays.place[len(arrays.stride)]
    last = 0
    due = state.due[row]
    settled, shut, ripe = np.uint64(0), np.uint64(0), np.uint64(0)
    left = legal & (offered | ~quiet)
    while left:
        at = trailing_zeros(left)
        left &= left - np.uint64(1)
        code = best[at] if offered & bit[at] else arrays.no_move
        codes[row * arrays.length + place[at]] = code
        if code == STALEMATE:
            settled |= bit[at]
        elif code == DRAW:
            shut |= bit[at]
        else:
            distance = distance_of(code, STRIDE)
            last = max(last, distance)
            if is_win(code, STRIDE) or not quiet & bit[at]:
                shut |= bit[at]
                ripe |= bit[at]
                due = min(due, distance)
    state.known[row] |= settled
    state.shut[row] |= shut
    state.ripe[row] = ripe
    state.due[row] = due
    return last


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
        later = NEVER
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
        taken = _set_up(stride, square, bit, row, squares)
        rest = _mirrored_rest(stride, place, mirror, squares)
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
                some |= moved(word, -shift[kind]) & _origins(origins, barred, kind, squares, pieces)
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
        taken = _set_up(stride, square, bit, row, squares)
        if owner[pieces] == side:
            open_squares = home & ~(won[row] | taken)
            for kind in range(len(shift)):
                word &= ~(moved(open_squares, -shift[kind]) & _origins(origins, barred, kind, squares, pieces))
        rest = _mirrored_rest(stride, place, mirror, squares)
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
        legal = arrays.home & ~_set_up(stride, square, bit, row, squares)
        if _collides(squares, pieces):
            legal = np.uint64(0)
        for digit in range(length):
            here = bit[square[pieces, digit]]
            if not legal & here:
                codes[row * length + digit] = void
            elif not state.known[row] & here:
                codes[row * length + digit] = DRAW
