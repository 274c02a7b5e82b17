"""Exact rules: conditions under which all positions have the same class.

A rule is one comparison, or several joined by AND. Let T be the contingency table of two features, and A and B the
matrices that show which comparisons hold for which of their levels; then A T Bᵗ are the counts of all pairs of
comparisons. Likewise for three features.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tablebase.mining.patterns.gains import Codes, ContingencyTables, Counts
from tablebase.mining.patterns.levels import Flags, Levels

KEPT = 5
"""Rules of each number of comparisons that are kept for each class."""
CONDITIONS = 3
"""Most comparisons of a rule."""

Numbers = NDArray[np.intp]


@dataclass(frozen=True)
class Rule:
    """A condition that determines the class of all positions that satisfy it.

    Parameters
    ----------
    value : str
        The class.
    comparisons : int
        Number of comparisons in the condition, from 1 to 3; 0 if all positions have the class.
    condition : str
        Condition in SQL, for use in `tablebase mine`.
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
    tables: ContingencyTables,
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
    total = int(tables.whole.sum())
    always = np.flatnonzero(tables.whole)
    if len(always) == 1:
        return [Rule(classes[always[0]], 0, "true", total)]
    comparisons = _Comparisons(levels, tables, sample)
    broadest = [
        Rule(word, len(found), " AND ".join(comparisons.sql[each] for each in found), positions)
        for number, word in enumerate(classes)
        for found, positions in _OfClass(comparisons, number, support).rules(conditions, kept)
    ]
    return sorted(broadest, key=lambda rule: -rule.positions)


class _Comparisons:
    """All comparisons, and counts of pairs of them; those of three are counted when they are asked for."""

    def __init__(self, levels: Sequence[Levels], tables: ContingencyTables, sample: Codes) -> None:
        conditions = [condition for feature in levels for condition in feature.conditions]
        self.sql = [condition.sql for condition in conditions]
        self._holds = [condition.holds for condition in conditions]
        self._codes = [codes for feature, codes in zip(levels, sample, strict=True) for _ in feature.conditions]
        ends = np.cumsum([len(feature.conditions) for feature in levels])
        self.of = [slice(int(end) - len(feature.conditions), int(end)) for end, feature in zip(ends, levels, strict=True)]
        """The comparisons of each feature."""
        # Counts are whole numbers below 2⁵³, which sums of floating-point numbers keep exact, and which are faster.
        self._matrices = [
            np.array([condition.holds for condition in feature.conditions], dtype=np.float64).reshape(-1, len(feature))
            for feature in levels
        ]
        self.positions = int(tables.whole.sum())
        size = len(conditions)
        self.counts: Counts = np.zeros((len(tables.whole), size, size), dtype=np.int64)
        """By class and by the numbers of two comparisons."""
        self.counted: Flags = np.zeros((size, size), dtype=bool)
        self._count(tables)
        self.total = self.counts.sum(axis=0)
        self.implies: Flags = self.counted & (self.total == self.total.diagonal()[:, None])
        """True if every position that satisfies the first comparison satisfies the second."""
        self.pairs = self._pairs()
        self._triples = {features: table for features, table in tables.joint.items() if len(features) == 3}

    def _count(self, tables: ContingencyTables) -> None:
        """Count the pairs of comparisons of one feature, and of two features that were counted together."""
        joint: dict[tuple[int, ...], Counts] = dict(tables.joint)
        joint |= {
            (number, number): np.eye(len(table), dtype=np.int64)[:, :, None] * table for number, table in enumerate(tables.singles)
        }
        for features, table in joint.items():
            if len(features) == 2:
                first, second = (self.of[each] for each in features)
                blocks = self._joint(features, table)
                self.counts[:, first, second] = blocks
                self.counts[:, second, first] = blocks.swapaxes(1, 2)
                self.counted[first, second] = self.counted[second, first] = True

    def _joint(self, features: tuple[int, ...], table: Counts) -> Counts:
        """Counts by class and by a comparison of each of some features, given those by their levels."""
        counts = table.astype(np.float64)
        for number in features:
            # The first axis is summed over, and becomes the last one.
            counts = np.tensordot(counts, self._matrices[number], axes=(0, 1))
        return counts.astype(np.int64)

    def _pairs(self) -> Flags:
        """Which comparisons may be joined: each pair once, and two of the same feature only as both ends of a range."""
        joinable = np.triu(self.counted, 1)
        for number, matrix in enumerate(self._matrices):
            holds = matrix.astype(bool)
            first, last = holds[:, 0], holds[:, -1]
            wide = (holds[:, None] & holds[None]).sum(axis=2) > 1
            joinable[self.of[number], self.of[number]] &= (first[:, None] != first) & (last[:, None] != last) & wide
        return joinable

    def triples(self) -> Iterator[tuple[tuple[slice, ...], Counts]]:
        """For three features that were counted together, the comparisons of each, and the counts by class and comparisons."""
        for features, table in self._triples.items():
            yield tuple(self.of[each] for each in features), self._joint(features, table)

    def where(self, comparisons: Sequence[int]) -> Flags:
        """Return where in the sample comparisons hold."""
        holding: Flags = np.logical_and.reduce([self._holds[each][self._codes[each]] for each in comparisons])
        return holding


