"""A slice as planes of bits: what the solver of planes reads and writes.

The last two slots of a layout are the *file piece* and the *row piece*; all others are *outer* pieces. A *row* is a word, bit s
of which is the position with the row piece on square s; a *plane* has 64 rows, number s with the file piece on square s; and
there is a plane for each placement of the outer pieces that the layout numbers. A *unit* is eight rows of a plane, which is
one cache line. Squares on which a piece cannot stand have bits and rows, too; they are marked as illegal.

A step of an outer piece maps a whole plane onto another plane. If it moves the lead across the middle of a mirrored board, the
plane reached is that of the mirror image, in which rows and bits must be mirrored, too. A slice of two pieces has one plane,
in which the lead is the file piece and both mirror images have bits.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.game import Game, Step
from tablebase.positions.slice_arrays import Int8, Int32, Int64
from tablebase.system.compute.vectors import ELEMENTS, WORDS, room, rooms
from tablebase.tables.values import Codes

ROWS = 64
"""Rows of a plane, and bits of a row."""
PLANE = ROWS * ROWS
"""Codes of a plane."""
COLUMNS = ROWS + 1
"""Entries for each slot in arrays of where the steps from each square begin."""
UNITS = ROWS // WORDS
"""Units of a plane."""
FULL = ~np.uint64(0)
"""All squares."""
STRIDE = 1
"""The stride of the coding: parity distinguishes wins from losses."""

Words = NDArray[np.uint64]
Bytes = NDArray[np.uint8]
Entries = NDArray[np.uint32]
"""Words of positions with one code: for each its row, and its lower and its upper half."""


class OuterSteps(NamedTuple):
    """Quiet steps of the outer pieces, as maps from plane to plane; M outer pieces, N steps."""

    begin: Int32  # (M * 65,) the steps of slot p from square s are begin[65 * p + s]:begin[65 * p + s + 1]
    delta: Int64  # (N,) number of the plane reached minus that of the plane left; if mirrored, what the lead adds to it
    mirrored: Bytes  # (N,) 1 if it is
    closed: Words  # (N,) squares on which no outer piece may stand, including the target
    between: Words  # (N,) squares on which neither file nor row piece may stand; the target is illegal there anyway


class OuterBacks(NamedTuple):
    """Un-steps of the outer pieces, whatever stands in between: from which planes a plane may be reached; N of them."""

    begin: Int32  # (M * 65,)
    delta: Int64  # (N,)
    mirrored: Bytes  # (N,) 1 if it is


class InnerSteps(NamedTuple):
    """Quiet steps of the file piece or the row piece in C classes, by target minus origin."""

    classes: int  # C
    shift: Int64  # (C,)
    mask: Words  # (C * 64,) for each class and row the bits from which the step is possible, outer pieces aside
    barred: Words  # (C * 64,) the origins that an outer piece on a square blocks: rows of the file piece, bits of the row piece


class Mirror(NamedTuple):
    """The mirror image of a plane; D displacements of squares."""

    displacements: int  # D
    rows: Int64  # (64,)
    shift: Int64  # (D,) image minus square
    mask: Words  # (D,) squares that are displaced so


class Takes(NamedTuple):
    """Steps that may capture, or that win without a capture; P slots, N steps.

    Those of an outer piece are in the order of their origins, those of the file and the row piece in that of their targets.
    """

    begin: Int32  # (P * 65,)
    origin: Int8  # (N,)
    target: Int8  # (N,)
    between: Words  # (N,) squares that must be empty
    victims: Int64  # (N,) bit p: slot p may be captured; 0 for a step that wins without a capture
    wins: Bytes  # (N,)


class Planes(NamedTuple):
    """One slice; P slots of which M are outer pieces, N planes."""

    size: int  # N
    outer: int  # M
    void: int  # the largest code, of indices that are no position
    no_move: int  # code of a position without a move
    owner: Int8  # (P,)
    file_home: np.uint64  # squares of the file piece
    row_home: np.uint64  # squares of the row piece
    squares: Int8  # (N * M,) squares of the outer pieces
    occupied: Words  # (N,) the same as a word; FULL if two share a square
    image: Int64  # (N,) what all outer pieces but the lead add to the number of the mirrored plane
    altered: Bytes  # (N,) whether an outer piece blocks steps of the file or the row piece
    steps: OuterSteps
    backs: OuterBacks
    file: InnerSteps
    row: InnerSteps
    mirror: Mirror
    file_units: Bytes  # (256,) for each set of units those from which the file piece may step there
    image_units: Bytes  # (256,) for each set of units those that it comes from in the mirror
    captures: Takes
    goals: Takes  # steps that win without a capture


class State(NamedTuple):
    """One side to move while it is being solved, N planes; `tablebase.solvers.planes.solve` defines the words."""

    known: Words  # (N * 64,)
    won: Words  # (N * 64,)
    shut: Words  # (N * 64,)
    fresh: Words  # (N * 64,)
    codes: Codes  # (N * 4096,)
    due: Codes  # (N * 64,) the least code of a row that waits; the largest number of the type if nothing waits
    plane_due: Codes  # (N,) the same of a plane
    dirty: Bytes  # (2 * N,) units of a plane with something fresh, at even and at odd distances
    todo: Bytes  # (N,) units of a plane to look at
    span: int  # N rounded up to whole vectors
    origin: int  # the plane that codes, due and plane_due begin with; not 0 only while `look` or `write_codes` has a part of them


class LeanState(NamedTuple):
    """One side to move while it is being solved without codes, N planes; see `tablebase.solvers.planes.lean`."""

    known: Words  # (N * 64,)
    won: Words  # (N * 64,)
    shut: Words  # (N * 64,)
    fresh: Words  # (N * 64,)
    later: Words  # (N * 64,) whose best capture loses, but later than at the distance at hand
    dirty: Bytes  # (2 * N,) as in `State`
    todo: Bytes  # (N,)
    span: int  # N rounded up to whole vectors
    entries: Entries  # (64 * 3 * planes of a part,) what a kernel found
    end: Int64  # (1,) where the next one goes


AnyState = State | LeanState


class Scratch(NamedTuple):
    """Notes of a kernel on the plane at hand."""

    target: Int64  # planes that outer pieces step to
    mirrored: Bytes  # whether they are mirrored
    between: Words  # see `OuterSteps.between`
    file_mask: Words  # see `InnerSteps.mask`, with regard to the outer pieces
    row_mask: Words
    board: Int8  # (64,) the outer piece on each square
    words: Words  # (8,) a unit


def padded(planes: int) -> int:
    """The number of planes rounded up to whole vectors of bytes."""
    return -(-planes // ELEMENTS) * ELEMENTS


def new_state(planes: Planes, dtype: str) -> State:
    """The state of a side to move, all words undefined."""
    span = padded(planes.size)
    words, rows = (planes.size * ROWS, np.uint64), (planes.size * ROWS, dtype)
    known, won, shut, fresh, codes, due, plane_due, dirty, todo = rooms(
        *[words] * 4, (planes.size * PLANE, dtype), rows, (span, dtype), (2 * span, np.uint8), (span, np.uint8)
    )
    for nothing in (fresh, dirty, todo):
        nothing[:] = 0
    plane_due[:] = np.iinfo(dtype).max
    return State(known, won, shut, fresh, codes, due, plane_due, dirty, todo, span, origin=0)


def new_scratch(planes: Planes) -> Scratch:
    """Notes of a kernel, one for each thread."""
    most = len(planes.owner) * ROWS
    return Scratch(
        target=np.zeros(most, dtype=np.int64),
        mirrored=np.zeros(most, dtype=np.uint8),
        between=np.zeros(most, dtype=np.uint64),
        file_mask=np.zeros_like(planes.file.mask),
        row_mask=np.zeros_like(planes.row.mask),
        board=np.full(ROWS, -1, dtype=np.int8),
        words=room(WORDS, np.uint64),
    )


def word_of(squares: Iterable[int]) -> int:
    """The word of a set of squares."""
    return sum(1 << square for square in set(squares))


def home(game: Game, kind: int) -> np.uint64:
    """The squares of a kind as a word."""
    return np.uint64(word_of(game.kinds[kind].squares))


def slides(game: Game, kind: int) -> list[Step]:
    """The steps of a kind that may be quiet moves within the slice."""
    return [step for step in game.kinds[kind].steps if step.quiet and not step.wins]
