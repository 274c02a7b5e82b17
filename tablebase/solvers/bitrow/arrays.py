"""A slice as rows of bits: what the bit-row solver reads.

The last slot of a layout is the *row piece*. A *row* is the set of its squares, as bits of one 64-bit word
(bit s is square s), with all other pieces fixed. The indices of a row are consecutive: row r holds the indices
r * length … r * length + length - 1, where length is the number of squares of the row piece.

A step of another piece maps a whole row onto another row. If it moves the lead across the middle of a mirrored
board, the row reached is that of the mirror image, and the word must be mirrored too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.game import Step
from tablebase.slices.conversions import ENDS, ILLEGAL, slot_conversions
from tablebase.slices.indexing import Layout, layout_of
from tablebase.solvers.compiled import Bool, CompiledSlice, Int8, Int32, Int64
from tablebase.tables.values import Codes, merit, next_code

PLAIN, MIRRORED, BOTH = 0, 1, 2
"""In `Shifts.image`: whether the row is reached as it is, mirrored, or both."""

NOTHING_DUE = 65535
"""In `State.due`: no position of this row is pending."""
STRIDE = 1
"""The stride of the coding: parity distinguishes wins from losses."""

Words = NDArray[np.uint64]


class Shifts(NamedTuple):
    """Quiet steps, or un-steps, of all pieces but the row piece, as maps from row to row; N of them."""

    begin: Int32  # (P - 1, S + 1) the steps of slot p from square s are begin[p, s]:begin[p, s + 1]
    mask: Words  # (N,) squares that must be empty, including the target
    delta: Int64  # (N,) number of the row reached minus that of the row left, if not mirrored
    image: Int8  # (N,) PLAIN, MIRRORED or BOTH
    base: Int64  # (N,) what the lead adds to the number of the row reached, if mirrored


class Captures(NamedTuple):
    """Where a capture leads; the index in `children` is a sum of parts, one for each remaining piece."""

    lead: Int64  # (P,) the slot that leads the child's layout if slot v is captured; ENDS if that ends the game
    flips: Bool  # (P, S) whether that lead on a square mirrors the child's board
    part: Int64  # (P, 2, P, S) [v, f, i, s]: what slot i on square s adds; the child's board is mirrored if f
    worth: Codes  # what a capture into a position is worth to the captor, for all positions of all children
    merit: Int32  # sort key of each code, see `tablebase.tables.values.merit`


class Steps(NamedTuple):
    """All steps of all slots, K of them."""

    begin: Int32  # (P, S + 1)
    target: Int8  # (K,)
    mask: Words  # (K,) squares in between that must be empty
    quiet: Bool  # (K,)
    wins: Bool  # (K,)
    victims: Int64  # (K,) bit p: slot p may be captured


class Into(NamedTuple):
    """Steps of the row piece by target, and its quiet steps that win at once."""

    begin: Int32  # (S + 1,)
    step: Int32
    origin: Int8
    winning: Int32
    winning_origin: Int8


class RowArrays(NamedTuple):
    """Bit masks and strides of one slice; P slots, S squares, K steps, C classes of the row piece's quiet steps."""

    rows: int
    length: int  # indices per row
    no_move: int
    owner: Int8  # (P,)
    stride: Int64  # (P - 1,) rows between neighbouring digits of a slot
    square: Int8  # (P, S) square of a digit
    place: Int32  # (P, S) digit of a square
    mirror: Int8  # (S,)
    bit: Words  # (64,) the word with one bit
    home: np.uint64  # squares of the row piece
    mirror_bytes: Words  # (8, 256) image of each byte of a word under the mirror
    forth: Shifts
    back: Shifts
    shift: Int64  # (C,) target minus origin
    origins: Words  # (C,) squares from which a class has a step
    barred: Words  # (C, S) origins that a piece on a square blocks
    steps: Steps
    into: Into
    captures: Captures


