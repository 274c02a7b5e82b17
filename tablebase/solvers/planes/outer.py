"""The outer pieces of a slice of planes: where they stand in each plane, and how their steps map planes onto planes."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from tablebase.game import Game
from tablebase.positions.indexing import Layout
from tablebase.positions.slice_arrays import Bool, Int8, Int64
from tablebase.solvers.planes.arrays import COLUMNS, FULL, ROWS, OuterBacks, OuterSteps, Words, home, slides, word_of


def _lead_squares(layout: Layout) -> Int8:
    squares: Int8 = np.array(layout.groups[0].squares, dtype=np.int8)[layout.lead.rank]
    return squares


def _strides(layout: Layout, outer: int) -> list[int]:
    return [int(np.prod(layout.radices[slot + 1 : outer], dtype=np.int64)) for slot in range(outer)]


def _digits(layout: Layout, slot: int) -> Int64:
    """The digit of a slot on each square; of the lead, that of its mirror image where only this one is numbered."""
    group = layout.groups[slot]
    digits = np.zeros(ROWS, dtype=np.int64)
    digits[list(group.squares)] = range(len(group.squares)) if slot else layout.lead.digit
    return digits


def outer_squares(layout: Layout, outer: int) -> tuple[Int8, Words]:
    """For each plane the squares of the outer pieces, and these as a word, which is FULL if two share a square."""
    radices = layout.radices[:outer]
    squares = np.zeros((*radices, outer), dtype=np.int8)
    occupied = np.zeros(radices, dtype=np.uint64)
    shared = np.zeros(radices, dtype=np.bool_)
    for slot in range(outer):
        own = _lead_squares(layout) if slot == 0 else np.array(layout.groups[slot].squares, dtype=np.int8)
        along = own.reshape(-1, *[1] * (outer - slot - 1))
        bits = np.left_shift(np.uint64(1), along.astype(np.uint64))
        squares[..., slot] = along
        shared |= (occupied & bits) != 0
        occupied |= bits
    occupied[shared] = FULL
    return squares.reshape(occupied.size, outer), occupied.reshape(-1)


def mirrored_planes(layout: Layout, outer: int) -> Int64:
    """Sum the terms of all outer pieces but the lead in the number of the mirrored plane."""
    image = np.zeros(layout.radices[:outer], dtype=np.int64)
    mirror = np.array(layout.game.mirror or range(ROWS), dtype=np.int64)
    for slot, stride in enumerate(_strides(layout, outer)):
        if slot:
            digits = _digits(layout, slot)[mirror[list(layout.groups[slot].squares)]]
            image += stride * digits.reshape(-1, *[1] * (outer - slot - 1))
    return image.reshape(-1)


class _Steps(NamedTuple):
    """The quiet steps of a kind that stay in the slice, by origin."""

    origin: Int64
    target: Int64
    closed: Words
    between: Words


@cache
def _quiet_steps(game: Game, kind: int) -> _Steps:
    steps = sorted(slides(game, kind), key=lambda step: (step.origin, step.target))
    between = [word_of(step.empty) for step in steps]
    return _Steps(
        origin=np.array([step.origin for step in steps], dtype=np.int64),
        target=np.array([step.target for step in steps], dtype=np.int64),
        closed=np.array([word | 1 << step.target for word, step in zip(between, steps, strict=True)], dtype=np.uint64),
        between=np.array(between, dtype=np.uint64),
    )


def _numbered_steps(layout: Layout, slot: int) -> tuple[_Steps, Bool]:
    """The quiet steps of an outer piece from where the layout numbers it, and whether they reach a mirrored plane."""
    steps = _quiet_steps(layout.game, layout.groups[slot].kind)
    if slot:
        return steps, np.zeros(len(steps.origin), dtype=np.bool_)
    flips = np.zeros(ROWS, dtype=np.bool_)
    flips[list(layout.groups[0].squares)] = layout.lead.flip
    numbered = ~flips[steps.origin]
    kept = _Steps(steps.origin[numbered], steps.target[numbered], steps.closed[numbered], steps.between[numbered])
    return kept, flips[kept.target]


def outer_steps(layout: Layout, outer: int) -> OuterSteps:
    """The quiet steps of the outer pieces."""
    file, row = layout.groups[outer:]
    inner = home(layout.game, file.kind) | home(layout.game, row.kind)
    begin = np.zeros((outer, COLUMNS), dtype=np.int32)
    parts = []
    count = 0
    for slot, stride in enumerate(_strides(layout, outer)):
        steps, mirrored = _numbered_steps(layout, slot)
        digits = _digits(layout, slot)
        delta = stride * (digits[steps.target] - np.where(mirrored, 0, digits[steps.origin]))
        begin[slot] = count + np.searchsorted(steps.origin, range(COLUMNS))
        parts.append((delta, mirrored, steps.closed, steps.between & inner))
        count += len(delta)
    return OuterSteps(begin.reshape(-1), *_joined(parts, (np.int64, np.uint8, np.uint64, np.uint64)))


def outer_backs(layout: Layout, outer: int) -> OuterBacks:
    """The unmoves of the outer pieces."""
    mirror = np.array(layout.game.mirror or range(ROWS), dtype=np.int64)
    begin = np.zeros((outer, COLUMNS), dtype=np.int32)
    parts = []
    count = 0
    for slot, stride in enumerate(_strides(layout, outer)):
        steps, mirrored = _numbered_steps(layout, slot)
        reached = np.where(mirrored, mirror[steps.target], steps.target)
        # Several steps may connect the same two squares.
        kept = np.unique(np.stack([reached, mirrored, steps.origin]), axis=1)
        reached, flags, origin = kept[0], kept[1].astype(np.bool_), kept[2]
        digits = _digits(layout, slot)
        begin[slot] = count + np.searchsorted(reached, range(COLUMNS))
        parts.append((stride * (digits[origin] - np.where(flags, 0, digits[reached])), flags))
        count += len(reached)
    return OuterBacks(begin.reshape(-1), *_joined(parts, (np.int64, np.uint8)))


def _joined(parts: list[Any], kinds: tuple[type, ...]) -> list[Any]:
    """The columns of all parts, one after another."""
    return [np.concatenate([np.zeros(0, dtype=kind), *(part[i] for part in parts)]) for i, kind in enumerate(kinds)]
