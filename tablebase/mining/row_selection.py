"""Which positions are wanted: of each slice those with some values, at some indices or in a sample; and where they are stored.

No two rows of a slice have the same number. A hash of it, with a key made of the seed and the slice, is as good as a random
number; a sample has the rows with hashes in a range.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.errors import ArgumentError
from tablebase.game import Outcome
from tablebase.positions.indexing import Layout
from tablebase.positions.location import StoredSlice
from tablebase.positions.material import Material
from tablebase.tables.values import DRAW, STALEMATE, Coding, Value

NEAR = 1 << 16
"""Indices that are looked up in one block if all are between two multiples of this; about a chunk of a table."""


@dataclass(frozen=True, order=True)
class ValueClass:
    """A value that positions of a slice have; the fields are columns of `positions`."""

    outcome: str
    distance: int | None
    stalemate: bool

    def code(self, coding: Coding) -> int:
        """Its code in a table."""
        if self.distance is None:
            return STALEMATE if self.stalemate else DRAW
        return coding.code(Value(Outcome(self.outcome), self.distance))


@dataclass(frozen=True)
class Sample:
    """Rows with a hash, a number from 0 up to 1, in a range; raise `TablebaseError` if the range is not in this one."""

    # Draws this share of the rows if the range begins at 0.
    end: float = 1.0
    # Rows have other hashes with another seed.
    seed: int = 0
    begin: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.begin < self.end <= 1:
            raise ArgumentError(f"a sample is a share above 0 and at most 1, not {self.end}")


WHOLE = Sample()
"""All rows."""


@dataclass(frozen=True)
class SliceSelection:
    """The positions of a slice that are wanted, and possibly others: positions that fulfil all of these conditions."""

    # They have one of these values.
    values: frozenset[ValueClass]
    # They are at one of these indices; None for all.
    indices: frozenset[int] | None = None
    # They are zugzwang.
    zugzwang: bool = False
    # They are, or their moves are, in this sample.
    sample: Sample = WHOLE

    def __or__(self, other: SliceSelection) -> SliceSelection:
        """All positions that either wants, and possibly others."""
        indices = None if self.indices is None or other.indices is None else self.indices | other.indices
        sample = self.sample if self.sample == other.sample else WHOLE
        return SliceSelection(self.values | other.values, indices, self.zugzwang and other.zugzwang, sample)


Selection = Mapping[StoredSlice, SliceSelection]
"""Slices, and which of their positions are wanted."""


def union(selections: Sequence[Selection]) -> Selection:
    """The slices that are in any of the selections, and all that is wanted of them."""
    joined: dict[StoredSlice, SliceSelection] = {}
    for selection in selections:
        for slice_, wanted in selection.items():
            joined[slice_] = joined[slice_] | wanted if slice_ in joined else wanted
    return joined


class Span(NamedTuple):
    """Indices from `begin` up to, but not including, `end`; unless it is None, only those of `indices` are decoded."""

    begin: int
    end: int
    indices: NDArray[np.int64] | None = None

    @property
    def cells(self) -> int:
        """Number of indices that are decoded."""
        return self.end - self.begin if self.indices is None else len(self.indices)


@dataclass
class StoredSide:
    """A side to move of a stored material, the slices that are read from it, and what any of them wants."""

    material: Material
    side: int
    slices: list[StoredSlice]
    wanted: SliceSelection

    def spans(self, layout: Layout, block: int) -> Iterator[Span]:
        """Yield a stream's spans of about this many indices."""
        if self.wanted.indices is None:
            # Whole rows, unless a single row is longer.
            size = block // layout.row_length * layout.row_length or block
            yield from (Span(begin, min(begin + size, layout.size)) for begin in range(0, layout.size, size))
        else:
            every = np.array(sorted(self.wanted.indices), dtype=np.int64)
            for indices in np.split(every, np.flatnonzero(np.diff(every // NEAR)) + 1) if len(every) else ():
                yield Span(int(indices[0]), int(indices[-1]) + 1, indices)

    def cells(self, layout: Layout) -> int:
        """Indices that one stream decodes."""
        return layout.size if self.wanted.indices is None else len(self.wanted.indices)


def stored_sides(selection: Selection) -> list[StoredSide]:
    """The slices, grouped by where they are stored."""
    by_location: dict[tuple[Material, int], StoredSide] = {}
    for slice_, wanted in selection.items():
        key = (slice_.location.material, slice_.location.side)
        stored = by_location.setdefault(key, StoredSide(*key, [], wanted))
        stored.slices.append(slice_)
        stored.wanted |= wanted
    return list(by_location.values())


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
    key = int.from_bytes(hashlib.sha256(repr([seed, *rows.name]).encode()).digest()[:8], "little")
    hashes = row_hashes(key, rows.numbers)
    return (hashes >> UNUSED).astype(np.float64) / float(ALL >> int(UNUSED))


def drawn(rows: AnyRows, sample: Sample) -> AnyRows:
    """Return the rows that are in a sample."""
    if sample == WHOLE:
        return rows
    hashes = hashes_of(rows, sample.seed)
    return rows.some(np.flatnonzero((hashes >= sample.begin) & (hashes < sample.end)))


def row_hashes(key: int, numbers: NDArray[np.int64]) -> Hashes:
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
