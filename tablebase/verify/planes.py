"""The checker of tables of single pieces with one byte per position on boards of at most 64 squares, a plane at a time.

A *plane* has a score for each pair of squares of the last two pieces, with all others fixed: 64 rows of 64 bytes. What the
moves of a position are worth is the maximum of such rows: a move of another piece reads the same row of another plane, one of
the last piece but one another row, and one of the last piece the same row some bytes on. Like the checker of rows it only
steps forward and keeps no sets of bits; the rules and where things are it finds out for itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tablebase.compute.bits import ones, trailing_zeros
from tablebase.compute.jit import inline, jit
from tablebase.compute.pointers import bare
from tablebase.compute.vectors import chosen, halved, lanes_of, larger, load, room, store
from tablebase.game import Game
from tablebase.slices.indexing import Layout, layout_of
from tablebase.slices.material import Material
from tablebase.tables.summary import Summary, Tally
from tablebase.values import SLAB, STALEMATE, Codes, Coding, Source, loss_code
from tablebase.verify import rows
from tablebase.verify.general import Load, contradiction
from tablebase.verify.plane_arrays import (
    PLANE,
    SQUARES,
    PlaneRules,
    Spread,
    Victims,
    compile_plane_rules,
    spread_of_side,
    spreads_of_children,
)
from tablebase.verify.row_arrays import (
    DRAWN,
    IMPOSSIBLE,
    NOBODY,
    STUCK,
    Bytes,
    Children,
    Long,
    Rules,
    Small,
    compile_children,
    compile_rules,
    move_scores_of,
    scores_of,
)

LOST = loss_code(0, 1)
"""The code of a loss without a move."""


def applies(layout: Layout, coding: Coding) -> bool:
    """Whether a table has rows, on a board of at most 64 squares."""
    return rows.applies(layout, coding) and len(layout.game.board) <= SQUARES


def verify_codes(game: Game, material: Material, codes: Mapping[int, Source], coding: Coding, load: Load) -> dict[int, Summary]:
    """Check the codes of a table one ply deep; see `tablebase.verify.general.verify_codes`.

    They are asked for slab by slab, once to read the scores of the other side to move, and once to be checked. Only the codes of
    a table that is paired with itself, and of one of two pieces, are in memory as a whole.
    """
    layout = layout_of(game, material)
    scores = scores_of(game, coding)
    summaries = {}
    board = np.full(SQUARES, NOBODY, dtype=np.int8)
    # A plane, and behind it a row as it is read.
    best = room(PLANE + SQUARES, np.uint8)
    plane_size = layout.radices[-1] * layout.radices[-2]
    planes = layout.size // plane_size
    others = room(planes * PLANE, np.uint8)
    slabs = [(first, min(planes, first + slab_planes(plane_size))) for first in range(0, planes, slab_planes(plane_size))]
    for side, stored in codes.items():
        sided = compile_rules(game, layout, side)
        rules = compile_plane_rules(layout, sided)
        other = codes.get(1 - side, stored)
        if rules.outer and 1 - side in codes:
            for first, last in slabs:
                _spread_side(rules, other[first * plane_size : last * plane_size], others, best, first, last)
        else:
            others[:] = STUCK
            how = spread_of_side(layout, sided, swapped=1 - side not in codes)
            spread(how, np.asarray(other), move_scores_of(coding), others, 0)
        victims = _victims(layout, sided, compile_children(game, layout, side, load))
        counts = np.zeros((layout.radices[0], coding.void + 1), dtype=np.int64)
        earliest = np.full(coding.void + 1, -1, dtype=np.int64)
        stale, lost = int(scores[STALEMATE]), int(scores[LOST])
        for first, last in slabs:
            some = stored[first * plane_size : last * plane_size]
            wrong = _check(rules, victims, some, others, best, board, stale, lost, counts, earliest, first, last)
            if wrong >= 0:
                raise contradiction(layout, side, wrong, stored, coding)
        tally = Tally(coding)
        tally.histogram[:], tally.first[:] = (counts * layout.lead_weights[:, None]).sum(axis=0), earliest
        summaries[side] = tally.summary()
    return summaries


def slab_planes(plane_size: int) -> int:
    """How many planes of so many codes are read at a time."""
    return max(1, SLAB // plane_size)


def _victims(layout: Layout, rules: Rules, children: Children) -> Victims:
    """The scores of captures, in the slice's own order."""
    spreads, victims = spreads_of_children(layout, rules, children)
    same = np.arange(256, dtype=np.uint8)
    for begin, one in spreads:
        spread(one, children.scores, same, victims.scores, begin)
    return victims


