"""What the check of rows reads: the rules, the children and the scores of values, as arrays of its own.

*Scores* are bytes that grow with how good a value is. Nothing here comes from the engines.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.game import Game, Outcome
from tablebase.slices.conversions import slot_conversions
from tablebase.slices.indexing import Layout, layout_of
from tablebase.slices.location import locate
from tablebase.values import STALEMATE, Coding, Value
from tablebase.verify.general import Load

STUCK, DRAWN, IMPOSSIBLE, WON = 0, 127, 128, 255
"""Scores: no move; a draw; never reached; a win in one ply. Losses lie between the first two, wins between the last."""
NOBODY = -1

Bytes = NDArray[np.uint8]
Small = NDArray[np.int8]
Long = NDArray[np.int64]
Flags = NDArray[np.bool_]


class Rules(NamedTuple):
    """The slice seen by one side to move; P slots, S squares, M the most steps from a square, B the most blockers."""

    owner: Small  # (P,) 1 for the side to move
    square: Small  # (P, S) square of a digit
    digit: Long  # (P, S) digit of a square
    stride: Long  # (P,)
    flips: Flags  # (S,) whether a lead on this square has the board mirrored
    mirror: Small  # (S,)
    steps: Small  # (P, S) number of steps of a slot from a square
    target: Small  # (P, S, M)
    quiet: Flags  # (P, S, M)
    wins: Flags  # (P, S, M)
    takes: Flags  # (P, S, M, P)
    blockers: Small  # (P, S, M, B) NOBODY where there are fewer


class Inside(NamedTuple):
    """Steps of the last slot, by its digits."""

    free_from: Long  # quiet steps that nothing between can stop
    free_to: Long
    other_from: Long  # other quiet steps
    other_step: Small
    into_begin: Long  # (S + 1,) steps that end on a square
    into_from: Long
    into_step: Small


class Children(NamedTuple):
    """Where the positions go when slot v is captured."""

    ends: Flags  # (P,) the game is won
    begin: Long  # (P,) where the child's scores begin
    order: Small  # (P, P) [v, j] our slot that plays the child's slot j
    image: Small  # (P, S) where our squares lie for the child
    flips: Flags  # (P, S) whether a lead on a square of the child's has its board mirrored
    digit: Long  # (P, P, S) [v, j, s]
    stride: Long  # (P, P)
    scores: Bytes  # what capturing into each position of all children is worth


def _rank(value: Value) -> int:
    """The score of a value."""
    if value.distance is None:
        return DRAWN
    return value.distance // 2 if value.outcome is Outcome.LOSS else WON - value.distance // 2


def scores_of(game: Game, coding: Coding) -> Bytes:
    """For each code the score that a position's moves must give for it to be right."""
    scores = np.array([_rank(coding.value(code)) for code in range(coding.void + 1)], dtype=np.uint8)
    # Only a position without a move may be a stalemate, or lost in 0, whichever the rules say.
    drawn = game.no_move is Outcome.DRAW
    scores[STALEMATE] = STUCK if drawn else IMPOSSIBLE
    scores[coding.code(Value(Outcome.LOSS, 0))] = IMPOSSIBLE if drawn else STUCK
    scores[coding.void] = IMPOSSIBLE
    return scores


def worth_of(coding: Coding) -> Bytes:
    """For each code the score of a move into a position that has it."""
    return np.array([_rank(coding.value(code).parent) for code in range(coding.void + 1)], dtype=np.uint8)


