"""Forward steps of whole units: what a plane reads from the planes that its quiet moves lead to.

No kernel writes to another plane than the one at hand. A step of an outer piece reads the same unit of another plane, a step
of the file piece the same plane some rows on, and a step of the row piece rotates the words. Where a step's target is occupied
the position reached is illegal; so illegal positions count as won for `all_won` and are never fresh for `any_fresh`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tablebase.solvers.planes.arrays import COLUMNS, ROWS, InnerSteps, Mirror, Planes, Scratch, Words
from tablebase.system.compute.bits import trailing_zeros
from tablebase.system.compute.jit import inline
from tablebase.system.compute.vectors import WORDS, gather, load, rotated, rows, rows_kept, unit_of


@inline
def list_targets(planes: Planes, scratch: Scratch, plane: Any, side: int, dirty: Any, begin: Any) -> int:
    """Note the planes that quiet steps of the outer pieces of a side lead to; return how many.

    If `begin` is not negative, only those are noted for which `dirty` is not 0, where `begin` is that of plane 0.
    """
    steps, owner, squares, occupied = planes.steps, planes.owner, planes.squares, planes.occupied[plane]
    outer = planes.outer
    count = 0
    for slot in range(outer):
        if owner[slot] == side:
            square = squares[plane * outer + slot]
            for step in range(steps.begin[slot * COLUMNS + square], steps.begin[slot * COLUMNS + square + 1]):
                if not steps.closed[step] & occupied:
                    target = steps.delta[step] + (planes.image[plane] if steps.mirrored[step] else plane)
                    if begin < 0 or dirty[begin + target]:
                        scratch.target[count] = target
                        scratch.mirrored[count] = steps.mirrored[step]
                        scratch.between[count] = steps.between[step]
                        count += 1
    return count


@inline
def mask_steps(planes: Planes, scratch: Scratch, plane: Any) -> None:
    """Note from where the file piece and the row piece may step, given the outer pieces."""
    outer = planes.outer
    squares, file, row = planes.squares, planes.file, planes.row
    for place in range(file.classes * ROWS):
        scratch.file_mask[place] = file.mask[place]
    for place in range(row.classes * ROWS):
        scratch.row_mask[place] = row.mask[place]
    for slot in range(outer):
        square = squares[plane * outer + slot]
        for number in range(file.classes):
            left = file.barred[number * ROWS + square]
            while left:
                scratch.file_mask[number * ROWS + trailing_zeros(left)] = 0
                left &= left - np.uint64(1)
        for number in range(row.classes):
            if row.barred[number * ROWS + square]:
                for begin in range(number * ROWS, (number + 1) * ROWS):
                    scratch.row_mask[begin] &= ~row.barred[number * ROWS + square]


@inline
def mirrored_unit(mirror: Mirror, words: Words, begin: Any, unit: int) -> Any:
    """A unit of the mirror image of the plane whose words begin at `begin`."""
    source = gather(words, begin, mirror.rows, unit * WORDS)
    image = unit_of(np.uint64(0))
    for number in range(mirror.displacements):
        image = image | rotated(source & unit_of(mirror.mask[number]), -mirror.shift[number])
    return image


@inline
def stepped(planes: Planes, scratch: Scratch, words: Words, number: int, unit: int) -> Any:
    """A unit of the plane that a noted step leads to."""
    begin = scratch.target[number] * ROWS
    if scratch.mirrored[number]:
        return mirrored_unit(planes.mirror, words, begin, unit)
    return load(words, begin + unit * WORDS)


@inline
def passing(between: Any, unit: int) -> Any:
    """The positions of a unit in which neither file nor row piece stands on the squares of a word."""
    return rows_kept(unit_of(~between), np.int64((~between >> np.uint64(unit * WORDS)) & np.uint64(255)))


@inline
def all_won(
    planes: Planes,
    scratch: Scratch,
    won: Words,
    plane: Any,
    targets: int,
    unit: int,
    file_moves: bool,
    row_moves: bool,
    file_mask: Words,
    row_mask: Words,
    candidates: Any,
) -> Any:
    """Return the candidates of a unit with quiet moves only to positions in `won`."""
    first = unit * WORDS
    begin = plane * ROWS + first
    if row_moves:
        candidates = candidates & ~_row_steps(planes.row, row_mask, ~load(won, begin), first)
    if file_moves:
        shift = planes.file.shift
        for number in range(planes.file.classes):
            candidates = candidates & (load(won, begin + shift[number]) | ~load(file_mask, number * ROWS + first))
    # Other planes are seldom in the cache, and often nothing is left to ask them.
    for number in range(targets if rows(candidates) else 0):
        child, between = stepped(planes, scratch, won, number, unit), scratch.between[number]
        if between:
            child = child | ~passing(between, unit)
        candidates = candidates & child
    return candidates


@inline
def any_fresh(
    planes: Planes,
    scratch: Scratch,
    fresh: Words,
    plane: Any,
    targets: int,
    unit: int,
    file_moves: bool,
    row_moves: bool,
    file_mask: Words,
    row_mask: Words,
) -> Any:
    """The positions of a unit with a quiet move to a position in `fresh`; illegal ones may be among them."""
    first = unit * WORDS
    begin = plane * ROWS + first
    found = unit_of(np.uint64(0))
    if row_moves:
        found = _row_steps(planes.row, row_mask, load(fresh, begin), first)
    if file_moves:
        shift = planes.file.shift
        for number in range(planes.file.classes):
            found = found | (load(fresh, begin + shift[number]) & load(file_mask, number * ROWS + first))
    for number in range(targets):
        child, between = stepped(planes, scratch, fresh, number, unit), scratch.between[number]
        if between:
            child = child & passing(between, unit)
        found = found | child
    return found


@inline
def _row_steps(row: InnerSteps, mask: Words, unit: Any, first: int) -> Any:
    """The positions from which the row piece steps to one in the unit whose first row is `first`."""
    found = unit_of(np.uint64(0))
    for number in range(row.classes):
        found = found | (rotated(unit, row.shift[number]) & load(mask, number * ROWS + first))
    return found