@jit
def spread(how: Spread, stored: Codes, score: Bytes, out: Bytes, begin: int) -> None:
    """Write the scores of all positions of a stored array to another, from `begin` on, which holds `STUCK`."""
    slots, radix, square, homes, part, flipped, lead, flips = bare(how)
    last = slots - 1
    rows = 1
    for place in range(last):
        rows *= radix[place]
    for row in range(rows):
        rest, occupied, apart = row, np.uint64(0), True
        plain, image, flip = np.int64(0), np.int64(0), np.uint8(0)
        for place in range(last - 1, -1, -1):
            on = np.int64(square[place * SQUARES + rest % radix[place]])
            rest //= radix[place]
            bit = np.uint64(1) << np.uint64(on)
            apart = apart and not occupied & bit and homes[place] & bit
            occupied |= bit
            plain += part[place * SQUARES + on]
            image += flipped[place * SQUARES + on]
            flip = flips[on] if place == lead else flip
        left = homes[last] & ~occupied if apart else np.uint64(0)
        while left:
            on = trailing_zeros(left)
            left &= left - np.uint64(1)
            flip = flips[on] if last == lead else flip
            index = image + flipped[last * SQUARES + on] if flip else plain + part[last * SQUARES + on]
            out[begin + row * SQUARES + on] = score[stored[index]]


@inline
def _lanes_at(rules: PlaneRules, codes: Codes, index: Any, best: Bytes) -> Any:
    """The codes of a row, by square; its squares of no index hold anything."""
    for run in range(rules.runs):
        begin, length = rules.run_begin[run], rules.run_length[run]
        if index + SQUARES <= len(codes):
            store(best, PLANE + begin, load(codes, index))
        else:
            for i in range(length):
                best[PLANE + begin + i] = codes[index + i]
        index += length
    return load(best, PLANE)


@inline
def _legal(rules: PlaneRules, occupied: Any, file: Any) -> Any:
    """The squares of the last piece, given those of all others."""
    bit = np.uint64(1) << np.uint64(file)
    return np.uint64(0) if occupied & bit else rules.homes[rules.outer + 1] & ~(occupied | bit)


@inline
def _occupied(rules: PlaneRules, plane: Any) -> Any:
    """The squares of the outer pieces; all squares if two share one."""
    occupied = np.uint64(0)
    for slot in range(rules.outer):
        bit = np.uint64(1) << np.uint64(rules.squares[plane * rules.outer + slot])
        occupied |= bit if not occupied & bit else ~np.uint64(0)
    return occupied


@jit
def _spread_side(rules: PlaneRules, codes: Codes, others: Bytes, best: Bytes, start: int, end: int) -> None:
    """Write to `others` the score of a move into each position of a side to move, and `STUCK` where there is none.

    The codes are those of the planes from `start` up to `end`.
    """
    rules = bare(rules)
    two, one, draw, stuck = lanes_of(2, others), lanes_of(1, others), lanes_of(DRAWN, others), lanes_of(STUCK, others)
    index = np.int64(0)
    for plane in range(start, end):
        occupied = _occupied(rules, plane)
        for row in range(SQUARES):
            store(others, plane * PLANE + row * SQUARES, stuck)
        for number in range(rules.files):
            file = rules.file[number]
            found = _lanes_at(rules, codes, index, best)
            index += rules.length
            # A move into a loss in d wins in d + 1, and the other way round.
            distance = found - one
            worth = chosen((distance & one) == one, ~halved(distance), halved(distance))
            worth = chosen(two > found, draw, worth)
            store(others, plane * PLANE + file * SQUARES, chosen(_legal(rules, occupied, file), worth, stuck))


