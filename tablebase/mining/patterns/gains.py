"""Informativeness of features about the target: the information gain of Quinlan 1986, *Induction of Decision Trees*.

It is computed from contingency tables: how many positions have each combination of levels and each class of the target.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tablebase.mining.patterns.levels import Levels
from tablebase.system.compute.jit import jit

CHUNK = 1 << 15
"""Positions counted at once, few enough that their levels stay in the processor's cache."""

Counts = NDArray[np.int64]
Numbers = NDArray[np.intp]
Codes = Sequence[Numbers]
"""For each feature, the level number of each position."""
Tables = dict[tuple[int, ...], Counts]
"""Contingency tables by the numbers of their features, ascending: the positions by the level of each, and by class."""


def empty_tables(sizes: Sequence[int], every: Iterable[tuple[int, ...]], classes: int) -> Tables:
    """Tables without positions; `sizes` are the numbers of levels of the features, `every` the features of each table."""
    return {features: np.zeros((*(sizes[each] for each in features), classes), dtype=np.int64) for features in every}


def count(tables: Tables, codes: Codes, classes: Numbers) -> None:
    """Add positions to tables, given the level of each feature, and the class."""
    for begin in range(0, len(classes), CHUNK):
        chunk = slice(begin, begin + CHUNK)
        _count([levels[chunk] for levels in codes], classes[chunk], tables)


def _count(codes: Codes, classes: Numbers, tables: Tables) -> None:
    firsts: dict[tuple[int, ...], Numbers] = {(): np.zeros_like(classes)}
    lasts: dict[tuple[int, ...], Numbers] = {(): classes}
    for features, table in tables.items():
        first, last = features[:-1], features[-1:]
        if first not in firsts:
            firsts[first] = np.ravel_multi_index([codes[each] for each in first], table.shape[: len(first)])
        if last not in lasts:
            lasts[last] = codes[last[0]] * table.shape[-1] + classes
        _add_pair(firsts[first], lasts[last], prod(table.shape[len(first) :]), table.reshape(-1))


@jit
def _add_pair(first: Numbers, second: Numbers, width: int, counts: Counts) -> None:
    """Add the pairs of two columns to a table; unlike `numpy.bincount`, it releases the interpreter's lock."""
    for position in range(len(first)):
        counts[first[position] * width + second[position]] += 1


@dataclass(frozen=True)
class Gain:
    """Information gain of one or two features about the target.

    Parameters
    ----------
    features : tuple of str
        One or two columns.
    gain : float
        Bits of uncertainty about the target that knowing their values removes.
    explains : float or None
        The gain as a share of the target's entropy; None where that is 0.
    decides : float
        Share of positions that have the most common class of all positions with the same values.
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


def gains(levels: Sequence[Levels], tables: Tables) -> list[Gain]:
    """The gains of all single features, then of all counted pairs, each list in descending order."""
    found = [_gain(tuple(levels[each].name for each in of), table) for of, table in tables.items() if 1 <= len(of) <= 2]
    return sorted(found, key=lambda gain: (len(gain.features), -gain.gain))


def _gain(names: tuple[str, ...], table: Counts) -> Gain:
    gain, total = information_gain(table), float(entropy(table.reshape(-1, table.shape[-1]).sum(axis=0)))
    return Gain(names, gain, gain / total if total else None, decided(table))
