"""Exact rules: conditions under which all positions have the same class.

A rule is one comparison, or several joined by AND. Let T be the contingency table of two features, and A and B the
matrices that show which comparisons hold for which of their levels; then A T Bᵗ are the counts of all pairs of
comparisons. Likewise for three features.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tablebase.mining.patterns.gains import Codes, Counts, Numbers, Tables
from tablebase.mining.patterns.levels import Flags, Levels

KEPT = 5
"""Rules of each number of comparisons that are kept for each class."""
CONDITIONS = 3
"""Most comparisons of a rule."""


@dataclass(frozen=True)
class Rule:
    """A condition under which only one class occurs.

    Parameters
    ----------
    value : str
        The class.
    comparisons : int
        How many are joined: 1 to 3, or 0 if all positions have the class.
    condition : str
        In SQL, as `tablebase mine` accepts it.
    positions : int
        How many satisfy it.
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
    """All comparisons, and counts of pairs of them; those of three are counted when they are needed."""

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
            if len(features) == 1:
                features, table = features * 2, np.eye(len(table), dtype=np.int64)[:, :, None] * table
            if len(features) == 2:
                first, second = (self._of[each] for each in features)
                blocks = self._joint(features, table)
                self.counts[:, first, second], self.counts[:, second, first] = blocks, blocks.swapaxes(1, 2)
                counted[first, second] = counted[second, first] = True
                self.pairs[first, second] = self._are_ends(features[0]) if first == second else True
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

    def _are_ends(self, feature: int) -> Flags:
        """Which two comparisons of a feature are both ends of a range."""
        holds = self._matrices[feature].astype(bool)
        first, last = holds[:, 0], holds[:, -1]
        wide = (holds[:, None] & holds[None]).sum(axis=2) > 1
        ends: Flags = np.triu((first[:, None] != first) & (last[:, None] != last) & wide, 1)
        return ends

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
