"""The check of any table, in NumPy, a block of positions at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tablebase.errors import CorruptTableError
from tablebase.game import Game, Outcome
from tablebase.game.notation import render
from tablebase.slices.conversions import ENDS, STAYS, SlotConversion, slot_conversions
from tablebase.slices.indexing import Layout, layout_of
from tablebase.slices.location import locate
from tablebase.slices.material import Material
from tablebase.slices.movegen import MoveGenerator
from tablebase.tables.summary import Summary, Tally
from tablebase.values import STALEMATE, Codes, Coding, Value, merit, next_code

BLOCK = 1 << 17
NO_MOVE = np.iinfo(np.int32).min
WIN_NOW = Value(Outcome.WIN, 1).merit

Load = Callable[[Material, int], tuple[Codes, Coding]]
Int32 = NDArray[np.int32]


@dataclass(frozen=True)
class _Child:
    """Where positions go by one exit, or within the slice."""

    layout: Layout
    order: list[int]
    squares: NDArray[np.int8]
    merits: Int32


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
    own = layout_of(game, material)
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
    way = locate(game, own.material, 1 - side)
    order = [own.slots.index(way.pairing[piece]) for piece in own.slots]
    return _Child(own, order, np.array(game.swap, dtype=np.int8), _merits(coding)[codes[way.side]])


def _merits(coding: Coding) -> Int32:
    """What moving into a position is worth, as a merit, for each of its codes."""
    return np.array([merit(next_code(c, coding.stride), coding.stride) for c in range(coding.void + 1)], dtype=np.int32)


class _Checker:
    """Compares the codes of one side to move with what the moves give."""

    def __init__(self, game: Game, own: Layout, side: int, codes: Codes, coding: Coding, quiet: _Child, load: Load) -> None:
        self.game, self.own, self.side, self.codes, self.coding = game, own, side, codes, coding
        self.generator = MoveGenerator(own, side)
        self.children = {STAYS: quiet}
        for number, way in enumerate(slot_conversions(game, own.material), start=1):
            if way.side != side:
                self.children[number] = self._child(way, load)
        self.own_merits = np.array([merit(c, coding.stride) for c in range(coding.void + 1)], dtype=np.int32)

    def _child(self, way: SlotConversion, load: Load) -> _Child:
        target = locate(self.game, way.child, way.side)
        there = layout_of(self.game, target.material)
        order = [way.rest[target.pairing[piece]] for piece in there.slots]
        image = self.game.swap if target.swapped and self.game.swap is not None else range(len(self.game.board))
        codes, coding = load(target.material, target.side)
        return _Child(there, order, np.array(image, dtype=np.int8), _merits(coding)[codes])

    def check(self, index: NDArray[np.int64]) -> NDArray[np.int64]:
        """Check these indices; those of them that are positions."""
        squares, legal = self.own.squares_many(index)
        index, squares = index[legal], squares[legal]
        best = np.full(len(index), NO_MOVE, dtype=np.int32)
        for landing in self.generator.landings(squares):
            worth: Int32 | int = WIN_NOW
            if landing.way != ENDS:
                child = self.children[landing.way]
                worth = child.merits[child.layout.index_many(child.squares[landing.squares[:, child.order]])]
            best[landing.rows] = np.maximum(best[landing.rows], worth)
        stuck = best == NO_MOVE
        self._end(best, stuck, self.generator.escaped(squares) & ~stuck)
        found = self.codes[index]
        stalemate = stuck if self.game.no_move is Outcome.DRAW else np.False_
        right = (self.own_merits[found] == best) & ((found == STALEMATE) == stalemate)
        if not right.all():
            raise contradiction(self.own, self.side, int(index[np.argmin(right)]), self.codes, self.coding)
        return index

    def _end(self, best: Int32, stuck: NDArray[np.bool_], escaped: NDArray[np.bool_]) -> None:
        """What positions are worth that are over."""
        best[stuck] = 0 if self.game.no_move is Outcome.DRAW else Value(Outcome.LOSS, 0).merit
        if self.game.escape is not None:
            winner = self.game.side_of(self.game.by_symbol[self.game.escape.runner])
            best[escaped] = Value(Outcome.WIN if winner == self.side else Outcome.LOSS, 0).merit


def contradiction(own: Layout, side: int, index: int, codes: Codes, coding: Coding) -> CorruptTableError:
    """The error that names a position whose code its moves contradict."""
    position = own.position(index, side)
    assert position is not None
    code = int(codes[index])
    value = coding.value(code)
    says = str(value.outcome) if value.distance is None else f"{value.outcome} in {value.distance}"
    says = "draw without a legal move" if code == STALEMATE else says
    return CorruptTableError(f"{render(own.game, position)} is stored as a {says}, which its moves contradict")
