"""Squares of many positions, a contiguous column for each piece."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tablebase.slices.indexing import Squares


def side_by_side(columns: list[NDArray[np.int8]]) -> Squares:
    """Columns as an array that keeps each contiguous, because features read squares piece by piece."""
    squares = np.empty((len(columns[0]), len(columns)), dtype=np.int8, order="F")
    for number, column in enumerate(columns):
        squares[:, number] = column
    return squares


def mapped(image: tuple[int, ...] | None, squares: Squares) -> Squares:
    """Squares under a symmetry of the board."""
    assert image is not None
    images = np.array(image, dtype=np.int8)
    return side_by_side([images.take(column) for column in squares.T])


def like_pieces(kinds: tuple[int, ...]) -> list[slice]:
    """Ranges of pieces of the same kind, which are listed in the order of their squares."""
    return [slice(kinds.index(kind), kinds.index(kind) + kinds.count(kind)) for kind in set(kinds) if kinds.count(kind) > 1]
