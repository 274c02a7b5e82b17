"""What bit-row kernels share: operations on 64-bit words, and the pieces beside a row."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from tablebase.engine.compiled import Int8, Int32, Int64
from tablebase.engine.jit import inline
from tablebase.engine.rows import Words


@intrinsic
def _cttz(_context: Any, word: Any) -> Any:
    """LLVM's count of trailing zeros, undefined for 0."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(word), generate


@inline
def trailing_zeros(word: Any) -> Any:
    """Number of the lowest bit set in a word that is not 0."""
    return _cttz(word)  # type: ignore[call-arg]


@inline
def moved(word: Any, shift: int) -> Any:
    """The word with every bit moved up by `shift`, or down if it is negative."""
    if shift >= 0:
        return word << np.uint64(shift)
    return word >> np.uint64(-shift)


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
