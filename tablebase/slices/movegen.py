"""All moves of many positions at once, in NumPy.

Positions of one slice stand in an array of squares, a row a position, a column a slot of the layout. The twin of
`tablebase.game.moves`, and independent of the engines' kernels.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.game import Step
from tablebase.slices.conversions import ILLEGAL, destination
from tablebase.slices.indexing import Layout, Squares

NOWHERE = -1
Rows = NDArray[np.int64]
Flags = NDArray[np.bool_]


class Landing(NamedTuple):
    """Moves of different positions that lead to the same slice.

    Parameters
    ----------
    rows : ndarray of int64
        The positions that have the move; a position may be in several landings.
    way : int
        Where it leads: `STAYS`, `ENDS` or the number of an exit.
    squares : ndarray of int8, shape (len(rows), slots)
        The squares afterwards; that of a piece which has been taken no longer means anything.
    victim : int or None
        The slot that has been taken.
    """

    rows: Rows
    way: int
    squares: Squares
    victim: int | None


class _Nth(NamedTuple):
    """The n-th step of a slot from each square, for a fixed n; shapes (squares, …)."""

    slot: int
    target: NDArray[np.int8]  # NOWHERE where there are fewer steps
    ways: NDArray[np.int32]  # (squares, slots + 1) where it leads when slot v is taken, [s, v + 1], or none, [s, 0]
    blockers: NDArray[np.int8]  # (squares, most blockers), NOWHERE where there are fewer


class MoveGenerator:
    """The moves of one side in one slice.

    Parameters
    ----------
    own : Layout
    side : int
        The side to move.
    """

    def __init__(self, own: Layout, side: int) -> None:
        self.own, self.side = own, side
        kinds = [own.game.kinds[own.material.kinds[piece]] for piece in own.slots]
        self._steps = [step for slot, kind in enumerate(kinds) if kind.side == side for step in _nth_steps(own, slot)]
        self._foes = [slot for slot, kind in enumerate(kinds) if kind.side != side]
        self._guards = _guards(own)

    def landings(self, squares: Squares) -> Iterator[Landing]:
        """All moves of these positions, whether or not a piece has escaped."""
        for nth in self._steps:
            origin = squares[:, nth.slot]
            target = nth.target[origin]
            free = target != NOWHERE
            for blocker in nth.blockers.T:
                free &= (squares != blocker[origin][:, None]).all(axis=1)
            there = squares == target[:, None]
            yield from self._to(squares, nth, target, None, np.flatnonzero(free & ~there.any(axis=1)))
            for victim in self._foes:
                if (nth.ways[:, victim + 1] != ILLEGAL).any():
                    yield from self._to(squares, nth, target, victim, np.flatnonzero(free & there[:, victim]))

    def _to(self, squares: Squares, nth: _Nth, target: NDArray[np.int8], victim: int | None, rows: Rows) -> Iterator[Landing]:
        """These rows' step, taking that slot, as landings."""
        ways = nth.ways[squares[rows, nth.slot], 0 if victim is None else victim + 1]
        for way in np.unique(ways).tolist():
            if way != ILLEGAL:
                some = rows[ways == way]
                after = squares[some]
                after[:, nth.slot] = target[some]
                yield Landing(some, way, after, victim)

    def escaped(self, squares: Squares) -> Flags:
        """Whether a piece has got away in each position; the twin of `tablebase.game.moves.has_escaped`."""
        escape, kinds = self.own.game.escape, self.own.game.kinds
        symbols = [kinds[self.own.material.kinds[piece]].symbol for piece in self.own.slots]
        if escape is None or self.side not in escape.to_move or escape.runner not in symbols:
            return np.zeros(len(squares), dtype=bool)
        open_squares: Flags = np.logical_not(self._guards[np.arange(len(symbols)), squares].any(axis=1))
        runner = squares[:, symbols.index(escape.runner)]
        rows = np.arange(len(squares))
        found: Flags = open_squares[rows, runner]
        if escape.room:
            kind = next(kind for kind in kinds if kind.symbol == escape.runner)
            near = np.zeros((len(self.own.game.board),) * 2, dtype=bool)
            for step in kind.steps:
                near[step.origin, step.target] = True
            found = found & (open_squares & near[runner]).any(axis=1)
        return found


def _guards(own: Layout) -> Flags:
    """[p, s, t]: whether slot p on square s guards square t."""
    count = len(own.game.board)
    guards = np.zeros((len(own.slots), count, count), dtype=bool)
    for slot, piece in enumerate(own.slots):
        symbol = own.game.kinds[own.material.kinds[piece]].symbol
        for square, zone in (own.game.escape.guarded.get(symbol, {}) if own.game.escape else {}).items():
            guards[slot, square, list(zone)] = True
    return guards


def _nth_steps(own: Layout, slot: int) -> Iterator[_Nth]:
    """The first, second, … step of a slot from each square."""
    kind = own.game.kinds[own.material.kinds[own.slots[slot]]]
    squares, slots = len(own.game.board), len(own.slots)
    for n in range(max(map(len, kind.steps_from.values()), default=0)):
        steps = {origin: some[n] for origin, some in kind.steps_from.items() if n < len(some)}
        nth = _Nth(
            slot=slot,
            target=np.full(squares, NOWHERE, dtype=np.int8),
            ways=np.full((squares, slots + 1), ILLEGAL, dtype=np.int32),
            blockers=_blockers(steps, squares),
        )
        for origin, step in steps.items():
            nth.target[origin] = step.target
            nth.ways[origin] = [destination(own, slot, step, victim) for victim in (None, *range(slots))]
        yield nth


def _blockers(steps: dict[int, Step], squares: int) -> NDArray[np.int8]:
    blockers = np.full((squares, max(len(step.empty) for step in steps.values())), NOWHERE, dtype=np.int8)
    for origin, step in steps.items():
        blockers[origin, : len(step.empty)] = sorted(step.empty)
    return blockers
