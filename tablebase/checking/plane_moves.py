"""Values of moves in the checker of planes: maxima of rows of scores over one step of each piece."""

from __future__ import annotations

from typing import Any

import numpy as np

from tablebase.checking.plane_arrays import NOBODY, PLANE, SQUARES, STUCK, PlaneRules, Small, Victims
from tablebase.system.compute.bits import trailing_zeros
from tablebase.system.compute.jit import inline
from tablebase.system.compute.vectors import chosen, lanes_of, larger, load, store
from tablebase.tables.values import Codes


@inline
def _raise_rows(best: Codes, left: Any, free: Any, scores: Codes, begin: Any, step: Any) -> None:
    """Raise the rows of a word, on free squares of the last piece, to rows of scores that are `step` rows apart."""
    while left:
        row = trailing_zeros(left)
        left &= left - np.uint64(1)
        before = load(best, row * SQUARES)
        store(best, row * SQUARES, chosen(free, larger(before, load(scores, begin + row * step * SQUARES)), before))


@inline
def _raise_squares(best: Codes, left: Any, square: Any, scores: Codes, begin: Any, step: Any) -> None:
    """Raise one square of the rows of a word to scores that are `step` bytes apart."""
    while left:
        row = trailing_zeros(left)
        left &= left - np.uint64(1)
        best[row * SQUARES + square] = max(best[row * SQUARES + square], scores[begin + row * step])


@inline
def _begin(rules: PlaneRules, victims: Victims, plane: Any, step: int, victim: int, captor: int) -> Any:
    """Add up the outer pieces' parts of the places of a capture's scores; 0 if it wins."""
    begin = victims.base[victim]
    if rules.steps.wins[step] or begin == 0:
        return np.int64(0)
    for slot in range(rules.outer):
        if slot != victim:
            square = rules.steps.target[step] if slot == captor else rules.squares[plane * rules.outer + slot]
            begin += victims.part[(victim * (rules.outer + 2) + slot) * SQUARES + square]
    return begin


@inline
def _mirrored_row(rules: PlaneRules, others: Codes, begin: Any, file: Any) -> Any:
    source = begin + rules.image[file] * SQUARES
    row = lanes_of(STUCK, others)
    for number in range(rules.displacements):
        row = chosen(rules.displaced[number], load(others, source + rules.displacement[number]), row)
    return row


@inline
def move_outer(
    rules: PlaneRules, victims: Victims, others: Codes, best: Codes, board: Small, plane: Any, occupied: Any, slot: int
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
def move_file(rules: PlaneRules, victims: Victims, others: Codes, best: Codes, board: Small, plane: Any, occupied: Any) -> None:
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
def move_last(rules: PlaneRules, victims: Victims, others: Codes, best: Codes, board: Small, plane: Any, occupied: Any) -> None:
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
