"""The checker of tables of single pieces with one byte per position, a row at a time.

A *row* is a run of indices that differ only in the last piece. The values that moves imply are kept as *scores* (see
`tablebase.checking.row_arrays`), so that a row's moves are maxima of whole rows of bytes. Unlike the bit-row solver, the
checker neither steps back nor keeps sets of bits.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from tablebase.checking.general import Load, contradiction
from tablebase.checking.row_arrays import (
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
    move_scores_of,
    scores_of,
)
from tablebase.compute.jit import inline, jit
from tablebase.compute.stages import reach
from tablebase.game import Game
from tablebase.slices.indexing import Layout, layout_of
from tablebase.slices.location import locate
from tablebase.slices.material import Material
from tablebase.tables.summary import Summary, Tally
from tablebase.tables.values import Codes, Coding

ROWS_AT_ONCE = 1 << 14


def has_rows(layout: Layout, coding: Coding) -> bool:
    """Whether a table is of single pieces without tiers, with stride 1."""
    single = all(len(group.slots) == 1 for group in layout.groups) and not layout.material.advance
    return single and layout.game.escape is None and coding.stride == 1


def applies(layout: Layout, coding: Coding) -> bool:
    """Whether a table has rows, with one byte per position."""
    return has_rows(layout, coding) and coding.dtype == "uint8"


def verify_codes(game: Game, material: Material, codes: dict[int, Codes], coding: Coding, load: Load) -> dict[int, Summary]:
    """Check the codes of a table one ply deep; see `tablebase.checking.general.verify_codes`."""
    layout = layout_of(game, material)
    summaries = {}
    scores, move_scores = scores_of(game, coding), move_scores_of(coding, coding)
    inside = compile_inside(game, layout)
    rows, done = layout.size // layout.row_length, 0
    for side, stored in codes.items():
        others = move_scores[codes[1 - side] if 1 - side in codes else _swapped(game, layout, codes[side])]
        rules, children = compile_rules(game, layout, side), compile_children(game, layout, side, load, coding)
        counts = np.zeros((layout.radices[0], coding.void + 1), dtype=np.int64)
        first = np.full(coding.void + 1, -1, dtype=np.int64)
        for begin, end in pairwise([*range(0, rows, ROWS_AT_ONCE), rows]):
            wrong = _check(rules, inside, children, stored, others, scores, layout.row_length, counts, first, begin, end)
            if wrong >= 0:
                raise contradiction(layout, side, wrong, stored, coding)
            done += end - begin
            reach("verifying", done, rows * len(codes))
        tally = Tally(coding)
        tally.histogram[:], tally.first[:] = (counts * layout.lead_weights[:, None]).sum(axis=0), first
        summaries[side] = tally.summary()
    return summaries


def _swapped(game: Game, layout: Layout, codes: Codes) -> Codes:
    """The codes of the other side to move of a table that is paired with itself."""
    location = locate(game, layout.material, 1)
    order = [layout.slots.index(location.pairing[piece]) for piece in layout.slots]
    image = np.array(game.swap, dtype=np.int8)
    swapped = np.empty_like(codes)
    block = ROWS_AT_ONCE * layout.row_length
    for begin in range(0, layout.size, block):
        squares, legal = layout.squares_many(np.arange(begin, min(begin + block, layout.size)))
        swapped[begin : begin + block] = codes[layout.index_many(image[squares[:, order]]) * legal]
    return swapped


@inline
def _place(square: Small, stride: Long, index: Any, squares: Small, board: Small, pieces: int) -> bool:
    """Put the first `pieces` slots on the board; if two share a square, return False and leave the board empty."""
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
def _is_blocked(board: Small, blockers: Small) -> bool:
    """Whether a piece stands on one of these squares."""
    for i in range(len(blockers)):
        if blockers[i] != NOBODY and board[blockers[i]] != NOBODY:
            return True
    return False


@inline
def _raise(best: Bytes, row: Bytes) -> None:
    """Elementwise maximum, in a form that compiles to vector instructions."""
    for digit in range(len(best)):
        if row[digit] > best[digit]:
            best[digit] = row[digit]


@inline
def _quiet_row(
    others: Bytes,
    stride: Long,
    digit: Long,
    mirror: Small,
    flips: Flags,
    won: bool,
    slot: int,
    goal: int,
    row_begin: Any,
    squares: Small,
    homes: Small,
    after: Bytes,
) -> None:
    """The scores of a quiet step of a piece other than the last, for a whole row."""
    last = len(squares) - 1
    if won:
        after[:] = WON
    elif slot == 0 and flips[goal]:
        begin = digit[0, goal] * stride[0]
        for other in range(1, last):
            begin += digit[other, mirror[squares[other]]] * stride[other]
        for i in range(len(after)):
            after[i] = others[begin + digit[last, mirror[homes[i]]]]
    else:
        begin = row_begin + (digit[slot, goal] - digit[slot, squares[slot]]) * stride[slot]
        after[:] = others[begin : begin + len(after)]


@inline
def _child_index(
    order: Small,
    image: Small,
    digit: Long,
    stride: Long,
    mirror: Small,
    flip: bool,
    victim: int,
    captor: int,
    goal: int,
    squares: Small,
    omitted: int,
) -> Any:
    """What all slots but `omitted` add to the index of the position after a capture."""
    index = np.int64(0)
    for j in range(len(squares) - 1):
        slot = order[victim, j]
        if slot != omitted:
            child_square = image[victim, goal if slot == captor else squares[slot]]
            index += digit[victim, j, mirror[child_square] if flip and j else child_square] * stride[victim, j]
    return index


@inline
def _capture_score(children: Children, mirror: Small, won: bool, victim: int, captor: int, goal: int, squares: Small) -> Any:
    """The score of one capture."""
    ends, begin, order, image, flips, digit, stride, scores = children
    if won or ends[victim]:
        return np.uint8(WON)
    lead = order[victim, 0]
    flip = flips[victim, image[victim, goal if lead == captor else squares[lead]]]
    return scores[begin[victim] + _child_index(order, image, digit, stride, mirror, flip, victim, captor, goal, squares, NOBODY)]


@inline
def _capture_row(
    children: Children, mirror: Small, victim: int, captor: int, goal: int, squares: Small, homes: Small, after: Bytes
) -> None:
    """The scores of a capture by and of other pieces than the last, for a whole row."""
    ends, begin, order, image, flips, digit, stride, scores = children
    if ends[victim]:
        after[:] = WON
        return
    last = len(squares) - 1
    plain = begin[victim] + _child_index(order, image, digit, stride, mirror, False, victim, captor, goal, squares, last)
    flipped = begin[victim] + _child_index(order, image, digit, stride, mirror, True, victim, captor, goal, squares, last)
    lead = order[victim, 0]
    flip = flips[victim, image[victim, goal if lead == captor else squares[lead]]]
    j = 0
    while order[victim, j] != last:
        j += 1
    for i in range(len(after)):
        child_square = image[victim, homes[i]]
        if lead == last:
            flip = flips[victim, child_square]
        if flip:
            after[i] = scores[flipped + digit[victim, j, mirror[child_square] if j else child_square] * stride[victim, j]]
        else:
            after[i] = scores[plain + digit[victim, j, child_square] * stride[victim, j]]


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
    start: int,
    end: int,
) -> int:
    """Check the rows from `start` up to `end` and count their codes by lead digit; return the first wrong index, or -1."""
    owner, square, digit, stride, flips, mirror, steps, target, quiet, wins, captures, blockers = rules
    free_from, free_to, other_from, other_step, into_begin, into_from, into_step = inside
    last = len(owner) - 1
    homes, digits = square[last], digit[last]
    squares = np.zeros(last + 1, dtype=np.int8)
    board = np.full(len(mirror), NOBODY, dtype=np.int8)
    best = np.zeros(length, dtype=np.uint8)
    after = np.zeros(length, dtype=np.uint8)
    for row in range(start, end):
        row_begin = row * length
        if not _place(square, stride, row_begin, squares, board, last):
            continue
        best[:] = STUCK
        for slot in range(last):
            origin = squares[slot]
            for n in range(steps[slot, origin] if owner[slot] else 0):
                goal = target[slot, origin, n]
                victim = board[goal]
                between = blockers[slot, origin, n]
                if _is_blocked(board, between):
                    continue
                if victim != NOBODY:
                    if not captures[slot, origin, n, victim]:
                        continue
                    if wins[slot, origin, n]:
                        after[:] = WON
                    else:
                        _capture_row(children, mirror, victim, slot, goal, squares, homes, after)
                else:
                    _quiet_row(
                        others, stride, digit, mirror, flips, wins[slot, origin, n], slot, goal, row_begin, squares, homes, after
                    )
                    if homes[digits[goal]] == goal:
                        # If the last piece stands on the goal, this is a capture or not a move at all.
                        after[digits[goal]] = STUCK
                        if captures[slot, origin, n, last]:
                            squares[last] = goal
                            after[digits[goal]] = _capture_score(children, mirror, wins[slot, origin, n], last, slot, goal, squares)
                    if not quiet[slot, origin, n]:
                        kept = after[digits[goal]] if homes[digits[goal]] == goal else np.uint8(STUCK)
                        after[:] = STUCK
                        after[digits[goal]] = kept
                for i in range(len(between)):
                    if between[i] != NOBODY and homes[digits[between[i]]] == between[i]:
                        after[digits[between[i]]] = STUCK
                _raise(best, after)
        if owner[last]:
            after[:] = others[row_begin : row_begin + length]
            for slot in range(last):
                if homes[digits[squares[slot]]] == squares[slot]:
                    after[digits[squares[slot]]] = STUCK
            for i in range(len(free_from)):
                best[free_from[i]] = max(best[free_from[i]], after[free_to[i]])
            for i in range(len(other_from)):
                origin, n = homes[other_from[i]], other_step[i]
                goal = target[last, origin, n]
                if board[goal] == NOBODY and not _is_blocked(board, blockers[last, origin, n]):
                    score = np.uint8(WON) if wins[last, origin, n] else after[digits[goal]]
                    best[other_from[i]] = max(best[other_from[i]], score)
            for victim in range(last):
                goal = squares[victim]
                for i in range(into_begin[goal], into_begin[goal + 1]):
                    origin, n = homes[into_from[i]], into_step[i]
                    if captures[last, origin, n, victim] and not _is_blocked(board, blockers[last, origin, n]):
                        squares[last] = origin
                        score = _capture_score(children, mirror, wins[last, origin, n], victim, last, goal, squares)
                        best[into_from[i]] = max(best[into_from[i]], score)
        lead = row_begin // stride[0]
        for i in range(length):
            if board[homes[i]] == NOBODY:
                code = codes[row_begin + i]
                if scores[code] != best[i]:
                    return row_begin + i
                counts[lead, code] += 1
                if first[code] < 0:
                    first[code] = row_begin + i
        for slot in range(last):
            board[squares[slot]] = NOBODY
    return -1
