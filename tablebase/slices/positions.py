"""Many positions of one slice, as features read them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tablebase.game import Game
from tablebase.slices.material import Material


# Compared by identity, so that results can be cached for as long as the object lives.
@dataclass(frozen=True, eq=False)
class Positions:
    """Positions of one slice.

    Parameters
    ----------
    game : Game
    material : Material
    side : int
        The side to move.
    squares : ndarray of int8, shape (positions, pieces)
        The square of each piece, in the order of ``material.kinds``.
    """

    game: Game
    material: Material
    side: int
    squares: NDArray[np.int8]

    def __len__(self) -> int:
        return len(self.squares)

    @property
    def kinds(self) -> tuple[int, ...]:
        """Kind number of each piece."""
        return self.material.kinds

    def take(self, rows: NDArray[np.int64]) -> Positions:
        """The positions with these numbers."""
        return Positions(self.game, self.material, self.side, self.squares[rows])
