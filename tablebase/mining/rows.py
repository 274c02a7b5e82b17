"""Rows of the tables of positions and of moves, before columns are computed of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tablebase.mining.moves import RowMoves
from tablebase.slices.location import StoredSlice
from tablebase.slices.positions import Positions
from tablebase.tables.values import Codes, Coding

Int64 = NDArray[np.int64]

MOST_MOVES = 1 << 12
"""A position has fewer moves."""


class Rows:
    """Positions of one slice under its own name.

    Parameters
    ----------
    slice_ : StoredSlice
    codes : ndarray
    coding : Coding
    make_numbers : callable
        Computes a number for each that no other row of the slice has, on first use.
    make_positions : callable
        Computes their squares, on first use.
    make_other_codes : callable
        Reads the codes of the same placements with the other side to move, on first use.
    make_moves : callable
        Lists their moves, on first use.
    make_some : callable
        Makes those at some places, of which nothing has been computed.
    """

    def __init__(
        self,
        slice_: StoredSlice,
        codes: Codes,
        coding: Coding,
        make_numbers: Callable[[], Int64],
        make_positions: Callable[[], Positions],
        make_other_codes: Callable[[], Codes],
        make_moves: Callable[[], RowMoves],
        make_some: Callable[[Int64], Rows],
    ) -> None:
        self.slice, self.codes, self.coding, self._make_numbers = slice_, codes, coding, make_numbers
        self._make_positions, self._make_other_codes, self._make_moves = make_positions, make_other_codes, make_moves
        self.some = make_some

    def __len__(self) -> int:
        return len(self.codes)

    @cached_property
    def numbers(self) -> Int64:
        """A number for each that no other row of the slice has."""
        return self._make_numbers()

    @cached_property
    def positions(self) -> Positions:
        """Their squares."""
        return self._make_positions()

    @cached_property
    def other_codes(self) -> Codes:
        """Codes of the same placements with the other side to move."""
        return self._make_other_codes()

    @cached_property
    def moves(self) -> RowMoves:
        """Their moves."""
        return self._make_moves()

    def take(self, where: Int64) -> Rows:
        """The rows at these places, made from what is computed of all."""
        return Rows(
            self.slice,
            self.codes[where],
            self.coding,
            lambda: self.numbers[where],
            lambda: self.positions.take(where),
            lambda: self.other_codes[where],
            lambda: self.moves.take(where),
            lambda places: self.some(where[places]),
        )


class MoveRows(Rows):
    """The moves of rows, a row each; what is said of the position is said of each of its moves.

    Parameters
    ----------
    rows : Rows
    spread : tuple of ndarray of int64, optional
        For each move the place of its row, and its number among those listed; by default of all moves.
    """

    def __init__(self, rows: Rows, spread: tuple[Int64, Int64] | None = None) -> None:
        self.of_rows = rows.moves
        self.row, self.number = self.of_rows.spread if spread is None else spread
        taken = rows.take(self.row)
        super().__init__(
            rows.slice,
            taken.codes,
            rows.coding,
            lambda: taken.numbers * MOST_MOVES + self.number - self.of_rows.first[self.row],
            lambda: taken.positions,
            lambda: taken.other_codes,
            lambda: taken.moves,
            lambda places: MoveRows(rows, (self.row[places], self.number[places])),
        )
