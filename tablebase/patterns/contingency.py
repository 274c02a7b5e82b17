"""Contingency tables: how many positions have each combination of levels and each outcome."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

from tablebase.compute.jit import jit
from tablebase.game import Outcome

CHUNK = 1 << 15
"""Positions counted at once, few enough that their levels stay in the processor's cache."""
OUTCOME_COUNT = len(Outcome)

Counts = NDArray[np.int64]
Codes = Sequence[NDArray[np.intp]]
"""For each feature, the level number of each position."""


@dataclass(frozen=True)
class Plan:
    """Which contingency tables to count.

    Parameters
    ----------
    sizes : tuple of int
        Number of levels of each feature.
    pairs : tuple of tuple of int
        Pairs of features to be counted together, the smaller number first.
    leaves : int
        Number of leaves of the decision tree; 0 if there is none.
    """

    sizes: tuple[int, ...]
    pairs: tuple[tuple[int, int], ...]
    leaves: int = 0

    @cached_property
    def shapes(self) -> list[tuple[int, ...]]:
        """Shapes of the tables: of all positions, of single features, of pairs, and of the leaves."""
        singles = [(size, OUTCOME_COUNT) for size in self.sizes]
        pairs = [(self.sizes[first], self.sizes[second], OUTCOME_COUNT) for first, second in self.pairs]
        return [(OUTCOME_COUNT,), *singles, *pairs, (self.leaves, OUTCOME_COUNT)]

    @cached_property
    def ends(self) -> Counts:
        """Where each table ends in the concatenation of all tables."""
        return np.cumsum([prod(shape) for shape in self.shapes])


class Tables:
    """Contingency tables.

    Parameters
    ----------
    plan : Plan
    counts : ndarray of int64
        All tables, concatenated.

    Attributes
    ----------
    outcomes : ndarray of int64, shape (3,)
        Of all positions.
    singles : list of ndarray, shape (levels, 3)
        Of each feature; the last axis is the outcome, in the order of `Outcome`.
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
    """Count positions; the results of several calls can be added.

    Parameters
    ----------
    plan : Plan
    codes : sequence of ndarray, shape (positions,)
        The level of each feature.
    leaves : ndarray of intp, shape (positions,) or (), or None
        The leaf that each position reaches, if there is a tree.
    outcomes : ndarray of intp, shape (positions,)
        0, 1 or 2, in the order of `Outcome`.

    Returns
    -------
    ndarray of int64
        The tables of the plan, concatenated; `Tables` separates them.
    """
    joined = [levels * OUTCOME_COUNT + outcomes for levels in codes]
    counts = [np.bincount(outcomes, minlength=OUTCOME_COUNT)]
    counts += [np.bincount(levels, minlength=size * OUTCOME_COUNT) for levels, size in zip(joined, plan.sizes, strict=True)]
    counts.append(_count_pairs(plan, codes, joined))
    if leaves is not None:
        counts.append(np.bincount(leaves * OUTCOME_COUNT + outcomes, minlength=plan.leaves * OUTCOME_COUNT))
    return np.concatenate(counts).astype(np.int64, copy=False)


def _count_pairs(plan: Plan, codes: Codes, joined: Codes) -> Counts:
    """The tables of all pairs, concatenated; in `joined`, the outcome is the last digit of each level."""
    widths = [plan.sizes[second] * OUTCOME_COUNT for _, second in plan.pairs]
    ends = np.cumsum([0, *(plan.sizes[first] * width for (first, _), width in zip(plan.pairs, widths, strict=True))])
    counts: Counts = np.zeros(ends[-1], dtype=np.int64)
    for (first, second), width, begin, end in zip(plan.pairs, widths, ends[:-1].tolist(), ends[1:].tolist(), strict=True):
        _add_pair(codes[first], joined[second], width, counts[begin:end])
    return counts


@jit
def _add_pair(first: NDArray[np.intp], second: NDArray[np.intp], width: int, counts: Counts) -> None:
    """Add the pairs of two columns to a table; unlike `numpy.bincount`, it releases the interpreter's lock."""
    for position in range(len(first)):
        counts[first[position] * width + second[position]] += 1
