"""A slice as rows of bits: what the bit-row engine reads.

The last slot of a layout is the *row piece*. A *row* is the set of its squares, as bits of one 64-bit word
(bit s is square s), with all other pieces fixed. Indices of a row are consecutive: row r holds the indices
r * length … r * length + length - 1, the row piece having so many squares to stand on.

A step of another piece maps a whole row onto another row. Where it takes the lead across the middle of a mirrored
board, that is the row of the mirror image, and the word has to be mirrored too.
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
from tablebase.values import Codes, merit, next_code

PLAIN, MIRRORED, BOTH = 0, 1, 2
"""In `Shifts.image`: the row reached is as it stands, or mirrored, or is to be reached both ways."""

NOTHING_DUE = 65535
"""In `State.due`: nothing of this row waits."""
STRIDE = 1
"""The stride of the coding: wins and losses are told apart by parity."""

Words = NDArray[np.uint64]


class Shifts(NamedTuple):
    """Quiet steps, or un-steps, of all pieces but the row piece, as maps from row to row; N of them."""

    begin: Int32  # (P - 1, S + 1) those of slot p from square s are begin[p, s]:begin[p, s + 1]
    mask: Words  # (N,) squares that must be empty, the one it goes to among them
    delta: Int64  # (N,) the row reached, less the row left, where it is not mirrored
    image: Int8  # (N,) PLAIN, MIRRORED or BOTH
    base: Int64  # (N,) what the lead alone adds to the number of the row reached


class Captures(NamedTuple):
    """Where a capture leads; the index in `children` is a sum of parts, one a piece that is left."""

    lead: Int64  # (P,) our slot that leads the child's layout when slot v is captured; ENDS ends the game
    flips: Bool  # (P, S) whether that lead on a square has the child's board mirrored
    part: Int64  # (P, 2, P, S) [v, f, i, s]: what slot i on square s adds, the child's board mirrored if f
    worth: Codes  # what capturing into a position is worth, for all positions of all children
    merit: Int32  # how good a code is


class Steps(NamedTuple):
    """All steps of all slots, K of them."""

    begin: Int32  # (P, S + 1)
    target: Int8  # (K,)
    mask: Words  # (K,) squares that must be empty between
    quiet: Bool  # (K,)
    wins: Bool  # (K,)
    victims: Int64  # (K,) bit p: slot p may be captured


class Into(NamedTuple):
    """Steps of the row piece by the square on which they end, and those that win at once without a capture."""

    begin: Int32  # (S + 1,)
    step: Int32
    origin: Int8
    winning: Int32
    winning_origin: Int8


class RowArrays(NamedTuple):
    """Bit masks and strides of one slice; P slots, S squares, K steps, C classes of the row piece's quiet steps."""

    rows: int
    length: int  # indices a row
    no_move: int
    owner: Int8  # (P,)
    stride: Int64  # (P - 1,) rows between neighbouring digits of a slot
    square: Int8  # (P, S) square of a digit; of the lead's digits too
    place: Int32  # (P, S) digit of a square
    mirror: Int8  # (S,)
    bit: Words  # (64,) the word with one bit
    home: np.uint64  # squares of the row piece
    mirror_bytes: Words  # (8, 256) image of each byte of a word under the mirror
    forth: Shifts
    back: Shifts
    shift: Int64  # (C,) target minus origin
    origins: Words  # (C,) squares that a class leads away from
    barred: Words  # (C, S) origins that a piece on a square blocks
    steps: Steps
    into: Into
    captures: Captures


