"""A slice as flat arrays: what the kernels of every engine read.

`compile_slice` turns the rules (`Game`), the index (`Layout`) and the tables that captures lead to into
two named tuples of NumPy arrays. They know squares, slots and steps; no game is named in them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import comb
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.game import Game, Outcome, Step
from tablebase.indexing import Layout, layout
from tablebase.material import Material, captures, route
from tablebase.values import NARROW, STALEMATE, Codes, Coding, loss_code, recode

Load = Callable[[Material, int], tuple[Codes, Coding]]
"""Gives the codes of a solved table for one side to move."""

LAST_PIECE = -1
"""In `SliceArrays.offset`: capturing this piece leaves its side without pieces."""

Int8 = NDArray[np.int8]
Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]
Bool = NDArray[np.bool_]


class IndexArrays(NamedTuple):
    """Layouts stacked along the first axis: 0 is the slice's own, the others those of its children.

    With L layouts, G groups, S squares, D lead digits, R lead placements (each the largest of all):
    """

    groups: Int64  # (L,) groups in use
    first: Int64  # (L, G + 1) first slot of each group
    radix: Int64  # (L, G)
    place: Int32  # (L, G, S) place of a square in its group
    square: Int8  # (L, G, S) square of a place
    lead_rank: Int32  # (L, D)
    lead_digit: Int32  # (L, R)
    lead_flip: Bool  # (L, R)
    lead_fixed: Bool  # (L, D)
    mirror: Int8  # (S,) image of each square, itself where there is no mirror
    choose: Int64  # (S + 1, slots + 1) binomial coefficients


class SliceArrays(NamedTuple):
    """Pieces, steps and children of one slice; P slots, S squares, K steps, U un-steps, B blockers."""

    layouts: IndexArrays
    size: int
    no_move: int  # code of a side to move without a move
    side: Int8  # (P,) owner of each slot
    step_begin: Int32  # (P, S + 1) steps of slot p from square s are step_begin[p, s]:step_begin[p, s + 1]
    step_target: Int8  # (K,)
    step_quiet: Bool  # (K,)
    step_wins: Bool  # (K,)
    step_victims: Int64  # (K,) bit p: slot p may be captured
    step_block: Int32  # (K + 1,) blockers of step k are blockers[step_block[k]:step_block[k + 1]]
    blockers: Int8  # (B,) squares that must be empty
    back_begin: Int32  # (P, S + 1) un-steps of slot p that stands on square s
    back_step: Int32  # (U,) the quiet step that an un-step takes back
    back_origin: Int8  # (U,)
    offset: Int64  # (P,) where the child's codes begin in `children` when slot p is captured; LAST_PIECE
    child_slot: Int8  # (P, P) [p, j]: which slot plays the child's slot j when slot p is captured
    child_square: Int8  # (P, S) square map on the way into that child
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
    children : dict of int to Material
        Table that capturing a slot leads to; slots whose capture ends the game are missing.
    """

    game: Game
    layout: Layout
    coding: Coding
    arrays: SliceArrays
    children: dict[int, Material]


def compile_slice(game: Game, table: Material, load: Load, coding: Coding | None = None) -> CompiledSlice:
    """Compile a table's material.

    Parameters
    ----------
    game : Game
    table : Material
        One that has a table of its own.
    load : callable
        Called with (table, side) for each child; gives codes and their coding.
    coding : Coding, optional
        To compute in; by default one byte, or as wide as a child's.
    """
    own = layout(game, table)
    routes = {}
    for piece, child in captures(game, table).items():
        routes[own.slots.index(piece)] = (piece, child, route(game, child, game.side_of(table.kinds[piece])))
    loaded = {slot: load(way.table, way.side) for slot, (_, _, way) in routes.items()}
    if coding is None:
        coding = NARROW
        if any(child_coding.dtype != coding.dtype for _, child_coding in loaded.values()):
            coding = coding.wider
    slots, squares = len(own.slots), len(game.board)
    offset = np.full(slots, LAST_PIECE, dtype=np.int64)
    child_slot = np.zeros((slots, slots), dtype=np.int8)
    child_square = np.tile(np.arange(squares, dtype=np.int8), (slots, 1))
    layouts = [own] * (slots + 1)
    parts: list[Codes] = []
    for slot, (piece, _, way) in routes.items():
        offset[slot] = sum(len(part) for part in parts)
        parts.append(recode(*loaded[slot], coding))
        layouts[slot + 1] = layout(game, way.table)
        child_slot[slot, : slots - 1] = slot_map(own, piece, way.order, layouts[slot + 1])
        if way.swapped and game.swap is not None:
            child_square[slot] = game.swap
    arrays = SliceArrays(
        layouts=_index_arrays(game, layouts),
        size=own.size,
        no_move=STALEMATE if game.no_move is Outcome.DRAW else loss_code(0, coding.stride),
        **_step_arrays(game, own),
        offset=offset,
        child_slot=child_slot,
        child_square=child_square,
        children=np.concatenate(parts) if parts else np.zeros(0, dtype=coding.dtype),
    )
    return CompiledSlice(game, own, coding, arrays, {slot: way.table for slot, (_, _, way) in routes.items()})