class _OfClass:
    def __init__(self, comparisons: _Comparisons, number: int, support: float) -> None:
        self.comparisons, self.number, self.support = comparisons, number, support
        self.exact: Flags = (comparisons.counts[number] == comparisons.total) & (comparisons.total > 0)
        """True if two comparisons leave only this class."""
        self.known: list[Flags] = []
        """Sample positions where each rule found so far holds."""

    def rules(self, conditions: int, kept: int) -> Iterator[tuple[tuple[int, ...], int]]:
        """The comparisons of the broadest rules, and their positions."""
        total, alone = self.comparisons.total, self.exact.diagonal()
        singles = np.flatnonzero(alone & self._supported(total.diagonal()))
        yield from list(self._broadest(singles[:, None], total.diagonal()[singles], len(singles)))[:kept]
        if conditions >= 2:
            # If one of two comparisons suffices, the other adds nothing.
            joined = self.exact & self.comparisons.pairs & ~alone[:, None] & ~alone & self._supported(total)
            yield from self._broadest(np.argwhere(joined), total[joined], kept)
        if conditions >= 3:
            yield from self._broadest(*self._triples(), kept)

    def _supported(self, positions: Counts) -> Flags:
        enough: Flags = positions / self.comparisons.positions >= self.support
        return enough

    def _triples(self) -> tuple[Numbers, Counts]:
        """Three comparisons that leave only this class, while no two of them do, and their positions."""
        found: list[tuple[Numbers, Counts]] = [(np.zeros((0, 3), dtype=np.intp), np.zeros(0, dtype=np.int64))]
        for (first, second, third), counts in self.comparisons.triples():
            total, exact = counts.sum(axis=0), self.exact
            sufficient = exact[first, second][:, :, None] | exact[first, third][:, None] | exact[second, third][None]
            chosen = (counts[self.number] == total) & (total > 0) & self._supported(total) & ~sufficient
            numbers = np.argwhere(chosen) + np.array([first.start, second.start, third.start])
            found.append((numbers, total[chosen]))
        return np.concatenate([numbers for numbers, _ in found]), np.concatenate([counts for _, counts in found])

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
            others = ~self._contained(comparisons, broadest)
            comparisons, positions = comparisons[others], positions[others]

    def _contained(self, candidates: Numbers, rule: tuple[int, ...]) -> Flags:
        """Which conditions imply each comparison of a rule by one of their own."""
        implied = [self.comparisons.implies[:, each][candidates].any(axis=1) for each in rule]
        contained: Flags = np.logical_and.reduce(implied)
        return contained
