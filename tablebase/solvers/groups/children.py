"""The tables that conversions lead to, as scores in the order of the slice's own rows.

The index of a position in a child is a sum of parts, one for each group, and there are few placements of a group; so
a table is put together from the parts of its groups.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.positions.combinadics import Combinations
from tablebase.positions.indexing import layout_of
from tablebase.positions.slice_arrays import Int64
from tablebase.solvers.groups.arrays import GroupTables, table_size
from tablebase.solvers.groups.row_scores import Scores
from tablebase.solvers.problem import CompiledSlice
from tablebase.system.compute.threads import spread
from tablebase.tables.values import Codes

BLOCK = 1 << 18
"""Scores that are looked up at a time."""

Flags = NDArray[np.bool_]


class _Parts(NamedTuple):
    """Terms of the placements of a group in the index of a child."""

    plain: Int64  # for each placement, as it is
    mirrored: Int64  # for each placement, on the mirrored board
    flips: Flags | None  # whether the placement has the child's board mirrored; None if the group does not lead the child


def expand(problem: CompiledSlice, tables: GroupTables, scores: Scores) -> Codes:
    """The scores of all tables but the slice's own, one after another."""
    sizes = [table_size(groups) for groups in tables.groups[1:]]
    worth = np.empty(sum(sizes), dtype=problem.coding.dtype)
    begin = 0
    for table, size in enumerate(sizes, start=1):
        _expand_table(problem, tables, table, scores, worth[begin : begin + size])
        begin += size
    return worth


def _expand_table(problem: CompiledSlice, tables: GroupTables, table: int, scores: Scores, worth: Codes) -> None:
    """Fill in the scores of one table; what stands for no position holds anything."""
    number = tables.conversions[table]
    child = layout_of(problem.game, problem.locations[number - 1].material)
    codes = problem.children[problem.offset[number] :][: child.size]
    *outer, last = [_parts(problem, number, g, placements) for g, placements in enumerate(tables.groups[table])]
    plain, mirrored, flips = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64), np.zeros(1, dtype=bool)
    for parts in outer:
        plain, mirrored = ((a[:, None] + b).reshape(-1) for a, b in ((plain, parts.plain), (mirrored, parts.mirrored)))
        flips = (flips[:, None] | (np.False_ if parts.flips is None else parts.flips) | np.zeros(len(parts.plain), bool)).reshape(
            -1
        )
    if last.flips is not None:
        # The last group decides for each cell of a row, and the parts of the other groups go along.
        chosen = np.where(last.flips, last.mirrored, last.plain)
        turned: Flags | None = last.flips
    else:
        chosen, turned = last.plain, None
    length = len(last.plain)
    rows = worth.reshape(-1, length)

    def look_up(begin: int, end: int) -> None:
        if turned is not None:
            index = np.where(turned, mirrored[begin:end, None], plain[begin:end, None]) + chosen
        else:
            row = np.where(flips[begin:end], mirrored[begin:end], plain[begin:end])
            index = row[:, None] + np.where(flips[begin:end, None], last.mirrored, chosen)
        np.take(scores.of_code, codes[index], out=rows[begin:end])

    spread(look_up, len(rows), 1, max(1, BLOCK // length))


def _parts(problem: CompiledSlice, number: int, group: int, placements: Combinations) -> _Parts:
    """List the terms of a slice group's placements in the index of the child of a conversion."""
    nothing = np.zeros(placements.size, dtype=np.int64)
    if placements.count == 0:
        return _Parts(nothing, nothing, None)
    game, arrays, slots = problem.game, problem.arrays, problem.layout.groups[group].slots
    child = layout_of(game, problem.locations[number - 1].material)
    heir = next(g for g, each in enumerate(child.groups) if arrays.child_slot[number, each.slots.start] in slots)
    homes = np.array(problem.layout.groups[group].squares, dtype=np.int8)
    squares = arrays.child_square[number][homes[placements.unrank_many(np.arange(placements.size))]]
    mirror = arrays.mirror
    plain, mirrored = (child.groups[heir].rank_many(placed) for placed in (squares, mirror[squares]))
    flips = None
    if heir == 0 and game.mirror is not None:
        flips = child.lead.flip[plain]
        plain, mirrored = child.lead.digit[plain].astype(np.int64), child.lead.digit[mirrored].astype(np.int64)
    stride = int(np.prod(child.radices[heir + 1 :], dtype=np.int64))
    return _Parts(plain * stride, mirrored * stride, flips)
