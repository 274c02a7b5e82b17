"""The value algebra: how an outcome and a distance are encoded as one small integer.

Only this module knows the coding. A *code* is

====================== ==============================================
code                   meaning
====================== ==============================================
0                      draw
1                      stalemate: a draw because there is no legal move
2 + d                  win or loss in d plies, if ``stride`` is 1
2 + 2 d                win in d plies, if ``stride`` is 2
3 + 2 d                loss in d plies, if ``stride`` is 2
largest of the dtype   void: no position (never written to a file)
====================== ==============================================

With stride 1 the parity of the distance determines the outcome: the side that makes the last move wins, so wins are odd and
losses even. This holds for every game in which no player wins without moving, and one byte reaches 252 plies. Stride 2 holds any
pair and reaches 125. Where one byte is too short, two bytes are used.

The scalar functions are plain Python that Numba compiles unchanged.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tablebase.game import Outcome
from tablebase.game.values import Value as Value

Codes = NDArray[Any]
"""Codes of positions, ``uint8`` or ``uint16``."""


SLAB = 1 << 20
"""Codes that are in memory at a time where there may be too many to hold all of them."""


class CodeSource(Protocol):
    """Value codes for one side to move, held in an array, or read or computed on demand."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """NumPy dtype of the value codes."""

    def __len__(self) -> int: ...

    def __getitem__(self, key: slice, /) -> Codes: ...

    def __array__(self, dtype: Any = None, /) -> Codes: ...


class LazyValues:
    """Values that are made or read when they are asked for; see `CodeSource`."""

    def __init__(self, size: int, dtype: np.dtype[Any], make: Callable[[int, int], Codes] | None = None) -> None:
        """Call ``make(begin, end)`` for some values, or override `between`."""
        self.dtype = dtype
        self._size, self._make = size, make

    def between(self, begin: int, end: int) -> Codes:
        """Values from the place `begin` up to, but not including, `end`."""
        assert self._make is not None
        return self._make(begin, end)

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, key: slice) -> Codes:
        begin, end, _ = key.indices(self._size)
        return self.between(begin, max(begin, end))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Codes:
        return np.asarray(self[:], dtype=dtype)


DRAW = 0
STALEMATE = 1
FIRST = 2
"""The smallest code with a distance."""


def win_code(distance: int, stride: int) -> int:
    """Code of a win in this many plies."""
    return FIRST + stride * distance


def loss_code(distance: int, stride: int) -> int:
    """Code of a loss in this many plies."""
    return FIRST + stride * distance + stride - 1


def distance_of(code: int, stride: int) -> int:
    """Distance in plies of a code that is a win or a loss."""
    return (code - FIRST) // stride


def is_win(code: int, stride: int) -> bool:
    """Return whether a code (not void) is a win."""
    return code >= FIRST and (code - FIRST) % 2 == 2 - stride


def is_loss(code: int, stride: int) -> bool:
    """Return whether a code (not void) is a loss."""
    return code >= FIRST and (code - FIRST) % 2 == stride - 1


def next_code(code: int, stride: int) -> int:
    """Return a move's worth to the mover, given the code of the position after it."""
    if code < FIRST:
        return DRAW
    distance = (code - FIRST) // stride + 1
    if (code - FIRST) % 2 == stride - 1:
        return FIRST + stride * distance
    return FIRST + stride * distance + stride - 1


def merit(code: int, stride: int) -> int:
    """A sort key for codes, the best largest: a fast win beats a slow one, a slow loss a fast one."""
    if code < FIRST:
        return 0
    distance = (int(code) - FIRST) // stride
    if (code - FIRST) % 2 == stride - 1:
        return distance - 65536
    return 65536 - distance


@dataclass(frozen=True)
class Coding:
    """A choice of stride and width."""

    stride: int  # 1 if parity distinguishes wins from losses, else 2
    dtype: str  # uint8 or uint16

    @cached_property
    def void(self) -> int:
        """The code of a void index."""
        return int(np.iinfo(self.dtype).max)

    @cached_property
    def reach(self) -> int:
        """The largest distance with a code."""
        return distance_of(self.void - self.stride, self.stride)

    @property
    def wider(self) -> Coding:
        """The same coding in two bytes."""
        return Coding(self.stride, "uint16")

    def code(self, value: Value) -> int:
        """The code of a value."""
        if value.distance is None:
            return DRAW
        return (win_code if value.outcome is Outcome.WIN else loss_code)(value.distance, self.stride)

    def value(self, code: int) -> Value:
        """The value of a code; a stalemate is a draw."""
        if code < FIRST:
            return Value(Outcome.DRAW, None)
        outcome = Outcome.WIN if is_win(code, self.stride) else Outcome.LOSS
        return Value(outcome, distance_of(code, self.stride))


NARROW = Coding(1, "uint8")
NARROW_ANY = Coding(2, "uint8")
FULL = Coding(2, "uint16")


def recode(codes: Codes, source: Coding, target: Coding) -> Codes:
    """The same values in another coding; void stays void."""
    if source == target:
        return codes
    if source.stride == target.stride:
        recoded = codes.astype(target.dtype)
        recoded[codes >= min(source.void, win_code(target.reach + 1, target.stride))] = target.void
        return recoded
    return _recoded(source, target)[codes]


@cache
def _recoded(source: Coding, target: Coding) -> Codes:
    recoded = np.full(source.void + 1, target.void, dtype=target.dtype)
    recoded[STALEMATE] = STALEMATE
    for code in range(source.void):
        value = source.value(code)
        if code != STALEMATE and (value.distance is None or value.distance <= target.reach):
            recoded[code] = target.code(value)
    return recoded
