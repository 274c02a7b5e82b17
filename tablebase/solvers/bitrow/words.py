"""Helpers of the bit-row kernels: operations on 64-bit words, and the pieces outside a row."""

from __future__ import annotations

from typing import Any

import numpy as np

from tablebase.compute.jit import inline
from tablebase.solvers.bitrow.arrays import Words
from tablebase.solvers.compiled import Int8, Int32, Int64


@inline
def mirrored(mirror_bytes: Any, word: Any) -> Any:
    """The mirror image of a word, by `RowArrays.mirror_bytes`."""
    image = np.uint64(0)
    for byte in range(8):
        image |= mirror_bytes[byte, (word >> np.uint64(8 * byte)) & np.uint64(255)]
    return image


@inline
def set_up_row(stride: Int64, square: Int8, bit: Words, row: Any, squares: Int8) -> Any:
    """Write the squares of all pieces but the row piece to `squares`, and return them as a word."""
    occupied = np.uint64(0)
    for slot in range(len(stride)):
        digit = row // stride[slot]
        row -= digit * stride[slot]
        squares[slot] = square[slot, digit]
        occupied |= bit[squares[slot]]
    return occupied


@inline
def collides(squares: Int8, pieces: int) -> bool:
    """Whether two of the first `pieces` slots share a square."""
    for slot in range(1, pieces):
        for other in range(slot):
            if squares[slot] == squares[other]:
                return True
    return False


@inline
def mirrored_rest(stride: Int64, place: Int32, mirror: Int8, squares: Int8) -> Any:
    """What all pieces but the lead and the row piece add to the number of the mirrored row."""
    row = np.int64(0)
    for slot in range(1, len(stride)):
        row += place[slot, mirror[squares[slot]]] * stride[slot]
    return row


@inline
def free_origins(origins: Words, barred: Words, number: int, squares: Int8, pieces: int) -> Any:
    """Origins of one class of the row piece's steps that none of the first `pieces` slots blocks."""
    word = origins[number]
    for slot in range(pieces):
        word &= ~barred[number, squares[slot]]
    return word
