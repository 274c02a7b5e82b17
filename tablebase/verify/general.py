"""The check of any table, in NumPy, a block of positions at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tablebase.errors import CorruptTableError
from tablebase.game import Game, Outcome
from tablebase.indexing import Layout, Squares, layout
from tablebase.material import Material, captures, route
from tablebase.notation import render
from tablebase.summary import Summary, Tally
from tablebase.values import STALEMATE, Codes, Coding, Value, merit, next_code

BLOCK = 1 << 17
NOWHERE = -1
NO_MOVE = np.iinfo(np.int32).min
WIN_NOW = Value(Outcome.WIN, 1).merit

Load = Callable[[Material, int], tuple[Codes, Coding]]
Int32 = NDArray[np.int32]


@dataclass(frozen=True)
class _Child:
    """Where positions go when one slot is captured."""

    layout: Layout
    order: list[int]
    squares: NDArray[np.int8]
    merits: Int32


@dataclass(frozen=True)
class _Steps:
    """The n-th step of one slot from each square, for a fixed n; shapes (squares, …)."""

    target: NDArray[np.int8]
    quiet: NDArray[np.bool_]
    wins: NDArray[np.bool_]
    takes: NDArray[np.bool_]  # (squares, slots)
    blockers: NDArray[np.int8]  # (squares, most blockers), NOWHERE where there are fewer


def verify_codes(game: Game, material: Material, codes: dict[int, Codes], coding: Coding, load: Load) -> dict[int, Summary]:
    """Check the codes of a table one ply deep.

    Parameters
    ----------
    game : Game
    material : Material
    codes : dict of int to ndarray
        By side to move that the table stores; void indices may hold anything.
    coding : Coding
    load : callable
        Gives codes and coding of the tables that captures lead to.

    Returns
    -------
    dict of int to Summary
        The statistics of each side to move, counted anew.

    Raises
    ------
    CorruptTableError
        Naming the first position that contradicts its moves.
    """
    own = layout(game, material)
    summaries = {}
    for side, some in codes.items():
        checker = _Checker(game, own, side, some, coding, _other_side(game, own, side, codes, coding), load)
        tally = Tally(coding)
        for begin in range(0, own.size, BLOCK):
            index = checker.check(np.arange(begin, min(begin + BLOCK, own.size)))
            tally.add(some[index], index, own.weights_many(index))
        summaries[side] = tally.summary()
    return summaries


def _other_side(game: Game, own: Layout, side: int, codes: dict[int, Codes], coding: Coding) -> _Child:
    """Where quiet moves lead: the other side to move, by colour swap if the table stores one side only."""
    if 1 - side in codes:
        identity = list(range(len(own.slots)))
        return _Child(own, identity, np.arange(len(game.board), dtype=np.int8), _merits(coding)[codes[1 - side]])
    way = route(game, own.material, 1 - side)
    order = [own.slots.index(way.order[piece]) for piece in own.slots]
    return _Child(own, order, np.array(game.swap, dtype=np.int8), _merits(coding)[codes[way.side]])


def _merits(coding: Coding) -> Int32:
    """What moving into a position is worth, as a merit, for each of its codes."""
    return np.array([merit(next_code(c, coding.stride), coding.stride) for c in range(coding.void + 1)], dtype=np.int32)


class _Checker:
    """Compares the codes of one side to move with what the moves give."""

    def __init__(self, game: Game, own: Layout, side: int, codes: Codes, coding: Coding, quiet: _Child, load: Load) -> None:
        self.game, self.own, self.side, self.codes, self.coding = game, own, side, codes, coding
        self.quiet = quiet
        kinds = [own.material.kinds[piece] for piece in own.slots]
        self.owner = [game.side_of(kind) for kind in kinds]
        self.steps = {slot: _steps(game, kinds, slot) for slot in range(len(kinds)) if self.owner[slot] == side}
        self.children = {}
        for piece, child in captures(game, own.material).items():
            if game.side_of(own.material.kinds[piece]) != side:
                self.children[own.slots.index(piece)] = self._child(piece, child, load)
        self.own_merits = np.array([merit(c, coding.stride) for c in range(coding.void + 1)], dtype=np.int32)

    def _child(self, piece: int, child: Material, load: Load) -> _Child:
        way = route(self.game, child, 1 - self.side)
        target = layout(self.game, way.table)
        left = [other for other in range(self.own.material.pieces) if other != piece]
        order = [self.own.slots.index(left[way.order[one]]) for one in target.slots]
        image = self.game.swap if way.swapped and self.game.swap is not None else range(len(self.game.board))
        codes, coding = load(way.table, way.side)
        return _Child(target, order, np.array(image, dtype=np.int8), _merits(coding)[codes])

    def check(self, index: NDArray[np.int64]) -> NDArray[np.int64]:
        """Check these indices; those of them that are positions."""
        squares, legal = self.own.squares_many(index)
        index, squares = index[legal], squares[legal]
        best = np.full(len(index), NO_MOVE, dtype=np.int32)
        for slot, steps in self.steps.items():
            for step in steps:
                self._try(best, squares, slot, step)
        found = self.codes[index]
        stuck = best == NO_MOVE
        if self.game.no_move is Outcome.DRAW:
            right = np.where(stuck, found == STALEMATE, (self.own_merits[found] == best) & (found != STALEMATE))
        else:
            best[stuck] = Value(Outcome.LOSS, 0).merit
            right = (self.own_merits[found] == best) & (found != STALEMATE)
        if not right.all():
            raise contradiction(self.own, self.side, int(index[np.argmin(right)]), self.codes, self.coding)
        return index

    def _try(self, best: Int32, squares: Squares, slot: int, step: _Steps) -> None:
        """Raise `best` where this step is legal and worth more."""
        origin = squares[:, slot]
        target = step.target[origin]
        free = target != NOWHERE
        for blocker in step.blockers.T:
            for other in range(squares.shape[1]):
                free &= squares[:, other] != blocker[origin]
        empty = free.copy()
        for other in range(squares.shape[1]):
            if other == slot:
                continue
            there = free & (squares[:, other] == target)
            empty &= ~there
            if self.owner[other] != self.side:
                self._capture(best, squares, slot, target, step, other, np.flatnonzero(there & step.takes[origin, other]))
        empty &= step.quiet[origin]
        wins = step.wins[origin]
        best[empty & wins] = np.maximum(best[empty & wins], WIN_NOW)
        self._go(best, squares, slot, target, self.quiet, np.flatnonzero(empty & ~wins))

    def _capture(
        self, best: Int32, squares: Squares, slot: int, target: NDArray[np.int8], step: _Steps, victim: int, rows: NDArray[np.int64]
    ) -> None:
        wins = step.wins[squares[rows, slot]]
        if victim not in self.children:
            wins[:] = True
        best[rows[wins]] = np.maximum(best[rows[wins]], WIN_NOW)
        if victim in self.children:
            self._go(best, squares, slot, target, self.children[victim], rows[~wins])

    def _go(
        self, best: Int32, squares: Squares, slot: int, target: NDArray[np.int8], child: _Child, rows: NDArray[np.int64]
    ) -> None:
        """Look the positions after the step up, for these rows."""
        if len(rows):
            after = squares[rows]
            after[:, slot] = target[rows]
            number = child.layout.index_many(child.squares[after[:, child.order]])
            best[rows] = np.maximum(best[rows], child.merits[number])


def contradiction(own: Layout, side: int, index: int, codes: Codes, coding: Coding) -> CorruptTableError:
    """The error that names a position whose code its moves contradict."""
    position = own.position(index, side)
    assert position is not None
    code = int(codes[index])
    value = coding.value(code)
    says = str(value.outcome) if value.distance is None else f"{value.outcome} in {value.distance}"
    says = "draw without a legal move" if code == STALEMATE else says
    return CorruptTableError(f"{render(own.game, position)} is stored as a {says}, which its moves contradict")


def _steps(game: Game, kinds: list[int], slot: int) -> list[_Steps]:
    """The first, second, … step of a slot's kind from each square."""
    kind = game.kinds[kinds[slot]]
    most = max((len(step.empty) for step in kind.steps), default=0)
    squares = len(game.board)
    found = []
    for n in range(max(map(len, kind.steps_from.values()), default=0)):
        nth = {origin: steps[n] for origin, steps in kind.steps_from.items() if n < len(steps)}
        arrays = _Steps(
            target=np.full(squares, NOWHERE, dtype=np.int8),
            quiet=np.zeros(squares, dtype=bool),
            wins=np.zeros(squares, dtype=bool),
            takes=np.zeros((squares, len(kinds)), dtype=bool),
            blockers=np.full((squares, most), NOWHERE, dtype=np.int8),
        )
        for origin, step in nth.items():
            arrays.target[origin], arrays.quiet[origin], arrays.wins[origin] = step.target, step.quiet, step.wins
            arrays.takes[origin] = [game.kinds[other].symbol in step.victims for other in kinds]
            arrays.blockers[origin, : len(step.empty)] = sorted(step.empty)
        used = (arrays.blockers != NOWHERE).any(axis=0)
        found.append(_Steps(arrays.target, arrays.quiet, arrays.wins, arrays.takes, arrays.blockers[:, used]))
    return found