def compile_rows(problem: CompiledSlice) -> RowArrays:
    """The row view of a compiled slice; `tablebase.solvers.registry` decides which slices have one."""
    arrays, layout = problem.arrays, problem.layout
    squares = len(problem.game.board)
    places = arrays.layouts.place[0].copy()
    digits = arrays.layouts.square[0].copy()
    for digit, rank in enumerate(layout.lead.rank):
        digits[0, digit] = layout.groups[0].squares[rank]
    places[0] = [int(layout.lead.digit[layout.groups[0].places.get(square, 0)]) for square in range(squares)]
    steps = problem.steps
    row_slot = len(layout.slots) - 1
    row_steps = [(number, step) for number, (slot, step) in enumerate(steps) if slot == row_slot]
    classes = _classes([step for _, step in row_steps if step.quiet and not step.wins])
    return RowArrays(
        rows=layout.size // layout.row_length,
        length=layout.row_length,
        no_move=arrays.no_move,
        owner=arrays.side,
        stride=_strides(layout),
        square=digits,
        place=places,
        mirror=arrays.layouts.mirror,
        bit=np.array([1 << i for i in range(64)], dtype=np.uint64),
        home=np.uint64(_word(layout.groups[-1].squares)),
        mirror_bytes=_mirror_bytes(tuple(arrays.layouts.mirror.tolist())),
        forth=_shifts(problem, places, forth=True),
        back=_shifts(problem, places, forth=False),
        shift=np.array([members[0].target - members[0].origin for members in classes], dtype=np.int64),
        origins=np.array([_word(step.origin for step in members) for members in classes], dtype=np.uint64),
        barred=_barred(classes, squares),
        steps=Steps(
            begin=arrays.step_begin,
            target=arrays.step_target,
            mask=np.array([_word(step.empty) for _, step in steps], dtype=np.uint64),
            quiet=np.array([step.quiet for _, step in steps], dtype=np.bool_),
            wins=np.array([step.wins for _, step in steps], dtype=np.bool_),
            victims=_victims(arrays.step_destination),
        ),
        into=_into(row_steps, squares),
        captures=_captures(problem),
    )


def _into(row_steps: list[tuple[int, Step]], squares: int) -> Into:
    """The steps of the row piece by target, from pairs of number and step."""
    by_target = sorted(row_steps, key=lambda pair: (pair[1].target, pair[0]))
    winning = [(number, step) for number, step in row_steps if step.wins and step.quiet]
    return Into(
        begin=np.searchsorted([step.target for _, step in by_target], range(squares + 1)).astype(np.int32),
        step=np.array([number for number, _ in by_target], dtype=np.int32),
        origin=np.array([step.origin for _, step in by_target], dtype=np.int8),
        winning=np.array([number for number, _ in winning], dtype=np.int32),
        winning_origin=np.array([step.origin for _, step in winning], dtype=np.int8),
    )


def _victims(step_destination: Int32) -> Int64:
    """For each step a word of the slots that it may capture."""
    slots = np.arange(step_destination.shape[1] - 1)
    victims: Int64 = ((step_destination[:, 1:] != ILLEGAL).astype(np.int64) << slots).sum(axis=1)
    return victims


def _strides(layout: Layout) -> Int64:
    """Rows between neighbouring digits of each slot but the row piece."""
    slots = range(len(layout.slots) - 1)
    return np.array([int(np.prod(layout.radices[slot + 1 : -1], dtype=np.int64)) for slot in slots], dtype=np.int64)


def _word(squares: Iterable[int]) -> int:
    """The word of a set of squares."""
    return sum(1 << square for square in set(squares))


@cache
def _mirror_bytes(image: tuple[int, ...]) -> Words:
    """The mirror image of each of the 256 values of each of a word's bytes, shape (8, 256)."""
    images = np.zeros((8, 256), dtype=np.uint64)
    for byte in range(8):
        for value in range(256):
            squares = [8 * byte + i for i in range(8) if value >> i & 1 and 8 * byte + i < len(image)]
            images[byte, value] = _word(image[square] for square in squares)
    return images


def _classes(quiet: list[Step]) -> list[list[Step]]:
    """Steps grouped by shift; several steps between the same squares go to different classes, as each has its own blockers."""
    classes: dict[tuple[int, int], list[Step]] = {}
    seen: Counter[tuple[int, int]] = Counter()
    for step in quiet:
        rank = seen[step.origin, step.target]
        seen[step.origin, step.target] += 1
        classes.setdefault((step.target - step.origin, rank), []).append(step)
    return [classes[key] for key in sorted(classes)]


def _barred(classes: list[list[Step]], squares: int) -> Words:
    """For each class and square, the word of origins that a piece on the square blocks."""
    barred = np.zeros((len(classes), squares), dtype=np.uint64)
    for number, steps in enumerate(classes):
        for step in steps:
            for square in step.empty:
                barred[number, square] |= np.uint64(1 << step.origin)
    return barred


