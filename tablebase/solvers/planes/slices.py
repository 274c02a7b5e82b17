"""Compiling a slice to planes: the steps of the file piece and the row piece, the mirror, and moves that leave the slice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cache

import numpy as np

from tablebase.game import Game, Step
from tablebase.positions.conversions import ILLEGAL
from tablebase.solvers.planes.arrays import (
    COLUMNS,
    FULL,
    ROWS,
    UNITS,
    Bytes,
    InnerSteps,
    Mirror,
    Planes,
    Takes,
    Words,
    home,
    slides,
    word_of,
)
from tablebase.solvers.planes.outer import mirrored_planes, outer_backs, outer_squares, outer_steps
from tablebase.solvers.problem import CompiledSlice
from tablebase.system.compute.vectors import WORDS


def compile_planes(problem: CompiledSlice) -> Planes:
    """A compiled slice as planes; `tablebase.solvers.registry` decides which slices have any."""
    layout, game = problem.layout, problem.game
    kinds = [group.kind for group in layout.groups]
    outer = len(kinds) - 2
    file_kind, row_kind = kinds[-2:]
    squares, occupied = outer_squares(layout, outer)
    file, row = _file_steps(game, file_kind, row_kind), _row_steps(game, file_kind, row_kind)
    blocks = np.bitwise_or.reduce([*_barred(game, file_kind), *_barred(game, row_kind), np.zeros(ROWS, dtype=np.uint64)]) != 0
    return Planes(
        size=len(occupied),
        outer=outer,
        void=problem.coding.void,
        no_move=problem.no_move,
        owner=problem.arrays.side,
        file_home=home(game, file_kind),
        row_home=home(game, row_kind),
        squares=squares.reshape(-1),
        occupied=occupied,
        image=mirrored_planes(layout, outer),
        altered=blocks[squares].any(axis=1).astype(np.uint8),
        steps=outer_steps(layout, outer),
        backs=outer_backs(layout, outer),
        file=file,
        row=row,
        mirror=_mirror(game),
        file_units=_units_from((step.origin, step.target) for step in slides(game, file_kind)),
        image_units=_units_from(enumerate(_image_of(game))),
        captures=_takes(problem, captures=True),
        goals=_takes(problem, captures=False),
    )


# File piece and row piece


@cache
def _classes(game: Game, kind: int) -> tuple[tuple[Step, ...], ...]:
    """Quiet steps by target minus origin; several between the same squares go to different classes, each with its own blockers."""
    classes: dict[tuple[int, int], list[Step]] = {}
    seen: Counter[tuple[int, int]] = Counter()
    for step in slides(game, kind):
        rank = seen[step.origin, step.target]
        seen[step.origin, step.target] += 1
        classes.setdefault((step.target - step.origin, rank), []).append(step)
    return tuple(tuple(classes[key]) for key in sorted(classes))


@cache
def _barred(game: Game, kind: int) -> Words:
    """For each class of a kind and each square the origins that a piece on the square blocks."""
    classes = _classes(game, kind)
    barred = np.zeros((len(classes), ROWS), dtype=np.uint64)
    for number, steps in enumerate(classes):
        for step in steps:
            for square in step.empty:
                barred[number, square] |= np.uint64(1 << step.origin)
    return barred


def _inner_steps(game: Game, kind: int, mask: Words) -> InnerSteps:
    shift = np.array([steps[0].target - steps[0].origin for steps in _classes(game, kind)], dtype=np.int64)
    return InnerSteps(len(shift), shift, mask.reshape(-1), _barred(game, kind).reshape(-1))


@cache
def _file_steps(game: Game, kind: int, row_kind: int) -> InnerSteps:
    """The steps of the file piece: from a row either all bits, or those of row pieces that are not in between."""
    mask = np.zeros((len(_classes(game, kind)), ROWS), dtype=np.uint64)
    for number, steps in enumerate(_classes(game, kind)):
        for step in steps:
            mask[number, step.origin] = FULL & ~(np.uint64(word_of(step.empty)) & home(game, row_kind))
    return _inner_steps(game, kind, mask)


@cache
def _row_steps(game: Game, file_kind: int, kind: int) -> InnerSteps:
    """The steps of the row piece: their origins, but those that the file piece of the row blocks."""
    origins = np.array([word_of(step.origin for step in steps) for steps in _classes(game, kind)], dtype=np.uint64)
    barred = _barred(game, kind)
    stands = np.array([int(home(game, file_kind)) >> row & 1 for row in range(ROWS)], dtype=np.bool_)
    mask = origins.reshape(-1, 1) & ~np.where(stands, barred, np.uint64(0))
    return _inner_steps(game, kind, mask)


# Mirror and sets of units


def _image_of(game: Game) -> list[int]:
    """The mirror image of each square; beyond the board, and without a mirror, the square itself."""
    mirror = game.mirror or ()
    return [*mirror, *range(len(mirror), ROWS)]


@cache
def _mirror(game: Game) -> Mirror:
    image = _image_of(game)
    displaced: dict[int, list[int]] = {}
    for square in range(len(game.board)):
        displaced.setdefault(image[square] - square, []).append(square)
    return Mirror(
        displacements=len(displaced),
        rows=np.array(image, dtype=np.int64),
        shift=np.array(list(displaced), dtype=np.int64),
        mask=np.array([word_of(squares) for squares in displaced.values()], dtype=np.uint64),
    )


def _units_from(squares: Iterable[tuple[int, int]]) -> Bytes:
    """For each set of units the units with a square that leads to a square in one of them, given squares and where they lead."""
    sources = [0] * UNITS
    for origin, target in squares:
        sources[target // WORDS] |= 1 << origin // WORDS
    unions = [0]
    for source in sources:
        unions += [union | source for union in unions]
    return np.array(unions, dtype=np.uint8)


# Moves that leave the slice


def _takes(problem: CompiledSlice, *, captures: bool) -> Takes:
    slots = len(problem.layout.slots)
    victims = ((problem.arrays.step_destination[:, 1:] != ILLEGAL).astype(np.int64) << np.arange(slots)).sum(axis=1)
    found = [
        (slot, step.target if slot >= slots - 2 else step.origin, step, int(some) if captures else 0)
        for (slot, step), some in zip(problem.steps, victims.tolist(), strict=True)
        if (some if captures else step.wins and step.quiet)
    ]
    found.sort(key=lambda entry: entry[:2])
    keys = [slot * COLUMNS + square for slot, square, _, _ in found]
    return Takes(
        begin=np.searchsorted(keys, np.arange(slots * COLUMNS)).astype(np.int32),
        origin=np.array([step.origin for _, _, step, _ in found], dtype=np.int8),
        target=np.array([step.target for _, _, step, _ in found], dtype=np.int8),
        between=np.array([word_of(step.empty) for _, _, step, _ in found], dtype=np.uint64),
        victims=np.array([some for *_, some in found], dtype=np.int64),
        wins=np.array([step.wins for _, _, step, _ in found], dtype=np.uint8),
    )