def compile_rules(game: Game, own: Layout, side: int) -> Rules:
    """The slice as one side to move sees it."""
    kinds = [game.kinds[group.kind] for group in own.groups]
    slots, squares = len(kinds), len(game.board)
    most = max(len(steps) for kind in kinds for steps in kind.steps_from.values())
    blockers = max(1, *(len(step.empty) for kind in kinds for step in kind.steps))
    flips = np.zeros(squares, dtype=bool)
    flips[list(own.groups[0].squares)] = own.lead.flip
    rules = Rules(
        owner=np.array([int(kind.side == side) for kind in kinds], dtype=np.int8),
        square=np.zeros((slots, squares), dtype=np.int8),
        digit=_digits(own, slots, squares),
        stride=_strides(own),
        flips=flips,
        mirror=np.array(game.mirror or range(squares), dtype=np.int8),
        steps=np.zeros((slots, squares), dtype=np.int8),
        target=np.zeros((slots, squares, most), dtype=np.int8),
        quiet=np.zeros((slots, squares, most), dtype=bool),
        wins=np.zeros((slots, squares, most), dtype=bool),
        takes=np.zeros((slots, squares, most, slots), dtype=bool),
        blockers=np.full((slots, squares, most, blockers), NOBODY, dtype=np.int8),
    )
    for slot, kind in enumerate(kinds):
        home = np.array(own.groups[slot].squares)
        rules.square[slot, : own.radices[slot]] = home if slot else home[own.lead.rank]
        for origin, steps in kind.steps_from.items():
            rules.steps[slot, origin] = len(steps)
            for n, step in enumerate(steps):
                where = (slot, origin, n)
                rules.target[where], rules.quiet[where], rules.wins[where] = step.target, step.quiet, step.wins
                rules.takes[where] = [other.symbol in step.victims for other in kinds]
                rules.blockers[where][: len(step.empty)] = sorted(step.empty)
    return rules


def compile_inside(game: Game, own: Layout) -> Inside:
    """The steps of the last slot."""
    group = own.groups[-1]
    steps = [(step, n) for some in game.kinds[group.kind].steps_from.values() for n, step in enumerate(some)]
    free = [step for step, _ in steps if step.quiet and not step.wins and not step.empty]
    others = [(step, n) for step, n in steps if step.quiet and (step.wins or step.empty)]
    into = sorted(steps, key=lambda pair: pair[0].target)
    return Inside(
        free_from=np.array([group.places[step.origin] for step in free], dtype=np.int64),
        free_to=np.array([group.places[step.target] for step in free], dtype=np.int64),
        other_from=np.array([group.places[step.origin] for step, _ in others], dtype=np.int64),
        other_step=np.array([n for _, n in others], dtype=np.int8),
        into_begin=np.searchsorted([step.target for step, _ in into], range(len(game.board) + 1)).astype(np.int64),
        into_from=np.array([group.places[step.origin] for step, _ in into], dtype=np.int64),
        into_step=np.array([n for _, n in into], dtype=np.int8),
    )


def _digits(own: Layout, slots: int, squares: int) -> Long:
    """Digit of each square for each slot; a lead that is not numbered has its mirror image's."""
    digits = np.zeros((slots, squares), dtype=np.int64)
    for slot, group in enumerate(own.groups):
        digits[slot, list(group.squares)] = range(len(group.squares)) if slot else own.lead.digit
    return digits


def _strides(own: Layout) -> Long:
    """Indices between neighbouring digits of each slot."""
    return np.array([np.prod(own.radices[slot + 1 :], dtype=np.int64) for slot in range(len(own.radices))], dtype=np.int64)


def compile_children(game: Game, own: Layout, side: int, load: Load) -> Children:
    """The tables that captures by `side` lead to."""
    slots, squares = len(own.slots), len(game.board)
    children = Children(
        ends=np.ones(slots, dtype=bool),
        begin=np.zeros(slots, dtype=np.int64),
        order=np.zeros((slots, slots), dtype=np.int8),
        image=np.zeros((slots, squares), dtype=np.int8),
        flips=np.zeros((slots, squares), dtype=bool),
        digit=np.zeros((slots, slots, squares), dtype=np.int64),
        stride=np.zeros((slots, slots), dtype=np.int64),
        scores=np.zeros(0, dtype=np.uint8),
    )
    parts: list[Bytes] = []
    for exit_ in slot_conversions(game, own.material):
        slot = exit_.victim
        if exit_.side == side or slot is None:
            continue
        way = locate(game, exit_.child, exit_.side)
        theirs = layout_of(game, way.material)
        children.ends[slot] = False
        children.begin[slot] = sum(len(part) for part in parts)
        children.order[slot, : slots - 1] = [exit_.rest[way.pairing[one]] for one in theirs.slots]
        children.image[slot] = game.swap if way.swapped and game.swap is not None else range(squares)
        children.flips[slot, list(theirs.groups[0].squares)] = theirs.lead.flip
        children.digit[slot, : slots - 1] = _digits(theirs, slots - 1, squares)
        children.stride[slot, : slots - 1] = _strides(theirs)
        codes, coding = load(way.material, way.side)
        parts.append(worth_of(coding)[codes])
    return children._replace(scores=np.concatenate(parts)) if parts else children