def slot_map(own: Layout, gone: int, order: tuple[int, ...], child: Layout) -> list[int]:
    """Which of our slots plays each slot of a child's layout once a piece is captured.

    Parameters
    ----------
    own : Layout
        Of the material before the capture.
    gone : int
        The captured piece, by its place in that material.
    order : tuple of int
        `Route.order` of the material after the capture.
    child : Layout
        Of the table that the route leads to.
    """
    left = [piece for piece in range(own.material.pieces) if piece != gone]
    return [own.slots.index(left[order[piece]]) for piece in child.slots]


def _index_arrays(game: Game, layouts: list[Layout]) -> IndexArrays:
    count = len(layouts)
    groups = max(len(one.groups) for one in layouts)
    squares, pieces = len(game.board), max(len(one.slots) for one in layouts)
    digits = max(len(one.lead_rank) for one in layouts)
    ranks = max(len(one.lead_digit) for one in layouts)
    arrays = IndexArrays(
        groups=np.array([len(one.groups) for one in layouts], dtype=np.int64),
        first=np.zeros((count, groups + 1), dtype=np.int64),
        radix=np.ones((count, groups), dtype=np.int64),
        place=np.zeros((count, groups, squares), dtype=np.int32),
        square=np.zeros((count, groups, squares), dtype=np.int8),
        lead_rank=np.zeros((count, digits), dtype=np.int32),
        lead_digit=np.zeros((count, ranks), dtype=np.int32),
        lead_flip=np.zeros((count, ranks), dtype=np.bool_),
        lead_fixed=np.zeros((count, digits), dtype=np.bool_),
        mirror=np.array(range(squares) if game.mirror is None else game.mirror, dtype=np.int8),
        choose=np.array([[comb(n, k) for k in range(pieces + 1)] for n in range(squares + 1)], dtype=np.int64),
    )
    for i, one in enumerate(layouts):
        for g, group in enumerate(one.groups):
            arrays.first[i, g + 1] = group.slots.stop
            arrays.radix[i, g] = one.radices[g]
            arrays.square[i, g, : len(group.squares)] = group.squares
            for place, square in enumerate(group.squares):
                arrays.place[i, g, square] = place
        for name in ("lead_rank", "lead_digit", "lead_flip", "lead_fixed"):
            source = getattr(one, name)
            getattr(arrays, name)[i, : len(source)] = source
    return arrays


def _step_arrays(game: Game, own: Layout) -> dict[str, Any]:
    kinds = [own.material.kinds[piece] for piece in own.slots]
    squares = range(len(game.board))
    steps: list[tuple[int, Step]] = []
    begin = np.zeros((len(kinds), len(squares) + 1), dtype=np.int32)
    for slot, kind in enumerate(kinds):
        for square in squares:
            begin[slot, square] = len(steps)
            steps += [(slot, step) for step in game.kinds[kind].steps_from.get(square, ())]
        begin[slot, -1] = len(steps)
    backs: list[tuple[int, int]] = []
    back_begin = np.zeros_like(begin)
    for slot in range(len(kinds)):
        for square in squares:
            back_begin[slot, square] = len(backs)
            backs += [
                (number, step.origin)
                for number, (owner, step) in enumerate(steps)
                if owner == slot and step.target == square and step.quiet and not step.wins
            ]
        back_begin[slot, -1] = len(backs)
    blockers = [sorted(step.empty) for _, step in steps]
    return {
        "side": np.array([game.side_of(kind) for kind in kinds], dtype=np.int8),
        "step_begin": begin,
        "step_target": np.array([step.target for _, step in steps], dtype=np.int8),
        "step_quiet": np.array([step.quiet for _, step in steps], dtype=np.bool_),
        "step_wins": np.array([step.wins for _, step in steps], dtype=np.bool_),
        "step_victims": np.array([_victim_bits(game, kinds, step) for _, step in steps], dtype=np.int64),
        "step_block": np.cumsum([0, *map(len, blockers)], dtype=np.int32),
        "blockers": np.array([square for some in blockers for square in some], dtype=np.int8),
        "back_begin": back_begin,
        "back_step": np.array([number for number, _ in backs], dtype=np.int32),
        "back_origin": np.array([origin for _, origin in backs], dtype=np.int8),
    }


def _victim_bits(game: Game, kinds: list[int], step: Step) -> int:
    return sum(1 << slot for slot, kind in enumerate(kinds) if game.kinds[kind].symbol in step.victims)
