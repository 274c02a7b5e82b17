"""Exact rules: conditions under which all positions of a slice have the same outcome.

A rule is one comparison, or two joined by AND. From the contingency table T of two features and the comparisons that
hold for each level of theirs, A and B, the counts of all pairs of comparisons are A T Bᵗ at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tablebase.mining.columns import OUTCOMES
from tablebase.patterns.contingency import Codes, Counts, Tables
from tablebase.patterns.levels import Flags, Levels

KEPT = 5
"""Rules of one comparison, and of two, that are kept for each outcome."""


@dataclass(frozen=True)
class Rule:
    """A condition that leaves one outcome.

    Parameters
    ----------
    outcome : str
    comparisons : int
        How many are joined: 1 or 2, or 0 if all positions have the outcome.
    condition : str
        In SQL, as `tablebase mine` takes it.
    positions : int
        How many satisfy it.
    """

    outcome: str
    comparisons: int
    condition: str
    positions: int


def rules(levels: Sequence[Levels], tables: Tables, sample: Codes, kept: int = KEPT) -> list[Rule]:
    """The widest rules of each outcome.

    A rule is left out if all its positions in the sample satisfy a wider rule of no more comparisons.

    Parameters
    ----------
    levels : sequence of Levels
    tables : Tables
    sample : sequence of ndarray, shape (positions,)
        The level of each feature in positions of the slice, best in all of them.
    kept : int
        How many of one comparison, and how many of two, for each outcome.
    """
    always = np.flatnonzero(tables.outcomes)
    if len(always) == 1:
        return [Rule(str(OUTCOMES[always[0]]), 0, "true", int(tables.outcomes.sum()))]
    joint = _Joint(levels, tables, sample)
    found = [rule for outcome in range(len(OUTCOMES)) for rule in joint.rules(outcome, kept)]
    return sorted(found, key=lambda rule: -rule.positions)


class _Joint:
    """Counts of all pairs of comparisons."""

    def __init__(self, levels: Sequence[Levels], tables: Tables, sample: Codes) -> None:
        holds = [np.array([one.holds for one in feature.conditions], dtype=np.int64) for feature in levels]
        ends = np.cumsum([len(one) for one in holds])
        self.of = [slice(int(end) - len(one), int(end)) for end, one in zip(ends, holds, strict=True)]
        self.sql = [one.sql for feature in levels for one in feature.conditions]
        size = len(self.sql)
        self.counts: Counts = np.zeros((len(OUTCOMES), size, size), dtype=np.int64)
        """By outcome and by the numbers of two comparisons."""
        self.counted: Flags = np.zeros((size, size), dtype=bool)
        for place, table in enumerate(tables.singles):
            for outcome, column in enumerate(table.T):
                self.counts[outcome, self.of[place], self.of[place]] = holds[place] * column @ holds[place].T
            self.counted[self.of[place], self.of[place]] = True
        for (one, other), table in tables.pairs.items():
            for outcome in range(len(OUTCOMES)):
                block = holds[one] @ table[..., outcome] @ holds[other].T
                self.counts[outcome, self.of[one], self.of[other]] = block
                self.counts[outcome, self.of[other], self.of[one]] = block.T
            self.counted[self.of[one], self.of[other]] = self.counted[self.of[other], self.of[one]] = True
        self.total = self.counts.sum(axis=0)
        self.implies: Flags = self.counted & (self.total == self.total.diagonal()[:, None])
        """Whether every position that satisfies the first comparison satisfies the second."""
        self.pairs = self._pairs(levels)
        self.holds = [one.holds for feature in levels for one in feature.conditions]
        self.codes = [codes for feature, codes in zip(levels, sample, strict=True) for _ in feature.conditions]

    def _pairs(self, levels: Sequence[Levels]) -> Flags:
        """Which two comparisons may be joined: the first before the second, of one feature only the two ends of a range."""
        found = np.triu(self.counted, 1)
        for place, feature in enumerate(levels):
            holds = np.array([one.holds for one in feature.conditions])
            first, last = holds[:, 0], holds[:, -1]
            wide = (holds[:, None] & holds[None]).sum(axis=2) > 1
            found[self.of[place], self.of[place]] &= (first[:, None] != first) & (last[:, None] != last) & wide
        return found

    def rules(self, outcome: int, kept: int) -> Iterator[Rule]:
        """The widest rules of an outcome."""
        exact = (self.counts[outcome] == self.total) & (self.total > 0)
        alone = exact.diagonal()
        known: list[Flags] = []
        singles = list(self._widest(np.diag(alone), len(alone), known))
        # Two comparisons of which one suffices say no more than that one.
        joined = exact & self.pairs & ~alone[:, None] & ~alone
        for number, found in ((1, singles[:kept]), (2, self._widest(joined, kept, known))):
            for places in found:
                condition = " AND ".join(self.sql[place] for place in places[:number])
                yield Rule(str(OUTCOMES[outcome]), number, condition, int(self.total[places]))

    def _widest(self, candidates: Flags, kept: int, known: list[Flags]) -> Iterator[tuple[int, int]]:
        """Pairs of comparisons with most positions, which are added to where known rules hold in the sample."""
        left = np.where(candidates, self.total, 0)
        while kept:
            one, other = divmod(int(left.argmax()), len(left))
            if not left[one, other]:
                return
            where = self._where(one) & self._where(other)
            # Where the sample shows nothing of a rule, it cannot tell whether that is new.
            if not where.any() or all((where & ~one_known).any() for one_known in known):
                known.append(where)
                kept -= 1
                yield one, other
            follows = np.outer(self.implies[:, one], self.implies[:, other])
            left[follows | follows.T] = 0

    def _where(self, place: int) -> Flags:
        """Where in the sample a comparison holds."""
        found: Flags = self.holds[place][self.codes[place]]
        return found
