"""What the checker of planes reads: the rules as words, and where the scores of moves are found.

It is made from the arrays of `tablebase.checking.plane_rules`; nothing here is shared with the solvers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.checking.plane_rules import NOBODY, STUCK, Bytes, Children, Long, Rules, Small
from tablebase.compute.vectors import room
from tablebase.slices.indexing import Layout
from tablebase.slices.location import locate
from tablebase.tables.values import Codes

LAST = 2
"""Pieces of a plane that have rows and bytes; all others are fixed in it."""
SQUARES = 64
PLANE = SQUARES * SQUARES
"""Scores of a plane: a row for each square of the last but one piece, a byte for each square of the last one."""

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


class Spread(NamedTuple):
    """How scores that are stored by one layout are read in another order; K slots, in this order, the last two by square."""

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


def compile_plane_rules(layout: Layout, rules: Rules) -> PlaneRules:
    """The slice as the side to move of its rules sees it."""
    outer = len(layout.groups) - LAST
    plane_size = layout.radices[-1] * layout.radices[-2]
    squares = layout.squares_many(np.arange(0, layout.size, plane_size))[0][:, :outer]
    stride = rules.stride[:outer] // plane_size
    image = np.array([*rules.mirror, *range(len(rules.mirror), SQUARES)], dtype=np.int64)
    mirrored = np.zeros(len(squares), dtype=np.int64)
    for slot in range(1, outer):
        mirrored += stride[slot] * rules.digit[slot][image[squares[:, slot]]]
    steps = _steps(rules)
    shifts, origins = _free_steps(steps, outer + 1)
    displaced = np.unique(image[: len(rules.mirror)] - np.arange(len(rules.mirror)))
    last = np.array(layout.groups[-1].squares, dtype=np.int64)
    starts = np.flatnonzero(np.diff(last, prepend=-2) != 1)
    return PlaneRules(
        planes=len(squares),
        outer=outer,
        own=rules.owner.astype(np.uint8),
        squares=np.ascontiguousarray(squares).reshape(-1),
        mirrored=mirrored,
        stride=stride,
        lead_planes=int(stride[0]) if outer else 0,
        digit=_widened(rules.digit).reshape(-1),
        flips=_widened(rules.flips).astype(np.uint8),
        homes=np.array([_word(group.squares) for group in layout.groups], dtype=np.uint64),
        steps=steps,
        free_classes=len(shifts),
        free_shift=shifts,
        free_from=origins,
        image=image,
        displacements=len(displaced),
        displacement=displaced,
        displaced=np.array(
            [_word(np.flatnonzero(image[: len(rules.mirror)] - range(len(rules.mirror)) == one)) for one in displaced],
            dtype=np.uint64,
        ),
        files=layout.radices[-2],
        file=np.array(layout.groups[-2].squares if outer else _lead_squares(layout), dtype=np.int64),
        length=layout.row_length,
        runs=len(starts),
        run_begin=last[starts],
        run_length=np.diff(starts, append=len(last)),
    )


def _lead_squares(layout: Layout) -> tuple[int, ...]:
    """The squares of the digits of the lead."""
    return tuple(np.array(layout.groups[0].squares)[layout.lead.rank].tolist())


def _word(squares: Sequence[int] | Long) -> int:
    return sum(1 << int(square) for square in squares)


def _widened(by_square: NDArray[np.generic]) -> Long:
    """An array whose last axis is squares, with 64 of them."""
    wide = np.zeros((*by_square.shape[:-1], SQUARES), dtype=np.int64)
    wide[..., : by_square.shape[-1]] = by_square
    return wide


def _steps(rules: Rules) -> PlaneSteps:
    slots, squares, most = rules.target.shape
    some = np.arange(most) < rules.steps[..., None]
    counts = _widened(rules.steps).reshape(-1)
    bits = np.where(
        rules.blockers == NOBODY, np.uint64(0), np.left_shift(np.uint64(1), np.maximum(rules.blockers, 0).astype(np.uint64))
    )
    origins = np.broadcast_to(np.arange(squares, dtype=np.int8)[:, None], (slots, squares, most))
    victims = (rules.captures.astype(np.uint64) << np.arange(slots, dtype=np.uint64)).sum(axis=-1, dtype=np.uint64)
    return PlaneSteps(
        begin=np.concatenate([[0], np.cumsum(counts)]),
        origin=origins[some],
        target=rules.target[some],
        between=np.bitwise_or.reduce(bits, axis=-1)[some],
        quiet=rules.quiet[some].astype(np.uint8),
        wins=rules.wins[some].astype(np.uint8),
        victims=victims[some],
    )


def _free_steps(steps: PlaneSteps, last: int) -> tuple[Long, Words]:
    """Quiet steps of the last slot that nothing blocks and that do not win, by target minus origin."""
    own = slice(int(steps.begin[last * SQUARES]), None)
    free = (steps.quiet[own] == 1) & (steps.wins[own] == 0) & (steps.between[own] == 0)
    origins = steps.origin[own][free].astype(np.int64)
    shifts = steps.target[own][free] - origins
    kinds = np.unique(shifts)
    return kinds, np.array([_word(np.unique(origins[shifts == shift])) for shift in kinds], dtype=np.uint64)


def _spread(
    homes: list[tuple[int, ...]],
    sources: list[int],
    image: Small,
    digit: Long,
    stride: Long,
    flips: NDArray[np.bool_],
    rules: Rules,
    begin: int,
) -> Spread:
    """How to read a stored array.

    `homes` are the squares of each slot in the order to read in, the last two aside by digit, and `sources` the slots of the stored
    layout in that order; `image` is that of each square, and it, `digit`, `stride` and `flips` are of the stored layout. The stored
    array begins at `begin`.
    """
    count = len(homes)
    board = len(rules.mirror)
    radix, square = np.full(count - 1, SQUARES, dtype=np.int64), np.zeros((count - 1, SQUARES), dtype=np.int8)
    square[-1] = np.arange(SQUARES)
    for place in range(count - 2):
        radix[place] = len(homes[place])
        square[place, : radix[place]] = homes[place]
    part, flipped = (np.zeros((count, SQUARES), dtype=np.int64) for _ in range(2))
    for place, slot in enumerate(sources):
        part[place, :board] = digit[slot][image] * stride[slot]
        # A lead that is not numbered has the digit of its mirror image.
        flipped[place, :board] = digit[slot][rules.mirror[image] if slot else image] * stride[slot]
    lead = sources.index(0)
    part[lead] += begin
    flipped[lead] += begin
    return Spread(
        slots=count,
        radix=radix,
        square=square.reshape(-1),
        homes=np.array([_word(squares) for squares in homes], dtype=np.uint64),
        part=part.reshape(-1),
        flipped=flipped.reshape(-1),
        lead=lead,
        flips=_widened(flips[image]).astype(np.uint8),
    )


def spread_of_side(layout: Layout, rules: Rules, *, swapped: bool) -> Spread:
    """How to read a side to move, or by colour swap the other side of a table that is paired with itself."""
    game = layout.game
    homes = [group.squares for group in layout.groups]
    if len(homes) > LAST:
        homes[0] = _lead_squares(layout)
    order, image = list(range(len(homes))), tuple(range(len(game.board)))
    if swapped and game.swap is not None:
        location, image = locate(game, layout.material, 1), game.swap
        order = [layout.slots.index(location.pairing[piece]) for piece in layout.slots]
    sources = [order.index(slot) for slot in range(len(order))]
    return _spread(homes, sources, np.array(image, dtype=np.int8), rules.digit, rules.stride, rules.flips, rules, 0)


def spreads_of_children(layout: Layout, rules: Rules, children: Children) -> tuple[list[tuple[int, Spread]], Victims]:
    """How to read the scores of captures in the slice's own order, and where to put them; they are not filled in yet."""
    slots = len(layout.slots)
    base, part = np.zeros(slots, dtype=np.int64), np.zeros((slots, slots, SQUARES), dtype=np.int64)
    spreads = []
    end = SQUARES
    for victim in range(slots):
        if children.ends[victim]:
            continue
        remaining = [slot for slot in range(slots) if slot != victim]
        base[victim] = end
        size = 1
        for slot in reversed(remaining):
            squares = np.array(layout.groups[slot].squares)
            part[victim, slot, squares] = size * (squares if size <= SQUARES else np.arange(len(squares)))
            size *= SQUARES if size <= SQUARES else len(squares)
        order = children.order[victim].tolist()
        sources = [order.index(slot) for slot in remaining]
        homes = [layout.groups[slot].squares for slot in remaining]
        image, digit, stride = children.image[victim], children.digit[victim], children.stride[victim]
        spreads.append(
            (end, _spread(homes, sources, image, digit, stride, children.flips[victim], rules, int(children.begin[victim])))
        )
        end += size
    scores = room(end, children.scores.dtype)
    scores[:] = STUCK
    scores[:SQUARES] = np.iinfo(scores.dtype).max
    return spreads, Victims(base, part.reshape(-1), scores)
