"""The solver of planes: retrograde analysis on 512 positions at a time, pulled, never pushed.

A plane (see `tablebase.solvers.planes.arrays`) is 64 words, and a unit of eight words is one cache line. For each side to move
the solver keeps a code per position and the words

- `known`: positions whose result is settled (or that are illegal),
- `won`: the known positions that are wins, and illegal ones,
- `shut`: the known positions, and those that cannot become a loss by quiet moves alone, because a capture draws, wins, or
  delays the loss, or because they have no quiet move,
- `fresh`: losses of the distance at hand.

A position that is shut but not known *waits* if it has a code: its result, mostly from captures, counts from its distance on.
`due` is the next such distance of a row, as a code, and `plane_due` that of a plane.

Step 0 (`tablebase.solvers.planes.captures`) looks up all captures once. Then, for d = 0, 1, 2, …:

1. `enter`: what waits for d becomes known;
2. `mark`: unmoves of whole planes show in which units something may change, because a unit that they lead from is *dirty*,
   which is to say that something in it became known at d;
3. `settle_wins` for even d: positions with a move to a fresh loss win in d + 1;
   `settle_losses` for odd d: positions that are not shut and all of whose quiet moves lead to wins have lost, in d + 1 or when
   their best capture loses, whichever is later.

Parity distinguishes wins (odd) from losses (even), so each distance has only one of the two. What nobody has settled in the
end is a draw. Every kernel writes only to the planes that it was asked for, but `mark`; so threads may share the planes of a
side, with a barrier after each step. Tests compare the solver with the reference solver byte for byte.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tablebase.solvers.planes.arrays import COLUMNS, FULL, ROWS, STRIDE, AnyState, Planes, Scratch, State, new_scratch, new_state
from tablebase.solvers.planes.captures import look, set_illegal
from tablebase.solvers.planes.children import compile_children
from tablebase.solvers.planes.layout_codes import compile_output, write_codes
from tablebase.solvers.planes.pull import all_won, any_fresh, list_targets, mask_steps
from tablebase.solvers.planes.record import delay, record, win_code
from tablebase.solvers.planes.slices import compile_planes
from tablebase.solvers.problem import CompiledSlice, arrays_of
from tablebase.system.compute import threads
from tablebase.system.compute.bits import trailing_zeros
from tablebase.system.compute.jit import inline, jit
from tablebase.system.compute.messages import reach
from tablebase.system.compute.pointers import bare
from tablebase.system.compute.vectors import ELEMENTS, WORDS, chosen, lanes_of, least, load, rows, store, unit_of
from tablebase.tables.values import Codes

GRAIN = 8
"""The smallest number of whole vectors of planes worth a thread."""


class Part(NamedTuple):
    """The planes of one side to move from `first` up to `last`, and where kernels note what they find there."""

    side: int
    first: int
    last: int
    scratch: Scratch


def solve(problem: CompiledSlice) -> tuple[Codes, Codes] | None:
    """Codes of both sides to move, or None if a distance does not fit the coding.

    It uses the threads that it is allowed (see `tablebase.system.compute.threads`), each of which writes to planes of its own.
    """
    planes, coding, checkpoint = compile_planes(problem), problem.coding, problem.checkpoint
    states = (new_state(planes, coding.dtype), new_state(planes, coding.dtype))
    arrays, saved = arrays_of(states), checkpoint.load()
    parts = _parts(planes)
    level = 0
    if saved is None:
        _look_up(problem, planes, states, parts)
    else:
        saved.fill(arrays)
        level = saved.numbers["level"]
    while level <= coding.reach and _advance(planes, states, parts, level):
        level += 1
        reach("solving", level)
        if checkpoint.due():
            checkpoint.save({"level": level}, arrays)
    output = compile_output(problem.layout)
    written = [np.empty(problem.layout.size, dtype=coding.dtype) for _ in states]

    def write(part: Part) -> bool:
        return write_codes(planes, states[part.side], output, written[part.side], coding.void, part.first, part.last)

    return (written[0], written[1]) if all(list(threads.each(write, parts))) else None


def _parts(planes: Planes) -> list[Part]:
    ranges = threads.ranges(-(-planes.size // ELEMENTS), GRAIN)
    edges = [(first * ELEMENTS, min(last * ELEMENTS, planes.size)) for first, last in ranges]
    return [Part(side, first, last, new_scratch(planes)) for side in (0, 1) for first, last in edges]


def _look_up(problem: CompiledSlice, planes: Planes, states: tuple[State, State], parts: list[Part]) -> None:
    """Step 0: look up all captures."""
    children = compile_children(problem)

    def look_part(part: Part) -> None:
        look(planes, children, part.side, states[part.side], states[1 - part.side], part.scratch, part.first, part.last)

    reach("looking up captures", 0, len(parts))
    list(threads.each(lambda part: set_illegal(planes, states[part.side], part.first, part.last), parts))
    for done, _ in enumerate(threads.each(look_part, parts), start=1):
        reach("looking up captures", done, len(parts))


def _advance(planes: Planes, states: tuple[State, State], parts: list[Part], level: int) -> bool:
    """Go through one distance; return False if there is nothing left to do."""
    settle = settle_losses if level % 2 else settle_wins

    def settle_part(part: Part) -> None:
        settle(planes, part.side, states[part.side], states[1 - part.side], part.scratch, level, part.first, part.last)

    waits = list(threads.each(lambda part: enter(states[part.side], level, part.first, part.last), parts))
    if not any(waits) and not any(is_dirty(state, level) for state in states):
        return False
    list(threads.each(lambda side: mark(planes, side, states[1 - side], states[side], level), (0, 1)))
    list(threads.each(settle_part, parts))
    list(threads.each(lambda part: clean(states[part.side], level, part.first, part.last), parts))
    return True


def is_dirty(state: AnyState, level: int) -> bool:
    """Return whether anything became known at a distance."""
    begin = level % 2 * state.span
    return bool(state.dirty[begin : begin + state.span].any())


@inline
def _begin(state: AnyState, level: int) -> Any:
    """Return where the units that became dirty at a distance begin in `State.dirty`."""
    return np.int64(level % 2) * state.span


@inline
def _some(units: Any, begin: Any) -> Any:
    """The planes with units in a set, as a word, for 64 planes from `begin` on."""
    return load(units, begin) != lanes_of(0, units)


# Step 1


@jit
def enter(state: State, level: int, first: int, last: int) -> bool:
    """Make known what waits for a distance, in planes from `first` up to `last`; return whether anything waits there."""
    state = bare(state)
    known, won, shut, fresh, dirty = state.known, state.won, state.shut, state.fresh, state.dirty
    codes, due, plane_due = state.codes, state.due, state.plane_due
    code = lanes_of(win_code(level, STRIDE), codes)
    never = lanes_of(-1, codes)
    begin = _begin(state, level)
    waits = False
    for some in range(first, last, ELEMENTS):
        next_due = load(plane_due, some)
        waits = waits or (next_due != never) != 0
        left = next_due == code
        while left:
            plane = some + trailing_zeros(left)
            left &= left - np.uint64(1)
            due_rows = load(due, plane * ROWS) == code
            while due_rows:
                row = plane * ROWS + trailing_zeros(due_rows)
                due_rows &= due_rows - np.uint64(1)
                found = load(codes, row * ROWS)
                waiting = shut[row] & ~known[row]
                now, later = (found == code) & waiting, (found > code) & waiting
                due[row] = least(chosen(later, found, never))
                if now:
                    known[row] |= now
                    if level % 2 == 1:
                        won[row] |= now
                    else:
                        fresh[row] |= now
                    dirty[begin + plane] |= np.uint8(1) << np.uint8((row - plane * ROWS) // WORDS)
            plane_due[plane] = least(load(due, plane * ROWS))
    return waits


# Step 2


@jit
def mark(planes: Planes, side: int, dirty_state: AnyState, state: AnyState, level: int) -> None:
    """Mark the units with moves of `side`, which is to move in `state`, to units of the other state that became dirty."""
    planes, dirty_state, state = bare(planes), bare(dirty_state), bare(state)
    dirty, todo = dirty_state.dirty, state.todo
    owner, backs, squares = planes.owner, planes.backs, planes.squares
    outer = planes.outer
    begin = _begin(state, level)
    for some in range(0, state.span, ELEMENTS):
        left = _some(dirty, begin + some)
        while left:
            plane = some + trailing_zeros(left)
            left &= left - np.uint64(1)
            units = dirty[begin + plane]
            if owner[outer] == side:
                todo[plane] |= planes.file_units[units]
            if owner[outer + 1] == side:
                todo[plane] |= units
            for slot in range(outer):
                if owner[slot] == side:
                    square = squares[plane * outer + slot]
                    for back in range(backs.begin[slot * COLUMNS + square], backs.begin[slot * COLUMNS + square + 1]):
                        if backs.mirrored[back]:
                            todo[planes.image[plane] + backs.delta[back]] |= planes.image_units[units]
                        else:
                            todo[plane + backs.delta[back]] |= units


# Step 3


@jit
def settle_wins(
    planes: Planes, side: int, state: AnyState, other: AnyState, scratch: Scratch, level: int, first: int, last: int
) -> None:
    """Settle positions with a move to a loss that is fresh at `level` as wins one ply later."""
    planes, state, other, scratch = bare(planes), bare(state), bare(other), bare(scratch)
    known, won, shut, dirty, todo = state.known, state.won, state.shut, state.dirty, state.todo
    file = planes.outer
    file_moves, row_moves = planes.owner[file] == side, planes.owner[file + 1] == side
    code = win_code(level + 1, STRIDE)
    here, next_level = _begin(state, level), _begin(state, level + 1)
    for some in range(first, last, ELEMENTS):
        left = _some(todo, some)
        while left:
            plane = some + trailing_zeros(left)
            left &= left - np.uint64(1)
            units = np.uint64(todo[plane])
            todo[plane] = 0
            if planes.occupied[plane] == FULL:
                continue
            targets = list_targets(planes, scratch, plane, side, other.dirty, here)
            file_mask, row_mask = planes.file.mask, planes.row.mask
            if planes.altered[plane]:
                mask_steps(planes, scratch, plane)
                file_mask, row_mask = scratch.file_mask, scratch.row_mask
            own = other.dirty[here + plane] != 0
            while units:
                unit = trailing_zeros(units)
                units &= units - np.uint64(1)
                row = plane * ROWS + unit * WORDS
                before = load(known, row)
                if not rows(~before):
                    continue
                found = any_fresh(
                    planes, scratch, other.fresh, plane, targets, unit, file_moves and own, row_moves and own, file_mask, row_mask
                )
                found = found & ~before
                left_rows = np.uint64(rows(found))
                if left_rows:
                    store(known, row, before | found)
                    store(won, row, load(won, row) | found)
                    store(shut, row, load(shut, row) | found)
                    store(scratch.words, 0, found)
                    dirty[next_level + plane] |= np.uint8(1) << np.uint8(unit)
                    while left_rows:
                        i = trailing_zeros(left_rows)
                        left_rows &= left_rows - np.uint64(1)
                        record(state, row + i, scratch.words[i], code)


@jit
def settle_losses(
    planes: Planes, side: int, state: AnyState, other: AnyState, scratch: Scratch, level: int, first: int, last: int
) -> None:
    """Settle positions all of whose quiet moves lead to wins as losses one ply after `level`, or when their captures lose."""
    planes, state, other, scratch = bare(planes), bare(state), bare(other), bare(scratch)
    known, shut, fresh, dirty, todo = state.known, state.shut, state.fresh, state.dirty, state.todo
    file = planes.outer
    file_moves, row_moves = planes.owner[file] == side, planes.owner[file + 1] == side
    code = win_code(level + 1, STRIDE)
    next_level = _begin(state, level + 1)
    for some in range(first, last, ELEMENTS):
        left = _some(todo, some)
        while left:
            plane = some + trailing_zeros(left)
            left &= left - np.uint64(1)
            units = np.uint64(todo[plane])
            todo[plane] = 0
            if planes.occupied[plane] == FULL:
                continue
            targets = list_targets(planes, scratch, plane, side, other.dirty, -1)
            file_mask, row_mask = planes.file.mask, planes.row.mask
            if planes.altered[plane]:
                mask_steps(planes, scratch, plane)
                file_mask, row_mask = scratch.file_mask, scratch.row_mask
            while units:
                unit = trailing_zeros(units)
                units &= units - np.uint64(1)
                row = plane * ROWS + unit * WORDS
                before = load(shut, row)
                if not rows(~before):
                    continue
                found = all_won(
                    planes, scratch, other.won, plane, targets, unit, file_moves, row_moves, file_mask, row_mask, ~before
                )
                left_rows = np.uint64(rows(found))
                if not left_rows:
                    continue
                store(shut, row, before | found)
                store(scratch.words, 0, found)
                while left_rows:
                    i = trailing_zeros(left_rows)
                    left_rows &= left_rows - np.uint64(1)
                    word = scratch.words[i]
                    word &= ~delay(state, plane, row + i, word, code)
                    scratch.words[i] = word
                    if word:
                        record(state, row + i, word, code)
                now = load(scratch.words, 0)
                if rows(now):
                    store(known, row, load(known, row) | now)
                    store(fresh, row, now)
                    dirty[next_level + plane] |= np.uint8(1) << np.uint8(unit)


@jit
def clean(state: AnyState, level: int, first: int, last: int) -> None:
    """Forget what became known at a distance."""
    state = bare(state)
    fresh, dirty = state.fresh, state.dirty
    begin = _begin(state, level)
    nothing = unit_of(np.uint64(0))
    for some in range(first, last, ELEMENTS):
        left = _some(dirty, begin + some)
        while left:
            plane = some + trailing_zeros(left)
            left &= left - np.uint64(1)
            units = np.uint64(dirty[begin + plane])
            dirty[begin + plane] = 0
            while level % 2 == 0 and units:
                store(fresh, plane * ROWS + trailing_zeros(units) * WORDS, nothing)
                units &= units - np.uint64(1)
