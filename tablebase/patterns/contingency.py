"""Contingency tables: how many positions have each combination of levels and each outcome."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

from tablebase.compute.jit import jit
from tablebase.mining.columns import OUTCOMES

CHUNK = 1 << 15
"""Positions counted together, so that their levels stay in the processor's cache."""

Counts = NDArray[np.int64]
Codes = Sequence[NDArray[np.intp]]
"""Number of the level of each position, for each feature."""


@dataclass(frozen=True)
class Plan:
    """What is to be counted.

    Parameters
    ----------
    sizes : tuple of int
        Number of levels of each feature.
    pairs : tuple of tuple of int
        Features that are counted together, the first before the second.
    leaves : int
        Number of leaves of a tree; 0 if there is none.
    """

    sizes: tuple[int, ...]
    pairs: tuple[tuple[int, int], ...]
    leaves: int = 0

    @cached_property
    def shapes(self) -> list[tuple[int, ...]]:
        """Shapes of the tables: that of all positions, of single features, of pairs, and of the leaves."""
        last = len(OUTCOMES)
        singles = [(size, last) for size in self.sizes]
        pairs = [(self.sizes[one], self.sizes[other], last) for one, other in self.pairs]
        return [(last,), *singles, *pairs, (self.leaves, last)]

    @cached_property
    def ends(self) -> Counts:
        """Where each table ends in the array of all of them."""
        return np.cumsum([prod(shape) for shape in self.shapes])


class Tables:
    """Contingency tables.

    Parameters
    ----------
    plan : Plan
    counts : ndarray of int64
        All tables behind each other.

    Attributes
    ----------
    outcomes : ndarray of int64, shape (3,)
        Of all positions.
    singles : list of ndarray, shape (levels, 3)
        Of each feature; the last axis is the outcome, in the order of `OUTCOMES`.
    pairs : dict of (int, int) to ndarray, shape (levels, levels, 3)
    leaves : ndarray, shape (leaves, 3)
    """

    def __init__(self, plan: Plan, counts: Counts) -> None:
        parts = np.split(counts, plan.ends[:-1])
        tables = [part.reshape(shape) for part, shape in zip(parts, plan.shapes, strict=True)]
        self.outcomes, self.singles = tables[0], tables[1 : 1 + len(plan.sizes)]
        self.pairs = dict(zip(plan.pairs, tables[1 + len(plan.sizes) : -1], strict=True))
        self.leaves = tables[-1]


def count(plan: Plan, codes: Codes, leaves: NDArray[np.intp] | None, outcomes: NDArray[np.intp]) -> Counts:
    """Count some positions; results of several may be added up.

    Parameters
    ----------
    plan : Plan
    codes : sequence of ndarray, shape (positions,)
        The level of each feature.
    leaves : ndarray of intp, shape (positions,) or (), or None
        The leaf that each position comes to, if there is a tree.
    outcomes : ndarray of intp, shape (positions,)
        0, 1 or 2, as in `OUTCOMES`.

    Returns
    -------
    ndarray of int64
        The tables of the plan behind each other, to be read through `Tables`.
    """
    last = len(OUTCOMES)
    joined = [one * last + outcomes for one in codes]
    found = [np.bincount(outcomes, minlength=last)]
    found += [np.bincount(one, minlength=size * last) for one, size in zip(joined, plan.sizes, strict=True)]
    found.append(_count_pairs(plan, codes, joined))
    if leaves is not None:
        found.append(np.bincount(leaves * last + outcomes, minlength=plan.leaves * last))
    return np.concatenate(found).astype(np.int64, copy=False)


def _count_pairs(plan: Plan, codes: Codes, joined: Codes) -> Counts:
    """The tables of all pairs behind each other; `joined` has the outcome as the last digit of each level."""
    last = len(OUTCOMES)
    widths = [plan.sizes[other] * last for _, other in plan.pairs]
    ends = np.cumsum([0, *(plan.sizes[one] * width for (one, _), width in zip(plan.pairs, widths, strict=True))])
    counts: Counts = np.zeros(ends[-1], dtype=np.int64)
    for (one, other), width, begin, end in zip(plan.pairs, widths, ends[:-1].tolist(), ends[1:].tolist(), strict=True):
        _add_pair(codes[one], joined[other], width, counts[begin:end])
    return counts


@jit
def _add_pair(first: NDArray[np.intp], second: NDArray[np.intp], width: int, counts: Counts) -> None:
    """Add the pairs of two columns to a table; unlike `numpy.bincount` it lets other threads run."""
    for place in range(len(first)):
        counts[first[place] * width + second[place]] += 1
