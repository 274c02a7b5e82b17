"""Gains and exact rules, from contingency tables: how many positions have each combination of levels and each class of the target.

The gains of features are the information gain of Quinlan 1986, *Induction of Decision Trees*.

A rule is a condition under which all positions have the same class: one comparison, or several joined by AND. Let T be the
contingency table of two features, and A and B the matrices that show which comparisons hold for which of their levels; then
A T Bᵗ are the counts of all pairs of comparisons. Likewise for three features.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tablebase.mining.patterns.levels import Flags, Levels
from tablebase.mining.tally import add_pairs

KEPT = 5
"""Rules of each number of comparisons that are kept for each class."""
CONDITIONS = 3
"""Most comparisons of a rule."""
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
        its, of_classes = [levels[begin : begin + CHUNK] for levels in codes], classes[begin : begin + CHUNK]
        firsts: dict[tuple[int, ...], Numbers] = {(): np.zeros_like(of_classes)}
        lasts: dict[tuple[int, ...], Numbers] = {(): of_classes}
        for features, table in tables.items():
            first, last = features[:-1], features[-1:]
            if first not in firsts:
                firsts[first] = np.ravel_multi_index([its[each] for each in first], table.shape[: len(first)])
            if last not in lasts:
                lasts[last] = its[last[0]] * table.shape[-1] + of_classes
            add_pairs(firsts[first], lasts[last], prod(table.shape[len(first) :]), table.reshape(-1))


@dataclass(frozen=True)
class Gain:
    """Information gain about the target from one or two features.

    Parameters
    ----------
    features : tuple of str
        Names of one or two features.
    gain : float
        Information gain, in bits.
    explains : float or None
        The gain as a share of the target's entropy; None if the entropy is 0.
    decides : float
        Accuracy of predicting the most common class for each combination of feature values.
    """

    features: tuple[str, ...]
    gain: float
    explains: float | None
    decides: float

    @property
    def name(self) -> str:
        """Names of the features, separated by commas."""
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


@dataclass(frozen=True)
class Rule:
    """A condition on features; all positions that satisfy it have the same class, such as a win.

    Parameters
    ----------
    value : str
        Class of the positions that satisfy the condition, such as ``win``.
    comparisons : int
        Number of comparisons in the condition, from 1 to 3; 0 if all positions have this class.
    condition : str
        SQL condition, for use in `tablebase mine`.
    positions : int
        Number of positions that satisfy the condition.
    """

    value: str
    comparisons: int
    condition: str
    positions: int


def rules(
    levels: Sequence[Levels],
    classes: Sequence[str],
    tables: Tables,
    sample: Codes,
    conditions: int = 2,
    support: float = 0.0,
    kept: int = KEPT,
) -> list[Rule]:
    """The broadest rules for each class: `kept` of each number of comparisons.

    A rule is omitted if all its positions in the sample satisfy a broader rule with no more comparisons. Several comparisons
    are joined if their features were counted together, at most `conditions`. `sample` has the level of each feature in some
    positions, if possible in all of them; a rule covers at least the share `support` of all positions.
    """
    total = int(tables[()].sum())
    always = np.flatnonzero(tables[()])
    if len(always) == 1:
        return [Rule(classes[always[0]], 0, "true", total)]
    comparisons = _Comparisons(levels, tables, sample)
    broadest = [
        Rule(word, len(found), " AND ".join(comparisons.every[each][1].sql for each in found), positions)
        for number, word in enumerate(classes)
        for found, positions in _OfClass(comparisons, number, total, support).rules(conditions, kept)
    ]
    return sorted(broadest, key=lambda rule: -rule.positions)


class _Comparisons:
    """All comparisons, and counts of pairs of them; triples are counted when they are needed."""

    def __init__(self, levels: Sequence[Levels], tables: Tables, sample: Codes) -> None:
        self.every = [(number, condition) for number, feature in enumerate(levels) for condition in feature.conditions]
        """Each comparison, with the number of its feature."""
        self._tables, self._sample, size = tables, sample, len(self.every)
        # Counts are whole numbers below 2⁵³, which sums of floating-point numbers keep exact, and which are faster.
        self._matrices = [
            np.array([condition.holds for condition in feature.conditions], dtype=np.float64).reshape(-1, len(feature))
            for feature in levels
        ]
        ends = np.cumsum([len(matrix) for matrix in self._matrices]).tolist()
        self._of = [slice(end - len(matrix), end) for end, matrix in zip(ends, self._matrices, strict=True)]
        self.counts: Counts = np.zeros((len(tables[()]), size, size), dtype=np.int64)
        """By class and by the numbers of two comparisons: of one feature, or of two that were counted together."""
        self.pairs: Flags = np.zeros((size, size), dtype=bool)
        """True if two comparisons may be joined; each pair once, and two of the same feature only as both ends of a range."""
        counted = np.zeros_like(self.pairs)
        for features, table in tables.items():
            if len(features) > 2 or not features:
                continue
            first, second = (self._of[each] for each in (features[0], features[-1]))
            self.pairs[first, second] = True
            if len(features) == 1:
                holds = self._matrices[features[0]].astype(bool)
                low, high, wide = holds[:, 0], holds[:, -1], (holds[:, None] & holds[None]).sum(axis=2) > 1
                self.pairs[first, first] = np.triu((low[:, None] != low) & (high[:, None] != high) & wide, 1)
                features, table = features * 2, np.eye(len(table), dtype=np.int64)[:, :, None] * table
            blocks = self._joint(features, table)
            self.counts[:, first, second], self.counts[:, second, first] = blocks, blocks.swapaxes(1, 2)
            counted[first, second] = counted[second, first] = True
        self.total = self.counts.sum(axis=0)
        self.implies: Flags = counted & (self.total == self.total.diagonal()[:, None])
        """True if every position that satisfies the first comparison satisfies the second."""

    def _joint(self, features: tuple[int, ...], table: Counts) -> Counts:
        """Counts by class and by a comparison of each of some features, given those by their levels."""
        counts = table.astype(np.float64)
        for number in features:
            # The first axis is summed over, and becomes the last one.
            counts = np.tensordot(counts, self._matrices[number], axes=(0, 1))
        return counts.astype(np.int64)

    def triples(self) -> Iterator[tuple[tuple[slice, ...], Counts]]:
        """For three features that were counted together, the comparisons of each, and the counts by class and comparisons."""
        for features, table in self._tables.items():
            if len(features) == CONDITIONS:
                yield tuple(self._of[each] for each in features), self._joint(features, table)

    def where(self, comparisons: Sequence[int]) -> Flags:
        """Return where in the sample comparisons hold."""
        asked = (self.every[each] for each in comparisons)
        holding: Flags = np.logical_and.reduce([condition.holds[self._sample[number]] for number, condition in asked])
        return holding


class _OfClass:
    def __init__(self, comparisons: _Comparisons, number: int, positions: int, support: float) -> None:
        self.comparisons, self.number, self.positions, self.support = comparisons, number, positions, support
        self.exact = self._exact(comparisons.counts)
        """True if two comparisons leave only this class."""
        self.known: list[Flags] = []
        """Sample positions where each rule found so far holds."""

    def rules(self, conditions: int, kept: int) -> Iterator[tuple[tuple[int, ...], int]]:
        """The comparisons of the broadest rules, and their positions."""
        total, alone = self.comparisons.total, self.exact.diagonal()
        singles = np.flatnonzero(alone & (total.diagonal() / self.positions >= self.support))
        yield from list(self._broadest(singles[:, None], total.diagonal()[singles], len(singles)))[:kept]
        if conditions >= 2:
            # If one of two comparisons suffices, the other adds nothing.
            joined = self.exact & self.comparisons.pairs & ~alone[:, None] & ~alone & (total / self.positions >= self.support)
            yield from self._broadest(np.argwhere(joined), total[joined], kept)
        if conditions >= CONDITIONS:
            yield from self._broadest(*self._triples(), kept)

    def _exact(self, counts: Counts) -> Flags:
        """Return where counts are of this class alone."""
        total = counts.sum(axis=0)
        exact: Flags = (counts[self.number] == total) & (total > 0)
        return exact

    def _triples(self) -> tuple[Numbers, Counts]:
        """Three comparisons that leave only this class, while no two of them do, and their positions."""
        found: list[tuple[Numbers, Counts]] = [(np.zeros((0, 3), dtype=np.intp), np.zeros(0, dtype=np.int64))]
        for (first, second, third), counts in self.comparisons.triples():
            total, exact = counts.sum(axis=0), self.exact
            sufficient = exact[first, second][:, :, None] | exact[first, third][:, None] | exact[second, third][None]
            chosen = self._exact(counts) & (total / self.positions >= self.support) & ~sufficient
            numbers = np.argwhere(chosen) + np.array([first.start, second.start, third.start])
            found.append((numbers, total[chosen]))
        numbers, totals = zip(*found, strict=True)
        return np.concatenate(numbers), np.concatenate(totals)

    def _broadest(self, comparisons: Numbers, positions: Counts, kept: int) -> Iterator[tuple[tuple[int, ...], int]]:
        """The broadest exact conditions, each some comparisons, that no known rule contains; they become known."""
        order = np.argsort(-positions, kind="stable")
        comparisons, positions = comparisons[order], positions[order]
        while kept and len(positions):
            broadest = tuple(comparisons[0].tolist())
            where = self.comparisons.where(broadest)
            # A rule without positions in the sample cannot be shown to be contained in another.
            if not where.any() or all((where & ~known).any() for known in self.known):
                self.known.append(where)
                kept -= 1
                yield broadest, int(positions[0])
            # Conditions that imply each comparison of the rule by one of their own are contained in it.
            implied = [self.comparisons.implies[:, each][comparisons].any(axis=1) for each in broadest]
            others = ~np.logical_and.reduce(implied)
            comparisons, positions = comparisons[others], positions[others]
