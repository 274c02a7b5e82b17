"""Many positions as arrays: those of one slice, as features read them, and those of any materials."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.game import Game
from tablebase.game.moves import Position
from tablebase.positions.material import Material

NO_PIECE = 127
"""Kind and square where a position has fewer pieces than the array has columns."""
SQUARES = 128
"""More than any board has, `NO_PIECE` included."""
Int8 = NDArray[np.int8]
Rows = NDArray[np.int64]


# Compared by identity, so that results can be cached for as long as the object lives.
@dataclass(frozen=True, eq=False)
class Positions:
    """An array of positions with the same pieces and side to move."""

    game: Game
    material: Material
    side: int  # the side to move
    squares: NDArray[np.int8]  # (positions, pieces) the square of each piece, in the order of ``material.kinds``

    def __len__(self) -> int:
        return len(self.squares)

    @property
    def kinds(self) -> tuple[int, ...]:
        """Number of the kind of each piece."""
        return self.material.kinds

    def take(self, rows: NDArray[np.int64]) -> Positions:
        """Return the positions in these rows of the array."""
        return Positions(self.game, self.material, self.side, self.squares[rows])


class Mixed(NamedTuple):
    """N positions of any materials, with up to P pieces."""

    kinds: Int8  # (N, P) kind number of each piece, ascending as in `Position`; `NO_PIECE` after the last one
    squares: Int8  # (N, P) its square, likewise
    sides: Int8  # (N,) the side to move

    def take(self, rows: Rows | slice) -> Mixed:
        """The positions with these numbers."""
        return Mixed(*(column[rows] for column in self))

    def position(self, row: int) -> Position:
        """One of the positions."""
        pieces = zip(self.kinds[row].tolist(), self.squares[row].tolist(), strict=True)
        return Position(tuple(piece for piece in pieces if piece[0] != NO_PIECE), int(self.sides[row]))


def in_order(kinds: Int8, squares: Int8, sides: Int8) -> Mixed:
    """Positions whose pieces come in any order, `NO_PIECE` among them."""
    keys = np.sort(kinds.astype(np.int16) * SQUARES + squares, axis=1)
    return Mixed((keys // SQUARES).astype(np.int8), (keys % SQUARES).astype(np.int8), sides)


def mixed(positions: Sequence[Position]) -> Mixed:
    """Positions as arrays."""
    most = max((len(position.pieces) for position in positions), default=0)
    none = [(NO_PIECE, NO_PIECE)] * most
    pieces = [[*position.pieces, *none[len(position.pieces) :]] for position in positions]
    both = np.array(pieces, dtype=np.int8).reshape(len(positions), most, 2)
    return Mixed(both[:, :, 0], both[:, :, 1], np.array([position.side for position in positions], dtype=np.int8))


def joined(parts: Sequence[Mixed]) -> Mixed:
    """The positions of all parts, of which there is at least one."""
    width = max(part.kinds.shape[1] for part in parts)

    def all_of(pieces: Iterable[Int8]) -> Int8:
        wide = [np.pad(one, ((0, 0), (0, width - one.shape[1])), constant_values=NO_PIECE) for one in pieces]
        return np.concatenate(wide)

    kinds, squares = all_of(part.kinds for part in parts), all_of(part.squares for part in parts)
    return Mixed(kinds, squares, np.concatenate([part.sides for part in parts]))
