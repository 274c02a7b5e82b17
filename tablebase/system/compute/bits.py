"""Operations on 64-bit words."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types

from tablebase.system.compute.jit import inline, instructions


@instructions(lambda word: (int(word) & -int(word)).bit_length() - 1)
def _cttz(_context: Any, word: Any) -> Any:
    """LLVM's count of trailing zeros, undefined for 0."""
    undefined = ir.Constant(ir.IntType(1), 1)
    return types.int64(word), lambda _context, builder, _signature, arguments: builder.cttz(arguments[0], undefined)


@inline
def trailing_zeros(word: Any) -> Any:
    """Number of the lowest set bit of a nonzero word."""
    return _cttz(word)


@inline
def moved(word: Any, shift: int) -> Any:
    """The word with every bit moved up by `shift`, or down if `shift` is negative."""
    if shift >= 0:
        return word << np.uint64(shift)
    return word >> np.uint64(-shift)


@instructions(lambda word: int(word).bit_count())
def _ctpop(_context: Any, word: Any) -> Any:
    """LLVM's count of set bits."""
    return types.uint64(word), lambda _context, builder, _signature, arguments: builder.ctpop(arguments[0])


@inline
def ones(word: Any) -> Any:
    """Number of set bits of a word."""
    return np.int64(_ctpop(word))
