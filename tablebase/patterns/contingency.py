"""Contingency tables: how many positions have each combination of levels and each class of the target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

from tablebase.compute.jit import jit

CHUNK = 1 << 15
"""Positions counted at once, few enough that their levels stay in the processor's cache."""

Counts = NDArray[np.int64]
Codes = Sequence[NDArray[np.intp]]
"""For each feature, the level number of each position."""


@dataclass(frozen=True)
class Plan:
    """Which contingency tables to count."""

    sizes: tuple[int, ...]  # number of levels of each feature
    joint: tuple[tuple[int, ...], ...]  # pairs and triples of features to be counted together, in ascending order
    classes: int  # number of classes of the target
    leaves: int = 0  # number of leaves of the decision tree; 0 if there is none

    @cached_property
    def shapes(self) -> list[tuple[int, ...]]:
        """Shapes of the tables: of all positions, of single features, of joint ones, and of the leaves."""
        levels = [(), *((size,) for size in self.sizes), *(tuple(self.sizes[each] for each in joint) for joint in self.joint)]
        return [(*sizes, self.classes) for sizes in [*levels, (self.leaves,)]]

    @cached_property
    def places(self) -> list[slice]:
        """Where each table is in the concatenation of all tables."""
        ends = np.cumsum([prod(shape) for shape in self.shapes]).tolist()
        return [slice(begin, end) for begin, end in zip([0, *ends], ends, strict=False)]

    def zeros(self) -> Counts:
        """The concatenation of all tables before anything is counted."""
        return np.zeros(self.places[-1].stop, dtype=np.int64)


class Tables:
    """Contingency tables, given all tables of a plan in one array."""

    def __init__(self, plan: Plan, counts: Counts) -> None:
        tables = [counts[place].reshape(shape) for place, shape in zip(plan.places, plan.shapes, strict=True)]
        # Of all positions, shape (classes,), and of each feature, shape (levels, classes).
        self.whole, self.singles = tables[0], tables[1 : 1 + len(plan.sizes)]
        # Of each pair and triple, shape (levels, levels, …, classes).
        self.joint = dict(zip(plan.joint, tables[1 + len(plan.sizes) : -1], strict=True))
        # Shape (leaves, classes).
        self.leaves = tables[-1]


def count(plan: Plan, codes: Codes, leaves: NDArray[np.intp] | None, classes: NDArray[np.intp], counts: Counts) -> None:
    """Count positions: add them to `counts`, the tables of the plan in one array, which `Tables` separates.

    `codes` has the level of each feature, `leaves` the leaf that each position reaches, or a single one, or None without a
    tree.
    """
    joined = [levels * plan.classes + classes for levels in codes]
    last = [classes, *joined] if leaves is None else [classes, *joined, leaves * plan.classes + classes]
    of_last = [*plan.places[: 1 + len(codes)], plan.places[-1]]
    for levels, place in zip(last, of_last, strict=False):
        counts[place] += np.bincount(levels, minlength=place.stop - place.start)
    firsts: dict[tuple[int, ...], NDArray[np.intp]] = {(number,): levels for number, levels in enumerate(codes)}
    for features, place in zip(plan.joint, plan.places[1 + len(codes) : -1], strict=True):
        *_, middle, end = features
        first = features[:-1]
        if first not in firsts:
            firsts[first] = codes[first[0]] * plan.sizes[middle] + codes[middle]
        _add_pair(firsts[first], joined[end], plan.sizes[end] * plan.classes, counts[place])


@jit
def _add_pair(first: NDArray[np.intp], second: NDArray[np.intp], width: int, counts: Counts) -> None:
    """Add the pairs of two columns to a table; unlike `numpy.bincount`, it releases the interpreter's lock."""
    for position in range(len(first)):
        counts[first[position] * width + second[position]] += 1
