"""Data of the checker of groups: placements and moves of each group, and the tables that moves lead to.

The index of a position is a sum of parts, one for each group, and so is that of every position that a move leads to. There are few
placements of a group, so all of their parts are listed beforehand. Nothing here is shared with the solvers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache, reduce
from math import prod
from operator import or_
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.checking.general import Load
from tablebase.game import Game, Outcome, Step
from tablebase.positions.combinadics import Combinations
from tablebase.positions.conversions import SlotConversion, slot_conversions, step_destinations
from tablebase.positions.indexing import Group, Layout
from tablebase.positions.location import Address, Location, locate
from tablebase.positions.material import tiered_kinds
from tablebase.tables.values import STALEMATE, Codes, Coding, Value

STUCK = 0
"""The score where there is no move."""

Long = NDArray[np.int64]
Small = NDArray[np.int8]
Flags = NDArray[np.bool_]
Bytes = NDArray[np.uint8]


class CheckedRules(NamedTuple):
    """The groups of a slice, G of them, on S squares, with K steps; all arrays are flat.

    Digit d of group g has its pieces, k of them, from ``piece_begin[g] + k d`` on, and its moves from ``move_begin[g] + d``.
    """

    groups: int
    squares: int
    owner: Small  # (G,) side of each group
    pieces: Long  # (G,) number of identical pieces
    radix: Long  # (G,)
    lead_rank: Long  # the lead's placement for each lead digit
    piece_begin: Long  # (G,)
    square: Small  # square of each piece
    rest: Long  # the digit of the others, if that piece is captured
    move_begin: Long  # (G,)
    moves: Long  # where the moves of each digit begin
    move_step: Long
    move_digit: Long
    target: Long  # (K,) of all steps of all groups
    block_begin: Long  # (K + 1,)
    blocker: Long
    leads: Long  # (K * (G + 1),) the table that a step leads to, without a capture or with one of each group
    first_of_last: int  # the first step of the last group, whose steps are the last ones
    steps_of_last: int
    pair_begin: Long  # where the cells that such a step leads from begin
    pair_from: Long
    pair_to: Long
    with_begin: Long  # (S + 1,) cells with a piece of the last group on a square
    with_cell: Long
    with_rest: Long


class CheckedTables(NamedTuple):
    """The tables that moves of one side lead to, T of them; the first is the slice's own with the other side to move."""

    lead: Long  # (T,) the group of the slice that leads there
    begin: Long  # (T,) where its scores begin
    part_begin: Long  # (T * G,)
    part: Long  # what each placement adds to the index
    mirrored: Long  # the same on the mirrored board
    flips: Bytes  # whether a placement of the lead has the board mirrored
    scores: Codes  # the score of a move into each position


@cache
def scale_of(coding: Coding) -> dict[Value, int]:
    """The score of each value that a move may have: larger for better ones, and larger than `STUCK`."""
    values = [Value(Outcome.DRAW, None)]
    for d in range(1, coding.reach + 2):
        # With stride 1, parity distinguishes wins from losses.
        values += [Value(Outcome.WIN, d)] if coding.stride == 2 or d % 2 == 1 else []
        values += [Value(Outcome.LOSS, d)] if coding.stride == 2 or d % 2 == 0 else []
    return {value: score for score, value in enumerate(sorted(values, key=lambda value: value.merit), start=STUCK + 1)}


@cache
def needed_scores(game: Game, coding: Coding) -> Codes:
    """For each code the score of the best move that a position with that code must have."""
    scale = scale_of(coding)
    impossible = len(scale) + 1
    scores = [scale.get(coding.value(code), impossible) for code in range(coding.void + 1)]
    drawn = game.no_move is Outcome.DRAW
    scores[STALEMATE] = STUCK if drawn else impossible
    scores[coding.code(Value(Outcome.LOSS, 0))] = impossible if drawn else STUCK
    scores[coding.void] = impossible
    return np.array(scores, dtype=coding.dtype)


@cache
def _move_scores(coding: Coding, scale: Coding) -> Codes:
    """For each code the score of a move into a position with that code; void and unused codes have that of no move."""
    worth = scale_of(scale)
    scores = [worth.get(coding.value(code).reversed.later, STUCK) for code in range(coding.void)]
    return np.array([*scores, STUCK], dtype=scale.dtype)


class _Moves(NamedTuple):
    """The moves of a group as if it were alone on the board: from a placement, by a step, to a placement."""

    begin: Long  # digits
    step: Long
    end: Long  # digits; 0 where a step wins


