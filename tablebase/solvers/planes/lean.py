"""The lean solver of planes: the same steps without a code for each position in memory.

It keeps the words of `tablebase.solvers.planes.solve`, and a fifth one,

- `later`: positions whose best capture loses, but later than at the distance at hand.

What it settles goes to a log (`tablebase.solvers.planes.log`), and so do, by code, all positions for which captures have a
result. Those of a code are entered at its distance: the shut ones that are not known become known, and for no position does
its capture lose later any more. A position that is settled just when its capture loses waits, too, but for nothing: it enters
before anything else happens. `look` has codes of one part of the planes at a time.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tablebase.positions.slice_arrays import Int64
from tablebase.solvers.planes.arrays import ROWS, STRIDE, Entries, LeanState, Planes, Scratch, State, Words, new_scratch, padded
from tablebase.solvers.planes.captures import look, set_illegal
from tablebase.solvers.planes.children import Children, compile_children
from tablebase.solvers.planes.layout_codes import compile_output
from tablebase.solvers.planes.log import LoggedCodes, ResultLog, part_state, parts_of
from tablebase.solvers.planes.record import ENTRY, put, record, win_code, word_at
from tablebase.solvers.planes.slices import compile_planes
from tablebase.solvers.planes.solve import clean, is_dirty, mark, settle_losses, settle_wins
from tablebase.solvers.problem import CompiledSlice, arrays_of
from tablebase.system.compute.bits import trailing_zeros
from tablebase.system.compute.jit import jit
from tablebase.system.compute.messages import reach
from tablebase.system.compute.pointers import bare
from tablebase.system.compute.vectors import WORDS, lanes_of, load, rooms
from tablebase.tables.checkpoints import TableCheckpoint
from tablebase.tables.values import STALEMATE, Coding

States = tuple[LeanState, LeanState]


def solve(problem: CompiledSlice) -> tuple[LoggedCodes, LoggedCodes] | None:
    """Codes of both sides to move, or None if a distance does not fit the coding."""
    planes, coding, layout, checkpoint = compile_planes(problem), problem.coding, problem.layout, problem.checkpoint
    log, scratch = ResultLog(problem.scratch, parts_of(planes.size)), new_scratch(planes)
    states = (new_lean_state(planes, log), new_lean_state(planes, log))
    saved = checkpoint.load()
    level = 0
    if saved is None or not log.go_on(checkpoint.log, saved.numbers["log"]):
        _look_everywhere(planes, compile_children(problem), states, scratch, log, coding)
    else:
        saved.fill(arrays_of(states))
        level = saved.numbers["level"]
    if not _run(planes, states, scratch, log, coding, level, checkpoint) or _waits_in_vain(states, log, coding):
        return None
    output = compile_output(layout)
    first, second = (LoggedCodes(planes, layout, output, coding, log, side) for side in (0, 1))
    return first, second


def new_lean_state(planes: Planes, log: ResultLog) -> LeanState:
    """The state of a side to move, all words but the fresh ones undefined."""
    span, words = padded(planes.size), (planes.size * ROWS, np.uint64)
    most = (log.parts[0].last - log.parts[0].first) * ROWS * ENTRY
    known, won, shut, fresh, later, dirty, todo, entries, end = rooms(
        *[words] * 5, (2 * span, np.uint8), (span, np.uint8), (most, np.uint32), (1, np.int64)
    )
    for nothing in (fresh, dirty, todo, end):
        nothing[:] = 0
    return LeanState(known, won, shut, fresh, later, dirty, todo, span, entries, end)


# Step 0


def _look_everywhere(planes: Planes, children: Children, states: States, scratch: Scratch, log: ResultLog, coding: Coding) -> None:
    """Look up all captures, part by part, and log what they lead to."""
    reach("looking up captures", 0, len(log.parts))
    for view in _views(states, part_state(planes, log.parts[0], coding.dtype)):
        set_illegal(planes, view, 0, planes.size)
    for number, part in enumerate(log.parts):
        views = _views(states, part_state(planes, part, coding.dtype))
        for side, view in enumerate(views):
            look(planes, children, side, view, views[1 - side], scratch, *part)
            _log_captures(view, states[side].later, coding.void, *part, log, side, number)
        reach("looking up captures", number + 1, len(log.parts))


def _views(states: States, part: State) -> list[State]:
    """The words of both sides to move beside the codes of a part."""
    return [part._replace(known=state.known, won=state.won, shut=state.shut) for state in states]


def _log_captures(view: State, later: Words, void: int, first: int, last: int, log: ResultLog, side: int, number: int) -> None:
    """Log the positions of a part that captures, or the want of any move, have given a code."""
    place = np.zeros(void + 1, dtype=np.int64)
    sort_codes(view, later, first, last, place, np.zeros(0, dtype=np.uint32))
    begin = np.concatenate([[0], np.cumsum(place)])
    entries = np.empty(begin[-1], dtype=np.uint32)
    sort_codes(view, later, first, last, begin[:-1].copy(), entries)
    for code in np.flatnonzero(place).tolist():
        segment = log.append(entries[begin[code] : begin[code + 1]])
        if code == STALEMATE:
            log.found[side][number].append((code, segment))
        else:
            log.waiting[side][number][code] = segment


@jit
def sort_codes(state: State, later: Words, first: int, last: int, place: Int64, entries: Entries) -> None:
    """Write the entries of each code that captures lead to from a place on, and advance it; without room for any only that.

    Note also which captures lose. `won` holds just what is illegal.
    """
    some = bare(state)
    known, won, codes = some.known, some.won, some.codes
    one, zero = lanes_of(STALEMATE, codes), lanes_of(0, codes)
    for row in range(first * ROWS, last * ROWS):
        found = load(codes, (row - state.origin * ROWS) * ROWS)
        left = (found > one) & ~known[row]
        later[row] = left & ((found & one) == zero)
        left |= known[row] & ~won[row]
        while left:
            code = np.int64(codes[(row - state.origin * ROWS) * ROWS + trailing_zeros(left)])
            alike = (found == lanes_of(code, codes)) & left
            left &= ~alike
            if len(entries):
                put(entries, place[code], row, alike)
            place[code] += ENTRY


# All distances


def _run(
    planes: Planes, states: States, scratch: Scratch, log: ResultLog, coding: Coding, first: int, checkpoint: TableCheckpoint
) -> bool:
    """Go through all distances from the first on; return whether they fit."""
    latest = max((code for side in log.waiting for part in side for code in part if code < coding.void), default=0)
    for level in range(first, coding.reach + 1):
        for side, state in enumerate(states):
            _enter_everywhere(state, level, log, side)
        if latest <= win_code(level, STRIDE) and not any(is_dirty(state, level) for state in states):
            return True
        for side, state in enumerate(states):
            mark(planes, side, states[1 - side], state, level)
        settle = settle_losses if level % 2 else settle_wins
        for side, state in enumerate(states):
            for number, part in enumerate(log.parts):
                if state.todo[part.first : part.last].any():
                    settle(planes, side, state, states[1 - side], scratch, level, *part)
                    _log_found(state, level + 1, log, side, number)
        for state in states:
            clean(state, level, 0, planes.size)
        reach("solving", level + 1)
        if checkpoint.due() and log.keep(checkpoint.log):
            checkpoint.save({"level": level + 1, "log": log.contents()}, arrays_of(states))
    return not any(is_dirty(state, coding.reach + 1) for state in states)


def _log_found(state: LeanState, distance: int, log: ResultLog, side: int, number: int) -> None:
    if state.end[0]:
        code = win_code(distance, STRIDE)
        log.found[side][number].append((code, log.append(state.entries[: state.end[0]])))
        state.end[0] = 0


def _enter_everywhere(state: LeanState, level: int, log: ResultLog, side: int) -> None:
    """Make known what waits for a distance."""
    for number, waiting in enumerate(log.waiting[side]):
        segment = waiting.get(win_code(level, STRIDE))
        if segment is not None:
            enter_entries(state, log.read(segment), level)
            _log_found(state, level, log, side, number)


@jit
def enter_entries(state: LeanState, entries: Entries, level: int) -> None:
    """Make known those positions of entries that wait; none of them has a capture any more that loses later."""
    some = bare(state)
    known, won, shut, fresh, later, dirty = some.known, some.won, some.shut, some.fresh, some.later, some.dirty
    code = win_code(level, STRIDE)
    begin = np.int64(level % 2) * state.span
    for place in range(0, len(entries), ENTRY):
        row, word = np.int64(entries[place]), word_at(entries, place)
        later[row] &= ~word
        now = word & shut[row] & ~known[row]
        if now:
            known[row] |= now
            if level % 2 == 1:
                won[row] |= now
            else:
                fresh[row] |= now
            dirty[begin + row // ROWS] |= np.uint8(1) << np.uint8(row % ROWS // WORDS)
            record(some, row, now, code)


def _waits_in_vain(states: States, log: ResultLog, coding: Coding) -> bool:
    """Return whether a position waits for the first distance beyond the coding, whose code is that of void."""
    for state, parts in zip(states, log.waiting, strict=True):
        for segment in (part[coding.void] for part in parts if coding.void in part):
            entries: Any = log.read(segment).reshape(-1, ENTRY).astype(np.uint64)
            words = entries[:, 1] | entries[:, 2] << np.uint64(32)
            if (words & ~state.known[entries[:, 0]]).any():
                return True
    return False
