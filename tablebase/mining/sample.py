"""Random samples of rows, which depend only on the seed and the rows themselves.

No two rows of a slice have the same number. A hash of it, with a key made of the seed and the slice, is as good as a random
number; a sample has the rows with hashes in a range.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tablebase.mining.row_selection import WHOLE, Sample
from tablebase.mining.rows import Int64

Hashes = NDArray[np.uint64]
AnyRows = Any
"""`Rows`, or `StoredRows` of a game by functions."""

ALL = 1 << 64
"""Number of hashes before they are divided."""
UNUSED = np.uint64(11)
"""The last bits of a hash, which a floating-point number has no room for."""
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
MIX = (np.uint64(30), np.uint64(0xBF58476D1CE4E5B9)), (np.uint64(27), np.uint64(0x94D049BB133111EB))
"""The shifts and factors of SplitMix64, whose state is multiplied by `GOLDEN` instead of counted up by it."""
LAST_SHIFT = np.uint64(31)


def hashes_of(rows: AnyRows, seed: int = 0) -> NDArray[np.float64]:
    """Compute the hash of each row, from 0 up to 1."""
    hashes = row_hashes(_key(seed, rows.name), rows.numbers)
    return (hashes >> UNUSED).astype(np.float64) / float(ALL >> int(UNUSED))


def drawn(rows: AnyRows, sample: Sample) -> AnyRows:
    """Return the rows that are in a sample."""
    if sample == WHOLE:
        return rows
    hashes = hashes_of(rows, sample.seed)
    return rows.some(np.flatnonzero((hashes >= sample.begin) & (hashes < sample.end)))


def row_hashes(key: int, numbers: Int64) -> Hashes:
    """Hashes of the numbers of rows, which differ if the numbers do.

    The last step is the finaliser of Steele, Lea and Flood 2014, *Fast Splittable Pseudorandom Number Generators*.
    """
    hashes = numbers.astype(np.uint64)
    hashes *= GOLDEN
    hashes += np.uint64(key)
    for shift, factor in MIX:
        hashes ^= hashes >> shift
        hashes *= factor
    hashes ^= hashes >> LAST_SHIFT
    return hashes


def _key(seed: int, name: Sequence[object]) -> int:
    return int.from_bytes(hashlib.sha256(repr([seed, *name]).encode()).digest()[:8], "little")
