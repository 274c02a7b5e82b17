"""Informativeness of features about the target: the information gain of Quinlan 1986, *Induction of Decision Trees*.

It is computed from contingency tables: how many positions have each combination of levels and each class of the target.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tablebase.mining.patterns.levels import Levels
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


@dataclass(frozen=True)
class Gain:
    """Information gain of one or two features about the target.

    Parameters
    ----------
    features : tuple of str
        Names of one or two columns.
    gain : float
        Reduction of the target's entropy by these features, in bits.
    explains : float or None
        The gain as a share of the target's entropy; None if the entropy is 0.
    decides : float
        Share of positions with the most common class for their feature values, that is, of correct predictions.
    """

    features: tuple[str, ...]
    gain: float
    explains: float | None
    decides: float

    @property
    def name(self) -> str:
        """The features, separated by commas."""
        return ", ".join(self.features)


def entropy(counts: Counts) -> NDArray[Any]:
    """Shannon entropy in bits, −Σ p·log₂ p, of the counts along the last axis; 0 where all counts are 0."""
    total = counts.sum(axis=-1, keepdims=True)
    share = counts / np.maximum(total, 1)
    bits: NDArray[Any] = -(share * np.log2(share, out=np.zeros_like(share), where=share > 0)).sum(axis=-1)
    return bits


def information_gain(table: Counts) -> float:
    """The entropy of the target minus its mean entropy when the values are known: bits, from 0 to the entropy of the target.

    This is H(T) − Σ p(v)·H(T | v), Quinlan 1986; the table has the positions by the values of the features and by class.
    """
    rows = table.reshape(-1, table.shape[-1])
    remaining = rows.sum(axis=1) @ entropy(rows) / rows.sum()
    return max(0.0, float(entropy(rows.sum(axis=0)) - remaining))


def decided(table: Counts) -> float:
    """Share of positions with the most common class for their values; `table` as for `information_gain`."""
    return int(table.max(axis=-1).sum()) / int(table.sum())


def gains(levels: Sequence[Levels], tables: ContingencyTables) -> list[Gain]:
    """The gains of all single features, then of all counted pairs, each list in descending order."""
    singles = {(number,): table for number, table in enumerate(tables.singles)}
    pairs = {of: table for of, table in tables.joint.items() if len(of) == 2}
    found = []
    for counted in (singles, pairs):
        listed = [_gain(tuple(levels[each].name for each in of), table) for of, table in counted.items()]
        found += sorted(listed, key=lambda gain: -gain.gain)
    return found


def _gain(names: tuple[str, ...], table: Counts) -> Gain:
    gain, total = information_gain(table), float(entropy(table.reshape(-1, table.shape[-1]).sum(axis=0)))
    return Gain(names, gain, gain / total if total else None, decided(table))
