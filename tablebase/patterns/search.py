"""What decides a slice: features that tell most of the outcome, exact rules, and a small decision tree.

Two passes over the positions: the first sees what values there are and draws a sample, from which the tree is grown;
the second counts. A slice that fits into the sample is passed over once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from tablebase.game import Game
from tablebase.game.features import Feature
from tablebase.mining.columns import Column, Rows, columns
from tablebase.mining.scan import Scan
from tablebase.mining.selection import Selection
from tablebase.patterns.contingency import CHUNK, Counts, Plan, Tables, count
from tablebase.patterns.gains import Gain, entropy, gains, information_gain
from tablebase.patterns.levels import Levels, Raw, raw
from tablebase.patterns.rules import Rule, rules
from tablebase.patterns.survey import SAMPLE, Survey, survey
from tablebase.patterns.trees import Node, Tree, grow, judge, leaf_of, leaves
from tablebase.slices.indexing import layout_of
from tablebase.slices.location import StoredSlice
from tablebase.tables.store import Store

ALL_PAIRS = 20_000_000
"""In slices of so many positions all pairs of features are looked at."""
BEST = 12
"""In larger ones, the pairs of so many features: those that tell most of the outcome in the sample."""


@dataclass(frozen=True)
class Patterns:
    """What was found in a slice.

    Parameters
    ----------
    slice : StoredSlice
    outcomes : tuple of int
        Positions won, lost and drawn.
    entropy : float
        Of the outcome, in bits.
    gains : list of Gain
        All single features, then all pairs that were looked at, of each the best first.
    rules : list of Rule
        The widest first.
    tree : Tree or None
        None if none was asked for.
    """

    slice: StoredSlice
    outcomes: tuple[int, ...]
    entropy: float
    gains: list[Gain]
    rules: list[Rule]
    tree: Tree | None

    @property
    def positions(self) -> int:
        """All positions of the slice."""
        return sum(self.outcomes)

    @property
    def commonest(self) -> float:
        """Share of positions that have the commonest outcome: what is decided without any feature."""
        return max(self.outcomes) / self.positions


class Search:
    """A search for patterns in one slice.

    Parameters
    ----------
    game : Game
    store : Store
    known : Selection
        The slice alone, which must have positions.
    features : tuple of Feature
    threads : int
    depth : int
        Of the tree; 0 for none.
    """

    def __init__(
        self, game: Game, store: Store, known: Selection, features: tuple[Feature, ...], threads: int = 2, depth: int = 3
    ) -> None:
        (self.slice,) = known
        self.game, self.store, self.known, self.threads, self.depth = game, store, known, threads, depth
        found = columns(game, [self.slice], features)
        self.outcome = found["outcome"]
        self.features = [column for column in found.values() if column.feature is not None or _is_place(column)]
        self.most = layout_of(game, self.slice.location.material).cells_with_images
        self.cells = self._scan().cells * (1 if self.most <= SAMPLE else 2)
        """Indices that are looked at in all."""
        self.tick: Callable[[int], object] = lambda _: None
        """Told now and then how many more indices have been looked at."""

    def run(self) -> Patterns:
        """Search the slice."""
        seen = survey(self._scan(), self.outcome, self.features, self.most)
        codes = [one.codes(values) for one, values in zip(seen.levels, seen.sample, strict=True)]
        tree = grow(seen.levels, codes, seen.outcomes, self.depth) if self.depth else None
        sizes = tuple(len(one) for one in seen.levels)
        plan = Plan(sizes, tuple(combinations(_paired(seen, codes), 2)), leaves(tree) if tree is not None else 0)
        work = partial(_counted, seen.levels, plan, tree)
        tables = Tables(plan, work(seen.sample, seen.outcomes) if seen.whole else self._count(seen, work))
        return Patterns(
            self.slice,
            tuple(tables.outcomes.tolist()),
            float(entropy(tables.outcomes)),
            gains(seen.levels, tables),
            rules(seen.levels, tables, codes),
            judge(tree, tables.leaves, len(seen.outcomes)) if tree is not None else None,
        )

    def _scan(self) -> Scan:
        """A new pass over the slice."""
        scan, told = Scan(self.game, self.store, self.known, (), self.threads), 0

        def tick() -> None:
            nonlocal told
            self.tick(scan.done - told)
            told = scan.done

        scan.tick = tick
        return scan

    def _count(self, seen: Survey, work: Callable[[list[Raw], NDArray[np.intp]], Counts]) -> Counts:
        """Counts over all positions, block by block."""

        def some(rows: Rows) -> Counts:
            values = [raw(column, column.compute(rows)) for column in seen.columns]
            return work(values, raw(self.outcome, self.outcome.compute(rows)).astype(np.intp))

        total: Counts = np.zeros(1, dtype=np.int64)
        for block in self._scan().spread(some):
            for one in block:
                total = total + one
        return total


def _is_place(column: Column) -> bool:
    """Whether it is the file or the rank of a piece."""
    return column.name.startswith("p") and column.name.endswith(("_file", "_rank"))


def _paired(seen: Survey, codes: list[NDArray[np.intp]]) -> list[int]:
    """The features whose pairs are looked at."""
    places = list(range(len(codes)))
    if seen.positions <= ALL_PAIRS:
        return places
    singles = Tables(plan := Plan(tuple(len(one) for one in seen.levels), ()), count(plan, codes, None, seen.outcomes)).singles
    return sorted(sorted(places, key=lambda place: -information_gain(singles[place]))[:BEST])


def _counted(levels: list[Levels], plan: Plan, tree: Node | None, values: list[Raw], outcomes: NDArray[np.intp]) -> Counts:
    """Counts of some positions."""
    total: Counts = np.zeros(int(plan.ends[-1]), dtype=np.int64)
    for begin in range(0, len(outcomes), CHUNK):
        some = slice(begin, begin + CHUNK)
        codes = [one.codes(column[some]) for one, column in zip(levels, values, strict=True)]
        total += count(plan, codes, leaf_of(tree, codes) if tree is not None else None, outcomes[some])
    return total
