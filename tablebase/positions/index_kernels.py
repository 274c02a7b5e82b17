"""The compiled index: the twin of `tablebase.positions.indexing.Layout.index`.

Arrays are unpacked from their named tuples before any loop, because inside a loop each access costs Numba a reference count.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tablebase.positions.index_arrays import IndexArrays
from tablebase.positions.slice_arrays import Int8, Int32, Int64
from tablebase.system.compute.jit import inline, jit


@inline
def _digit(
    first: int, last: int, place_of: Int32, level: Int64, advance: int, ways: Int64, mirror: Int8, squares: Int8, flip: bool
) -> Any:
    """Placement number of the group of slots first … last; the board is mirrored first if `flip`."""
    if first == last:
        square = squares[first]
        return np.int64(place_of[mirror[square] if flip else square])
    number, left, bound = np.int64(0), advance, np.int64(len(place_of))
    for j in range(last - first + 1, 0, -1):
        # The largest place not yet counted.
        largest = np.int64(-1)
        for slot in range(first, last + 1):
            square = mirror[squares[slot]] if flip else squares[slot]
            place = np.int64(place_of[square])
            if largest < place < bound:
                largest = place
        number += ways[j, largest, left]
        left -= level[largest]
        bound = largest
    return number


@jit
def index_of(index: IndexArrays, which: int, squares: Int8) -> Any:
    """Index of a position in layout `which`, given the square of each slot of that layout."""
    first, radix, place, level, ways = index.first, index.radix, index.place, index.level, index.ways
    advance, mirror, lead_flip, lead_digit = index.advance, index.mirror, index.lead_flip, index.lead_digit
    number, flip = np.int64(0), False
    for g in range(index.groups[which]):
        digit = _digit(
            first[which, g],
            first[which, g + 1] - 1,
            place[which, g],
            level[which, g],
            advance[which, g],
            ways[which, g],
            mirror,
            squares,
            flip,
        )
        if g == 0:
            number, flip = np.int64(lead_digit[which, digit]), lead_flip[which, digit]
        else:
            number = number * radix[which, g] + digit
    return number
