"""Step 0 of the solver of planes: every capture of every position, as byte maxima of whole rows.

While a plane is looked at, its codes hold scores (see `tablebase.solvers.planes.children`), those of its best moves that leave
the slice so far. A capture by and of outer pieces is worth the same row of the child for each row; a capture by or of the file
piece is one row, and a capture by or of the row piece is one column.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tablebase.solvers.planes.arrays import COLUMNS, FULL, PLANE, ROWS, UNITS, Planes, Scratch, State, Words
from tablebase.solvers.planes.children import NOTHING, WON, Children
from tablebase.solvers.planes.pull import all_won, list_targets, mask_steps
from tablebase.system.compute.bits import trailing_zeros
from tablebase.system.compute.jit import inline, jit
from tablebase.system.compute.pointers import bare
from tablebase.system.compute.vectors import WORDS, chosen, lanes_of, larger, least, load, smaller, store
from tablebase.tables.values import STALEMATE, Codes

EMPTY = -1
"""In `Scratch.board`: no outer piece stands on the square."""


@jit
def set_illegal(planes: Planes, state: State, first: int, last: int) -> None:
    """Let `won` hold just what is illegal, in the planes from `first` up to `last`."""
    planes, won = bare(planes), bare(state).won
    for plane in range(first, last):
        occupied = planes.occupied[plane]
        for row in range(ROWS):
            bit = np.uint64(1) << np.uint64(row)
            legal = planes.row_home & ~(occupied | bit) if planes.file_home & ~occupied & bit else np.uint64(0)
            won[plane * ROWS + row] = ~legal


@jit
def look(
    planes: Planes, children: Children, side: int, state: State, other: State, scratch: Scratch, first: int, last: int
) -> None:
    """Look up the captures of all positions with `side` to move; `won` of both sides holds just what is illegal."""
    planes, children, state, scratch, won = bare(planes), bare(children), bare(state), bare(scratch), bare(other).won
    outer = planes.outer
    for plane in range(first, last):
        codes = (plane - state.origin) * PLANE
        nothing = lanes_of(NOTHING, state.codes)
        for row in range(ROWS):
            store(state.codes, codes + row * ROWS, nothing)
        if planes.occupied[plane] != FULL:
            for slot in range(outer):
                scratch.board[planes.squares[plane * outer + slot]] = slot
            for slot in range(outer):
                if planes.owner[slot] == side:
                    _look_outer(planes, children, state.codes, codes, scratch, plane, slot)
            if planes.owner[outer] == side:
                _look_file(planes, children, state.codes, codes, scratch, plane)
            if planes.owner[outer + 1] == side:
                _look_row(planes, children, state.codes, codes, scratch, plane)
            for slot in range(outer):
                scratch.board[planes.squares[plane * outer + slot]] = EMPTY
        _settle(planes, side, state, won, scratch, plane)


@inline
def _source(planes: Planes, children: Children, plane: Any, take: int, victim: int, captor: int) -> Any:
    """Return where the outer pieces find the rows of a capture in `Children.worth`; WON if it wins at once."""
    base, part = children.base, children.part
    source = base[victim]
    if planes.captures.wins[take] or source == WON:
        return np.int64(WON)
    outer = planes.outer
    for slot in range(outer):
        if slot != victim:
            square = planes.captures.target[take] if slot == captor else planes.squares[plane * outer + slot]
            source += part[(victim * (outer + 2) + slot) * ROWS + square]
    return source


@inline
def _step(source: Any, step: int) -> Any:
    """Return how far apart the scores of neighbouring squares are; a win in one ply is always at the same place."""
    return np.int64(0) if source == WON else np.int64(step)


@inline
def _offer_rows(codes: Codes, begin: Any, left: Any, free: Any, worth: Codes, source: Any, step: Any) -> None:
    """Offer to the rows of a word, where the row piece stands on a free square, the scores of rows `step` apart."""
    while left:
        row = trailing_zeros(left)
        left &= left - np.uint64(1)
        before = load(codes, begin + row * ROWS)
        store(codes, begin + row * ROWS, chosen(free, larger(before, load(worth, source + row * step)), before))


@inline
def _offer_column(codes: Codes, begin: Any, left: Any, square: int, worth: Codes, source: Any, step: Any) -> None:
    """Offer to the rows of a word, where the row piece stands on a square, scores that are `step` apart."""
    while left:
        row = trailing_zeros(left)
        left &= left - np.uint64(1)
        place = begin + row * ROWS + square
        codes[place] = max(codes[place], worth[source + row * step])


@inline
def _bit(square: Any) -> Any:
    return np.uint64(1) << np.uint64(square)


@inline
def _is_set(word: Any, number: Any) -> Any:
    return (word >> number) & 1


@inline
def _look_outer(planes: Planes, children: Children, codes: Codes, begin: Any, scratch: Scratch, plane: Any, slot: int) -> None:
    """Offer what an outer piece captures, and its steps that win at once."""
    captures, goals, worth = planes.captures, planes.goals, children.worth
    occupied = planes.occupied[plane]
    file = planes.outer
    origin = planes.squares[plane * file + slot]
    standing = planes.file_home & ~occupied
    for take in range(captures.begin[slot * COLUMNS + origin], captures.begin[slot * COLUMNS + origin + 1]):
        between, target, victims = captures.between[take], captures.target[take], captures.victims[take]
        if between & occupied:
            continue
        rows = standing & ~between
        victim = scratch.board[target]
        if victim != EMPTY:
            if _is_set(victims, victim):
                source = _source(planes, children, plane, take, victim, slot)
                _offer_rows(codes, begin, rows, ~between, worth, source, _step(source, ROWS))
            continue
        if _is_set(victims, file):
            source = _source(planes, children, plane, take, file, slot)
            _offer_rows(codes, begin, rows & _bit(target), ~between, worth, source, 0)
        if _is_set(victims, file + 1):
            source = _source(planes, children, plane, take, file + 1, slot)
            _offer_column(codes, begin, rows & ~_bit(target), target, worth, source, _step(source, 1))
    for goal in range(goals.begin[slot * COLUMNS + origin], goals.begin[slot * COLUMNS + origin + 1]):
        closed = goals.between[goal] | _bit(goals.target[goal])
        if not closed & occupied:
            _offer_rows(codes, begin, standing & ~closed, ~closed, worth, WON, 0)


@inline
def _look_file(planes: Planes, children: Children, codes: Codes, begin: Any, scratch: Scratch, plane: Any) -> None:
    """Offer what the file piece captures, and its steps that win at once."""
    captures, goals, worth = planes.captures, planes.goals, children.worth
    occupied = planes.occupied[plane]
    file = planes.outer
    for take in range(captures.begin[file * COLUMNS], captures.begin[file * COLUMNS + ROWS]):
        between, target, victims = captures.between[take], captures.target[take], captures.victims[take]
        rows = _bit(captures.origin[take]) & ~occupied
        if between & occupied or not rows:
            continue
        victim = scratch.board[target]
        if victim != EMPTY:
            if _is_set(victims, victim):
                source = _source(planes, children, plane, take, victim, file)
                _offer_rows(codes, begin, rows, ~between, worth, source + _step(source, ROWS) * target, 0)
        elif _is_set(victims, file + 1):
            source = _source(planes, children, plane, take, file + 1, file)
            _offer_column(codes, begin, rows, target, worth, source + _step(source, 1) * target, 0)
    for goal in range(goals.begin[file * COLUMNS], goals.begin[file * COLUMNS + ROWS]):
        closed = goals.between[goal] | _bit(goals.target[goal])
        if not closed & occupied:
            _offer_rows(codes, begin, _bit(goals.origin[goal]) & ~occupied, ~closed, worth, WON, 0)


@inline
def _look_row(planes: Planes, children: Children, codes: Codes, begin: Any, scratch: Scratch, plane: Any) -> None:
    """Offer what the row piece captures, and its steps that win at once."""
    captures, goals, worth = planes.captures, planes.goals, children.worth
    occupied = planes.occupied[plane]
    file = planes.outer
    row = file + 1
    standing = planes.file_home & ~occupied
    for take in range(captures.begin[row * COLUMNS], captures.begin[row * COLUMNS + ROWS]):
        between, target, victims = captures.between[take], captures.target[take], captures.victims[take]
        origin = captures.origin[take]
        if (between | _bit(origin)) & occupied:
            continue
        rows = standing & ~between
        victim = scratch.board[target]
        if victim != EMPTY:
            if _is_set(victims, victim):
                source = _source(planes, children, plane, take, victim, row)
                _offer_column(codes, begin, rows, origin, worth, source + _step(source, 1) * target, _step(source, ROWS))
        elif _is_set(victims, file):
            source = _source(planes, children, plane, take, file, row)
            _offer_column(codes, begin, rows & _bit(target), origin, worth, source + _step(source, 1) * target, 0)
    for goal in range(goals.begin[row * COLUMNS], goals.begin[row * COLUMNS + ROWS]):
        closed = goals.between[goal] | _bit(goals.target[goal])
        if not closed & occupied:
            _offer_column(codes, begin, standing & ~closed, goals.origin[goal], worth, WON, 0)


@inline
def _settle(planes: Planes, side: int, state: State, won: Words, scratch: Scratch, plane: Any) -> None:
    """Turn the scores of a plane into codes, and note what is known, shut and due."""
    codes, file = state.codes, planes.outer
    never, zero = lanes_of(-1, codes), lanes_of(0, codes)
    draw = lanes_of(planes.void // 2, codes)
    no_move = lanes_of(planes.no_move, codes)
    targets = list_targets(planes, scratch, plane, side, state.dirty, -1)
    file_moves, row_moves = planes.owner[file] == side, planes.owner[file + 1] == side
    file_mask, row_mask = planes.file.mask, planes.row.mask
    if planes.altered[plane]:
        mask_steps(planes, scratch, plane)
        file_mask, row_mask = scratch.file_mask, scratch.row_mask
    nearest, origin = never, state.origin * ROWS
    for unit in range(UNITS):
        begin = plane * ROWS + unit * WORDS
        stuck_unit = all_won(
            planes, scratch, won, plane, targets, unit, file_moves, row_moves, file_mask, row_mask, ~load(won, begin)
        )
        store(scratch.words, 0, stuck_unit)
        for i in range(WORDS):
            row = begin + i
            illegal, stuck = won[row], scratch.words[i]
            scores = load(codes, (row - origin) * ROWS)
            wins, draws, nothing = scores > draw, scores == draw, scores == zero
            lost = ~(wins | draws)
            wins_at = ~scores + ~scores + lanes_of(3, codes)
            loses_at = chosen(nothing, chosen(stuck, no_move, zero), scores + scores + lanes_of(2, codes))
            found = chosen(wins, wins_at, chosen(draws, zero, loses_at))
            stale = nothing & stuck if planes.no_move == STALEMATE else np.uint64(0)
            waits = (wins | (lost & stuck)) & ~(illegal | stale)
            store(codes, (row - origin) * ROWS, found)
            state.known[row] = illegal | stale
            state.shut[row] = illegal | wins | draws | stuck
            waiting = chosen(waits, found, never)
            state.due[row - origin] = least(waiting)
            nearest = smaller(nearest, waiting)
    state.plane_due[plane - state.origin] = least(nearest)