@jit
def _check(
    rules: PlaneRules,
    victims: Victims,
    codes: Codes,
    others: Bytes,
    best: Bytes,
    board: Small,
    stale: int,
    lost: int,
    counts: Any,
    first: Long,
    start: int,
    end: int,
) -> int:
    """Check all positions and count their codes by lead digit; return the first wrong index, or -1.

    The codes are those of the planes from `start` up to `end`.
    """
    rules, victims = bare(rules), bare(victims)
    outer = rules.outer
    index, base = np.int64(0), start * rules.files * rules.length
    for plane in range(start, end):
        occupied = _occupied(rules, plane)
        if occupied == ~np.uint64(0):
            index += rules.files * rules.length
            continue
        for row in range(SQUARES):
            store(best, row * SQUARES, lanes_of(STUCK, best))
        for slot in range(outer):
            board[rules.squares[plane * outer + slot]] = slot
        for slot in range(outer):
            if rules.own[slot]:
                _move_outer(rules, victims, others, best, board, plane, occupied, slot)
        if rules.own[outer]:
            _move_file(rules, victims, others, best, board, plane, occupied)
        if rules.own[outer + 1]:
            _move_last(rules, victims, others, best, board, plane, occupied)
        for slot in range(outer):
            board[rules.squares[plane * outer + slot]] = NOBODY
        for number in range(rules.files):
            file = rules.file[number]
            found = _lanes_at(rules, codes, index, best)
            left = _legal(rules, occupied, file)
            wrong = left & (_scores(found, stale, lost, best) != load(best, file * SQUARES))
            if wrong:
                return int(base + index + _place(rules, trailing_zeros(wrong)))
            while left:
                square = trailing_zeros(left)
                code = np.int64(best[PLANE + square])
                alike = left & (found == lanes_of(code, best))
                left &= ~alike
                counts[plane // rules.lead_planes if rules.outer else number, code] += ones(alike)
                if first[code] < 0:
                    first[code] = base + index + _place(rules, square)
            index += rules.length
    return -1


@inline
def _scores(found: Any, stale: int, lost: int, best: Bytes) -> Any:
    """The scores that positions with these codes must have."""
    two, one, zero = lanes_of(2, best), lanes_of(1, best), lanes_of(0, best)
    distance = found - two
    scores = chosen((distance & one) == one, ~halved(distance), halved(distance))
    scores = chosen(found == two, lanes_of(lost, best), scores)
    scores = chosen(found == one, lanes_of(stale, best), scores)
    scores = chosen(found == zero, lanes_of(DRAWN, best), scores)
    return chosen(found == lanes_of(-1, best), lanes_of(IMPOSSIBLE, best), scores)


@inline
def _place(rules: PlaneRules, square: Any) -> Any:
    """The digit of a square of the last piece."""
    return ones(rules.homes[rules.outer + 1] & ((np.uint64(1) << np.uint64(square)) - np.uint64(1)))


# Moves


@inline
def _raise_rows(best: Bytes, left: Any, free: Any, scores: Bytes, begin: Any, step: Any) -> None:
    """Raise the rows of a word, on free squares of the last piece, to rows of scores that are `step` rows apart."""
    while left:
        row = trailing_zeros(left)
        left &= left - np.uint64(1)
        before = load(best, row * SQUARES)
        store(best, row * SQUARES, chosen(free, larger(before, load(scores, begin + row * step * SQUARES)), before))


@inline
def _raise_squares(best: Bytes, left: Any, square: Any, scores: Bytes, begin: Any, step: Any) -> None:
    """Raise one square of the rows of a word to scores that are so many bytes apart."""
    while left:
        row = trailing_zeros(left)
        left &= left - np.uint64(1)
        best[row * SQUARES + square] = max(best[row * SQUARES + square], scores[begin + row * step])


@inline
def _begin(rules: PlaneRules, victims: Victims, plane: Any, step: int, victim: int, captor: int) -> Any:
    """What the outer pieces add to the places of the scores of a capture; 0 if it wins."""
    begin = victims.base[victim]
    if rules.steps.wins[step] or begin == 0:
        return np.int64(0)
    for slot in range(rules.outer):
        if slot != victim:
            square = rules.steps.target[step] if slot == captor else rules.squares[plane * rules.outer + slot]
            begin += victims.part[(victim * (rules.outer + 2) + slot) * SQUARES + square]
    return begin


@inline
def _mirrored_row(rules: PlaneRules, others: Bytes, begin: Any, file: Any) -> Any:
    """A row of the mirror image of a plane."""
    source = begin + rules.image[file] * SQUARES
    row = lanes_of(STUCK, others)
    for number in range(rules.displacements):
        row = chosen(rules.displaced[number], load(others, source + rules.displacement[number]), row)
    return row


@inline
def _move_outer(
    rules: PlaneRules, victims: Victims, others: Bytes, best: Bytes, board: Small, plane: Any, occupied: Any, slot: int
) -> None:
    """Raise all rows of a plane to what the moves of an outer piece are worth."""
    steps, file = rules.steps, rules.outer
    origin = rules.squares[plane * file + slot]
    standing = rules.homes[file] & ~occupied
    for step in range(steps.begin[slot * SQUARES + origin], steps.begin[slot * SQUARES + origin + 1]):
        between, target = steps.between[step], steps.target[step]
        if between & occupied:
            continue
        goal = np.uint64(1) << np.uint64(target)
        files, free, victim = standing & ~between, ~between, board[target]
        if victim != NOBODY:
            if (steps.victims[step] >> np.uint64(victim)) & np.uint64(1):
                begin = _begin(rules, victims, plane, step, victim, slot)
                _raise_rows(best, files, free, victims.scores, begin, np.int64(begin != 0))
            continue
        if (steps.victims[step] >> np.uint64(file)) & np.uint64(1):
            _raise_rows(best, files & goal, free, victims.scores, _begin(rules, victims, plane, step, file, slot), np.int64(0))
        if (steps.victims[step] >> np.uint64(file + 1)) & np.uint64(1):
            begin = _begin(rules, victims, plane, step, file + 1, slot)
            _raise_squares(best, files & ~goal, target, victims.scores, begin, np.int64(begin != 0))
        if not steps.quiet[step]:
            continue
        files, free = files & ~goal, free & ~goal
        if steps.wins[step]:
            _raise_rows(best, files, free, victims.scores, np.int64(0), np.int64(0))
        elif slot == 0 and rules.flips[target]:
            begin = (rules.digit[target] * rules.stride[0] + rules.mirrored[plane]) * PLANE
            while files:
                row = trailing_zeros(files)
                files &= files - np.uint64(1)
                before = load(best, row * SQUARES)
                worth = _mirrored_row(rules, others, begin, row)
                store(best, row * SQUARES, chosen(free, larger(before, worth), before))
        else:
            digits = rules.digit[slot * SQUARES + target] - rules.digit[slot * SQUARES + origin]
            _raise_rows(best, files, free, others, (plane + digits * rules.stride[slot]) * PLANE, np.int64(1))


@inline
def _move_file(rules: PlaneRules, victims: Victims, others: Bytes, best: Bytes, board: Small, plane: Any, occupied: Any) -> None:
    """Raise each row of a plane to what the moves of the last piece but one are worth."""
    steps, file = rules.steps, rules.outer
    for step in range(steps.begin[file * SQUARES], steps.begin[(file + 1) * SQUARES]):
        between, target = steps.between[step], np.int64(steps.target[step])
        row = (np.uint64(1) << np.uint64(steps.origin[step])) & ~occupied
        if between & occupied or not row:
            continue
        goal, victim = np.uint64(1) << np.uint64(target), board[target]
        if victim != NOBODY:
            if (steps.victims[step] >> np.uint64(victim)) & np.uint64(1):
                begin = _begin(rules, victims, plane, step, victim, file)
                place = begin + target * SQUARES if begin else begin
                _raise_rows(best, row, ~between, victims.scores, place, np.int64(0))
            continue
        if (steps.victims[step] >> np.uint64(file + 1)) & np.uint64(1):
            begin = _begin(rules, victims, plane, step, file + 1, file)
            _raise_squares(best, row, target, victims.scores, begin + target if begin else begin, np.int64(0))
        if steps.wins[step] and steps.quiet[step]:
            _raise_rows(best, row, ~(between | goal), victims.scores, np.int64(0), np.int64(0))
        elif steps.quiet[step]:
            _raise_rows(best, row, ~between, others, plane * PLANE + target * SQUARES, np.int64(0))


@inline
def _move_last(rules: PlaneRules, victims: Victims, others: Bytes, best: Bytes, board: Small, plane: Any, occupied: Any) -> None:
    """Raise all squares of a plane to what the moves of the last piece are worth."""
    steps, file = rules.steps, rules.outer
    last = file + 1
    standing = rules.homes[file] & ~occupied
    for number in range(rules.files):
        row = rules.file[number]
        if standing >> np.uint64(row) & np.uint64(1):
            worth = load(best, row * SQUARES)
            for one in range(rules.free_classes):
                reached = load(others, plane * PLANE + row * SQUARES + rules.free_shift[one])
                worth = chosen(rules.free_from[one], larger(worth, reached), worth)
            store(best, row * SQUARES, worth)
    for step in range(steps.begin[last * SQUARES], steps.begin[(last + 1) * SQUARES]):
        between, target, origin = steps.between[step], np.int64(steps.target[step]), np.int64(steps.origin[step])
        if (between | (np.uint64(1) << np.uint64(origin))) & occupied:
            continue
        goal, victim = np.uint64(1) << np.uint64(target), board[target]
        files = standing & ~between
        if victim != NOBODY:
            if (steps.victims[step] >> np.uint64(victim)) & np.uint64(1):
                begin = _begin(rules, victims, plane, step, victim, last)
                apart = np.int64(SQUARES if begin else 0)
                _raise_squares(best, files, origin, victims.scores, begin + target if begin else begin, apart)
            continue
        if (steps.victims[step] >> np.uint64(file)) & np.uint64(1):
            begin = _begin(rules, victims, plane, step, file, last)
            _raise_squares(best, files & goal, origin, victims.scores, begin + target if begin else begin, np.int64(0))
        if steps.quiet[step]:
            if steps.wins[step]:
                _raise_squares(best, files & ~goal, origin, victims.scores, np.int64(0), np.int64(0))
            elif between:
                _raise_squares(best, files, origin, others, plane * PLANE + target, np.int64(SQUARES))
