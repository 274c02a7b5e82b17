"""What bit-row kernels share: operations on 64-bit words, and the pieces beside a row."""

from __future__ import annotations

from typing import Any

import numpy as np

from tablebase.compute.jit import inline
from tablebase.solvers.bitrow.arrays import Words
from tablebase.solvers.compiled import Int8, Int32, Int64


@inline
def mirrored(table: Any, word: Any) -> Any:
    """The mirror image of a word, by `RowArrays.mirror_bytes`."""
    image = np.uint64(0)
    for byte in range(8):
        image |= table[byte, (word >> np.uint64(8 * byte)) & np.uint64(255)]
    return image


@inline
def set_up_row(stride: Int64, square: Int8, bit: Words, row: Any, squares: Int8) -> Any:
    """Squares of all but the row piece; the word of their squares."""
    taken = np.uint64(0)
    for slot in range(len(stride)):
        digit = row // stride[slot]
        row -= digit * stride[slot]
        squares[slot] = square[slot, digit]
        taken |= bit[squares[slot]]
    return taken


@inline
def collides(squares: Int8, pieces: int) -> bool:
    """Whether two of the first so many slots share a square."""
    for slot in range(1, pieces):
        for other in range(slot):
            if squares[slot] == squares[other]:
                return True
    return False


@inline
def mirrored_rest(stride: Int64, place: Int32, mirror: Int8, squares: Int8) -> Any:
    """What all but the lead and the row piece add to the number of the mirrored row."""
    row = np.int64(0)
    for slot in range(1, len(stride)):
        row += place[slot, mirror[squares[slot]]] * stride[slot]
    return row


@inline
def free_origins(origins: Words, barred: Words, kind: int, squares: Int8, pieces: int) -> Any:
    """Origins of one class of the row piece's steps that none of the first so many slots blocks."""
    word = origins[kind]
    for slot in range(pieces):
        word &= ~barred[kind, squares[slot]]
    return word
