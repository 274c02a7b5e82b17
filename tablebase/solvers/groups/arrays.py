"""A slice in rows: all placements of the last group of the layout, for each placement of the other groups.

The pieces of the last group are *cells'* business: cell i of a row is its placement number i. The other groups are *outer* ones,
and a row is numbered by their placements, the lead's first. Unlike in the layout, both mirror images of a lead have rows.

There is a table of scores for the slice itself, number 0, and one for each way out of it: a capture, or a step that changes the
advance. It has the same groups, one of which has lost a piece or has another advance, and is numbered in the same way.
"""

from __future__ import annotations

from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.game import Game
from tablebase.positions.combinadics import Combinations
from tablebase.positions.conversions import ENDS, ILLEGAL, SlotConversion, slot_conversions
from tablebase.positions.indexing import Layout
from tablebase.positions.material import tiered_kinds
from tablebase.positions.slice_arrays import Int8, Int32, Int64
from tablebase.solvers.problem import CompiledSlice

OUTSIDE = -1
"""The cell that a step of the last group leads to where it does not matter."""
WORD_BITS = 64

Words = NDArray[np.uint64]


class GroupTables(NamedTuple):
    """The slice's own table and those of its conversions."""

    groups: list[tuple[Combinations, ...]]  # for each table the placements of each group
    numbers: list[int]
    conversions: list[int]  # for each table the first conversion that leads to it; 0 for the slice's own


class GroupRules(NamedTuple):
    """A slice for the kernels: G groups, P slots, S squares, T tables, K steps, W words for the squares of a board.

    All arrays are flat.
    """

    groups: int
    slots: int
    squares: int
    length: int  # cells of a row
    words: int
    last_side: int
    first: Int64  # (G + 1,) first slot of each group
    group: Int64  # (P,)
    side: Int8  # (P,)
    place: Int64  # (G * S,) place of a square in its group
    square: Int64  # (G * S,) square of a place
    level: Int64  # (G * S,) level of a place
    height: Int64  # (P * S,) how far a piece on a square has come, 0 if its kind can come back
    ways: Int64  # the arrays W of `tablebase.positions.combinadics`, one after another
    ways_begin: Int64  # (G,)
    ways_piece: Int64  # (G,) from one number of pieces to the next
    ways_place: Int64  # (G,) from one place to the next
    advance: Int64  # (T * G,)
    radix: Int64  # (T * G,)
    offset: Int64  # (T,) where a table of a conversion begins
    step_begin: Int64  # (P * (S + 1),)
    step_target: Int64  # (K,)
    leads_to: Int64  # (K * (P + 1),) the table that a step leads to, without a capture or with one of a slot
    block_begin: Int64  # (K + 1,)
    blockers: Int64
    back_begin: Int64  # (P * (S + 1),)
    back_origin: Int64
    back_step: Int64
    with_begin: Int64  # (S + 1,) cells with a piece on a square
    with_cell: Int32
    with_rest: Int32  # the cell of the other pieces, if that piece is captured
    pair_begin: Int64  # (K + 1,) for each step of the last slot, the cells that it leads from and to
    pair_from: Int32
    pair_to: Int32


def compile_tables(game: Game, layout: Layout) -> GroupTables:
    """The tables of a slice; conversion n is destination n."""
    own = tuple(group.combinations for group in layout.groups)
    groups, numbers, conversions = [own], [0], [0]
    known: dict[object, int] = {}
    for number, conversion in enumerate(slot_conversions(game, layout.material), start=1):
        victim = next((number for number, group in enumerate(layout.groups) if conversion.victim in group.slots), None)
        table = known.setdefault((victim, conversion.child, conversion.side), len(groups))
        numbers.append(table)
        if table == len(groups):
            groups.append(_groups_after(game, layout, conversion, victim))
            conversions.append(number)
    return GroupTables(groups, numbers, conversions)


def _groups_after(game: Game, layout: Layout, conversion: SlotConversion, victim: int | None) -> tuple[Combinations, ...]:
    child = conversion.child
    advance = dict(zip(tiered_kinds(game, child.kinds), child.advance, strict=True))
    return tuple(
        Combinations(group.combinations.levels, len(group.slots) - (number == victim), advance.get(group.kind, 0))
        for number, group in enumerate(layout.groups)
    )


def table_size(groups: tuple[Combinations, ...]) -> int:
    """Number of scores of a table."""
    return prod(group.size for group in groups)


