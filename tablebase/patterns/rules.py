"""Exact rules: conditions under which all positions of a slice have the same outcome.

A rule is one comparison, or two joined by AND. Let T be the contingency table of two features, and A and B the matrices
that show which comparisons hold for which of their levels; then A T Bᵗ are the counts of all pairs of comparisons.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tablebase.mining.column import OUTCOMES
from tablebase.patterns.contingency import Codes, Counts, Tables
from tablebase.patterns.levels import Flags, Levels

KEPT = 5
"""Rules with one comparison, and rules with two, that are kept for each outcome."""


@dataclass(frozen=True)
class Rule:
    """A condition under which only one outcome occurs.

    Parameters
    ----------
    outcome : str
    comparisons : int
        How many are joined: 1 or 2, or 0 if all positions have the outcome.
    condition : str
        In SQL, as `tablebase mine` accepts it.
    positions : int
        How many satisfy it.
    """

    outcome: str
    comparisons: int
    condition: str
    positions: int


def rules(levels: Sequence[Levels], tables: Tables, sample: Codes, kept: int = KEPT) -> list[Rule]:
    """The broadest rules for each outcome.

    A rule is omitted if all its positions in the sample satisfy a broader rule with no more comparisons.

    Parameters
    ----------
    levels : sequence of Levels
    tables : Tables
    sample : sequence of ndarray, shape (positions,)
        The level of each feature in positions of the slice, if possible in all of them.
    kept : int
        Number of rules with one comparison, and with two, for each outcome.
    """
    always = np.flatnonzero(tables.outcomes)
    if len(always) == 1:
        return [Rule(str(OUTCOMES[always[0]]), 0, "true", int(tables.outcomes.sum()))]
    joint = _Joint(levels, tables, sample)
    broadest = [rule for outcome in range(len(OUTCOMES)) for rule in joint.rules(outcome, kept)]
    return sorted(broadest, key=lambda rule: -rule.positions)


class _Joint:
    """Counts of all pairs of comparisons."""

    def __init__(self, levels: Sequence[Levels], tables: Tables, sample: Codes) -> None:
        conditions = [condition for feature in levels for condition in feature.conditions]
        self.sql = [condition.sql for condition in conditions]
        self.holds = [condition.holds for condition in conditions]
        self.codes = [codes for feature, codes in zip(levels, sample, strict=True) for _ in feature.conditions]
        ends = np.cumsum([len(feature.conditions) for feature in levels])
        self.of = [slice(int(end) - len(feature.conditions), int(end)) for end, feature in zip(ends, levels, strict=True)]
        """The comparisons of each feature."""
        size = len(conditions)
        self.counts: Counts = np.zeros((len(OUTCOMES), size, size), dtype=np.int64)
        """By outcome and by the numbers of two comparisons."""
        self.counted: Flags = np.zeros((size, size), dtype=bool)
        self._count(levels, tables)
        self.total = self.counts.sum(axis=0)
        self.implies: Flags = self.counted & (self.total == self.total.diagonal()[:, None])
        """Whether every position that satisfies the first comparison satisfies the second."""
        self.pairs = self._pairs(levels)

    def _count(self, levels: Sequence[Levels], tables: Tables) -> None:
        """Count the pairs of comparisons of one feature, and of two features that were counted together."""
        holds = [np.array([condition.holds for condition in feature.conditions], dtype=np.int64) for feature in levels]
        for number, table in enumerate(tables.singles):
            for outcome, column in enumerate(table.T):
                self.counts[outcome, self.of[number], self.of[number]] = holds[number] * column @ holds[number].T
            self.counted[self.of[number], self.of[number]] = True
        for (first, second), table in tables.pairs.items():
            for outcome in range(len(OUTCOMES)):
                block = holds[first] @ table[..., outcome] @ holds[second].T
                self.counts[outcome, self.of[first], self.of[second]] = block
                self.counts[outcome, self.of[second], self.of[first]] = block.T
            self.counted[self.of[first], self.of[second]] = self.counted[self.of[second], self.of[first]] = True

    def _pairs(self, levels: Sequence[Levels]) -> Flags:
        """Which comparisons may be joined: each pair once, and two of the same feature only as both ends of a range."""
        joinable = np.triu(self.counted, 1)
        for number, feature in enumerate(levels):
            holds = np.array([condition.holds for condition in feature.conditions])
            first, last = holds[:, 0], holds[:, -1]
            wide = (holds[:, None] & holds[None]).sum(axis=2) > 1
            joinable[self.of[number], self.of[number]] &= (first[:, None] != first) & (last[:, None] != last) & wide
        return joinable

    def rules(self, outcome: int, kept: int) -> Iterator[Rule]:
        """The broadest rules for an outcome."""
        exact = (self.counts[outcome] == self.total) & (self.total > 0)
        alone = exact.diagonal()
        known: list[Flags] = []
        singles = list(self._broadest(np.diag(alone), len(alone), known))
        # If one of two comparisons suffices, the other adds nothing.
        joined = exact & self.pairs & ~alone[:, None] & ~alone
        for number, pairs in ((1, singles[:kept]), (2, self._broadest(joined, kept, known))):
            for pair in pairs:
                condition = " AND ".join(self.sql[comparison] for comparison in pair[:number])
                yield Rule(str(OUTCOMES[outcome]), number, condition, int(self.total[pair]))

    def _broadest(self, candidates: Flags, kept: int, known: list[Flags]) -> Iterator[tuple[int, int]]:
        """Pairs of comparisons with the most positions; appends to `known` where in the sample each of them holds."""
        remaining = np.where(candidates, self.total, 0)
        while kept:
            first, second = divmod(int(remaining.argmax()), len(remaining))
            if not remaining[first, second]:
                return
            where = self._where(first) & self._where(second)
            # A rule without positions in the sample cannot be shown to be contained in another.
            if not where.any() or all((where & ~known_where).any() for known_where in known):
                known.append(where)
                kept -= 1
                yield first, second
            follows = np.outer(self.implies[:, first], self.implies[:, second])
            remaining[follows | follows.T] = 0

    def _where(self, comparison: int) -> Flags:
        """Where in the sample a comparison holds."""
        where: Flags = self.holds[comparison][self.codes[comparison]]
        return where
