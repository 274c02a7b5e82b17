"""The checker of tables of single pieces on boards of at most 64 squares, a plane at a time.

A *plane* has a score for each pair of squares of the last two pieces, with all others fixed: 64 rows of 64 scores. What the
moves of a position are worth is the maximum of such rows: a move of another piece reads the same row of another plane, one of
the last piece but one another row, and one of the last piece the same row some bytes on. It only steps
forward and keeps no sets of bits; the rules and where things are it finds out for itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from tablebase.checking.general import Load, contradiction
from tablebase.checking.plane_arrays import (
    NOBODY,
    PLANE,
    SQUARES,
    STUCK,
    CaptureSpread,
    Long,
    PlaneRules,
    Small,
    Victims,
    compile_rules,
    compile_victims,
    move_scores_of,
    scores_of,
    spread_of_side,
)
from tablebase.checking.plane_moves import move_file, move_last, move_outer
from tablebase.game import Game
from tablebase.positions.indexing import Layout, layout_of
from tablebase.positions.material import Material
from tablebase.system.compute.bits import ones, trailing_zeros
from tablebase.system.compute.jit import inline, jit
from tablebase.system.compute.messages import reach
from tablebase.system.compute.pointers import bare
from tablebase.system.compute.threads import each, spread
from tablebase.system.compute.vectors import chosen, halved, lanes_of, load, room, store
from tablebase.tables.summary import CodeTally, Summary
from tablebase.tables.values import SLAB, STALEMATE, Codes, CodeSource, Coding, loss_code

LOST = loss_code(0, 1)
"""The code of a loss without a move."""
GRAIN = 1 << 13
"""The smallest number of rows worth a thread."""


def applies(layout: Layout, coding: Coding) -> bool:
    """Return whether a table is of single pieces without tiers or escapes on a board of at most 64 squares, with stride 1."""
    single = all(len(group.slots) == 1 for group in layout.groups) and not layout.material.advance
    return single and layout.game.escape is None and coding.stride == 1 and len(layout.game.board) <= SQUARES


def verify_codes(game: Game, material: Material, codes: Mapping[int, CodeSource], coding: Coding, load: Load) -> dict[int, Summary]:
    """Check the codes of a table one ply deep; see `tablebase.checking.general.verify_codes`.

    They are asked for slab by slab, once to read the scores of the other side to move, and once to be checked. Only the codes of
    a table that is paired with itself, and of one of two pieces, are in memory as a whole.
    """
    layout = layout_of(game, material)
    summaries = {}
    plane_size = layout.radices[-1] * layout.radices[-2]
    planes, size = layout.size // plane_size, max(1, SLAB // plane_size)
    slabs = [range(first, min(planes, first + size)) for first in range(0, planes, size)]
    others = room(planes * PLANE, coding.dtype)
    # Each slab is read twice.
    done, total = 0, 2 * len(slabs) * len(codes)
    for side, stored in codes.items():
        rules = compile_rules(layout, side)
        other = codes.get(1 - side, stored)
        if rules.outer and 1 - side in codes:
            for number, _ in enumerate(each(partial(_spread_slab, rules, other, others), slabs), start=1):
                reach("verifying", done + number, total)
        else:
            others[:] = STUCK
            how = spread_of_side(layout, swapped=1 - side not in codes)
            _read(how, np.asarray(other), move_scores_of(coding, coding), others, 0)
        done += len(slabs)
        victims = _victims(layout, side, coding, load)
        check = partial(_check_slab, rules, victims, stored, others, coding, scores_of(game.no_move, coding), layout.lead_weights)
        tally = CodeTally(coding)
        for wrong, counts in each(check, slabs):
            if wrong >= 0:
                raise contradiction(layout, side, wrong, stored, coding)
            tally.merge(counts)
            done += 1
            reach("verifying", done, total)
        summaries[side] = tally.summary()
    return summaries


def _codes_of(rules: PlaneRules, source: CodeSource, slab: range) -> Codes:
    plane_size = rules.files * rules.length
    return source[slab.start * plane_size : slab.stop * plane_size]


def _spread_slab(rules: PlaneRules, codes: CodeSource, others: Codes, slab: range) -> None:
    """Write to `others` the scores of moves into the positions of some planes."""
    _spread_side(rules, _codes_of(rules, codes, slab), others, room(PLANE + SQUARES, others.dtype), slab.start, slab.stop)


def _check_slab(
    rules: PlaneRules, victims: Victims, codes: CodeSource, others: Codes, coding: Coding, scores: Codes, weights: Long, slab: range
) -> tuple[int, CodeTally]:
    """The first wrong index of a slab, or -1; and its counts."""
    counts = np.zeros((len(weights), coding.void + 1), dtype=np.int64)
    tally = CodeTally(coding)
    # A plane, and behind it a row as it is read.
    best, board = room(PLANE + SQUARES, others.dtype), np.full(SQUARES, NOBODY, dtype=np.int8)
    stale, lost = int(scores[STALEMATE]), int(scores[LOST])
    stored, first, last = _codes_of(rules, codes, slab), slab.start, slab.stop
    wrong = _check(rules, victims, stored, others, best, board, stale, lost, counts, tally.first, first, last)
    tally.histogram[:] = (counts * weights[:, None]).sum(axis=0)
    return wrong, tally


def _victims(layout: Layout, side: int, coding: Coding, load: Load) -> Victims:
    """The scores of captures by a side, in the slice's own order."""
    victims, spreads = compile_victims(layout, side, coding.dtype)
    for begin, how, child in spreads:
        codes, own = load(child.material, child.side)
        _read(how, codes, move_scores_of(own, coding), victims.scores, begin)
    return victims


