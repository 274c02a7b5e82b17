"""The kernel of scans: the squares of consecutive positions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tablebase.compute.jit import jit
from tablebase.slices.indexing import Squares

Int64 = NDArray[np.int64]


@jit
def spread_rows(front: Squares, begin: int, length: int, offsets: Int64, squares: Squares, digits: Int64) -> None:
    """Find the squares of all slots but the last group's, and the last group's digits.

    Parameters
    ----------
    front : ndarray of int8, shape (rows, slots of the other groups)
        The squares in each row, from the row of the first index on.
    begin : int
        The first index.
    length : int
        Number of indices in a row.
    offsets : ndarray of int64, shape (positions,)
        Indices of the positions, counted from the first and ascending.
    squares : ndarray of int8, shape (positions, slots)
        Output; the last group's squares are left as they are.
    digits : ndarray of int64, shape (positions,)
        Output.
    """
    base, position = begin % length, 0
    while position < len(offsets):
        row = (base + offsets[position]) // length
        end, first = (row + 1) * length - base, position
        while position < len(offsets) and offsets[position] < end:
            digits[position] = offsets[position] + base - row * length
            position += 1
        for slot in range(front.shape[1]):
            squares[first:position, slot] = front[row, slot]
