"""Kernels over the codes of a table: filling void indices, and counting."""

from __future__ import annotations

from typing import Any

import numpy as np

from tablebase.system.compute.bits import ones, trailing_zeros
from tablebase.system.compute.jit import jit
from tablebase.system.compute.kernel_cache import COMPILES
from tablebase.system.compute.vectors import ELEMENTS, lanes_of, load
from tablebase.tables.values import Codes


@jit
def fill_gaps(codes: Codes, void: int, before: int, filled: Codes) -> None:
    """Copy codes, with each void replaced by the last code before it that is not void; `before` precedes the first one."""
    last = before
    for place in range(len(codes)):
        last = last if codes[place] == void else codes[place]
        filled[place] = last


@jit
def last_code(codes: Codes, void: int, before: int) -> int:
    """The last code that is not void; `before` if there is none."""
    for place in range(len(codes) - 1, -1, -1):
        if codes[place] != void:
            return int(codes[place])
    return before


@jit
def count_codes(codes: Codes, begin: int, counts: Any, first: Any) -> None:
    """Add the number of times that each code occurs to `counts`, and note in `first` where it does so first, counted from `begin`.

    Neighbouring codes are often alike, so those of one code are counted together.
    """
    whole = len(codes) - len(codes) % ELEMENTS if COMPILES else 0
    for place in range(0, whole, ELEMENTS):
        found = load(codes, place)
        left = ~np.uint64(0)
        while left:
            at = place + trailing_zeros(left)
            code = codes[at]
            alike = (found == lanes_of(np.int64(code), codes)) & left
            left &= ~alike
            counts[code] += ones(alike)
            if first[code] < 0:
                first[code] = begin + at
    for place in range(whole, len(codes)):
        counts[codes[place]] += 1
        if first[codes[place]] < 0:
            first[codes[place]] = begin + place
