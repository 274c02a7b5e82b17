"""The kernels of the solver of groups."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.positions.conversions import ENDS, ILLEGAL, STAYS
from tablebase.positions.slice_arrays import NOBODY, Int64
from tablebase.solvers.groups.arrays import WORD_BITS, GroupRules, Words
from tablebase.solvers.groups.escapes import Escapes
from tablebase.solvers.groups.row_scores import NOTHING
from tablebase.system.compute.jit import inline, jit
from tablebase.system.compute.pointers import bare
from tablebase.tables.values import Codes

DIRTY, LATE = 1, 2
"""Flags of a row: it must be looked at; the best move of one of its positions leads beyond the coding."""
EMPTY = -1
# Numba compiles a kernel again for each constant that it is called with, unless the constant has a type of its own.
HERE: Any = np.int64(STAYS)
NONE: Any = np.int64(NOBODY)

Bytes = NDArray[np.uint8]


class View(NamedTuple):
    """Data of a slice of R rows of N cells, as one side to move sees it. All arrays are flat."""

    known: Codes  # (R * N,) scores with this side to move
    others: Codes  # (R * N,) with the other side to move
    worth: Codes  # scores of the tables of conversions
    flags: Bytes  # (R,) of this side to move
    other_flags: Bytes  # (R,)
    image: Int64  # (R,) mirror image of each row
    turn: Int64  # (N,) mirror image of each cell
    rest: int  # rows of one placement of the lead


class Worth(NamedTuple):
    """Some scores; see `tablebase.solvers.groups.row_scores`."""

    after: Codes
    won: int
    late_loss: int
    late_win: int


class GroupScratch(NamedTuple):
    """The row at hand: P slots, S squares, G groups, W words."""

    place: Int64  # (P,) places of the outer pieces, ascending within a group
    board: Int64  # (S,) the outer slot on each square
    digit: Int64  # (G,) placement numbers of the outer groups
    sorted: Int64  # (P,)
    guarded: Words  # (W,)
    best: Codes  # (N,)
    after: Codes  # (N,)


def new_scratch(rules: GroupRules, dtype: Any) -> GroupScratch:
    """Notes of a kernel, one for each thread."""
    place, sorted_places = (np.zeros(rules.slots, dtype=np.int64) for _ in range(2))
    best, after = (np.zeros(rules.length, dtype=dtype) for _ in range(2))
    board, digit = np.full(rules.squares, EMPTY, dtype=np.int64), np.zeros(rules.groups, dtype=np.int64)
    return GroupScratch(place, board, digit, sorted_places, np.zeros(rules.words, dtype=np.uint64), best, after)


@jit
def _unrank(rules: Any, group: int, number: int, place: Any) -> None:
    begin, end = rules.first[group], rules.first[group + 1]
    base, by_piece, by_place = rules.ways_begin[group], rules.ways_piece[group], rules.ways_place[group]
    left, candidate = rules.advance[group], by_piece // by_place - 1
    for slot in range(end - 1, begin - 1, -1):
        ways = base + (slot - begin + 1) * by_piece + left
        while rules.ways[ways + candidate * by_place] > number:
            candidate -= 1
        number -= rules.ways[ways + candidate * by_place]
        left -= rules.level[group * rules.squares + candidate]
        place[slot] = candidate


@jit
def _rank(rules: Any, table: int, group: int, scratch: Any, gone: int, come: int) -> Any:
    """The number in a table of a group's placement without slot `gone` and with a piece on the place `come`, if there are these."""
    count, waiting = 0, come
    for slot in range(rules.first[group], rules.first[group + 1]):
        if slot != gone:
            if NONE < waiting < scratch.place[slot]:
                scratch.sorted[count] = waiting
                waiting = NONE
                count += 1
            scratch.sorted[count] = scratch.place[slot]
            count += 1
    if waiting > NONE:
        scratch.sorted[count] = waiting
        count += 1
    base, by_piece, by_place = rules.ways_begin[group], rules.ways_piece[group], rules.ways_place[group]
    left, number = rules.advance[table * rules.groups + group], np.int64(0)
    for j in range(count, 0, -1):
        place = scratch.sorted[j - 1]
        number += rules.ways[base + j * by_piece + place * by_place + left]
        left -= rules.level[group * rules.squares + place]
    return number


@jit
def _row(rules: Any, table: int, scratch: Any, mover: int, target: int, victim: int) -> Any:
    """The row of a table after a piece has gone to a square, and captured an outer one; `NOBODY` if there is no such piece."""
    moving = rules.group[mover] if mover != NONE else NONE
    losing = rules.group[victim] if victim != NONE else NONE
    row = np.int64(0)
    for group in range(rules.groups - 1):
        digit = scratch.digit[group]
        if group == moving:
            digit = _rank(rules, table, group, scratch, mover, rules.place[group * rules.squares + target])
        elif group == losing:
            digit = _rank(rules, table, group, scratch, victim, NONE)
        row = row * rules.radix[table * rules.groups + group] + digit
    return row


