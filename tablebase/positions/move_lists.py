"""The moves of many positions of one slice, listed by a kernel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tablebase.game import Game
from tablebase.game.moves import Position
from tablebase.positions.conversions import slot_conversions
from tablebase.positions.index_arrays import ListedSlice, index_arrays, index_terms
from tablebase.positions.indexing import Squares, layout_of
from tablebase.positions.location import Address, locate
from tablebase.positions.material import Material
from tablebase.positions.rule_arrays import compile_rules
from tablebase.positions.slice_arrays import Int8, Int32, Int64, child_locations, slice_arrays, slice_steps


class MoveList(NamedTuple):
    """Moves of positions; those of position i are ``begin[i]:begin[i + 1]``. Other arrays have the shape (moves,)."""

    begin: Int64  # (positions + 1,)
    steps: Int32  # numbers of steps of `MoveLister`
    victims: Int8  # the captured slot, or -1
    destinations: Int32  # where the move leads: `STAYS`, `ENDS` or the number of a conversion
    numbers: Int64  # the index there, in the table of `MoveLister.locations`; 0 for a move that ends the game


class MoveLister:
    """Lists the moves of positions of a stored material with one side to move."""

    def __init__(self, game: Game, material: Material, side: int) -> None:
        layout, inner = layout_of(game, material), locate(game, material, 1 - side)
        children = child_locations(layout)
        # By destination, where the position after a move is stored, and the side to move there; 0 is the material itself.
        self.side, self.locations = side, [inner, *children]
        self.sides_to_move = [1 - side, *(conversion.side for conversion in slot_conversions(game, material))]
        other, layouts = Address(game, inner), [layout_of(game, each.material) for each in self.locations]
        arrays = slice_arrays(layout, children)
        arrays.child_slot[0] = [layout.slots.index(piece) for piece in other.pieces]
        arrays.child_square[0] = other.image
        steps = slice_steps(layout)
        # The piece that makes each step, by its slot, and the squares between which it moves.
        self.slots = np.array([slot for slot, _ in steps], dtype=np.int8)
        self.origins = np.array([step.origin for _, step in steps], dtype=np.int8)
        self.targets = np.array([step.target for _, step in steps], dtype=np.int8)
        self._slice = ListedSlice(
            rules=compile_rules(game),
            arrays=arrays,
            layouts=index_arrays(game, layouts),
            child_slots=np.array([len(each.slots) for each in layouts], dtype=np.int64),
            terms=index_terms(game, layouts, arrays.child_slot, arrays.child_square),
            kinds=np.array([material.kinds[piece] for piece in layout.slots], dtype=np.int8),
            twins=_earlier([(slot, step.origin, step.target) for slot, step in steps]),
            side=side,
        )
        # The most moves of a position: those of the best square of each piece.
        self.most = int(np.diff(arrays.step_begin, axis=1).max(axis=1, initial=0).sum())

    def list(self, squares: Squares) -> MoveList:
        """The moves of positions, given by the square of each slot; each move once, none where a piece has escaped."""
        # Imported here because Numba is slow to load.
        from tablebase.positions.bit_board import set_up
        from tablebase.positions.slice_moves import list_slice_moves

        size = len(squares) * self.most
        begin, numbers = np.empty(len(squares) + 1, dtype=np.int64), np.empty(size, dtype=np.int64)
        steps, destinations = np.empty((2, size), dtype=np.int32)
        victims, rows = np.empty(size, dtype=np.int8), np.ascontiguousarray(squares)
        board = set_up(self._slice.rules, Position((), self._slice.side))
        count = list_slice_moves(self._slice, board, rows, begin, steps, victims, destinations, numbers)
        return MoveList(begin, steps[:count], victims[:count], destinations[:count], numbers[:count])


def _earlier(keys: Sequence[tuple[int, int, int]]) -> Int32:
    """For each key the place of the last equal one before it, or -1."""
    seen: dict[tuple[int, int, int], int] = {}
    earlier = np.full(len(keys), -1, dtype=np.int32)
    for place, key in enumerate(keys):
        earlier[place] = seen.get(key, -1)
        seen[key] = place
    return earlier
