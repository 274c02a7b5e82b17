"""The general checker: verifies any table, in NumPy, one block of positions at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from tablebase.errors import CorruptTableError
from tablebase.game import Game, Outcome
from tablebase.game.notation import render
from tablebase.positions.conversions import ENDS, STAYS, SlotConversion, slot_conversions
from tablebase.positions.indexing import Layout, Squares, layout_of
from tablebase.positions.location import Address, locate
from tablebase.positions.material import Material
from tablebase.positions.movegen import MoveGenerator
from tablebase.system.compute.messages import reach
from tablebase.tables.summary import CodeTally, Summary
from tablebase.tables.values import STALEMATE, Codes, CodeSource, Coding, Value, merit, next_code

BLOCK = 1 << 17
NO_MOVE = np.iinfo(np.int32).min
IMPOSSIBLE = NO_MOVE + 1
"""The merit of void, which no position has."""
WIN_NOW = Value(Outcome.WIN, 1).merit

Int32 = NDArray[np.int32]
Load = Callable[[Material, int], tuple[Codes, Coding]]
"""Returns the codes of a stored material for one side to move, and their coding."""


def contradiction(layout: Layout, side: int, index: int, codes: CodeSource, coding: Coding) -> CorruptTableError:
    """The error that names a position whose code contradicts its moves."""
    position = layout.position(index, side)
    assert position is not None
    code = int(codes[index : index + 1][0])
    stored = "draw without a legal move" if code == STALEMATE else coding.value(code).said
    text = render(layout.game, position)
    return CorruptTableError(f"{text} is stored as a {stored}, which contradicts its moves and the values after them")


@dataclass(frozen=True)
class _Child:
    layout: Layout
    order: list[int]  # the parent's slot that plays each slot of the child
    image: NDArray[np.int8]  # image of each square in the child
    merits: Int32  # what moving into each position of the child is worth


def verify_codes(game: Game, material: Material, codes: dict[int, Codes], coding: Coding, load: Load) -> dict[int, Summary]:
    """Check the codes of a table one ply deep; return the statistics of each side to move, counted afresh.

    `codes` are by side to move, for the sides that the table stores; void indices may hold anything. A `CorruptTableError`
    names the first position that contradicts its moves.
    """
    layout = layout_of(game, material)
    summaries = {}
    done, total = 0, layout.size * len(codes)
    for side, stored in codes.items():
        checker = _Checker(game, layout, side, stored, coding, _other_side(game, layout, side, codes, coding), load)
        tally = CodeTally(coding)
        for begin in range(0, layout.size, BLOCK):
            index = checker.check(np.arange(begin, min(begin + BLOCK, layout.size)))
            tally.add(stored[index], index, layout.weights_many(index))
            done += min(BLOCK, layout.size - begin)
            reach("verifying", done, total)
        summaries[side] = tally.summary()
    return summaries


def _other_side(game: Game, layout: Layout, side: int, codes: dict[int, Codes], coding: Coding) -> _Child:
    """Return where moves within the slice lead: the other side to move, by colour swap if the table stores one side only."""
    if 1 - side in codes:
        identity = list(range(len(layout.slots)))
        return _Child(layout, identity, np.arange(len(game.board), dtype=np.int8), _move_merits(coding)[codes[1 - side]])
    other = Address(game, locate(game, layout.material, 1 - side))
    order = [layout.slots.index(piece) for piece in other.pieces]
    return _Child(layout, order, np.array(other.image, dtype=np.int8), _move_merits(coding)[codes[other.side]])


@cache
def _move_merits(coding: Coding) -> Int32:
    """For each code the merit of a move into a position with that code."""
    return np.array([merit(next_code(code, coding.stride), coding.stride) for code in range(coding.void + 1)], dtype=np.int32)


class _Checker:
    def __init__(self, game: Game, layout: Layout, side: int, codes: Codes, coding: Coding, inner: _Child, load: Load) -> None:
        self.game, self.layout, self.side, self.codes, self.coding = game, layout, side, codes, coding
        self.generator = MoveGenerator(layout, side)
        self.children = {STAYS: inner}
        for number, conversion in enumerate(slot_conversions(game, layout.material), start=1):
            if conversion.side != side:
                self.children[number] = self._child(conversion, load)
        self.merits = np.array([merit(code, coding.stride) for code in range(coding.void)] + [IMPOSSIBLE], dtype=np.int32)

    def _child(self, conversion: SlotConversion, load: Load) -> _Child:
        child = Address(self.game, locate(self.game, conversion.child, conversion.side))
        order = [conversion.rest[piece] for piece in child.pieces]
        codes, coding = load(child.material, child.side)
        return _Child(child.layout, order, np.array(child.image, dtype=np.int8), _move_merits(coding)[codes])

    def check(self, index: NDArray[np.int64]) -> NDArray[np.int64]:
        """Check these indices; return those that are not void."""
        squares, legal = self.layout.squares_many(index)
        index, squares = index[legal], squares[legal]
        best = self._best_merits(squares)
        codes = self.codes[index]
        stalemate = best == NO_MOVE if self.game.no_move is Outcome.DRAW else np.False_
        self._set_over(best, squares)
        right = (self.merits[codes] == best) & ((codes == STALEMATE) == stalemate)
        if not right.all():
            raise contradiction(self.layout, self.side, int(index[np.argmin(right)]), self.codes, self.coding)
        return index

    def _best_merits(self, squares: Squares) -> Int32:
        """The merit of the best move of each position, `NO_MOVE` where there is none."""
        best = np.full(len(squares), NO_MOVE, dtype=np.int32)
        for batch in self.generator.moves(squares):
            worth: Int32 | int = WIN_NOW
            if batch.destination != ENDS:
                child = self.children[batch.destination]
                worth = child.merits[child.layout.index_many(child.image[batch.squares[:, child.order]])]
            best[batch.rows] = np.maximum(best[batch.rows], worth)
        return best

    def _set_over(self, best: Int32, squares: Squares) -> None:
        stuck = best == NO_MOVE
        escaped = self.generator.escaped(squares) & ~stuck
        best[stuck] = 0 if self.game.no_move is Outcome.DRAW else Value(Outcome.LOSS, 0).merit
        best[escaped] = Value(Outcome.WIN if self.game.runner_side == self.side else Outcome.LOSS, 0).merit
