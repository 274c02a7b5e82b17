"""Rows of the tables of positions and of moves, before columns are computed of them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.game import Game
from tablebase.mining.block import FoundPositions, mapped, side_by_side, tally_of
from tablebase.mining.board_text import BITS
from tablebase.mining.move_values import RowMoves, slice_moves
from tablebase.positions.indexing import Layout, Squares
from tablebase.positions.location import StoredSlice
from tablebase.positions.many import Positions
from tablebase.positions.material import material_name
from tablebase.tables.values import Codes

if TYPE_CHECKING:
    from tablebase.mining.tally import Tally

Int8 = NDArray[np.int8]
Int64 = NDArray[np.int64]

MOST_MOVES = 1 << 12
"""A position has fewer moves."""


class Rows:
    """Positions of one slice under its own name, or their mirror images: those at some places among `found`, or all."""

    def __init__(self, found: FoundPositions, slice_: StoredSlice, mirrored: bool, places: Int64 | None) -> None:
        self.found, self.slice, self.mirrored, self.places = found, slice_, mirrored, places
        self.layout, self.coding = found.block.layout, found.block.coding

    def __len__(self) -> int:
        return len(self.found.offsets if self.places is None else self.places)

    @property
    def name(self) -> tuple[object, ...]:
        """The slice, for hashes."""
        return self.slice.side, self.slice.material.kinds, self.slice.material.advance

    @property
    def group(self) -> object:
        """The stored side that they are read from."""
        return self.slice.location.material, self.slice.location.side

    @property
    def place(self) -> str:
        """The folder for the rows of the slice."""
        return slice_place(self.layout.game, self.slice)

    @property
    def codes(self) -> Codes:
        """Their codes."""
        codes = self.found.codes
        return codes if self.places is None else codes.take(self.places)

    @property
    def other_codes(self) -> Codes:
        """Codes of the same placements with the other side to move."""
        codes = self.found.other_codes
        return codes if self.places is None else codes.take(self.places)

    def tally(self, *, pairs: bool) -> Tally | None:
        """Return how often each code occurs, or each pair of codes with either side to move; None if there may be too many."""
        if self.places is None:
            # Aliases and mirror images share it.
            return self.found.pairs if pairs else self.found.values
        return tally_of(self.codes, self.other_codes) if pairs else tally_of(self.codes)

    @property
    def position_numbers(self) -> Int64:
        """Numbers that no other positions of the slice have; see `positions_of`."""
        offsets = self.found.offsets if self.places is None else self.found.offsets[self.places]
        return 2 * (self.found.block.begin + offsets) + self.mirrored

    @property
    def numbers(self) -> Int64:
        """A number for each that no other row of the slice has."""
        return self.position_numbers

    @cached_property
    def positions(self) -> Positions:
        """Their squares."""
        if self.places is None:
            # Aliases share those of mirror images.
            squares = self.found.mirrored if self.mirrored else self.found.squares
        else:
            squares = side_by_side([column.take(self.places) for column in self.found.squares.T])
            squares = mapped(self.layout.game.mirror, squares) if self.mirrored else squares
        return _pieces(self.layout, self.slice, squares)

    @cached_property
    def moves(self) -> RowMoves:
        """Their moves."""
        layout, kinds = self.layout, self.slice.material.kinds
        by_slot = np.array([kinds[self.slice.location.pairing[piece]] for piece in layout.slots], dtype=np.int16)
        places = np.arange(len(self)) if self.places is None else self.places
        moves = slice_moves(layout.game, layout.material, self.found.block.side)
        image = np.arange(len(layout.game.board), dtype=np.int8)
        for symmetry, applies in ((layout.game.mirror, self.mirrored), (layout.game.swap, self.slice.location.swapped)):
            image = np.array(symmetry, dtype=np.int8)[image] if applies else image
        return RowMoves(layout.game, moves, self.found.listed, places, image, by_slot)

    def some(self, where: Int64) -> Rows:
        """Select rows by place."""
        return Rows(self.found, self.slice, self.mirrored, where if self.places is None else self.places[where])


class MoveRows(Rows):
    """The moves of rows, a row each; what is said of the position is said of each of its moves.

    By default these are all moves; else `spread` has for each move the place of its row, and its number among those listed.
    """

    def __init__(self, rows: Rows, spread: tuple[Int64, Int64] | None = None) -> None:
        self.rows, self.of_rows = rows, rows.moves
        self.row, self.number = self.of_rows.spread if spread is None else spread
        super().__init__(rows.found, rows.slice, rows.mirrored, self.of_rows.places[self.row])

    @property
    def numbers(self) -> Int64:
        """A number for each that no other row of the slice has."""
        return self.position_numbers * MOST_MOVES + self.number - self.of_rows.first[self.row]

    @cached_property
    def positions(self) -> Positions:
        """The squares of their positions, found once for each position."""
        return self.rows.positions.take(self.row)

    @cached_property
    def steps(self) -> NDArray[np.int32]:
        """The number of the step of each move."""
        return self.of_rows.listed.steps[self.number]

    @cached_property
    def victims(self) -> Int8:
        """The slot that each move captures, or -1."""
        return self.of_rows.listed.victims[self.number]

    @property
    def origins(self) -> Int8:
        """Origin of each move."""
        return self.of_rows.image[self.of_rows.moves.origins[self.steps]]

    @property
    def targets(self) -> Int8:
        """Target of each move."""
        return self.of_rows.image[self.of_rows.moves.targets[self.steps]]

    @property
    def ends(self) -> NDArray[np.bool_]:
        """True if each move ends the game."""
        return self.of_rows.listed.ends[self.number]

    @property
    def ways(self) -> NDArray[np.int16]:
        """Both squares of each move as a number, or -1 if it ends the game."""
        return np.where(self.ends, -1, (self.origins.astype(np.int16) << BITS) + self.targets).astype(np.int16)

    def some(self, where: Int64) -> MoveRows:
        """Select moves by place."""
        return MoveRows(self.rows, (self.row[where], self.number[where]))


class Named(NamedTuple):
    """Rows that are known by the numbers of their positions: all that texts are made from."""

    positions: Positions
    ways: NDArray[np.integer]  # of moves; see `MoveRows`


def positions_of(layout: Layout, slice_: StoredSlice, numbers: Int64) -> Positions:
    """The positions of a slice with these numbers; see `Rows`."""
    squares, _ = layout.squares_many(numbers // 2)
    if (numbers % 2).any():
        squares = np.where((numbers % 2 == 1)[:, None], mapped(layout.game.mirror, squares), squares)
    return _pieces(layout, slice_, squares)


def slice_place(game: Game, slice_: StoredSlice) -> str:
    """The folder for the rows of a slice, named in the way of Hive."""
    material, side = material_name(game, slice_.material), game.sides[slice_.side].letter
    return f"pieces={slice_.material.pieces}/material={material}/side={side}"


def _pieces(layout: Layout, slice_: StoredSlice, squares: Squares) -> Positions:
    """Positions of a slice under its own name, given the squares of each slot."""
    location, kinds = slice_.location, slice_.material.kinds
    by_slot = mapped(layout.game.swap, squares) if location.swapped else squares
    squares = side_by_side([by_slot[:, slot] for slot in np.argsort([location.pairing[piece] for piece in layout.slots])])
    for kind in {kind for kind in kinds if kinds.count(kind) > 1}:
        # Pieces of the same kind are listed in the order of their squares.
        alike = slice(kinds.index(kind), kinds.index(kind) + kinds.count(kind))
        squares[:, alike] = np.sort(squares[:, alike], axis=1)
    # Several columns share them.
    squares.flags.writeable = False
    return Positions(layout.game, slice_.material, slice_.side, squares)
