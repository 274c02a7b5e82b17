"""Data of the checker of planes: the scores of values, the rules as words, and where the scores of moves are found.

Scores are numbers of the type of the codes, the larger the better the value: `STUCK`, then losses, draws, a number that is never
assigned, and wins, up to the largest number, a win in one ply. Nothing here is shared with the solvers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.game import Game, Outcome
from tablebase.positions.conversions import slot_conversions
from tablebase.positions.indexing import Layout
from tablebase.positions.location import Address, locate
from tablebase.system.compute.vectors import room
from tablebase.tables.values import STALEMATE, Codes, Coding, Value

LAST = 2
"""Pieces of a plane that have rows and bytes; all others are fixed in it."""
SQUARES = 64
PLANE = SQUARES * SQUARES
"""Scores of a plane: a row for each square of the last but one piece, a byte for each square of the last one."""

STUCK = 0
"""The score where there is no move."""
NOBODY = -1

Bytes = NDArray[np.uint8]
Small = NDArray[np.int8]
Long = NDArray[np.int64]
Words = NDArray[np.uint64]


class PlaneSteps(NamedTuple):
    """All steps of all pieces, N of them, by slot and origin."""

    begin: Long  # (P * 64 + 1,) those of slot p from square s are begin[64 * p + s]:begin[64 * p + s + 1]
    origin: Small  # (N,)
    target: Small  # (N,)
    between: Words  # (N,) squares that must be empty
    quiet: Bytes  # (N,)
    wins: Bytes  # (N,)
    victims: Words  # (N,) the slots that may be captured


class PlaneRules(NamedTuple):
    """The slice seen by one side to move; P slots, S squares, N planes, C classes of free steps, D displacements."""

    planes: int  # N
    outer: int  # P - 2
    own: Bytes  # (P,) 1 for the pieces of the side to move
    squares: Small  # (N * (P - 2),) squares of the pieces that are fixed in a plane
    mirrored: Long  # (N,) what all of them but the lead add to the number of the mirrored plane
    stride: Long  # (P - 2,) planes between neighbouring digits
    lead_planes: int  # planes of a digit of the lead; 0 if the lead is the last piece but one
    digit: Long  # (P * 64,) by slot and square
    flips: Bytes  # (64,) whether a lead on this square mirrors the board
    homes: Words  # (P,)
    steps: PlaneSteps
    free_classes: int  # C
    free_shift: Long  # (C,) target minus origin of quiet steps of the last piece that nothing blocks
    free_from: Words  # (C,) their origins
    image: Long  # (64,) mirror image of each square
    displacements: int  # D
    displacement: Long  # (D,) image minus square
    displaced: Words  # (D,)
    files: int  # number of rows of a plane that have indices
    file: Long  # (files,)
    length: int  # indices of a row
    runs: int  # of neighbouring squares of the last piece
    run_begin: Long  # (runs,)
    run_length: Long  # (runs,)


class CaptureSpread(NamedTuple):
    """Way to read scores stored by one layout in another order; K slots, in this order, the last two by square."""

    slots: int  # K
    radix: Long  # (K - 1,)
    square: Small  # ((K - 1) * 64,) square of a digit
    homes: Words  # (K,)
    part: Long  # (K * 64,) what each adds to the index
    flipped: Long  # (K * 64,) the same if the stored board is mirrored
    lead: int  # which of the slots decides that
    flips: Bytes  # (64,) on which squares


class Victims(NamedTuple):
    """The scores of captures: a score's place is a sum of parts, one for each remaining slot."""

    base: Long  # (P,) where those of a victim begin; 0 if its capture wins
    part: Long  # (P * P * 64,) by victim, slot and square
    scores: Codes  # from 0 on 64 wins, then those of all victims


def _rank(value: Value, scale: Coding) -> int:
    """The score of a value among scores of the type of a coding."""
    if value.distance is None:
        return scale.void // 2
    return value.distance // 2 if value.outcome is Outcome.LOSS else scale.void - value.distance // 2


@cache
def scores_of(no_move: Outcome, coding: Coding) -> Codes:
    """For each code the score that the moves of a position with it must imply, where having no move is worth this."""
    scores = np.array([_rank(coding.value(code), coding) for code in range(coding.void + 1)], dtype=coding.dtype)
    impossible = coding.void // 2 + 1
    # Only a position without a move may be a stalemate, or a loss in 0, as the rules have it.
    drawn = no_move is Outcome.DRAW
    scores[STALEMATE] = STUCK if drawn else impossible
    scores[coding.code(Value(Outcome.LOSS, 0))] = impossible if drawn else STUCK
    scores[coding.void] = impossible
    return scores


