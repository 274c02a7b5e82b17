"""What the checker of planes reads: the rules, the children and the scores of values, as arrays of its own.

*Scores* are numbers of the type of the codes, the larger the better the value: `STUCK`, then losses, draws, a number that is never
assigned, and wins, up to the largest number, a win in one ply. Nothing here is shared with the solvers.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.checking.contradictions import Load
from tablebase.game import Game, Outcome
from tablebase.slices.conversions import slot_conversions
from tablebase.slices.indexing import Layout, layout_of
from tablebase.slices.location import locate
from tablebase.tables.values import STALEMATE, Codes, Coding, Value

STUCK = 0
"""The score where there is no move."""
NOBODY = -1

Bytes = NDArray[np.uint8]
Small = NDArray[np.int8]
Long = NDArray[np.int64]
Flags = NDArray[np.bool_]


class Rules(NamedTuple):
    """The slice seen by one side to move; P slots, S squares, at most M steps from a square and B blockers of a step."""

    owner: Small  # (P,) 1 for the side to move
    square: Small  # (P, S) square of a digit
    digit: Long  # (P, S) digit of a square
    stride: Long  # (P,)
    flips: Flags  # (S,) whether a lead on this square mirrors the board
    mirror: Small  # (S,) image of each square
    steps: Small  # (P, S) number of steps of a slot from a square
    target: Small  # (P, S, M)
    quiet: Flags  # (P, S, M)
    wins: Flags  # (P, S, M)
    captures: Flags  # (P, S, M, P) whether the step may capture each slot
    blockers: Small  # (P, S, M, B) NOBODY where there are fewer


class Children(NamedTuple):
    """Where the positions go if slot v is captured."""

    ends: Flags  # (P,) whether that wins the game
    begin: Long  # (P,) where the child's scores begin
    order: Small  # (P, P) [v, j] the parent's slot that plays the child's slot j
    image: Small  # (P, S) image of the parent's squares in the child
    flips: Flags  # (P, S) whether a lead on a square of the child mirrors its board
    digit: Long  # (P, P, S) [v, j, s] digit of square s for the child's slot j
    stride: Long  # (P, P)
    scores: Codes  # the score of a capture into each position, for all children


def _rank(value: Value, scale: Coding) -> int:
    """The score of a value among scores of the type of a coding."""
    if value.distance is None:
        return scale.void // 2
    return value.distance // 2 if value.outcome is Outcome.LOSS else scale.void - value.distance // 2


def scores_of(game: Game, coding: Coding) -> Codes:
    """For each code the score that the moves of a position with that code must imply."""
    return _scores(game.no_move, coding)


@cache
def _scores(no_move: Outcome, coding: Coding) -> Codes:
    """The same for all games in which having no move is worth this."""
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


def compile_rules(game: Game, layout: Layout, side: int) -> Rules:
    """The slice as one side to move sees it."""
    kinds = [group.kind for group in layout.groups]
    slots, squares = len(kinds), len(game.board)
    known = [_steps_of(game, kind) for kind in kinds]
    most = max(steps.target.shape[1] for steps in known)
    blockers = max(steps.blockers.shape[2] for steps in known)
    flips = np.zeros(squares, dtype=bool)
    flips[list(layout.groups[0].squares)] = layout.lead.flip
    rules = Rules(
        owner=np.array([int(game.kinds[kind].side == side) for kind in kinds], dtype=np.int8),
        square=np.zeros((slots, squares), dtype=np.int8),
        digit=_digits(layout, slots, squares),
        stride=_strides(layout),
        flips=flips,
        mirror=np.array(game.mirror or range(squares), dtype=np.int8),
        steps=np.zeros((slots, squares), dtype=np.int8),
        target=np.zeros((slots, squares, most), dtype=np.int8),
        quiet=np.zeros((slots, squares, most), dtype=bool),
        wins=np.zeros((slots, squares, most), dtype=bool),
        captures=np.zeros((slots, squares, most, slots), dtype=bool),
        blockers=np.full((slots, squares, most, blockers), NOBODY, dtype=np.int8),
    )
    for slot, steps in enumerate(known):
        home = np.array(layout.groups[slot].squares)
        rules.square[slot, : layout.radices[slot]] = home if slot else home[layout.lead.rank]
        count, empty = steps.target.shape[1], steps.blockers.shape[2]
        rules.steps[slot] = steps.number
        rules.target[slot, :, :count] = steps.target
        rules.quiet[slot, :, :count] = steps.quiet
        rules.wins[slot, :, :count] = steps.wins
        rules.captures[slot, :, :count] = steps.captures[:, :, kinds]
        rules.blockers[slot, :, :count, :empty] = steps.blockers
    return rules


class KindSteps(NamedTuple):
    """The steps of a kind from each square, as many for each as the most (M) that there are from any."""

    number: Small  # (S,)
    target: Small  # (S, M)
    quiet: Flags  # (S, M)
    wins: Flags  # (S, M)
    captures: Flags  # (S, M, K) whether the step may capture a kind
    blockers: Small  # (S, M, B) squares that must be empty, then `NOBODY`


@cache
def _steps_of(game: Game, kind: int) -> KindSteps:
    """The steps of a kind, the same in every slice that has one of it."""
    listed, squares = game.kinds[kind].steps_from, len(game.board)
    most = max(map(len, listed.values()), default=0)
    blockers = max([1, *(len(step.empty) for step in game.kinds[kind].steps)])
    steps = KindSteps(
        number=np.zeros(squares, dtype=np.int8),
        target=np.zeros((squares, most), dtype=np.int8),
        quiet=np.zeros((squares, most), dtype=bool),
        wins=np.zeros((squares, most), dtype=bool),
        captures=np.zeros((squares, most, len(game.kinds)), dtype=bool),
        blockers=np.full((squares, most, blockers), NOBODY, dtype=np.int8),
    )
    for origin, ways in listed.items():
        steps.number[origin] = len(ways)
        for n, step in enumerate(ways):
            entry = (origin, n)
            steps.target[entry], steps.quiet[entry], steps.wins[entry] = step.target, step.quiet, step.wins
            steps.captures[entry] = [other.symbol in step.victims for other in game.kinds]
            steps.blockers[entry][: len(step.empty)] = sorted(step.empty)
    return steps


def _digits(layout: Layout, slots: int, squares: int) -> Long:
    """Digit of each square for each slot; a lead that is not numbered has the digit of its mirror image."""
    digits = np.zeros((slots, squares), dtype=np.int64)
    for slot, group in enumerate(layout.groups):
        digits[slot, list(group.squares)] = range(len(group.squares)) if slot else layout.lead.digit
    return digits


def _strides(layout: Layout) -> Long:
    """Indices between neighbouring digits of each slot."""
    return np.array([np.prod(layout.radices[slot + 1 :], dtype=np.int64) for slot in range(len(layout.radices))], dtype=np.int64)


def compile_children(game: Game, layout: Layout, side: int, load: Load, scale: Coding) -> Children:
    """The tables that captures by `side` lead to, with scores of the type of a coding."""
    slots, squares = len(layout.slots), len(game.board)
    children = Children(
        ends=np.ones(slots, dtype=bool),
        begin=np.zeros(slots, dtype=np.int64),
        order=np.zeros((slots, slots), dtype=np.int8),
        image=np.zeros((slots, squares), dtype=np.int8),
        flips=np.zeros((slots, squares), dtype=bool),
        digit=np.zeros((slots, slots, squares), dtype=np.int64),
        stride=np.zeros((slots, slots), dtype=np.int64),
        scores=np.zeros(0, dtype=scale.dtype),
    )
    scores: list[Codes] = []
    for conversion in slot_conversions(game, layout.material):
        victim = conversion.victim
        if conversion.side == side or victim is None:
            continue
        location = locate(game, conversion.child, conversion.side)
        child = layout_of(game, location.material)
        children.ends[victim] = False
        children.begin[victim] = sum(map(len, scores))
        children.order[victim, : slots - 1] = [conversion.rest[location.pairing[piece]] for piece in child.slots]
        children.image[victim] = game.swap if location.swapped and game.swap is not None else range(squares)
        children.flips[victim, list(child.groups[0].squares)] = child.lead.flip
        children.digit[victim, : slots - 1] = _digits(child, slots - 1, squares)
        children.stride[victim, : slots - 1] = _strides(child)
        codes, coding = load(location.material, location.side)
        scores.append(move_scores_of(coding, scale)[codes])
    return children._replace(scores=np.concatenate(scores)) if scores else children
