"""The check of tables of single pieces in one byte a position, a row at a time.

A *row* is the run of indices in which only the last piece moves. What a position's moves give is kept as *scores*
(see `tablebase.verify.row_arrays`), so that a row's moves are maxima of whole rows of bytes; nothing is stepped back
and no bit set is kept, which is how the bit-row engine works.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tablebase.compute.jit import inline, jit
from tablebase.game import Game
from tablebase.slices.indexing import Layout, layout_of
from tablebase.slices.location import locate
from tablebase.slices.material import Material
from tablebase.tables.summary import Summary, Tally
from tablebase.values import Codes, Coding
from tablebase.verify.general import Load, contradiction
from tablebase.verify.row_arrays import (
    NOBODY,
    STUCK,
    WON,
    Bytes,
    Children,
    Flags,
    Inside,
    Long,
    Rules,
    Small,
    compile_children,
    compile_inside,
    compile_rules,
    scores_of,
    worth_of,
)

ROWS_AT_ONCE = 1 << 14


def applies(own: Layout, coding: Coding) -> bool:
    """Whether a table is of single pieces without tiers, one byte a position, with parity telling wins from losses."""
    single = all(len(group.slots) == 1 for group in own.groups) and not own.material.advance
    return single and own.game.escape is None and coding == Coding(1, "uint8")


def verify_codes(game: Game, material: Material, codes: dict[int, Codes], coding: Coding, load: Load) -> dict[int, Summary]:
    """Check the codes of a table one ply deep; see `tablebase.verify.general.verify_codes`."""
    own = layout_of(game, material)
    summaries = {}
    scores, worth = scores_of(game, coding), worth_of(coding)
    inside = compile_inside(game, own)
    for side, some in codes.items():
        others = worth[codes[1 - side] if 1 - side in codes else _swapped(game, own, codes[side])]
        rules, children = compile_rules(game, own, side), compile_children(game, own, side, load)
        counts = np.zeros((own.radices[0], coding.void + 1), dtype=np.int64)
        first = np.full(coding.void + 1, -1, dtype=np.int64)
        wrong = _check(rules, inside, children, some, others, scores, own.row_length, counts, first)
        if wrong >= 0:
            raise contradiction(own, side, wrong, some, coding)
        tally = Tally(coding)
        tally.histogram[:], tally.first[:] = (counts * own.lead_weights[:, None]).sum(axis=0), first
        summaries[side] = tally.summary()
    return summaries


def _swapped(game: Game, own: Layout, codes: Codes) -> Codes:
    """The codes of the other side to move of a table that is paired with itself."""
    way = locate(game, own.material, 1)
    order = [own.slots.index(way.pairing[piece]) for piece in own.slots]
    image = np.array(game.swap, dtype=np.int8)
    found = np.empty_like(codes)
    run = ROWS_AT_ONCE * own.row_length
    for begin in range(0, own.size, run):
        squares, legal = own.squares_many(np.arange(begin, min(begin + run, own.size)))
        found[begin : begin + run] = codes[own.index_many(image[squares[:, order]]) * legal]
    return found


@inline
def _place(square: Small, stride: Long, index: Any, squares: Small, board: Small, pieces: int) -> bool:
    """Put the first so many slots on the board; False, and an empty board, if two share a square."""
    for slot in range(pieces):
        place = index // stride[slot]
        index -= place * stride[slot]
        squares[slot] = square[slot, place]
        if board[squares[slot]] != NOBODY:
            for placed in range(slot):
                board[squares[placed]] = NOBODY
            return False
        board[squares[slot]] = slot
    return True


@inline
def _stands(board: Small, some: Small) -> bool:
    """Whether a piece stands on one of some squares."""
    for i in range(len(some)):
        if some[i] != NOBODY and board[some[i]] != NOBODY:
            return True
    return False


@inline
def _raise(best: Bytes, row: Bytes) -> None:
    """Elementwise maximum, in a form that becomes vector instructions."""
    for at in range(len(best)):
        if row[at] > best[at]:
            best[at] = row[at]


@inline
def _go_along(
    others: Bytes,
    stride: Long,
    digit: Long,
    mirror: Small,
    flips: Flags,
    won: bool,
    slot: int,
    goal: int,
    here: Any,
    squares: Small,
    homes: Small,
    after: Bytes,
) -> None:
    """The scores of a quiet step of another piece than the last, for a whole row."""
    last = len(squares) - 1
    if won:
        after[:] = WON
    elif slot == 0 and flips[goal]:
        there = digit[0, goal] * stride[0]
        for other in range(1, last):
            there += digit[other, mirror[squares[other]]] * stride[other]
        for at in range(len(after)):
            after[at] = others[there + digit[last, mirror[homes[at]]]]
    else:
        there = here + (digit[slot, goal] - digit[slot, squares[slot]]) * stride[slot]
        after[:] = others[there : there + len(after)]


@inline
def _child_index(
    order: Small,
    image: Small,
    digit: Long,
    stride: Long,
    mirror: Small,
    flip: bool,
    victim: int,
    taker: int,
    goal: int,
    squares: Small,
    but: int,
) -> Any:
    """What all slots but one add to the index of the position after a capture."""
    index = np.int64(0)
    for j in range(len(squares) - 1):
        slot = order[victim, j]
        if slot != but:
            there = image[victim, goal if slot == taker else squares[slot]]
            index += digit[victim, j, mirror[there] if flip and j else there] * stride[victim, j]
    return index


@inline
def _taken(children: Children, mirror: Small, won: bool, victim: int, taker: int, goal: int, squares: Small) -> Any:
    """The score of one capture."""
    ends, begin, order, image, flips, digit, stride, scores = children
    if won or ends[victim]:
        return np.uint8(WON)
    lead = order[victim, 0]
    flip = flips[victim, image[victim, goal if lead == taker else squares[lead]]]
    return scores[begin[victim] + _child_index(order, image, digit, stride, mirror, flip, victim, taker, goal, squares, NOBODY)]


@inline
def _take_along(
    children: Children, mirror: Small, victim: int, taker: int, goal: int, squares: Small, homes: Small, after: Bytes
) -> None:
    """The scores of a capture by and of other pieces than the last, for a whole row."""
    ends, begin, order, image, flips, digit, stride, scores = children
    if ends[victim]:
        after[:] = WON
        return
    last = len(squares) - 1
    plain = begin[victim] + _child_index(order, image, digit, stride, mirror, False, victim, taker, goal, squares, last)
    flipped = begin[victim] + _child_index(order, image, digit, stride, mirror, True, victim, taker, goal, squares, last)
    lead = order[victim, 0]
    flip = flips[victim, image[victim, goal if lead == taker else squares[lead]]]
    j = 0
    while order[victim, j] != last:
        j += 1
    for at in range(len(after)):
        there = image[victim, homes[at]]
        if lead == last:
            flip = flips[victim, there]
        if flip:
            after[at] = scores[flipped + digit[victim, j, mirror[there] if j else there] * stride[victim, j]]
        else:
            after[at] = scores[plain + digit[victim, j, there] * stride[victim, j]]


@jit
def _check(
    rules: Rules,
    inside: Inside,
    children: Children,
    codes: Codes,
    others: Bytes,
    scores: Bytes,
    length: int,
    counts: Any,
    first: Long,
) -> int:
    """Check all positions and count their codes by lead digit; the first index that is wrong, or -1."""
    owner, square, digit, stride, flips, mirror, steps, target, quiet, wins, takes, blockers = rules
    free_from, free_to, other_from, other_step, into_begin, into_from, into_step = inside
    last = len(owner) - 1
    homes, digits = square[last], digit[last]
    squares = np.zeros(last + 1, dtype=np.int8)
    board = np.full(len(mirror), NOBODY, dtype=np.int8)
    best = np.zeros(length, dtype=np.uint8)
    after = np.zeros(length, dtype=np.uint8)
    for row in range(len(codes) // length):
        here = row * length
        if not _place(square, stride, here, squares, board, last):
            continue
        best[:] = STUCK
        for slot in range(last):
            origin = squares[slot]
            for n in range(steps[slot, origin] if owner[slot] else 0):
                goal = target[slot, origin, n]
                victim = board[goal]
                between = blockers[slot, origin, n]
                if _stands(board, between):
                    continue
                if victim != NOBODY:
                    if not takes[slot, origin, n, victim]:
                        continue
                    if wins[slot, origin, n]:
                        after[:] = WON
                    else:
                        _take_along(children, mirror, victim, slot, goal, squares, homes, after)
                else:
                    _go_along(others, stride, digit, mirror, flips, wins[slot, origin, n], slot, goal, here, squares, homes, after)
                    if homes[digits[goal]] == goal:
                        # Where the last piece stands on the goal, this is a capture or no move.
                        after[digits[goal]] = STUCK
                        if takes[slot, origin, n, last]:
                            squares[last] = goal
                            after[digits[goal]] = _taken(children, mirror, wins[slot, origin, n], last, slot, goal, squares)
                    if not quiet[slot, origin, n]:
                        kept = after[digits[goal]] if homes[digits[goal]] == goal else np.uint8(STUCK)
                        after[:] = STUCK
                        after[digits[goal]] = kept
                for i in range(len(between)):
                    if between[i] != NOBODY and homes[digits[between[i]]] == between[i]:
                        after[digits[between[i]]] = STUCK
                _raise(best, after)
        if owner[last]:
            after[:] = others[here : here + length]
            for slot in range(last):
                if homes[digits[squares[slot]]] == squares[slot]:
                    after[digits[squares[slot]]] = STUCK
            for i in range(len(free_from)):
                best[free_from[i]] = max(best[free_from[i]], after[free_to[i]])
            for i in range(len(other_from)):
                origin, n = homes[other_from[i]], other_step[i]
                goal = target[last, origin, n]
                if board[goal] == NOBODY and not _stands(board, blockers[last, origin, n]):
                    score = np.uint8(WON) if wins[last, origin, n] else after[digits[goal]]
                    best[other_from[i]] = max(best[other_from[i]], score)
            for victim in range(last):
                goal = squares[victim]
                for i in range(into_begin[goal], into_begin[goal + 1]):
                    origin, n = homes[into_from[i]], into_step[i]
                    if takes[last, origin, n, victim] and not _stands(board, blockers[last, origin, n]):
                        squares[last] = origin
                        score = _taken(children, mirror, wins[last, origin, n], victim, last, goal, squares)
                        best[into_from[i]] = max(best[into_from[i]], score)
        lead = here // stride[0]
        for at in range(length):
            if board[homes[at]] == NOBODY:
                code = codes[here + at]
                if scores[code] != best[at]:
                    return here + at
                counts[lead, code] += 1
                if first[code] < 0:
                    first[code] = here + at
        for slot in range(last):
            board[squares[slot]] = NOBODY
    return -1