def compile_rules(problem: CompiledSlice, tables: GroupTables) -> GroupRules:
    """The arrays of a slice."""
    layout, game, arrays = problem.layout, problem.game, problem.arrays
    groups, slots, squares = len(layout.groups), len(layout.slots), len(game.board)
    sizes = [table_size(placements) for placements in tables.groups]
    # Destinations below 0 stay as they are.
    leads_to = np.array([*tables.numbers, ILLEGAL, ENDS], dtype=np.int64)[arrays.step_destination]
    return GroupRules(
        groups=groups,
        slots=slots,
        squares=squares,
        length=layout.groups[-1].size,
        words=-(-squares // WORD_BITS),
        last_side=game.side_of(layout.groups[-1].kind),
        first=np.array([0, *(group.slots.stop for group in layout.groups)], dtype=np.int64),
        group=np.array([number for number, group in enumerate(layout.groups) for _ in group.slots], dtype=np.int64),
        side=arrays.side,
        **_placement_arrays(layout, squares),
        advance=np.array([[group.advance for group in placements] for placements in tables.groups], dtype=np.int64).reshape(-1),
        radix=np.array([[group.size for group in placements] for placements in tables.groups], dtype=np.int64).reshape(-1),
        offset=np.cumsum([0, 0, *sizes[1:-1]], dtype=np.int64)[: len(sizes)],
        step_begin=_long(arrays.step_begin),
        step_target=_long(arrays.step_target),
        leads_to=_long(leads_to),
        block_begin=_long(arrays.step_block),
        blockers=_long(arrays.blockers),
        back_begin=_long(arrays.back_begin),
        back_origin=_long(arrays.back_origin),
        back_step=_long(arrays.back_step),
        **_cells_with(layout, squares),
        **_pairs(problem),
    )


def _long(array: NDArray[Any]) -> Int64:
    return array.reshape(-1).astype(np.int64)


def _placement_arrays(layout: Layout, squares: int) -> dict[str, Any]:
    """Places, levels, heights and ways of a slice's groups."""
    groups = layout.groups
    place, square, level = (np.zeros((len(groups), squares), dtype=np.int64) for _ in range(3))
    height = np.zeros((len(layout.slots), squares), dtype=np.int64)
    for number, group in enumerate(groups):
        place[number, list(group.squares)] = range(len(group.squares))
        square[number, : len(group.squares)] = group.squares
        level[number, : len(group.squares)] = group.combinations.levels
        for s, come in (layout.game.kinds[group.kind].levels or {}).items():
            height[group.slots.start : group.slots.stop, s] = come
    ways = [group.combinations.ways for group in groups]
    return {
        "place": place.reshape(-1),
        "square": square.reshape(-1),
        "level": level.reshape(-1),
        "height": height.reshape(-1),
        "ways": np.concatenate([each.reshape(-1) for each in ways]),
        "ways_begin": np.cumsum([0, *(each.size for each in ways)], dtype=np.int64)[:-1],
        "ways_piece": np.array([each.shape[1] * each.shape[2] for each in ways], dtype=np.int64),
        "ways_place": np.array([each.shape[2] for each in ways], dtype=np.int64),
    }


def last_squares(layout: Layout) -> Int8:
    """The squares of the last group in each cell of a row, ascending, shape (cells, pieces)."""
    group = layout.groups[-1]
    return group.unrank_many(np.arange(group.size))


def _cells_with(layout: Layout, squares: int) -> dict[str, Any]:
    """For each square the cells with a piece there, and the cells of their other pieces."""
    group, placed = layout.groups[-1], last_squares(layout)
    levels = dict(zip(group.squares, group.combinations.levels, strict=True))
    cells, rests = [], []
    for square in range(squares):
        found, piece = np.nonzero(placed == square)
        others = placed[found][np.arange(placed.shape[1]) != piece[:, None]].reshape(len(found), placed.shape[1] - 1)
        count, advance = placed.shape[1] - 1, group.combinations.advance - levels.get(square, 0)
        rest = Combinations(group.combinations.levels, count, advance)
        cells.append(found)
        rests.append(rest.rank_many(_places(group.squares, squares)[others]) if count else np.zeros(len(found), dtype=np.int64))
    return {
        "with_begin": np.cumsum([0, *map(len, cells)], dtype=np.int64),
        "with_cell": np.concatenate(cells).astype(np.int32),
        "with_rest": np.concatenate(rests).astype(np.int32),
    }


def _places(homes: tuple[int, ...], squares: int) -> Int64:
    places = np.zeros(squares, dtype=np.int64)
    places[list(homes)] = range(len(homes))
    return places


def _pairs(problem: CompiledSlice) -> dict[str, Any]:
    """For each step of the last group, the cells that it leads from, and the cells of the same row that it leads to.

    What stands in the way among the other groups is left to the kernels.
    """
    layout = problem.layout
    group, placed, squares = layout.groups[-1], last_squares(layout), len(problem.game.board)
    on = np.zeros((squares, group.size), dtype=bool)
    on[placed.T, np.arange(group.size)] = True
    places = _places(group.squares, squares)
    levels = dict(zip(group.squares, group.combinations.levels, strict=True))
    sources, targets = [], []
    for slot, step in problem.steps:
        found = np.zeros(0, dtype=np.int64)
        if slot == len(layout.slots) - 1:
            found = np.flatnonzero(on[step.origin] & ~on[step.target] & ~on[sorted(step.empty)].any(axis=0))
        moved = np.where(placed[found] == step.origin, np.int8(step.target), placed[found])
        cells = np.full(len(found), OUTSIDE)
        if len(found) and step.target in levels:
            gain = levels[step.target] - levels[step.origin]
            after = Combinations(group.combinations.levels, len(group.slots), group.combinations.advance + gain)
            cells = after.rank_many(places[moved])
        sources.append(found)
        targets.append(cells)
    return {
        "pair_begin": np.cumsum([0, *map(len, sources)], dtype=np.int64),
        "pair_from": np.concatenate(sources).astype(np.int32),
        "pair_to": np.concatenate(targets).astype(np.int32),
    }