@jit
def _blocked(rules: Any, step: int, board: Any) -> bool:
    """Return whether an outer piece stands on a square that the step needs empty."""
    for i in range(rules.block_begin[step], rules.block_begin[step + 1]):
        if board[rules.blockers[i]] != EMPTY:
            return True
    return False


@inline
def _raise(best: Any, source: Any, base: int, length: int) -> None:
    """Elementwise maximum, in a form that compiles to vector instructions."""
    for cell in range(length):
        best[cell] = max(best[cell], source[base + cell])


@jit
def _clear(rules: Any, square: int, scores: Any) -> None:
    """Set the scores of cells with a piece on a square to `NOTHING`."""
    for i in range(rules.with_begin[square], rules.with_begin[square + 1]):
        scores[rules.with_cell[i]] = NOTHING


@jit
def _step_of_outer(rules: Any, scratch: Any, view: Any, won: int, slot: int, step: int) -> None:
    """Note what a step of an outer piece is worth in all cells of the row."""
    target, best, after, length = rules.step_target[step], scratch.best, scratch.after, rules.length
    victim = scratch.board[target]
    table = rules.leads_to[step * (rules.slots + 1) + victim + 1]
    blocks = rules.block_begin[step + 1] > rules.block_begin[step]
    if table == STAYS and not blocks:
        _raise(best, view.others, _row(rules, HERE, scratch, slot, target, NONE) * length, length)
    elif table != ILLEGAL:
        if table == ENDS:
            for cell in range(length):
                after[cell] = won
        else:
            base = rules.offset[table] + _row(rules, table, scratch, slot, target, victim) * length
            for cell in range(length):
                after[cell] = view.others[base + cell] if table == STAYS else view.worth[base + cell]
        if victim == EMPTY:
            _clear(rules, target, after)
        for i in range(rules.block_begin[step], rules.block_begin[step + 1]):
            _clear(rules, rules.blockers[i], after)
        _raise(best, after, 0, length)
    table = rules.leads_to[(step + 1) * (rules.slots + 1) - 1]
    if victim != EMPTY or table == ILLEGAL:
        return
    # It may capture a piece of the last group.
    base, cells = np.int64(0), rules.radix[(table if table > 0 else 0) * rules.groups + rules.groups - 1]
    if table != ENDS:
        base = rules.offset[table] + _row(rules, table, scratch, slot, target, NONE) * cells
    if blocks:
        for cell in range(length):
            after[cell] = won
        for i in range(rules.block_begin[step], rules.block_begin[step + 1]):
            _clear(rules, rules.blockers[i], after)
    for i in range(rules.with_begin[target], rules.with_begin[target + 1]):
        cell = rules.with_cell[i]
        if not blocks or after[cell] != NOTHING:
            best[cell] = max(best[cell], won if table == ENDS else view.worth[base + rules.with_rest[i]])


@jit
def _step_of_last(rules: Any, scratch: Any, view: Any, won: int, row: int, step: int) -> None:
    """Note what a step of the last group is worth in all cells of the row."""
    target, best = rules.step_target[step], scratch.best
    victim = scratch.board[target]
    table = rules.leads_to[step * (rules.slots + 1) + victim + 1]
    if table == ILLEGAL:
        return
    begin, end = rules.pair_begin[step], rules.pair_begin[step + 1]
    if table == ENDS:
        for i in range(begin, end):
            best[rules.pair_from[i]] = won
    elif table == STAYS:
        base = row * rules.length
        for i in range(begin, end):
            cell = rules.pair_from[i]
            best[cell] = max(best[cell], view.others[base + rules.pair_to[i]])
    else:
        base = rules.offset[table]
        base += _row(rules, table, scratch, NONE, HERE, victim) * rules.radix[(table + 1) * rules.groups - 1]
        for i in range(begin, end):
            cell = rules.pair_from[i]
            best[cell] = max(best[cell], view.worth[base + rules.pair_to[i]])


@jit
def _guard_outer(rules: Any, escapes: Any, scratch: Any) -> None:
    for word in range(rules.words):
        scratch.guarded[word] = np.uint64(0)
        for slot in range(rules.first[rules.groups - 1]):
            square = rules.square[rules.group[slot] * rules.squares + scratch.place[slot]]
            scratch.guarded[word] |= escapes.guards[(slot * rules.squares + square) * rules.words + word]


@jit
def _has_escaped(rules: Any, escapes: Any, guarded: Any, runner: int, cell: int) -> bool:
    """Return whether the runner, which stands on this square, has escaped in a cell."""
    word = runner // WORD_BITS
    guard = guarded[word] | escapes.cell_guards[cell * rules.words + word]
    if guard >> np.uint64(runner % WORD_BITS) & np.uint64(1):
        return False
    for word in range(rules.words):
        guard = guarded[word] | escapes.cell_guards[cell * rules.words + word]
        if not escapes.room or escapes.near[runner * rules.words + word] & ~guard:
            return True
    return False