def compile_rules(game: Game, layout: Layout) -> CheckedRules:
    """The groups of a slice."""
    groups, squares = layout.groups, len(game.board)
    placed = [group.unrank_many(np.arange(group.size)) for group in groups]
    rests = [_rests(group, squares_of, squares) for group, squares_of in zip(groups, placed, strict=True)]
    steps = [_steps(game, group.kind) for group in groups]
    first = np.cumsum([0, *map(len, steps)])
    moves = [_moves(*each, squares) for each in zip(groups, placed, steps, first.tolist(), strict=False)]
    listed = [step for of_group in steps for step in of_group]
    blockers = [sorted(step.empty) for step in listed]
    last = moves[-1]
    by_step = np.argsort(last.step, kind="stable")
    on_square = np.argsort(placed[-1].reshape(-1), kind="stable")
    last_steps = np.arange(first[-2], first[-1])
    columns = [0, *(group.slots.start + 1 for group in groups)]
    return CheckedRules(
        groups=len(groups),
        squares=squares,
        owner=np.array([game.side_of(group.kind) for group in groups], dtype=np.int8),
        pieces=np.array([len(group.slots) for group in groups], dtype=np.int64),
        radix=np.array(layout.radices, dtype=np.int64),
        lead_rank=layout.lead.rank.astype(np.int64),
        piece_begin=_begins(squares_of.size for squares_of in placed),
        square=np.concatenate([squares_of.reshape(-1) for squares_of in placed]),
        rest=np.concatenate([rest.reshape(-1) for rest in rests]),
        move_begin=_begins(group.size for group in groups),
        moves=_move_starts(groups, moves),
        move_step=np.concatenate([each.step for each in moves]),
        move_digit=np.concatenate([each.end for each in moves]),
        target=np.array([step.target for step in listed], dtype=np.int64),
        block_begin=np.cumsum([0, *map(len, blockers)], dtype=np.int64),
        blocker=np.array([square for blocking in blockers for square in blocking], dtype=np.int64),
        leads=np.concatenate([step_destinations(layout, group.kind)[:, columns] for group in groups]).astype(np.int64).reshape(-1),
        first_of_last=int(first[-2]),
        steps_of_last=len(last_steps),
        pair_begin=np.searchsorted(last.step[by_step], [*last_steps, first[-1]]).astype(np.int64),
        pair_from=last.begin[by_step],
        pair_to=last.end[by_step],
        with_begin=np.searchsorted(placed[-1].reshape(-1)[on_square], np.arange(squares + 1)).astype(np.int64),
        with_cell=on_square // placed[-1].shape[1],
        with_rest=rests[-1].reshape(-1)[on_square],
    )


def _begins(sizes: Iterable[int]) -> Long:
    return np.cumsum([0, *sizes], dtype=np.int64)[:-1]


def _steps(game: Game, kind: int) -> list[Step]:
    return [step for _, steps in sorted(game.kinds[kind].steps_from.items()) for step in steps]


def _numbered(group: Group, squares_of: NDArray[np.int8], advance: int, squares: int) -> Long:
    """The numbers of placements of some pieces of a group, shape (placements, pieces), with this advance."""
    place = np.zeros(squares, dtype=np.int64)
    place[list(group.squares)] = range(len(group.squares))
    choices = Combinations(group.combinations.levels, squares_of.shape[1], advance)
    return choices.rank_many(place[squares_of]) if squares_of.size else np.zeros(len(squares_of), dtype=np.int64)


def _rests(group: Group, placed: Small, squares: int) -> Long:
    """The digit of a group without each of its pieces, shape (placements, pieces)."""
    level = np.zeros(squares, dtype=np.int64)
    level[list(group.squares)] = group.combinations.levels
    rests = np.zeros(placed.shape, dtype=np.int64)
    for piece, column in enumerate(placed.T):
        for lost in np.unique(level[column]).tolist():
            rows = np.flatnonzero(level[column] == lost)
            others = np.delete(placed[rows], piece, axis=1)
            rests[rows, piece] = _numbered(group, others, group.combinations.advance - lost, squares)
    return rests


def _moves(group: Group, placed: Small, steps: list[Step], first: int, squares: int) -> _Moves:
    """All moves of a group, by placement; its steps have the numbers from `first` on."""
    level = dict(zip(group.squares, group.combinations.levels, strict=True))
    nothing = np.zeros(0, dtype=np.int64)
    found = [_Moves(nothing, nothing, nothing)]
    for number, step in enumerate(steps, start=first):
        there = placed == step.origin
        in_the_way = reduce(or_, (placed == square for square in (step.target, *step.empty)))
        digits = np.flatnonzero(there.any(axis=1) & ~in_the_way.any(axis=1))
        end = np.zeros(len(digits), dtype=np.int64)
        if not step.wins:
            after = np.where(there[digits], np.int8(step.target), placed[digits])
            end = _numbered(group, after, group.combinations.advance + level[step.target] - level[step.origin], squares)
        found.append(_Moves(digits, np.full(len(digits), number), end))
    begin, step_numbers, end = (np.concatenate(parts) for parts in zip(*found, strict=True))
    order = np.argsort(begin, kind="stable")
    return _Moves(begin[order], step_numbers[order], end[order])


