"""All moves of many positions at once, in NumPy.

Positions of one slice form an array of squares, one row per position and one column per slot of the layout. This is
the vectorised twin of `tablebase.game.moves`, independent of the solvers' kernels.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.game import Step
from tablebase.slices.conversions import ILLEGAL, step_destinations
from tablebase.slices.indexing import Layout, Squares

NOWHERE = -1
Rows = NDArray[np.int64]
Flags = NDArray[np.bool_]


class MoveBatch(NamedTuple):
    """One move each of several positions, all with the same destination.

    Parameters
    ----------
    rows : ndarray of int64
        The positions that have the move; a position may be in several batches.
    destination : int
        Where the moves lead: `STAYS`, `ENDS` or the number of a conversion.
    squares : ndarray of int8, shape (len(rows), slots)
        The squares afterwards; that of a captured piece is meaningless.
    victim : int or None
        The captured slot.
    """

    rows: Rows
    destination: int
    squares: Squares
    victim: int | None


class _NthStep(NamedTuple):
    """The n-th step of a slot from each square, for a fixed n; shapes (squares, …)."""

    slot: int
    target: NDArray[np.int8]  # NOWHERE where there are fewer steps
    destinations: NDArray[np.int32]  # (squares, slots + 1) [s, v + 1] if slot v is captured, [s, 0] if none is
    blockers: NDArray[np.int8]  # (squares, most blockers), NOWHERE where there are fewer


class MoveGenerator:
    """The moves of one side in one slice.

    Parameters
    ----------
    layout : Layout
    side : int
        The side to move.
    """

    def __init__(self, layout: Layout, side: int) -> None:
        self.layout, self.side = layout, side
        kinds = [layout.game.kinds[layout.material.kinds[piece]] for piece in layout.slots]
        self._steps = [step for slot, kind in enumerate(kinds) if kind.side == side for step in _nth_steps(layout, slot)]
        self._opponents = [slot for slot, kind in enumerate(kinds) if kind.side != side]
        self._guards = _guards(layout)

    def moves(self, squares: Squares) -> Iterator[MoveBatch]:
        """All moves of these positions, even of those in which a piece has escaped."""
        for step in self._steps:
            origin = squares[:, step.slot]
            target = step.target[origin]
            free = target != NOWHERE
            for blocker in step.blockers.T:
                free &= (squares != blocker[origin][:, None]).all(axis=1)
            on_target = squares == target[:, None]
            yield from self._batches(squares, step, target, None, np.flatnonzero(free & ~on_target.any(axis=1)))
            for victim in self._opponents:
                if (step.destinations[:, victim + 1] != ILLEGAL).any():
                    yield from self._batches(squares, step, target, victim, np.flatnonzero(free & on_target[:, victim]))

    def _batches(
        self, squares: Squares, step: _NthStep, target: NDArray[np.int8], victim: int | None, rows: Rows
    ) -> Iterator[MoveBatch]:
        """The step of these rows, capturing that slot or none, in one batch per destination."""
        destinations = step.destinations[squares[rows, step.slot], 0 if victim is None else victim + 1]
        for number in np.unique(destinations).tolist():
            if number != ILLEGAL:
                movers = rows[destinations == number]
                after = squares[movers]
                after[:, step.slot] = target[movers]
                yield MoveBatch(movers, number, after, victim)

    def escaped(self, squares: Squares) -> Flags:
        """Whether a piece has escaped in each position; the twin of `tablebase.game.moves.has_escaped`."""
        escape, kinds = self.layout.game.escape, self.layout.game.kinds
        symbols = [kinds[self.layout.material.kinds[piece]].symbol for piece in self.layout.slots]
        if escape is None or self.side not in escape.to_move or escape.runner not in symbols:
            return np.zeros(len(squares), dtype=bool)
        open_squares: Flags = np.logical_not(self._guards[np.arange(len(symbols)), squares].any(axis=1))
        runner = squares[:, symbols.index(escape.runner)]
        rows = np.arange(len(squares))
        escaped: Flags = open_squares[rows, runner]
        if escape.room:
            kind = next(kind for kind in kinds if kind.symbol == escape.runner)
            near = np.zeros((len(self.layout.game.board),) * 2, dtype=bool)
            for step in kind.steps:
                near[step.origin, step.target] = True
            escaped = escaped & (open_squares & near[runner]).any(axis=1)
        return escaped


def _guards(layout: Layout) -> Flags:
    """[p, s, t]: whether slot p on square s guards square t."""
    count = len(layout.game.board)
    guards = np.zeros((len(layout.slots), count, count), dtype=bool)
    for slot, piece in enumerate(layout.slots):
        symbol = layout.game.kinds[layout.material.kinds[piece]].symbol
        for square, zone in (layout.game.escape.guarded.get(symbol, {}) if layout.game.escape else {}).items():
            guards[slot, square, list(zone)] = True
    return guards


def _nth_steps(layout: Layout, slot: int) -> Iterator[_NthStep]:
    """The first, second, … step of a slot from each square."""
    kind = layout.game.kinds[layout.material.kinds[layout.slots[slot]]]
    squares, slots = len(layout.game.board), len(layout.slots)
    destinations = step_destinations(layout, slot)
    first = np.cumsum([0, *(len(kind.steps_from.get(origin, ())) for origin in range(squares))])
    for n in range(max(map(len, kind.steps_from.values()), default=0)):
        steps = {origin: listed[n] for origin, listed in kind.steps_from.items() if n < len(listed)}
        nth_step = _NthStep(
            slot=slot,
            target=np.full(squares, NOWHERE, dtype=np.int8),
            destinations=np.full((squares, slots + 1), ILLEGAL, dtype=np.int32),
            blockers=_blockers(steps, squares),
        )
        for origin, step in steps.items():
            nth_step.target[origin] = step.target
            nth_step.destinations[origin] = destinations[first[origin] + n]
        yield nth_step


def _blockers(steps: dict[int, Step], squares: int) -> NDArray[np.int8]:
    """Squares that the step from each square needs empty, shape (squares, most blockers)."""
    blockers = np.full((squares, max(len(step.empty) for step in steps.values())), NOWHERE, dtype=np.int8)
    for origin, step in steps.items():
        blockers[origin, : len(step.empty)] = sorted(step.empty)
    return blockers