@jit
def _set_escaped(rules: Any, escapes: Any, scratch: Any, side: int) -> None:
    """Set the scores, in `after`, of cells in which the runner has escaped and the side to move has a move."""
    if not escapes.counts[side]:
        return
    _guard_outer(rules, escapes, scratch)
    last = rules.first[rules.groups - 1]
    square: Any = np.int64(0)
    if escapes.runner < last:
        square = rules.square[rules.group[escapes.runner] * rules.squares + scratch.place[escapes.runner]]
    for cell in range(rules.length):
        runner = square if escapes.runner < last else escapes.cell_runner[cell]
        if scratch.best[cell] != NOTHING and _has_escaped(rules, escapes, scratch.guarded, runner, cell):
            scratch.best[cell] = NOTHING
            scratch.after[cell] = escapes.worth[side]


@jit
def _write(rules: Any, escapes: Any, view: Any, worth: Any, scratch: Any, row: int, side: int) -> tuple[bool, bool]:
    base, best, after = row * rules.length, scratch.best, scratch.after
    for cell in range(rules.length):
        after[cell] = worth.after[best[cell]]
    if escapes is not None:
        _set_escaped(rules, escapes, scratch, side)
    changed, is_late = False, False
    for cell in range(rules.length):
        before = view.known[base + cell]
        if before != NOTHING:
            is_late |= (best[cell] == worth.late_loss) | (best[cell] == worth.late_win)
            changed |= before != after[cell]
            view.known[base + cell] = after[cell]
    image = view.image[row]
    # A lead that is its own mirror image has both images of a row among the rows to be solved.
    if changed and image // view.rest != row // view.rest:
        for cell in range(rules.length):
            view.known[image * rules.length + view.turn[cell]] = view.known[base + cell]
    return changed, is_late


@jit
def _mark(rules: Any, scratch: Any, view: Any, side: int) -> None:
    """Mark the rows of the same layer from which a step of an outer piece of a side leads to this row."""
    for slot in range(rules.first[rules.groups - 1]):
        if rules.side[slot] != side:
            continue
        group = rules.group[slot] * rules.squares
        target = rules.square[group + scratch.place[slot]]
        for back in range(
            rules.back_begin[slot * (rules.squares + 1) + target], rules.back_begin[slot * (rules.squares + 1) + target + 1]
        ):
            origin = rules.back_origin[back]
            same_layer = rules.height[slot * rules.squares + origin] == rules.height[slot * rules.squares + target]
            if same_layer and scratch.board[origin] == EMPTY and not _blocked(rules, rules.back_step[back], scratch.board):
                row = _row(rules, HERE, scratch, slot, origin, NONE)
                view.other_flags[row] |= np.uint8(DIRTY)
                view.other_flags[view.image[row]] |= np.uint8(DIRTY)


@jit
def _set_up(rules: Any, row: int, scratch: Any) -> None:
    for group in range(rules.groups - 2, -1, -1):
        scratch.digit[group] = row % rules.radix[group]
        row //= rules.radix[group]
        _unrank(rules, group, scratch.digit[group], scratch.place)
    for slot in range(rules.first[rules.groups - 1]):
        scratch.board[rules.square[rules.group[slot] * rules.squares + scratch.place[slot]]] = slot


@jit
def _list_moves(rules: Any, scratch: Any, view: Any, won: int, row: int, side: int) -> None:
    """The score of the best move of each cell of a row, in `best`."""
    for cell in range(rules.length):
        scratch.best[cell] = NOTHING
    last = rules.slots - 1
    for slot in range(rules.first[rules.groups - 1]):
        if rules.side[slot] == side:
            origin = rules.square[rules.group[slot] * rules.squares + scratch.place[slot]]
            begin = slot * (rules.squares + 1) + origin
            for step in range(rules.step_begin[begin], rules.step_begin[begin + 1]):
                if not _blocked(rules, step, scratch.board):
                    _step_of_outer(rules, scratch, view, won, slot, step)
    if rules.last_side == side:
        begin = last * (rules.squares + 1)
        for step in range(rules.step_begin[begin], rules.step_begin[begin + rules.squares]):
            if not _blocked(rules, step, scratch.board):
                _step_of_last(rules, scratch, view, won, row, step)


@jit
def improve(
    rules: GroupRules,
    escapes: Escapes | None,
    view: View,
    worth: Worth,
    scratch: GroupScratch,
    side: int,
    layer: Int64,
    begin: int,
    end: int,
) -> int:
    """Look at the dirty rows from `begin` up to `end` of a layer, with one side to move, and return how many have changed."""
    rules, escapes, view, worth, scratch = bare(rules), bare(escapes), bare(view), bare(worth), bare(scratch)
    found = 0
    for number in range(begin, end):
        row = layer[number]
        if not view.flags[row] & DIRTY:
            continue
        _set_up(rules, row, scratch)
        _list_moves(rules, scratch, view, worth.won, row, side)
        changed, is_late = _write(rules, escapes, view, worth, scratch, row, side)
        view.flags[row] = LATE if is_late else 0
        if changed:
            found += 1
            if rules.last_side != side:
                view.other_flags[row] |= np.uint8(DIRTY)
            _mark(rules, scratch, view, 1 - side)
        for square in range(rules.squares):
            scratch.board[square] = EMPTY
    return found
