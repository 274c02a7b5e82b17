"""The tables that captures lead to, as rows of scores in the order of the slice's own planes.

A *score* is what a capture into a position is worth to the captor, the larger the better: `NOTHING`, then losses, a draw and
wins. Distances are halved, since parity follows from the outcome, so that all scores fit into the type of the codes.
"""

from __future__ import annotations

from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.positions.conversions import slot_conversions
from tablebase.positions.indexing import Layout, layout_of
from tablebase.positions.slice_arrays import Int8, Int32, Int64
from tablebase.solvers.planes.arrays import PLANE, ROWS, Bytes, Words, word_of
from tablebase.solvers.problem import CompiledSlice
from tablebase.system.compute import threads
from tablebase.system.compute.bits import trailing_zeros
from tablebase.system.compute.jit import jit
from tablebase.system.compute.pointers import bare
from tablebase.system.compute.vectors import ELEMENTS, room
from tablebase.tables.values import FIRST, Codes, Coding

NOTHING = 0
"""The score where no move leaves the slice."""
WON = 0
"""Place in `Children.worth` of 64 wins in one ply."""
GRAIN = 1 << 13
"""The smallest number of placements worth a thread."""


class Children(NamedTuple):
    """Children of captures: an index in `worth` is a sum of parts, one for each remaining piece; P slots.

    The last two of the remaining slots have 64 digits, their squares.
    """

    base: Int64  # (P,) of the victim; WON if its capture ends the game
    part: Int64  # (P * P * 64,) by victim v, slot p and square s: what p on s adds if v is captured
    worth: Codes  # scores; 0 where no position is


class Expansion(NamedTuple):
    """Map from a child's table to the order of the parent; P slots, of which R remain, F in front of the last one."""

    placements: int  # placements of the first remaining pieces, whether or not they share squares
    front: int  # F
    slots: Int32  # (R,) the remaining slots in the parent's order
    radix: Int64  # (F,)
    square: Int8  # (F * 64,) square of a digit
    homes: Words  # (2,) squares of the last two remaining slots
    lead: int  # the slot that leads the child's layout
    flips: Bytes  # (64,) whether that lead on a square mirrors the child's board
    part: Int64  # (P * 64,) by slot p and square s: what p on s adds to the child's index
    image: Int64  # (P * 64,) the same if the child's board is mirrored