def _move_starts(groups: tuple[Group, ...], moves: list[_Moves]) -> Long:
    """Return where the moves of each digit of each group begin, and where the last ones end."""
    before = _begins(len(each.begin) for each in moves)
    starts = [n + np.searchsorted(each.begin, np.arange(g.size)) for g, each, n in zip(groups, moves, before, strict=True)]
    return np.append(np.concatenate(starts), sum(len(each.begin) for each in moves)).astype(np.int64)


class _Part(NamedTuple):
    """Parts of an index for placements of a group, as it is and on the mirrored board, and whether they mirror it."""

    plain: Long
    mirrored: Long
    flips: Flags
    leads: bool


def compile_tables(game: Game, layout: Layout, side: int, codes: Mapping[int, Codes], coding: Coding, load: Load) -> CheckedTables:
    """The tables that moves of a side lead to; those of other conversions are left out, and nothing leads there."""
    stay = SlotConversion(None, layout.material, 1 - side, tuple(map(layout.slots.index, range(len(layout.slots)))))
    own = codes[1 - side] if 1 - side in codes else codes[locate(game, layout.material, 1 - side).side]
    tables = [(stay, own, coding)]
    firsts = {None, *(group.slots.start for group in layout.groups)}
    for conversion in slot_conversions(game, layout.material):
        location = locate(game, conversion.child, conversion.side)
        used = conversion.side != side and conversion.victim in firsts
        # Conversions have numbers, so those that are not used have an empty place.
        tables.append((conversion, *(load(location.material, location.side) if used else (own[:0], coding))))
    places = [locate(game, conversion.child, conversion.side) for conversion, _, _ in tables]
    if 1 - side in codes:
        # The other side to move of a table, by whatever name it has been asked for.
        places[0] = Location(layout.material, 1 - side, False, tuple(range(len(layout.slots))))
    parts = [
        [_part(game, conversion, location, group) for group in layout.groups]
        for (conversion, _, _), location in zip(tables, places, strict=True)
    ]
    flat = [part for of_table in parts for part in of_table]
    scores = [_move_scores(own_coding, coding)[codes] for _, codes, own_coding in tables]
    return CheckedTables(
        lead=np.array([next(g for g, part in enumerate(of_table) if part.leads) for of_table in parts], dtype=np.int64),
        begin=_begins(map(len, scores)),
        part_begin=_begins(len(part.plain) for part in flat),
        part=np.concatenate([part.plain for part in flat]),
        mirrored=np.concatenate([part.mirrored for part in flat]),
        flips=np.concatenate([part.flips for part in flat]).astype(np.uint8),
        scores=np.concatenate(scores),
    )


def _part(game: Game, conversion: SlotConversion, location: Location, group: Group) -> _Part:
    """List the parts of a position's index for a group's placements after a conversion."""
    child = conversion.child
    count = len(group.slots) - (conversion.victim in group.slots)
    if not count:
        nothing = np.zeros(1, dtype=np.int64)
        return _Part(nothing, nothing, nothing != 0, False)
    advance = dict(zip(tiered_kinds(game, child.kinds), child.advance, strict=True)).get(group.kind, 0)
    choices = Combinations(group.combinations.levels, count, advance)
    squares = np.array(group.squares)[choices.unrank_many(np.arange(choices.size))]
    address = Address(game, location)
    target, slots = address.layout, [conversion.rest[piece] for piece in address.pieces]
    place = next(g for g, other in enumerate(target.groups) if slots[other.slots.start] in group.slots)
    squares = np.array(address.image)[squares]
    mirrored = squares if game.mirror is None else np.array(game.mirror)[squares]
    heir = target.groups[place]
    digits, images = heir.rank_many(squares), heir.rank_many(mirrored)
    flips = np.zeros(len(digits), dtype=bool)
    if place == 0:
        flips = target.lead.flip[digits]
        digits, images = target.lead.digit[digits].astype(np.int64), target.lead.digit[images].astype(np.int64)
    stride = prod(target.radices[place + 1 :])
    return _Part(digits * stride, images * stride, flips, place == 0)
