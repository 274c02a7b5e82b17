"""A slice as flat arrays: what the kernels of every solver read.

`compile_slice` turns the rules (`Game`), the index (`Layout`) and the tables that conversions lead to into
named tuples of NumPy arrays. They contain squares, slots and steps, and nothing specific to a game.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.compute.stages import reach
from tablebase.game import Game, Outcome, Step
from tablebase.slices.conversions import STAYS, slot_conversions, step_destinations
from tablebase.slices.indexing import Group, Layout, layout_of
from tablebase.slices.location import Location, locate
from tablebase.slices.material import Material
from tablebase.solvers.checkpoint import NO_CHECKPOINT, Checkpoint
from tablebase.tables.values import NARROW, NARROW_ANY, STALEMATE, Codes, Coding, loss_code, recode

Load = Callable[[Material, int], tuple[Codes, Coding]]
"""Returns the codes of a stored material for one side to move, and their coding."""

NOBODY = -1
"""In `EscapeArrays.runner`: no piece of the slice can escape."""

Int8 = NDArray[np.int8]
Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]
Bool = NDArray[np.bool_]


class IndexArrays(NamedTuple):
    """Layouts stacked along the first axis: 0 is the slice's own, n that of conversion n.

    There are L layouts and at most G groups, S squares, K pieces in a group, T advances, D lead digits and R lead
    placements. The places of a group of one piece are its digits.
    """

    groups: Int64  # (L,) groups in use
    first: Int64  # (L, G + 1) first slot of each group
    radix: Int64  # (L, G)
    place: Int32  # (L, G, S) place of a square in its group
    square: Int8  # (L, G, S) square of a place
    level: Int64  # (L, G, S) level of a place
    advance: Int64  # (L, G)
    ways: Int64  # (L, G, K + 1, S + 1, T) the array W of `tablebase.slices.combinadics`
    lead_rank: Int32  # (L, D)
    lead_digit: Int32  # (L, R)
    lead_flip: Bool  # (L, R)
    lead_fixed: Bool  # (L, D)
    mirror: Int8  # (S,) image of each square, itself where there is no mirror


class EscapeArrays(NamedTuple):
    """`Game.escape` for the slots of a slice."""

    runner: int  # slot, or NOBODY
    winner: int  # its side
    room: bool
    counts: Bool  # (2,) by side to move
    guards: Bool  # (P, S, S) [p, s, t]: slot p on square s guards square t


class SliceArrays(NamedTuple):
    """Pieces, steps and conversions of one slice; P slots, S squares, K steps, U un-steps, B blockers, C conversions."""

    layouts: IndexArrays
    escape: EscapeArrays
    size: int
    no_move: int  # code of a side to move that has no legal move
    side: Int8  # (P,) owner of each slot
    step_begin: Int32  # (P, S + 1) steps of slot p from square s are step_begin[p, s]:step_begin[p, s + 1]
    step_target: Int8  # (K,)
    step_destination: Int32  # (K, P + 1) of step k, [k, v + 1] if slot v is captured, [k, 0] if none is
    step_block: Int32  # (K + 1,) blockers of step k are blockers[step_block[k]:step_block[k + 1]]
    blockers: Int8  # (B,) squares that must be empty
    back_begin: Int32  # (P, S + 1) un-steps of slot p from square s are back_begin[p, s]:back_begin[p, s + 1]
    back_step: Int32  # (U,) the quiet step within the slice that an un-step undoes
    back_origin: Int8  # (U,)
    offset: Int64  # (C + 1,) where the codes of a conversion begin in `children`
    child_slots: Int64  # (C + 1,) number of slots of a conversion's layout
    child_slot: Int8  # (C + 1, P) [c, j]: the slot that plays slot j of conversion c's layout
    child_square: Int8  # (C + 1, S) image of each square in the child
    children: Codes  # codes of all children, one after another


@dataclass(frozen=True)
class CompiledSlice:
    """A slice ready to be solved.

    Parameters
    ----------
    game : Game
    layout : Layout
    coding : Coding
        Of the codes to compute, and of `arrays.children`.
    arrays : SliceArrays
    steps : list of (int, Step)
        Slot and step, in the order of the arrays.
    locations : list of Location
        Where the child of each conversion is stored, in the order of their numbers.
    scratch : Path, optional
        A folder with room for temporary files; by default that of the system.
    checkpoint : Checkpoint
        Keeps how far the solver has come; by default nothing does.
    """

    game: Game
    layout: Layout
    coding: Coding
    arrays: SliceArrays
    steps: list[tuple[int, Step]]
    locations: list[Location]
    scratch: Path | None = None
    checkpoint: Checkpoint = NO_CHECKPOINT


def compile_slice(
    game: Game, material: Material, load: Load, coding: Coding | None = None, scratch: Path | None = None
) -> CompiledSlice:
    """Compile a stored material.

    Parameters
    ----------
    game : Game
    material : Material
        One that has a table of its own.
    load : callable
        Called with (material, side) for each child; returns codes and their coding.
    coding : Coding, optional
        To compute in; by default one byte, or as wide as a child's.
    scratch : Path, optional
        A folder with room for temporary files.
    """
    layout = layout_of(game, material)
    locations = [locate(game, conversion.child, conversion.side) for conversion in slot_conversions(game, material)]
    loaded = _load_children(load, locations)
    if coding is None:
        coding = _default_coding(game, [child_coding for _, child_coding in loaded.values()])
    children = {stored: recode(codes, child_coding, coding) for stored, (codes, child_coding) in loaded.items()}
    begin = dict(zip(children, np.cumsum([0, *map(len, children.values())]).tolist(), strict=False))
    steps = _all_steps(layout)
    layouts = [layout, *(layout_of(game, location.material) for location in locations)]
    arrays = SliceArrays(
        layouts=index_arrays(game, layouts),
        escape=_escape_arrays(layout),
        size=layout.size,
        no_move=STALEMATE if game.no_move is Outcome.DRAW else loss_code(0, coding.stride),
        **_step_arrays(layout, steps),
        offset=np.array([0, *(begin[location.material, location.side] for location in locations)], dtype=np.int64),
        child_slots=np.array([len(each.slots) for each in layouts], dtype=np.int64),
        **_conversion_arrays(layout, locations),
        children=np.concatenate(list(children.values())) if children else np.zeros(0, dtype=coding.dtype),
    )
    return CompiledSlice(game, layout, coding, arrays, steps, locations, scratch)


def checkpoint_in(coding: Coding, checkpoint: Checkpoint, solver: str) -> Checkpoint:
    """The checkpoint of a solver that computes in a coding; a version with other kernels does not go on from it."""
    # Imported here because Numba is slow to load.
    from tablebase.compute.jit import KERNELS

    return checkpoint.of(solver, KERNELS, coding.dtype, str(coding.stride))


def _load_children(load: Load, locations: list[Location]) -> dict[tuple[Material, int], tuple[Codes, Coding]]:
    """Codes and coding of each stored material and side to move that conversions lead to."""
    wanted = list(dict.fromkeys((location.material, location.side) for location in locations))
    loaded = {}
    for number, stored in enumerate(wanted):
        reach("loading", number, len(wanted))
        loaded[stored] = load(*stored)
    return loaded


def _default_coding(game: Game, child_codings: list[Coding]) -> Coding:
    """One byte, or two if a child has two."""
    coding = NARROW if game.escape is None else NARROW_ANY
    return coding.wider if any(child.dtype != coding.dtype for child in child_codings) else coding


def _all_steps(layout: Layout) -> list[tuple[int, Step]]:
    """Slot and step, by slot and origin."""
    kinds = [layout.game.kinds[layout.material.kinds[piece]] for piece in layout.slots]
    squares = range(len(layout.game.board))
    return [(slot, step) for slot, kind in enumerate(kinds) for square in squares for step in kind.steps_from.get(square, ())]


def _conversion_arrays(layout: Layout, locations: list[Location]) -> dict[str, Any]:
    """For each conversion, the slot that plays each slot of the child, and the image of each square."""
    slots, squares = len(layout.slots), len(layout.game.board)
    child_slot = np.zeros((len(locations) + 1, slots), dtype=np.int8)
    child_square = np.tile(np.arange(squares, dtype=np.int8), (len(locations) + 1, 1))
    child_slot[0] = range(slots)
    conversions = slot_conversions(layout.game, layout.material)
    for number, (conversion, location) in enumerate(zip(conversions, locations, strict=True), start=1):
        child = layout_of(layout.game, location.material)
        child_slot[number, : len(child.slots)] = [conversion.rest[location.pairing[piece]] for piece in child.slots]
        if location.swapped and layout.game.swap is not None:
            child_square[number] = layout.game.swap
    return {"child_slot": child_slot, "child_square": child_square}


def _escape_arrays(layout: Layout) -> EscapeArrays:
    escape, kinds = layout.game.escape, [layout.game.kinds[layout.material.kinds[piece]] for piece in layout.slots]
    squares = len(layout.game.board)
    guards = np.zeros((len(kinds), squares, squares), dtype=np.bool_)
    symbols = [kind.symbol for kind in kinds]
    if escape is None or escape.runner not in symbols:
        return EscapeArrays(NOBODY, 0, False, np.zeros(2, dtype=np.bool_), guards)
    for slot, symbol in enumerate(symbols):
        for square, zone in escape.guarded.get(symbol, {}).items():
            guards[slot, square, list(zone)] = True
    runner = symbols.index(escape.runner)
    counts = np.array([side in escape.to_move for side in (0, 1)], dtype=np.bool_)
    return EscapeArrays(runner, kinds[runner].side, escape.room, counts, guards)


def index_arrays(game: Game, layouts: list[Layout]) -> IndexArrays:
    """Layouts of one game as arrays, stacked in this order."""
    count = len(layouts)
    groups = max(len(layout.groups) for layout in layouts)
    squares, pieces = len(game.board), max(len(group.slots) for layout in layouts for group in layout.groups)
    totals = max(group.combinations.ways.shape[2] for layout in layouts for group in layout.groups)
    digits = max(len(layout.lead.rank) for layout in layouts)
    ranks = max(len(layout.lead.digit) for layout in layouts)
    arrays = IndexArrays(
        groups=np.array([len(layout.groups) for layout in layouts], dtype=np.int64),
        first=np.zeros((count, groups + 1), dtype=np.int64),
        radix=np.ones((count, groups), dtype=np.int64),
        place=np.zeros((count, groups, squares), dtype=np.int32),
        square=np.zeros((count, groups, squares), dtype=np.int8),
        level=np.zeros((count, groups, squares), dtype=np.int64),
        advance=np.zeros((count, groups), dtype=np.int64),
        # Beyond a group's own places, W exceeds every number of a choice.
        ways=np.full((count, groups, pieces + 1, squares + 1, totals), np.iinfo(np.int64).max),
        lead_rank=np.zeros((count, digits), dtype=np.int32),
        lead_digit=np.zeros((count, ranks), dtype=np.int32),
        lead_flip=np.zeros((count, ranks), dtype=np.bool_),
        lead_fixed=np.zeros((count, digits), dtype=np.bool_),
        mirror=np.array(range(squares) if game.mirror is None else game.mirror, dtype=np.int8),
    )
    for i, layout in enumerate(layouts):
        for g, group in enumerate(layout.groups):
            arrays.first[i, g + 1] = group.slots.stop
            arrays.radix[i, g] = layout.radices[g]
            _fill_group(arrays, i, g, group)
        for name, source in zip(("lead_rank", "lead_digit", "lead_flip", "lead_fixed"), layout.lead, strict=True):
            getattr(arrays, name)[i, : len(source)] = source
    return arrays


def _fill_group(arrays: IndexArrays, i: int, g: int, group: Group) -> None:
    """Fill in group g of layout i."""
    squares = group.squares
    if len(group.slots) == 1:
        # A single piece's digits are the places that its advance allows.
        squares = tuple(group.unrank_many(np.arange(group.size))[:, 0].tolist())
    arrays.square[i, g, : len(squares)] = squares
    arrays.place[i, g, list(squares)] = range(len(squares))
    arrays.level[i, g, : len(group.squares)] = group.combinations.levels
    arrays.advance[i, g] = group.combinations.advance
    ways = group.combinations.ways
    arrays.ways[i, g, : ways.shape[0], : ways.shape[1], : ways.shape[2]] = ways


def _step_arrays(layout: Layout, steps: list[tuple[int, Step]]) -> dict[str, Any]:
    game, slots, squares = layout.game, len(layout.slots), len(layout.game.board)
    destinations = np.concatenate([step_destinations(layout, layout.material.kinds[piece]) for piece in layout.slots])
    inner = [(number, slot, step) for number, (slot, step) in enumerate(steps) if destinations[number, 0] == STAYS]
    backs = [(slot, step.target, number, step.origin) for number, slot, step in inner]
    backs.sort(key=lambda back: back[:3])
    blockers = [sorted(step.empty) for _, step in steps]
    return {
        "side": np.array([game.side_of(layout.material.kinds[piece]) for piece in layout.slots], dtype=np.int8),
        "step_begin": _begins([(slot, step.origin) for slot, step in steps], slots, squares),
        "step_target": np.array([step.target for _, step in steps], dtype=np.int8),
        "step_destination": destinations,
        "step_block": np.cumsum([0, *map(len, blockers)], dtype=np.int32),
        "blockers": np.array([square for blocking in blockers for square in blocking], dtype=np.int8),
        "back_begin": _begins([back[:2] for back in backs], slots, squares),
        "back_step": np.array([number for _, _, number, _ in backs], dtype=np.int32),
        "back_origin": np.array([origin for _, _, _, origin in backs], dtype=np.int8),
    }


def _begins(keys: list[tuple[int, int]], slots: int, squares: int) -> Int32:
    """Where the keys of each slot and square begin in a sorted list, shape (slots, squares + 1)."""
    flat = [slot * squares + square for slot, square in keys]
    edges = np.arange(slots)[:, None] * squares + np.arange(squares + 1)
    return np.searchsorted(flat, edges).astype(np.int32)