@cache
def move_scores_of(coding: Coding, scale: Coding) -> Codes:
    """For each code the score of a move into a position with that code, among scores of the type of another coding."""
    return np.array([_rank(coding.value(code).reversed.later, scale) for code in range(coding.void + 1)], dtype=scale.dtype)


def compile_rules(layout: Layout, side: int) -> PlaneRules:
    """The slice as one side to move sees it."""
    game, outer = layout.game, len(layout.groups) - LAST
    plane_size = layout.radices[-1] * layout.radices[-2]
    squares = layout.squares_many(np.arange(0, layout.size, plane_size))[0][:, :outer]
    digit, stride = _digits(layout), _strides(layout)[:outer] // plane_size
    mirror = np.array(game.mirror or range(len(game.board)), dtype=np.int64)
    image = np.append(mirror, np.arange(len(mirror), SQUARES))
    mirrored = np.zeros(len(squares), dtype=np.int64)
    for slot in range(1, outer):
        mirrored += stride[slot] * digit[slot][image[squares[:, slot]]]
    steps = _steps(layout)
    shifts, origins = _free_steps(steps, outer + 1)
    displacements = mirror - np.arange(len(mirror))
    displaced = np.unique(displacements)
    last = np.array(layout.groups[-1].squares, dtype=np.int64)
    starts = np.flatnonzero(np.diff(last, prepend=-2) != 1)
    return PlaneRules(
        planes=len(squares),
        outer=outer,
        own=np.array([game.side_of(group.kind) == side for group in layout.groups], dtype=np.uint8),
        squares=np.ascontiguousarray(squares).reshape(-1),
        mirrored=mirrored,
        stride=stride,
        lead_planes=int(stride[0]) if outer else 0,
        digit=digit.reshape(-1),
        flips=_flips(layout),
        homes=np.array([_word(group.squares) for group in layout.groups], dtype=np.uint64),
        steps=steps,
        free_classes=len(shifts),
        free_shift=shifts,
        free_from=origins,
        image=image,
        displacements=len(displaced),
        displacement=displaced,
        displaced=np.array([_word(np.flatnonzero(displacements == one)) for one in displaced], dtype=np.uint64),
        files=layout.radices[-2],
        file=np.array(layout.groups[-2].squares if outer else _lead_squares(layout), dtype=np.int64),
        length=layout.row_length,
        runs=len(starts),
        run_begin=last[starts],
        run_length=np.diff(starts, append=len(last)),
    )


def _lead_squares(layout: Layout) -> tuple[int, ...]:
    return tuple(np.array(layout.groups[0].squares)[layout.lead.rank].tolist())


def _digits(layout: Layout) -> Long:
    """Digit of each square for each slot; a lead that is not numbered has the digit of its mirror image."""
    digits = np.zeros((len(layout.groups), SQUARES), dtype=np.int64)
    for slot, group in enumerate(layout.groups):
        digits[slot, list(group.squares)] = range(len(group.squares)) if slot else layout.lead.digit
    return digits


def _strides(layout: Layout) -> Long:
    return np.array([np.prod(layout.radices[slot + 1 :], dtype=np.int64) for slot in range(len(layout.radices))], dtype=np.int64)


def _flips(layout: Layout) -> Bytes:
    flips = np.zeros(SQUARES, dtype=np.uint8)
    flips[list(layout.groups[0].squares)] = layout.lead.flip
    return flips


def _word(squares: Iterable[int] | Long) -> int:
    return sum(1 << int(square) for square in squares)


@cache
def _steps_of(game: Game, kind: int) -> PlaneSteps:
    """The steps of a kind as if it had slot 0, with a bit for each kind that may be captured; the same in all slices."""
    steps = [step for _, steps in sorted(game.kinds[kind].steps_from.items()) for step in steps]
    origins = np.array([step.origin for step in steps], dtype=np.int8)
    return PlaneSteps(
        begin=np.searchsorted(origins, np.arange(SQUARES + 1)),
        origin=origins,
        target=np.array([step.target for step in steps], dtype=np.int8),
        between=np.array([_word(step.empty) for step in steps], dtype=np.uint64),
        quiet=np.array([step.quiet for step in steps], dtype=np.uint8),
        wins=np.array([step.wins for step in steps], dtype=np.uint8),
        victims=np.array([_word(game.by_symbol[victim] for victim in step.victims) for step in steps], dtype=np.uint64),
    )