def _shifts(problem: CompiledSlice, places: Int32, *, forth: bool) -> Shifts:
    """The quiet steps of all pieces but the row piece, or their un-steps if not `forth`."""
    layout = problem.layout
    stride = _strides(layout)
    slots = len(layout.slots) - 1
    squares = len(problem.game.board)
    shifts: list[tuple[int, int, int, int]] = []
    begin = np.zeros((slots, squares + 1), dtype=np.int32)
    leaving: dict[tuple[int, int], list[tuple[int, Step]]] = {}
    for slot, step in problem.steps:
        if step.quiet and not step.wins:
            source, target = (step.origin, step.target) if forth else (step.target, step.origin)
            leaving.setdefault((slot, source), []).append((target, step))
    for slot in range(slots):
        for source in range(squares):
            begin[slot, source] = len(shifts)
            for target, step in leaving.get((slot, source), ()):
                image = PLAIN if slot else _lead_image(layout, source, target, forth=forth)
                if image is not None:
                    delta = int(places[slot, target] - places[slot, source]) * int(stride[slot])
                    base = int(places[slot, target]) * int(stride[slot])
                    shifts.append((_word([target, *step.empty]), delta, image, base))
        begin[slot, squares] = len(shifts)
    masks, deltas, images, bases = zip(*shifts, strict=True) if shifts else ((), (), (), ())
    return Shifts(
        begin=begin,
        mask=np.array(masks, dtype=np.uint64),
        delta=np.array(deltas, dtype=np.int64),
        image=np.array(images, dtype=np.int8),
        base=np.array(bases, dtype=np.int64),
    )


def _lead_image(layout: Layout, source: int, target: int, *, forth: bool) -> int | None:
    """How the row reached by the lead is numbered; None if the mirror image of the row left reaches it instead."""
    places = layout.groups[0].places
    flips = bool(layout.lead.flip[places[target]])
    source_fixed = _is_fixed(layout, source)
    if forth:
        return MIRRORED if flips else PLAIN
    if flips:
        # Both images of a row with a fixed lead are numbered, and the other one steps back to this parent.
        return None if source_fixed else MIRRORED
    # Both images of a parent with a fixed lead are numbered, and both lead to this row.
    return BOTH if _is_fixed(layout, target) and not source_fixed else PLAIN


def _is_fixed(layout: Layout, square: int) -> bool:
    """Whether the lead on this square is its own mirror image."""
    rank = layout.groups[0].places[square]
    return bool(layout.lead.fixed[layout.lead.digit[rank]])


def _captures(problem: CompiledSlice) -> Captures:
    """Where the captures of a slice lead, and what they are worth."""
    arrays, stride = problem.arrays, problem.coding.stride
    slots, squares = len(problem.layout.slots), len(problem.game.board)
    worth = np.array([next_code(code, stride) for code in range(problem.coding.void + 1)]).astype(problem.coding.dtype)
    captures = Captures(
        lead=np.full(slots, ENDS, dtype=np.int64),
        flips=np.zeros((slots, squares), dtype=np.bool_),
        part=np.zeros((slots, 2, slots, squares), dtype=np.int64),
        worth=worth[arrays.children],
        merit=np.array([merit(code, stride) for code in range(problem.coding.void + 1)], dtype=np.int32),
    )
    for number, conversion in enumerate(slot_conversions(problem.game, problem.layout.material), start=1):
        assert conversion.victim is not None  # a slice with a row view has no tiers
        _capture_parts(problem, captures, conversion.victim, number)
    return captures


def _capture_parts(problem: CompiledSlice, captures: Captures, victim: int, number: int) -> None:
    """Fill in what each piece adds to the index of the position after the capture of `victim`, the conversion `number`."""
    arrays, child = problem.arrays, layout_of(problem.game, problem.locations[number - 1].material)
    captures.lead[victim] = arrays.child_slot[number, 0]
    stride = 1
    for slot in range(len(child.slots) - 1, -1, -1):
        group = child.groups[slot]
        parent_slot = int(arrays.child_slot[number, slot])
        for square, image in enumerate(arrays.child_square[number].tolist()):
            for flip in (0, 1):
                child_square = int(arrays.layouts.mirror[image]) if flip and slot else image
                place = group.places.get(child_square, 0)
                digit = place if slot else int(child.lead.digit[place])
                captures.part[victim, flip, parent_slot, square] = digit * stride + (0 if slot else int(arrays.offset[number]))
            if slot == 0:
                captures.flips[victim, square] = child.lead.flip[group.places.get(image, 0)]
        stride *= child.radices[slot]


class State(NamedTuple):
    """One side to move while it is being solved, R rows; `tablebase.solvers.bitrow.solve` defines the words."""

    codes: Codes  # (R * length,)
    known: Words  # (R,)
    won: Words  # (R,)
    shut: Words  # (R,)
    ripe: Words  # (R,)
    due: NDArray[np.uint16]  # (R,)
    fresh: Words  # (R,) became known at this distance
    fresh_rows: Int32  # (R,) rows in which `fresh` is not empty
    predecessors: Words  # (R,) of the other side's fresh positions
    predecessor_rows: Int32  # (R,) rows in which `predecessors` is not empty
