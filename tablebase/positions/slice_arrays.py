"""The rules of one slice as flat arrays: squares, slots and steps, and nothing specific to a game.

Solvers and kernels that list moves read them; checkers have set-ups of their own.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tablebase.game import Step
from tablebase.positions.conversions import STAYS, slot_conversions, step_destinations
from tablebase.positions.indexing import Layout
from tablebase.positions.location import Address, Location, locate
from tablebase.positions.rule_arrays import NOBODY as NOBODY
from tablebase.positions.rule_arrays import Bool as Bool
from tablebase.positions.rule_arrays import Int8 as Int8
from tablebase.positions.rule_arrays import Int32 as Int32
from tablebase.positions.rule_arrays import Int64 as Int64


class EscapeArrays(NamedTuple):
    """`Game.escape` for the slots of a slice."""

    runner: int  # slot, or NOBODY
    winner: int  # its side
    room: bool
    counts: Bool  # (2,) by side to move
    guards: Bool  # (P, S, S) [p, s, t]: slot p on square s guards square t


class SliceArrays(NamedTuple):
    """Pieces, steps and conversions of one slice; P slots, S squares, K steps, U unmoves, B blockers, C conversions."""

    escape: EscapeArrays
    mirror: Int8  # (S,) image of each square, itself where there is no mirror
    side: Int8  # (P,) owner of each slot
    step_begin: Int32  # (P, S + 1) steps of slot p from square s are step_begin[p, s]:step_begin[p, s + 1]
    step_target: Int8  # (K,)
    step_destination: Int32  # (K, P + 1) of step k, [k, v + 1] if slot v is captured, [k, 0] if none is
    step_block: Int32  # (K + 1,) blockers of step k are blockers[step_block[k]:step_block[k + 1]]
    blockers: Int8  # (B,) squares that must be empty
    back_begin: Int32  # (P, S + 1) unmoves of slot p from square s are back_begin[p, s]:back_begin[p, s + 1]
    back_step: Int32  # (U,) the quiet step within the slice that an unmove undoes
    back_origin: Int8  # (U,)
    child_slot: Int8  # (C + 1, P) [c, j]: the slot that plays slot j of conversion c's layout; 0 is the slice itself
    child_square: Int8  # (C + 1, S) image of each square in the child


def slice_arrays(layout: Layout, locations: list[Location]) -> SliceArrays:
    """The arrays of a slice, given where the child of each conversion is stored."""
    game = layout.game
    return SliceArrays(
        escape=_escape_arrays(layout),
        mirror=np.array(range(len(game.board)) if game.mirror is None else game.mirror, dtype=np.int8),
        **_step_arrays(layout, slice_steps(layout)),
        **_conversion_arrays(layout, locations),
    )


def child_locations(layout: Layout) -> list[Location]:
    """Return where the child of each conversion is stored, in the order of their numbers."""
    game = layout.game
    return [locate(game, conversion.child, conversion.side) for conversion in slot_conversions(game, layout.material)]


def slice_steps(layout: Layout) -> list[tuple[int, Step]]:
    """Slot and step, by slot and origin, in the order of the arrays."""
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
        child = Address(layout.game, location)
        child_slot[number, : len(child.pieces)] = [conversion.rest[piece] for piece in child.pieces]
        child_square[number] = child.image
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
    flat = [slot * squares + square for slot, square in keys]
    edges = np.arange(slots)[:, None] * squares + np.arange(squares + 1)
    return np.searchsorted(flat, edges).astype(np.int32)
