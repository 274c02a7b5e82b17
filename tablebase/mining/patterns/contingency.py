"""Contingency tables: how many positions have each combination of levels and each class of the target."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tablebase.system.compute.jit import jit

CHUNK = 1 << 15
"""Positions counted at once, few enough that their levels stay in the processor's cache."""

Counts = NDArray[np.int64]
Codes = Sequence[NDArray[np.intp]]
"""For each feature, the level number of each position."""


class ContingencyTables:
    """The contingency tables of features with these `sizes`, their numbers of levels.

    They count single features, those that are `joint` (pairs and triples of their numbers, ascending), and the leaves of a tree.
    """

    def __init__(self, sizes: Sequence[int], joint: Sequence[tuple[int, ...]], classes: int, leaves: int = 0) -> None:
        self.sizes, self.classes = sizes, classes
        # Of all positions, shape (classes,), of each feature, shape (levels, classes), and of each leaf.
        self.whole, *self.singles, self.leaves = (_zeros(*one, classes) for one in [(), *((size,) for size in sizes), (leaves,)])
        # Of each pair and triple, shape (levels, levels, …, classes).
        self.joint = {features: _zeros(*(sizes[each] for each in features), classes) for features in joint}

    def add(self, other: ContingencyTables) -> None:
        """Add the counts of other tables of the same shapes."""
        for mine, its in zip(self._all, other._all, strict=True):
            mine += its

    @property
    def _all(self) -> list[Counts]:
        return [self.whole, *self.singles, self.leaves, *self.joint.values()]

    def count(self, codes: Codes, leaves: NDArray[np.intp] | None, classes: NDArray[np.intp]) -> None:
        """Count positions, given the level of each feature, and the leaves that they reach: one, or None without a tree."""
        joined = [levels * self.classes + classes for levels in codes]
        last = [] if leaves is None else [leaves * self.classes + classes]
        for levels, table in zip([classes, *joined, *last], self._all, strict=False):
            table += np.bincount(levels, minlength=table.size).reshape(table.shape)
        firsts: dict[tuple[int, ...], NDArray[np.intp]] = {(number,): levels for number, levels in enumerate(codes)}
        for features, table in self.joint.items():
            *_, middle, end = features
            first = features[:-1]
            if first not in firsts:
                firsts[first] = codes[first[0]] * self.sizes[middle] + codes[middle]
            _add_pair(firsts[first], joined[end], self.sizes[end] * self.classes, table.reshape(-1))


def _zeros(*shape: int) -> Counts:
    return np.zeros(shape, dtype=np.int64)


@jit
def _add_pair(first: NDArray[np.intp], second: NDArray[np.intp], width: int, counts: Counts) -> None:
    """Add the pairs of two columns to a table; unlike `numpy.bincount`, it releases the interpreter's lock."""
    for position in range(len(first)):
        counts[first[position] * width + second[position]] += 1
