"""Random samples of rows, which depend on nothing but the seed and the rows themselves.

Each row has a number of its own in its slice. A hash of it, whose key is made of the seed and the slice, is as good as a
random number from 0 up to 2**64; the rows with the smallest hashes are drawn.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tablebase.errors import ArgumentError
from tablebase.mining.rows import Int64, Rows
from tablebase.slices.location import StoredSlice

Hashes = NDArray[np.uint64]

ALL = 1 << 64
"""Number of hashes."""
WAITING = 1 << 20
"""Number of hashes that are collected before the smallest are sought among them."""
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
MIX = (np.uint64(30), np.uint64(0xBF58476D1CE4E5B9)), (np.uint64(27), np.uint64(0x94D049BB133111EB))
"""The shifts and factors of SplitMix64, whose state is multiplied by `GOLDEN` instead of counted up by it."""
LAST_SHIFT = np.uint64(31)


@dataclass(frozen=True)
class Sample:
    """A random sample of rows; raise `TablebaseError` if the share is out of range."""

    # The probability with which each row is drawn, above 0 and at most 1.
    share: float = 1.0
    # The same seed draws the same rows.
    seed: int = 0
    # Draws this number of rows instead, or all if there are fewer.
    rows: int | None = None

    def __post_init__(self) -> None:
        if not 0 < self.share <= 1:
            raise ArgumentError(f"a sample is a share above 0 and at most 1, not {self.share}")

    def hashes(self, rows: Rows) -> Hashes:
        """The hash of each row."""
        return row_hashes(_key(self.seed, rows.slice), rows.numbers)

    def of(self, rows: Rows, end: int) -> Rows:
        """The rows whose hashes are below `end`."""
        return rows if end == ALL else rows.some(np.flatnonzero(self.hashes(rows) < np.uint64(end)))


WHOLE = Sample()
"""All rows."""


def row_hashes(key: int, numbers: Int64) -> Hashes:
    """Hashes of the numbers of rows, which differ if the numbers do."""
    hashes = numbers.astype(np.uint64)
    hashes *= GOLDEN
    hashes += np.uint64(key)
    return mixed(hashes)


def mixed(hashes: Hashes) -> Hashes:
    """Mix the bits of numbers in place; numbers that differ still do.

    This is the finaliser of Steele, Lea and Flood 2014, *Fast Splittable Pseudorandom Number Generators*.
    """
    for shift, factor in MIX:
        hashes ^= hashes >> shift
        hashes *= factor
    hashes ^= hashes >> LAST_SHIFT
    return hashes


def end_of_smallest(count: int, blocks: Iterable[Hashes]) -> int:
    """A number below which there are this many hashes, and no more; `ALL` if there are fewer."""
    least, end = np.empty(0, dtype=np.uint64), ALL
    waiting: list[Hashes] = []
    for block in blocks:
        waiting.append(block if end == ALL else block[block < np.uint64(end)])
        if sum(map(len, waiting)) > max(count, WAITING):
            least, waiting = _least(count + 1, [least, *waiting]), []
            end = int(least[count])
    least = _least(count + 1, [least, *waiting])
    return int(least[count]) if len(least) > count else ALL


def _least(count: int, blocks: Sequence[Hashes]) -> Hashes:
    """The smallest hashes, the greatest of them at the end if there are more."""
    hashes = np.concatenate(blocks)
    return np.partition(hashes, count - 1)[:count] if len(hashes) >= count else hashes


def _key(seed: int, slice_: StoredSlice) -> int:
    name = [seed, slice_.side, slice_.material.kinds, slice_.material.advance]
    return int.from_bytes(hashlib.sha256(repr(name).encode()).digest()[:8], "little")
