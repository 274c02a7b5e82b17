"""All moves of many positions at once, in NumPy.

Positions of one slice form an array of squares, one row per position and one column per slot of the layout. This is
the vectorised twin of `tablebase.game.moves`, independent of the solvers' kernels.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.game import Game, Step
from tablebase.slices.conversions import ILLEGAL, step_destinations
from tablebase.slices.indexing import Layout, Squares

NOWHERE = -1
Rows = NDArray[np.int64]
Flags = NDArray[np.bool_]


class MoveBatch(NamedTuple):
    """One move each of several positions, all with the same destination."""

    rows: Rows  # the positions that have the move; a position may be in several batches
    destination: int  # where the moves lead: `STAYS`, `ENDS` or the number of a conversion
    squares: Squares  # (rows, slots) the squares afterwards; that of a captured piece is meaningless
    victim: int | None  # the captured slot


class _NthStep(NamedTuple):
    """The n-th step of a kind from each square, for a fixed n; shapes (squares, …)."""

    target: NDArray[np.int8]  # NOWHERE where there are fewer steps
    destinations: NDArray[np.int32]  # (squares, slots + 1) [s, v + 1] if slot v is captured, [s, 0] if none is
    blockers: NDArray[np.int8]  # (squares, most blockers), NOWHERE where there are fewer


class MoveGenerator:
    """The moves of one side in one slice."""

    def __init__(self, layout: Layout, side: int) -> None:
        self.layout, self.side = layout, side
        self._kinds = [layout.material.kinds[piece] for piece in layout.slots]
        self._own = [slot for slot, kind in enumerate(self._kinds) if layout.game.side_of(kind) == side]
        self._opponents = [slot for slot, kind in enumerate(self._kinds) if layout.game.side_of(kind) != side]

    def moves(self, squares: Squares) -> Iterator[MoveBatch]:
        """All moves of these positions, even of those in which a piece has escaped."""
        for slot in self._own:
            for step in _nth_steps(self.layout, self._kinds[slot]):
                origin = squares[:, slot]
                target = step.target[origin]
                free = target != NOWHERE
                for blocker in step.blockers.T:
                    free &= (squares != blocker[origin][:, None]).all(axis=1)
                on_target = squares == target[:, None]
                yield from self._batches(squares, slot, step, target, None, np.flatnonzero(free & ~on_target.any(axis=1)))
                for victim in self._opponents:
                    if (step.destinations[:, victim + 1] != ILLEGAL).any():
                        yield from self._batches(squares, slot, step, target, victim, np.flatnonzero(free & on_target[:, victim]))

    def _batches(
        self, squares: Squares, slot: int, step: _NthStep, target: NDArray[np.int8], victim: int | None, rows: Rows
    ) -> Iterator[MoveBatch]:
        """The slot's step in these rows, capturing that slot or none, in one batch per destination."""
        destinations = step.destinations[squares[rows, slot], 0 if victim is None else victim + 1]
        for number in np.unique(destinations).tolist():
            if number != ILLEGAL:
                movers = rows[destinations == number]
                after = squares[movers]
                after[:, slot] = target[movers]
                yield MoveBatch(movers, number, after, victim)

    def escaped(self, squares: Squares) -> Flags:
        """Whether a piece has escaped in each position."""
        game, escape = self.layout.game, self.layout.game.escape
        runner = None if escape is None else game.by_symbol[escape.runner]
        if runner is None or escape is None or self.side not in escape.to_move or runner not in self._kinds:
            return np.zeros(len(squares), dtype=bool)
        board = len(game.board)
        pieces = [kind * board + squares[:, slot].astype(np.int64) for slot, kind in enumerate(self._kinds)]
        return have_escaped(game, squares[:, self._kinds.index(runner)], pieces)


def have_escaped(game: Game, places: Squares, pieces: Iterable[NDArray[np.int64]]) -> Flags:
    """Whether the runners of positions on these squares have escaped; the twin of `tablebase.game.moves.has_escaped`.

    `pieces` has an array for each piece of the positions, with the number of its kind and square in `_guards`.
    """
    assert game.escape is not None
    guards = _guards(game)
    guarded = np.zeros((len(places), len(game.board)), dtype=bool)
    for piece in pieces:
        guarded |= guards[piece]
    escaped: Flags = ~guarded[np.arange(len(places)), places]
    if game.escape.room:
        escaped &= (_near(game)[places] & ~guarded).any(axis=1)
    return escaped


@cache
def _guards(game: Game) -> Flags:
    """[k * S + s, t]: whether a piece of kind k on square s of S guards square t; the last row is that of no piece; read-only."""
    squares = len(game.board)
    guards = np.zeros((len(game.kinds) * squares + 1, squares), dtype=bool)
    for symbol, zones in game.escape.guarded.items() if game.escape else ():
        for square, zone in zones.items():
            guards[game.by_symbol[symbol] * squares + square, list(zone)] = True
    return guards


@cache
def _near(game: Game) -> Flags:
    """[s, t]: whether a step of the runner leads from square s to square t; read-only."""
    near = np.zeros((len(game.board),) * 2, dtype=bool)
    for step in game.kinds[game.by_symbol[game.escape.runner]].steps if game.escape else ():
        near[step.origin, step.target] = True
    return near


# Blocks of one slice follow each other, and so do both sides of a table.
@lru_cache(maxsize=64)
def _nth_steps(layout: Layout, kind: int) -> tuple[_NthStep, ...]:
    """The first, second, … step of a kind from each square; read-only."""
    steps_from, squares, slots = layout.game.kinds[kind].steps_from, len(layout.game.board), len(layout.slots)
    destinations = step_destinations(layout, kind)
    first = np.cumsum([0, *(len(steps_from.get(origin, ())) for origin in range(squares))])
    found = []
    for n in range(max(map(len, steps_from.values()), default=0)):
        steps = {origin: listed[n] for origin, listed in steps_from.items() if n < len(listed)}
        nth_step = _NthStep(
            target=np.full(squares, NOWHERE, dtype=np.int8),
            destinations=np.full((squares, slots + 1), ILLEGAL, dtype=np.int32),
            blockers=_blockers(steps, squares),
        )
        for origin, step in steps.items():
            nth_step.target[origin] = step.target
            nth_step.destinations[origin] = destinations[first[origin] + n]
        found.append(nth_step)
    return tuple(found)


def _blockers(steps: dict[int, Step], squares: int) -> NDArray[np.int8]:
    """Squares that the step from each square needs empty, shape (squares, most blockers)."""
    blockers = np.full((squares, max(len(step.empty) for step in steps.values())), NOWHERE, dtype=np.int8)
    for origin, step in steps.items():
        blockers[origin, : len(step.empty)] = sorted(step.empty)
    return blockers