def compile_rows(problem: CompiledSlice) -> RowArrays:
    """The row view of a compiled slice; `tablebase.solvers.registry.choose_solver` tells which slices have one."""
    arrays, own = problem.arrays, problem.layout
    squares = len(problem.game.board)
    places = arrays.layouts.place[0].copy()
    digits = arrays.layouts.square[0].copy()
    for digit, rank in enumerate(own.lead.rank):
        digits[0, digit] = own.groups[0].squares[rank]
    places[0] = [int(own.lead.digit[own.groups[0].places.get(square, 0)]) for square in range(squares)]
    steps = problem.steps
    row = len(own.slots) - 1
    of_row = [(number, step) for number, (slot, step) in enumerate(steps) if slot == row]
    quiet = [step for _, step in of_row if step.quiet and not step.wins]
    into = sorted(of_row, key=lambda pair: (pair[1].target, pair[0]))
    winning = [(number, step) for number, step in of_row if step.wins and step.quiet]
    classes = _classes(quiet)
    return RowArrays(
        rows=own.size // own.row_length,
        length=own.row_length,
        no_move=arrays.no_move,
        owner=arrays.side,
        stride=_strides(own),
        square=digits,
        place=places,
        mirror=arrays.layouts.mirror,
        bit=np.array([1 << i for i in range(64)], dtype=np.uint64),
        home=np.uint64(_word(own.groups[-1].squares)),
        mirror_bytes=_mirror_bytes(tuple(arrays.layouts.mirror.tolist())),
        forth=_shifts(problem, places, forth=True),
        back=_shifts(problem, places, forth=False),
        shift=np.array([some[0].target - some[0].origin for some in classes], dtype=np.int64),
        origins=np.array([_word(step.origin for step in some) for some in classes], dtype=np.uint64),
        barred=_barred(classes, squares),
        steps=Steps(
            begin=arrays.step_begin,
            target=arrays.step_target,
            mask=np.array([_word(step.empty) for _, step in steps], dtype=np.uint64),
            quiet=np.array([step.quiet for _, step in steps], dtype=np.bool_),
            wins=np.array([step.wins for _, step in steps], dtype=np.bool_),
            victims=_victims(arrays.step_destination),
        ),
        into=Into(
            begin=np.searchsorted([step.target for _, step in into], range(squares + 1)).astype(np.int32),
            step=np.array([number for number, _ in into], dtype=np.int32),
            origin=np.array([step.origin for _, step in into], dtype=np.int8),
            winning=np.array([number for number, _ in winning], dtype=np.int32),
            winning_origin=np.array([step.origin for _, step in winning], dtype=np.int8),
        ),
        captures=_captures(problem),
    )


def _victims(step_destination: Int32) -> Int64:
    """For each step a word of the slots that it may take."""
    slots = np.arange(step_destination.shape[1] - 1)
    taken: Int64 = ((step_destination[:, 1:] != ILLEGAL).astype(np.int64) << slots).sum(axis=1)
    return taken


def _strides(own: Layout) -> Int64:
    """Rows between neighbouring digits of each slot but the row piece."""
    return np.array(
        [int(np.prod(own.radices[slot + 1 : -1], dtype=np.int64)) for slot in range(len(own.slots) - 1)], dtype=np.int64
    )


def _word(squares: Iterable[int]) -> int:
    """The word of some different squares."""
    return sum(1 << square for square in set(squares))


@cache
def _mirror_bytes(image: tuple[int, ...]) -> Words:
    """Images of the 256 values of each of a word's bytes."""
    table = np.zeros((8, 256), dtype=np.uint64)
    for byte in range(8):
        for value in range(256):
            squares = [8 * byte + i for i in range(8) if value >> i & 1 and 8 * byte + i < len(image)]
            table[byte, value] = _word(image[square] for square in squares)
    return table


def _classes(quiet: list[Step]) -> list[list[Step]]:
    """Steps of one shift together, but two ways from a square to another apart: each is blocked by itself."""
    classes: dict[tuple[int, int], list[Step]] = {}
    seen: Counter[tuple[int, int]] = Counter()
    for step in quiet:
        way = seen[step.origin, step.target]
        seen[step.origin, step.target] += 1
        classes.setdefault((step.target - step.origin, way), []).append(step)
    return [classes[key] for key in sorted(classes)]


def _barred(classes: list[list[Step]], squares: int) -> Words:
    barred = np.zeros((len(classes), squares), dtype=np.uint64)
    for number, some in enumerate(classes):
        for step in some:
            for square in step.empty:
                barred[number, square] |= np.uint64(1 << step.origin)
    return barred


