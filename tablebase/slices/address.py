"""The index at which a position of a slice is stored."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tablebase.game import Game
from tablebase.game.moves import Position
from tablebase.slices.indexing import Squares, layout_of
from tablebase.slices.location import Location


class Address:
    """Where and how a slice's positions are looked up.

    Parameters
    ----------
    game : Game
    location : Location
        Where the slice is stored.

    Attributes
    ----------
    material : Material
        The stored material; its file may be closed and opened again.
    layout : Layout
        Of the stored material.
    side : int
        The side to move in the stored material.
    image : tuple of int
        The image of each square in the stored material.
    pieces : tuple of int
        For each slot of the layout, the piece of the slice that plays it.
    """

    def __init__(self, game: Game, location: Location) -> None:
        self.material, self.side = location.material, location.side
        self.layout = layout_of(game, location.material)
        self.image = game.swap if location.swapped and game.swap is not None else tuple(range(len(game.board)))
        self.pieces = tuple(location.pairing[piece] for piece in self.layout.slots)

    def index(self, position: Position) -> int:
        """Index of a position of the slice."""
        pieces, image = position.pieces, self.image
        return self.layout.index([image[pieces[piece][1]] for piece in self.pieces])

    def index_many(self, squares: Squares) -> NDArray[np.int64]:
        """Indices of positions given by the square of each piece, shape (positions, pieces)."""
        return self.layout.index_many(np.array(self.image, dtype=np.int8)[squares[:, self.pieces]])