def _read(how: CaptureSpread, stored: Codes, score: Codes, out: Codes, begin: int) -> None:
    """Write the scores of all positions of a stored array to another, from `begin` on, which holds `STUCK`."""
    spread(partial(_spread_rows, how, stored, score, out, begin), int(how.radix.prod()), GRAIN)


@jit
def _spread_rows(how: CaptureSpread, stored: Codes, score: Codes, out: Codes, begin: int, first: int, end: int) -> None:
    """`_read` for the rows from `first` up to `end`."""
    slots, radix, square, homes, part, flipped, lead, flips = bare(how)
    last = slots - 1
    for row in range(first, end):
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
def _lanes_at(rules: PlaneRules, codes: Codes, index: Any, best: Codes) -> Any:
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
def _spread_side(rules: PlaneRules, codes: Codes, others: Codes, best: Codes, start: int, end: int) -> None:
    """Write to `others` the score of a move into each position of a side to move, and `STUCK` where there is none.

    The codes are those of the planes from `start` up to `end`.
    """
    rules = bare(rules)
    two, one, draw, stuck = lanes_of(2, others), lanes_of(1, others), halved(lanes_of(-1, others)), lanes_of(STUCK, others)
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
    others: Codes,
    best: Codes,
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
                move_outer(rules, victims, others, best, board, plane, occupied, slot)
        if rules.own[outer]:
            move_file(rules, victims, others, best, board, plane, occupied)
        if rules.own[outer + 1]:
            move_last(rules, victims, others, best, board, plane, occupied)
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
def _scores(found: Any, stale: int, lost: int, best: Codes) -> Any:
    two, one, zero, void = lanes_of(2, best), lanes_of(1, best), lanes_of(0, best), lanes_of(-1, best)
    distance = found - two
    scores = chosen((distance & one) == one, ~halved(distance), halved(distance))
    scores = chosen(found == two, lanes_of(lost, best), scores)
    scores = chosen(found == one, lanes_of(stale, best), scores)
    scores = chosen(found == zero, halved(void), scores)
    return chosen(found == void, halved(void) + one, scores)


@inline
def _place(rules: PlaneRules, square: Any) -> Any:
    return ones(rules.homes[rules.outer + 1] & ((np.uint64(1) << np.uint64(square)) - np.uint64(1)))