def _steps(layout: Layout) -> PlaneSteps:
    kinds = [group.kind for group in layout.groups]
    known = [_steps_of(layout.game, kind) for kind in kinds]
    first = np.cumsum([0, *(len(steps.origin) for steps in known)])
    begins = [number + steps.begin[:-1] for number, steps in zip(first, known, strict=False)]
    _, *columns, by_kind = (np.concatenate(parts) for parts in zip(*known, strict=True))
    victims = np.zeros(len(by_kind), dtype=np.uint64)
    for slot, kind in enumerate(kinds):
        victims |= (by_kind >> np.uint64(kind) & np.uint64(1)) << np.uint64(slot)
    return PlaneSteps(np.append(np.concatenate(begins), first[-1]), *[*columns, victims])


def _free_steps(steps: PlaneSteps, last: int) -> tuple[Long, Words]:
    """Quiet steps of the last slot that nothing blocks and that do not win, by target minus origin."""
    own = slice(int(steps.begin[last * SQUARES]), None)
    free = (steps.quiet[own] == 1) & (steps.wins[own] == 0) & (steps.between[own] == 0)
    origins = steps.origin[own][free].astype(np.int64)
    shifts = steps.target[own][free] - origins
    kinds = np.unique(shifts)
    return kinds, np.array([_word(np.unique(origins[shifts == shift])) for shift in kinds], dtype=np.uint64)


def _spread(homes: Sequence[tuple[int, ...]], sources: list[int], image: Sequence[int], stored: Layout) -> CaptureSpread:
    """Return how to read the array of a stored layout.

    `homes` are the squares of each slot in the order to read in, the last two aside by digit, `sources` the slots of the stored
    layout in that order, and `image` is that of each square there.
    """
    count, board, seen = len(homes), len(image), np.array(image)
    radix, square = np.full(count - 1, SQUARES, dtype=np.int64), np.zeros((count - 1, SQUARES), dtype=np.int8)
    square[-1] = np.arange(SQUARES)
    for place in range(count - 2):
        radix[place] = len(homes[place])
        square[place, : radix[place]] = homes[place]
    digit, stride = _digits(stored), _strides(stored)
    mirrored = seen if stored.game.mirror is None else np.array(stored.game.mirror)[seen]
    part, flipped = (np.zeros((count, SQUARES), dtype=np.int64) for _ in range(2))
    for place, slot in enumerate(sources):
        part[place, :board] = digit[slot][seen] * stride[slot]
        # A lead that is not numbered has the digit of its mirror image.
        flipped[place, :board] = digit[slot][mirrored if slot else seen] * stride[slot]
    flips = np.zeros(SQUARES, dtype=np.uint8)
    flips[:board] = _flips(stored)[seen]
    homes_as_words = np.array([_word(squares) for squares in homes], dtype=np.uint64)
    return CaptureSpread(
        count, radix, square.reshape(-1), homes_as_words, part.reshape(-1), flipped.reshape(-1), sources.index(0), flips
    )


def spread_of_side(layout: Layout, *, swapped: bool) -> CaptureSpread:
    """Return how to read a side to move, or by colour swap the other side of a table that is paired with itself."""
    game = layout.game
    homes = [group.squares for group in layout.groups]
    if len(homes) > LAST:
        homes[0] = _lead_squares(layout)
    order, image = list(range(len(homes))), tuple(range(len(game.board)))
    if swapped:
        other = Address(game, locate(game, layout.material, 1))
        order, image = [layout.slots.index(piece) for piece in other.pieces], other.image
    return _spread(homes, [order.index(slot) for slot in range(len(order))], image, layout)


def compile_victims(layout: Layout, side: int, dtype: str) -> tuple[Victims, list[tuple[int, CaptureSpread, Address]]]:
    """Lay out scores of captures by a side in the slice's order, not filled in yet; return also where and how they are read."""
    slots, game = len(layout.slots), layout.game
    base, part = np.zeros(slots, dtype=np.int64), np.zeros((slots, slots, SQUARES), dtype=np.int64)
    spreads = []
    end = SQUARES
    for conversion in slot_conversions(game, layout.material):
        victim = conversion.victim
        if conversion.side == side or victim is None:
            continue
        remaining = [slot for slot in range(slots) if slot != victim]
        base[victim] = end
        size = 1
        for slot in reversed(remaining):
            squares = np.array(layout.groups[slot].squares)
            part[victim, slot, squares] = size * (squares if size <= SQUARES else np.arange(len(squares)))
            size *= SQUARES if size <= SQUARES else len(squares)
        child = Address(game, locate(game, conversion.child, conversion.side))
        order = [conversion.rest[piece] for piece in child.pieces]
        homes = [layout.groups[slot].squares for slot in remaining]
        spreads.append((end, _spread(homes, [order.index(slot) for slot in remaining], child.image, child.layout), child))
        end += size
    scores = room(end, dtype)
    scores[:] = STUCK
    scores[:SQUARES] = np.iinfo(scores.dtype).max
    return Victims(base, part.reshape(-1), scores), spreads
