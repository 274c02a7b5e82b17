"""The solver of groups: whole rows of positions at a time, layer by layer, until nothing changes.

A row (see `tablebase.solvers.groups.arrays`) holds all placements of the last group. The best moves of a row are maxima of
rows of scores: a step of another piece leads to another row as a whole, and a step of the last group from some cells of the row to
others, which are the same in all rows. What is illegal leads to an index that is void, which has the lowest score.

Everything is a draw at first. Then rows are looked at again and again until none changes, each layer (see
`tablebase.solvers.groups.row_order`) before the next. In whatever order that happens, a win or loss that is noted is one, its
distance can only fall, and in the end every score is the best of its moves. There is just one such solution, for the reason
for which verification suffices (see `tablebase.checking.table`).

Where no outer piece can come back to a square, each row is looked at once for each side to move.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from tablebase.positions.indexing import Layout
from tablebase.solvers.groups.arrays import GroupRules, GroupTables, compile_rules, compile_tables, last_squares
from tablebase.solvers.groups.children import expand
from tablebase.solvers.groups.escapes import Escapes, compile_escapes
from tablebase.solvers.groups.row_kernels import DIRTY, LATE, Bytes, View, Worth, improve, new_scratch
from tablebase.solvers.groups.row_order import RowNumbers, RowOrder, compile_rows, square_words
from tablebase.solvers.groups.row_scores import NOTHING, Scores, scores_of
from tablebase.solvers.problem import CompiledSlice
from tablebase.system.compute import threads
from tablebase.system.compute.messages import reach
from tablebase.tables.values import Codes, CodeSource, Coding

BLOCK = 1 << 18
"""Scores that are set or translated at a time."""
GRAIN = 1 << 18
"""The smallest number of scores worth a thread."""


class _Work(NamedTuple):
    rules: GroupRules
    escapes: Escapes | None
    worth: Worth
    views: tuple[View, View]


def solve(problem: CompiledSlice) -> tuple[CodeSource, CodeSource] | None:
    """Codes of both sides to move, or None if a distance does not fit the coding.

    It uses the threads that it is allowed (see `tablebase.system.compute.threads`), each of which writes to rows of its own.
    """
    layout, scores, checkpoint = problem.layout, scores_of(problem.game, problem.coding), problem.checkpoint
    tables, rows = compile_tables(problem.game, layout), compile_rows(layout)
    reach("looking up captures", 0, 1)
    known = [_voids_and_draws(layout, rows, scores.draw, problem.coding) for _ in (0, 1)]
    flags = [np.full(len(rows.image), DIRTY, dtype=np.uint8) for _ in (0, 1)]
    work = _compile(problem, tables, rows, scores, known, flags)
    reach("looking up captures", 1, 1)
    saved = checkpoint.load()
    if saved is not None:
        saved.fill([*known, *flags])
    rounds = 0
    # After a checkpoint, the layers that had been solved before it are not dirty.
    for layer in rows.layers:
        while _improve_layer(work, layer):
            rounds += 1
            reach("solving", rounds)
            if checkpoint.due():
                checkpoint.save({}, [*known, *flags])
    if any((each & LATE).any() for each in flags):
        return None
    # What conversions are worth, and the rows themselves, are not needed any more while codes are made.
    del work, rows
    first = _codes(layout, known.pop(0), scores)
    return first, _codes(layout, known.pop(), scores)


def _compile(
    problem: CompiledSlice, tables: GroupTables, rows: RowOrder, scores: Scores, known: list[Codes], flags: list[Bytes]
) -> _Work:
    rules, worth = compile_rules(problem, tables), expand(problem, tables, scores)
    rest = len(rows.image) // problem.layout.groups[0].size
    views = [View(known[s], known[1 - s], worth, flags[s], flags[1 - s], rows.image, rows.turn, rest) for s in (0, 1)]
    escapes = compile_escapes(problem, scores, rules.words)
    return _Work(rules, escapes, Worth(scores.after, scores.won, scores.late_loss, scores.late_win), (views[0], views[1]))


def _improve_layer(work: _Work, layer: RowNumbers) -> int:
    """Look at the rows of a layer that may change, and return how many have changed."""
    changed = 0
    # A step of the last group leads to the same row with the other side to move.
    for side in (1 - work.rules.last_side, work.rules.last_side):
        look = partial(_improve, work, side, layer)
        changed += sum(threads.spread(look, len(layer), max(1, GRAIN // work.rules.length)))
    return changed


def _improve(work: _Work, side: int, layer: RowNumbers, begin: int, end: int) -> int:
    view = work.views[side]
    return improve(work.rules, work.escapes, view, work.worth, new_scratch(work.rules, view.known.dtype), side, layer, begin, end)


def _voids_and_draws(layout: Layout, rows: RowOrder, draw: int, coding: Coding) -> Codes:
    """A score for each position: a draw, or `NOTHING` where two pieces share a square."""
    cells = square_words(last_squares(layout), rows.words.shape[1])
    scores = np.empty((len(rows.image), len(cells)), dtype=coding.dtype)
    block = max(1, BLOCK // len(cells))
    for begin in range(0, len(scores), block):
        some = slice(begin, begin + block)
        is_void = np.repeat(rows.is_void[some, None], len(cells), axis=1)
        for outer, last in zip(rows.words[some].T, cells.T, strict=True):
            is_void |= (outer[:, None] & last) != 0
        scores[some] = draw
        scores[some][is_void] = NOTHING
    return scores.reshape(-1)


def _codes(layout: Layout, known: Codes, scores: Scores) -> Codes:
    by_lead = known.reshape(layout.groups[0].size, -1)
    codes = np.empty((layout.radices[0], by_lead.shape[1]), dtype=known.dtype)
    for digit, rank in enumerate(layout.lead.rank):
        np.take(scores.codes, by_lead[rank], out=codes[digit], mode="clip")
    return codes.reshape(-1)