@cache
def scores_of(coding: Coding) -> Codes:
    """For each code of a child the score of a capture into such a position."""
    top = coding.void
    distance = np.arange(top + 1) - FIRST + 1
    scores = np.where(distance % 2, top - distance // 2, distance // 2)
    scores[:FIRST] = top // 2
    return scores.astype(coding.dtype)


def compile_children(problem: CompiledSlice) -> Children:
    """The children of a slice, one block for each victim whose capture does not end the game."""
    slots = len(problem.layout.slots)
    base, part = np.zeros(slots, dtype=np.int64), np.zeros((slots, slots, ROWS), dtype=np.int64)
    expansions = []
    end = ELEMENTS
    for number, conversion in enumerate(slot_conversions(problem.game, problem.layout.material), start=1):
        victim = conversion.victim
        assert victim is not None  # a slice with planes has no tiers
        base[victim] = end
        expansions.append((end, _expansion(problem, victim, number)))
        end += _fill_part(problem.layout, victim, part[victim])
    worth = room(end, problem.coding.dtype)
    worth[:] = NOTHING
    worth[:ELEMENTS] = problem.coding.void
    scores = scores_of(problem.coding)
    for begin, expansion in expansions:
        work = partial(expand, expansion, problem.children, scores, worth, begin)
        threads.spread(work, expansion.placements, GRAIN)
    return Children(base, part.reshape(-1), worth)


def _remaining(layout: Layout, victim: int) -> list[int]:
    return [slot for slot in range(len(layout.slots)) if slot != victim]


def _fill_part(layout: Layout, victim: int, part: Int64) -> int:
    """Fill in what each remaining slot adds to a place in the block of a victim; return the size of the block."""
    *outer, file, row = _remaining(layout, victim)
    part[row], part[file] = np.arange(ROWS), np.arange(ROWS) * ROWS
    size = PLANE
    for slot in reversed(outer):
        squares = layout.groups[slot].squares
        part[slot, list(squares)] = np.arange(len(squares)) * size
        size *= len(squares)
    return size


def _expansion(problem: CompiledSlice, victim: int, number: int) -> Expansion:
    """Return how to read the child of conversion `number`, the capture of a victim."""
    layout, arrays = problem.layout, problem.arrays
    *front, last = _remaining(layout, victim)
    square = np.zeros((len(front), ROWS), dtype=np.int8)
    radix = np.full(len(front), ROWS, dtype=np.int64)
    square[-1] = np.arange(ROWS)
    for i, slot in enumerate(front[:-1]):
        radix[i] = len(layout.groups[slot].squares)
        square[i, : radix[i]] = layout.groups[slot].squares
    return Expansion(
        placements=int(radix.prod()),
        front=len(front),
        slots=np.array([*front, last], dtype=np.int32),
        radix=radix,
        square=square.reshape(-1),
        homes=np.array([word_of(layout.groups[slot].squares) for slot in (front[-1], last)], dtype=np.uint64),
        lead=int(arrays.child_slot[number, 0]),
        **_child_parts(problem, number),
    )


def _child_parts(problem: CompiledSlice, number: int) -> dict[str, NDArray[Any]]:
    """List each slot's terms in the index of the position after conversion `number`."""
    arrays, child = problem.arrays, layout_of(problem.game, problem.locations[number - 1].material)
    squares = len(problem.game.board)
    plain = arrays.child_square[number].astype(np.int64)
    flips = np.zeros(ROWS, dtype=np.uint8)
    part = np.zeros((2, len(problem.layout.slots), ROWS), dtype=np.int64)
    stride = 1
    for slot in range(len(child.slots) - 1, -1, -1):
        group = child.groups[slot]
        digits = np.zeros(ROWS, dtype=np.int64)
        digits[list(group.squares)] = range(len(group.squares)) if slot else child.lead.digit
        parent_slot = int(arrays.child_slot[number, slot])
        # The digit of a lead is that of its mirror image already.
        for flip, image in enumerate((plain, arrays.mirror[plain] if slot else plain)):
            part[flip, parent_slot, :squares] = digits[image] * stride
        stride *= child.radices[slot]
        if slot == 0:
            flipped = np.zeros(ROWS, dtype=np.uint8)
            flipped[list(group.squares)] = child.lead.flip
            flips[:squares] = flipped[plain]
            part[:, parent_slot] += problem.offset[number]
    return {"flips": flips, "part": part[0].reshape(-1), "image": part[1].reshape(-1)}


@jit
def expand(expansion: Expansion, children: Codes, scores: Codes, worth: Codes, begin: int, first: int, end: int) -> None:
    """Write the scores of a child's positions to its block of `worth`, which begins at `begin` and holds `NOTHING`.

    They are those of the placements of all pieces but the last one from `first` up to `end`.
    """
    _, front, slots, radix, square, homes, lead, flips, part, image = bare(expansion)
    last = slots[front]
    for placement in range(first, end):
        rest, occupied, apart = placement, np.uint64(0), True
        plain, flipped, flip = np.int64(0), np.int64(0), np.uint8(0)
        for i in range(front - 1, -1, -1):
            digit = rest % radix[i]
            rest //= radix[i]
            on = np.int64(square[i * ROWS + digit])
            bit = np.uint64(1) << np.uint64(on)
            apart = apart and not occupied & bit and (i < front - 1 or homes[0] & bit)
            occupied |= bit
            plain += part[slots[i] * ROWS + on]
            flipped += image[slots[i] * ROWS + on]
            if slots[i] == lead:
                flip = flips[on]
        left = homes[1] & ~occupied if apart else np.uint64(0)
        while left:
            on = trailing_zeros(left)
            left &= left - np.uint64(1)
            if lead == last:
                flip = flips[on]
            number = flipped + image[last * ROWS + on] if flip else plain + part[last * ROWS + on]
            worth[begin + placement * ROWS + on] = scores[children[number]]
