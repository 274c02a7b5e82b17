"""Rows of the tables of positions and of moves, before columns are computed of them."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tablebase.mining.block import Image, like_pieces, mapped, side_by_side
from tablebase.mining.move_values import RowMoves, slice_moves
from tablebase.slices.location import StoredSlice
from tablebase.slices.mixed import Positions
from tablebase.tables.values import Codes

Int64 = NDArray[np.int64]

MOST_MOVES = 1 << 12
"""A position has fewer moves."""


class Rows:
    """Positions of one slice under its own name; what is not needed of them is not computed."""

    def __init__(self, image: Image, slice_: StoredSlice) -> None:
        self.image, self.slice, self.coding = image, slice_, image.block.coding

    def __len__(self) -> int:
        return len(self.image.offsets)

    @property
    def name(self) -> tuple[object, ...]:
        """The slice, for hashes."""
        return self.slice.side, self.slice.material.kinds, self.slice.material.advance

    @property
    def codes(self) -> Codes:
        """Their codes."""
        return self.image.codes

    @property
    def other_codes(self) -> Codes:
        """Codes of the same placements with the other side to move."""
        return self.image.other_codes

    @property
    def numbers(self) -> Int64:
        """A number for each that no other row of the slice has."""
        return 2 * (self.image.block.begin + self.image.offsets) + self.image.mirrored

    @cached_property
    def positions(self) -> Positions:
        """Their squares."""
        layout, material, location = self.image.block.layout, self.slice.material, self.slice.location
        by_slot = mapped(layout.game.swap, self.image.squares) if location.swapped else self.image.squares
        slots = np.argsort([location.pairing[piece] for piece in layout.slots])
        squares = side_by_side([by_slot[:, slot] for slot in slots])
        for alike in like_pieces(material.kinds):
            squares[:, alike] = np.sort(squares[:, alike], axis=1)
        # Several columns share them.
        squares.flags.writeable = False
        return Positions(layout.game, material, self.slice.side, squares)

    @cached_property
    def moves(self) -> RowMoves:
        """Their moves."""
        image, location = self.image, self.slice.location
        layout = image.block.layout
        game = layout.game
        squares = np.arange(len(game.board), dtype=np.int8)
        for symmetry, applies in ((game.mirror, image.mirrored), (game.swap, location.swapped)):
            squares = np.array(symmetry, dtype=np.int8)[squares] if applies else squares
        kinds = np.array([self.slice.material.kinds[location.pairing[piece]] for piece in layout.slots], dtype=np.int16)
        moves = slice_moves(game, layout.material, image.block.side)
        places = np.arange(len(image.offsets)) if image.places is None else image.places
        return RowMoves(game, moves, image.listed, places, squares, kinds)

    def some(self, where: Int64) -> Rows:
        """Those at these places."""
        return Rows(self.image.some(where), self.slice)


class MoveRows(Rows):
    """The moves of rows, a row each; what is said of the position is said of each of its moves.

    By default these are all moves; else `spread` has for each move the place of its row, and its number among those listed.
    """

    def __init__(self, rows: Rows, spread: tuple[Int64, Int64] | None = None) -> None:
        self.rows, self.of_rows = rows, rows.moves
        self.row, self.number = self.of_rows.spread if spread is None else spread
        super().__init__(rows.image.some(self.row), rows.slice)

    @property
    def numbers(self) -> Int64:
        """A number for each that no other row of the slice has."""
        return super().numbers * MOST_MOVES + self.number - self.of_rows.first[self.row]

    @cached_property
    def positions(self) -> Positions:
        """The squares of their positions, found once for each position."""
        return self.rows.positions.take(self.row)

    def some(self, where: Int64) -> MoveRows:
        """Those at these places."""
        return MoveRows(self.rows, (self.row[where], self.number[where]))
