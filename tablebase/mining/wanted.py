"""Which positions are wanted: of each slice those with some values, or at some indices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tablebase.errors import ArgumentError
from tablebase.game import Outcome
from tablebase.slices.location import StoredSlice
from tablebase.tables.values import DRAW, STALEMATE, Coding, Value


@dataclass(frozen=True, order=True)
class Occurring:
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
class Wanted:
    """Which positions of a slice are wanted, or some more: those that fulfil all of these."""

    # They have one of these values.
    values: frozenset[Occurring]
    # They are at one of these indices; None for all.
    indices: frozenset[int] | None = None
    # They are mutual zugzwang.
    zugzwang: bool = False
    # They are, or their moves are, in this sample.
    sample: Sample = WHOLE

    def __or__(self, other: Wanted) -> Wanted:
        """All positions that either wants, and possibly others."""
        indices = None if self.indices is None or other.indices is None else self.indices | other.indices
        sample = self.sample if self.sample == other.sample else WHOLE
        return Wanted(self.values | other.values, indices, self.zugzwang and other.zugzwang, sample)


Selection = Mapping[StoredSlice, Wanted]
"""Slices, and which of their positions are wanted."""


def union(selections: Sequence[Selection]) -> Selection:
    """The slices that are in any of the selections, and all that is wanted of them."""
    joined: dict[StoredSlice, Wanted] = {}
    for selection in selections:
        for slice_, wanted in selection.items():
            joined[slice_] = joined[slice_] | wanted if slice_ in joined else wanted
    return joined
