"""Rows of the tables of positions and of moves, before columns are computed of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tablebase.mining.moves import RowMoves
from tablebase.slices.location import StoredSlice
from tablebase.slices.positions import Positions
from tablebase.values import Codes, Coding

Int64 = NDArray[np.int64]


class Rows:
    """Positions of one slice under its own name.

    Parameters
    ----------
    slice_ : StoredSlice
    key : tuple of int
        Numbers that distinguish these rows from all others of the slice.
    codes : ndarray
    coding : Coding
    make_positions : callable
        Computes their squares, on first use.
    make_other_codes : callable
        Reads the codes of the same placements with the other side to move, on first use; given the positions.
    make_moves : callable
        Lists their moves, on first use.
    columns : dict of str to pyarrow.Array, optional
        Columns made from the codes alone, which rows with the same codes share.
    """

    def __init__(
        self,
        slice_: StoredSlice,
        key: tuple[int, ...],
        codes: Codes,
        coding: Coding,
        make_positions: Callable[[], Positions],
        make_other_codes: Callable[[Positions], Codes],
        make_moves: Callable[[], RowMoves],
        columns: dict[str, pa.Array] | None = None,
    ) -> None:
        self._columns = {} if columns is None else columns
        self.slice, self.key, self.codes, self.coding = slice_, key, codes, coding
        self._make_positions, self._make_other_codes, self._make_moves = make_positions, make_other_codes, make_moves

    def __len__(self) -> int:
        return len(self.codes)

    @cached_property
    def positions(self) -> Positions:
        """Their squares."""
        return self._make_positions()

    @cached_property
    def other_codes(self) -> Codes:
        """Codes of the same placements with the other side to move."""
        return self._make_other_codes(self.positions)

    @cached_property
    def moves(self) -> RowMoves:
        """Their moves."""
        return self._make_moves()

    def shared(self, name: str, make: Callable[[], pa.Array]) -> pa.Array:
        """A column that is made from the codes alone, made once for all rows with the same codes."""
        if name not in self._columns:
            self._columns[name] = make()
        return self._columns[name]

    def take(self, where: Int64) -> Rows:
        """The rows with these numbers."""
        return Rows(
            self.slice,
            self.key,
            self.codes[where],
            self.coding,
            lambda: self.positions.take(where),
            lambda _: self.other_codes[where],
            lambda: self.moves.take(where),
        )


class MoveRows(Rows):
    """The moves of rows, a row each; what is said of the position is said of each of its moves.

    Parameters
    ----------
    rows : Rows
    """

    def __init__(self, rows: Rows) -> None:
        self.of_rows = rows.moves
        self.row, self.number = self.of_rows.spread
        taken = rows.take(self.row)
        super().__init__(
            rows.slice,
            rows.key,
            taken.codes,
            rows.coding,
            lambda: taken.positions,
            lambda _: taken.other_codes,
            lambda: taken.moves,
        )
