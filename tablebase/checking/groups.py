"""The checker of tables with identical pieces, or on large boards: a row of positions at a time.

A *row* is a run of indices that differ only in the last group's placement, a *cell*. Moves are read from lists (see
`tablebase.checking.group_arrays`), forwards only, and each is followed to the index that it leads to.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from tablebase.checking.general import Load, contradiction
from tablebase.checking.group_arrays import (
    STUCK,
    CheckedRules,
    CheckedTables,
    Long,
    Small,
    compile_rules,
    compile_tables,
    needed_scores,
    scale_of,
)
from tablebase.game import Game
from tablebase.positions.conversions import ENDS, ILLEGAL
from tablebase.positions.indexing import Layout, layout_of
from tablebase.positions.material import Material
from tablebase.system.compute import threads
from tablebase.system.compute.jit import inline, jit
from tablebase.system.compute.messages import reports
from tablebase.system.compute.pointers import bare
from tablebase.tables.summary import CodeTally, Summary
from tablebase.tables.values import Codes, Coding

GRAIN = 1 << 17
"""The smallest number of indices worth a thread."""
MOST = 1 << 22
"""The most indices that are checked without a word about how far it is."""
EMPTY = -1
# Numba compiles a kernel again for each constant that it is called with, unless the constant has a type of its own.
ZERO: Any = np.int64(0)
NONE: Any = np.int64(EMPTY)


class Notes(NamedTuple):
    """Notes of the kernel, one for each thread; G groups, S squares, N cells, C codes."""

    cells: Long  # (N,) all of them
    digit: Long  # (G,) digits of the outer groups
    board: Long  # (S,) the outer group on each square
    hidden: Small  # (N,) how many reasons there are to leave a cell out
    best: Codes  # (N,)
    counts: Long  # (2 * C,) codes of indices that stand for one placement, then for two
    first: Long  # (C,) the least index of each code


def applies(layout: Layout) -> bool:
    """Return whether a table can be checked in rows of the last group: whether nothing in the game can escape."""
    return layout.game.escape is None


def verify_codes(game: Game, material: Material, codes: dict[int, Codes], coding: Coding, load: Load) -> dict[int, Summary]:
    """Check the codes of a table one ply deep; see `tablebase.checking.general.verify_codes`."""
    layout = layout_of(game, material)
    rules, needed, won = compile_rules(game, layout), needed_scores(game, coding), len(scale_of(coding))
    rows, summaries = layout.size // layout.row_length, {}
    for number, (side, stored) in enumerate(codes.items()):
        tables = compile_tables(game, layout, side, codes, coding, load)
        check = partial(_check_rows, rules, tables, layout, stored, needed, won, side)
        report = reports("verifying", rows * number, rows * len(codes))
        length = layout.row_length
        parts = threads.spread(check, rows, max(1, GRAIN // length), max(1, MOST // length), report)
        tally = CodeTally(coding)
        for wrong, counted in parts:
            if wrong >= 0:
                raise contradiction(layout, side, wrong, stored, coding)
            tally.merge(counted)
        summaries[side] = tally.summary()
    return summaries


def _check_rows(
    rules: CheckedRules,
    tables: CheckedTables,
    layout: Layout,
    stored: Codes,
    needed: Codes,
    won: int,
    side: int,
    begin: int,
    end: int,
) -> tuple[int, CodeTally]:
    """Check some rows; return the first wrong index, or -1, and the codes that were counted."""
    count, length = len(needed), layout.row_length
    tally = CodeTally(Coding(1, str(needed.dtype)))
    notes = Notes(
        np.arange(length),
        np.zeros(rules.groups, dtype=np.int64),
        np.full(rules.squares, EMPTY, dtype=np.int64),
        np.zeros(length, dtype=np.int8),
        np.zeros(length, dtype=needed.dtype),
        np.zeros(2 * count, dtype=np.int64),
        np.full(count, -1, dtype=np.int64),
    )
    weights = layout.lead_weights.astype(np.int64)
    wrong = check(rules, tables, notes, stored, needed, weights, won, side, length, begin, end)
    tally.histogram += notes.counts[:count] + 2 * notes.counts[count:]
    tally.first[:] = notes.first
    return wrong, tally


@inline
def _hide(rules: Any, hidden: Any, square: int, by: int) -> None:
    for i in range(rules.with_begin[square], rules.with_begin[square + 1]):
        hidden[rules.with_cell[i]] += by


@inline
def _hide_blockers(rules: Any, hidden: Any, step: int, by: int) -> None:
    for i in range(rules.block_begin[step], rules.block_begin[step + 1]):
        _hide(rules, hidden, rules.blocker[i], by)


@jit
def _follow(
    rules: Any,
    tables: Any,
    notes: Any,
    table: int,
    mover: int,
    digit: int,
    loser: int,
    rest: int,
    source: Any,
    target: Any,
    begin: int,
    end: int,
    won: int,
) -> None:
    """Note what moves from the cells `source` are worth, which lead to the cells `target` of another row."""
    best, hidden, last = notes.best, notes.hidden, rules.groups - 1
    if table == ENDS:
        for i in range(begin, end):
            if not hidden[source[i]]:
                best[source[i]] = won
        return
    plain, mirrored, flip, lead = tables.begin[table], tables.begin[table], np.uint8(0), tables.lead[table]
    for group in range(last):
        now = digit if group == mover else rest if group == loser else notes.digit[group]
        part = tables.part_begin[table * rules.groups + group] + now
        plain += tables.part[part]
        mirrored += tables.mirrored[part]
        if group == lead:
            flip = tables.flips[part]
    parts = tables.part_begin[table * rules.groups + last]
    for i in range(begin, end):
        cell = source[i]
        if not hidden[cell]:
            part = parts + target[i]
            turned = tables.flips[part] if lead == last else flip
            index = mirrored + tables.mirrored[part] if turned else plain + tables.part[part]
            best[cell] = max(best[cell], tables.scores[index])


@jit
def _move_outer(rules: Any, tables: Any, notes: Any, group: int, move: int, length: int, won: int) -> None:
    """Note what a move of an outer group is worth."""
    step, digit, last = rules.move_step[move], rules.move_digit[move], rules.groups - 1
    target = rules.target[step]
    victim = notes.board[target]
    rest = _rest(rules, notes, victim, target)
    _hide_blockers(rules, notes.hidden, step, 1)
    table = rules.leads[step * (rules.groups + 1) + victim + 1]
    if table != ILLEGAL:
        if victim == EMPTY:
            _hide(rules, notes.hidden, target, 1)
        _follow(rules, tables, notes, table, group, digit, victim, rest, notes.cells, notes.cells, ZERO, length, won)
        if victim == EMPTY:
            _hide(rules, notes.hidden, target, -1)
    table = rules.leads[step * (rules.groups + 1) + last + 1]
    if victim == EMPTY and table != ILLEGAL:
        begin, end = rules.with_begin[target], rules.with_begin[target + 1]
        _follow(rules, tables, notes, table, group, digit, NONE, ZERO, rules.with_cell, rules.with_rest, begin, end, won)
    _hide_blockers(rules, notes.hidden, step, -1)


@inline
def _rest(rules: Any, notes: Any, group: int, square: int) -> Any:
    """The digit of an outer group without its piece on a square; any if there is no such group."""
    rest = np.int64(0)
    if group != EMPTY:
        begin = rules.piece_begin[group] + notes.digit[group] * rules.pieces[group]
        for piece in range(begin, begin + rules.pieces[group]):
            if rules.square[piece] == square:
                rest = rules.rest[piece]
    return rest


@inline
def _is_blocked(rules: Any, board: Any, step: int) -> bool:
    """Return whether an outer piece stands on a square that the step needs empty."""
    for i in range(rules.block_begin[step], rules.block_begin[step + 1]):
        if board[rules.blocker[i]] != EMPTY:
            return True
    return False


@inline
def _set_up(rules: Any, notes: Any, row: int) -> bool:
    """Put the outer pieces of a row on the board; return False if two share a square."""
    for group in range(rules.groups - 2, -1, -1):
        notes.digit[group] = row % rules.radix[group]
        row //= rules.radix[group]
    notes.digit[0] = rules.lead_rank[notes.digit[0]]
    for group in range(rules.groups - 1):
        begin = rules.piece_begin[group] + notes.digit[group] * rules.pieces[group]
        for piece in range(begin, begin + rules.pieces[group]):
            if notes.board[rules.square[piece]] != EMPTY:
                return False
            notes.board[rules.square[piece]] = group
    return True


@inline
def _check_row(rules: Any, tables: Any, notes: Any, side: int, length: int, won: int) -> None:
    """The score of the best move of each cell of a row that is not hidden."""
    last = rules.groups - 1
    for cell in range(length):
        notes.best[cell] = STUCK
    for group in range(last):
        if rules.owner[group] == side:
            digit = rules.move_begin[group] + notes.digit[group]
            for move in range(rules.moves[digit], rules.moves[digit + 1]):
                if not _is_blocked(rules, notes.board, rules.move_step[move]):
                    _move_outer(rules, tables, notes, group, move, length, won)
    if rules.owner[last] == side:
        for number in range(rules.steps_of_last):
            step = rules.first_of_last + number
            if not _is_blocked(rules, notes.board, step):
                target = rules.target[step]
                victim = notes.board[target]
                table = rules.leads[step * (rules.groups + 1) + victim + 1]
                if table != ILLEGAL:
                    rest, begin, end = _rest(rules, notes, victim, target), rules.pair_begin[number], rules.pair_begin[number + 1]
                    _follow(rules, tables, notes, table, NONE, ZERO, victim, rest, rules.pair_from, rules.pair_to, begin, end, won)


@jit
def check(
    rules: CheckedRules,
    tables: CheckedTables,
    notes: Notes,
    stored: Codes,
    needed: Codes,
    weights: Long,
    won: int,
    side: int,
    length: int,
    begin: int,
    end: int,
) -> int:
    """Check the rows from `begin` up to `end` and count their codes; return the first wrong index, or -1."""
    rules, tables, notes, codes = bare(rules), bare(tables), bare(notes), len(needed)
    rest = np.int64(1)
    for group in range(1, rules.groups - 1):
        rest *= rules.radix[group]
    for row in range(begin, end):
        if _set_up(rules, notes, row):
            for square in range(rules.squares):
                if notes.board[square] != EMPTY:
                    _hide(rules, notes.hidden, square, 1)
            _check_row(rules, tables, notes, side, length, won)
            weight = (weights[row // rest] - 1) * codes
            for cell in range(length):
                if not notes.hidden[cell]:
                    code = stored[row * length + cell]
                    if needed[code] != notes.best[cell]:
                        return row * length + cell
                    notes.counts[weight + code] += 1
                    if notes.first[code] < 0:
                        notes.first[code] = row * length + cell
            for cell in range(length):
                notes.hidden[cell] = 0
        for square in range(rules.squares):
            notes.board[square] = EMPTY
    return -1
