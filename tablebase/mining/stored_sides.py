"""Sides to move of stored materials, and the indices of each that are read from it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.mining.wanted import Selection, Wanted
from tablebase.slices.indexing import Layout
from tablebase.slices.location import StoredSlice
from tablebase.slices.material import Material

NEAR = 1 << 16
"""Indices that are looked up in one block if all are between two multiples of this; about a chunk of a table."""


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
    wanted: Wanted

    @cached_property
    def indices(self) -> NDArray[np.int64] | None:
        """The indices that are wanted, ascending; None for all."""
        indices = self.wanted.indices
        return None if indices is None else np.array(sorted(indices), dtype=np.int64)

    def spans(self, layout: Layout, block: int) -> Iterator[Span]:
        """What one stream reads, in blocks of about this many indices."""
        if self.indices is None:
            size = _block_size(layout, block)
            yield from (Span(begin, min(begin + size, layout.size)) for begin in range(0, layout.size, size))
        elif len(self.indices):
            for indices in np.split(self.indices, np.flatnonzero(np.diff(self.indices // NEAR)) + 1):
                yield Span(int(indices[0]), int(indices[-1]) + 1, indices)

    def cells(self, layout: Layout) -> int:
        """Indices that one stream decodes."""
        return layout.size if self.indices is None else len(self.indices)


def stored_sides(selection: Selection) -> list[StoredSide]:
    """The slices, grouped by where they are stored."""
    by_location: dict[tuple[Material, int], StoredSide] = {}
    for slice_, wanted in selection.items():
        key = (slice_.location.material, slice_.location.side)
        stored = by_location.setdefault(key, StoredSide(*key, [], wanted))
        stored.slices.append(slice_)
        stored.wanted |= wanted
    return list(by_location.values())


def _block_size(layout: Layout, block: int) -> int:
    """Indices in a block: whole rows, unless a single row is longer than `block`."""
    return block // layout.row_length * layout.row_length or block