def _shifts(problem: CompiledSlice, places: Int32, *, forth: bool) -> Shifts:
    own = problem.layout
    stride = _strides(own)
    rows = len(own.slots) - 1
    squares = len(problem.game.board)
    found: list[tuple[int, int, int, int]] = []
    begin = np.zeros((rows, squares + 1), dtype=np.int32)
    leaving: dict[tuple[int, int], list[tuple[int, Step]]] = {}
    for slot, step in problem.steps:
        if step.quiet and not step.wins:
            here, there = (step.origin, step.target) if forth else (step.target, step.origin)
            leaving.setdefault((slot, here), []).append((there, step))
    for slot in range(rows):
        for here in range(squares):
            begin[slot, here] = len(found)
            for there, step in leaving.get((slot, here), ()):
                image = PLAIN if slot else _lead_image(own, here, there, forth=forth)
                if image is not None:
                    delta = int(places[slot, there] - places[slot, here]) * int(stride[slot])
                    base = int(places[slot, there]) * int(stride[slot])
                    found.append((_word([there, *step.empty]), delta, image, base))
        begin[slot, squares] = len(found)
    masks, deltas, images, bases = zip(*found, strict=True) if found else ((), (), (), ())
    return Shifts(
        begin=begin,
        mask=np.array(masks, dtype=np.uint64),
        delta=np.array(deltas, dtype=np.int64),
        image=np.array(images, dtype=np.int8),
        base=np.array(bases, dtype=np.int64),
    )


def _lead_image(own: Layout, here: int, there: int, *, forth: bool) -> int | None:
    """How the row reached by the lead is numbered; None if its mirror image is left to another row."""
    places = own.groups[0].places
    flips = bool(own.lead.flip[places[there]])
    here_fixed = _is_fixed(own, here)
    if forth:
        return MIRRORED if flips else PLAIN
    if flips:
        # Both images of a row with a fixed lead are numbered, and the other one steps back to this parent.
        return None if here_fixed else MIRRORED
    # Both images of a parent with a fixed lead are numbered, and both move here.
    return BOTH if _is_fixed(own, there) and not here_fixed else PLAIN


def _is_fixed(own: Layout, square: int) -> bool:
    """Whether the lead on this square is its own mirror image."""
    rank = own.groups[0].places[square]
    return bool(own.lead.fixed[own.lead.digit[rank]])


def _captures(problem: CompiledSlice) -> Captures:
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
    for number, way in enumerate(slot_conversions(problem.game, problem.layout.material), start=1):
        assert way.victim is not None  # a slice with a row view has no tiers
        _capture_parts(problem, captures, way.victim, number)
    return captures


def _capture_parts(problem: CompiledSlice, captures: Captures, victim: int, number: int) -> None:
    """Fill in what each piece adds to the index of the position after the capture of `victim`, behind that exit."""
    arrays, child = problem.arrays, layout_of(problem.game, problem.locations[number - 1].material)
    captures.lead[victim] = arrays.child_slot[number, 0]
    stride = 1
    for slot in range(len(child.slots) - 1, -1, -1):
        group = child.groups[slot]
        ours = int(arrays.child_slot[number, slot])
        for square, image in enumerate(arrays.child_square[number].tolist()):
            for flip in (0, 1):
                there = int(arrays.layouts.mirror[image]) if flip and slot else image
                place = group.places.get(there, 0)
                digit = place if slot else int(child.lead.digit[place])
                captures.part[victim, flip, ours, square] = digit * stride + (0 if slot else int(arrays.offset[number]))
            if slot == 0:
                captures.flips[victim, square] = child.lead.flip[group.places.get(image, 0)]
        stride *= child.radices[slot]


class State(NamedTuple):
    """One side to move while it is being solved; see `tablebase.solvers.bitrow.solve` for the words."""

    codes: Codes  # (R * length,)
    known: Words  # (R,)
    won: Words  # (R,)
    shut: Words  # (R,)
    ripe: Words  # (R,)
    due: NDArray[np.uint16]  # (R,)
    fresh: Words  # (R,) became known at this distance
    fresh_rows: Int32  # (R,) rows in which `fresh` is not empty
    found: Words  # (R,) predecessors of what the other side has fresh
    found_rows: Int32  # (R,)
