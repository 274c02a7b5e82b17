"""What decides a slice: the most informative features, exact rules, and a small decision tree.

The search makes two passes over the positions. The first collects the values that occur and draws a sample, from which
the tree is grown; the second counts. A slice that fits into the sample needs only one pass.
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
from tablebase.mining.column import Column
from tablebase.mining.columns import columns
from tablebase.mining.rows import Rows
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
"""Slices of up to this many positions are searched for all pairs of features."""
BEST = 12
"""In larger slices, only pairs of this many features: the most informative ones in the sample."""


@dataclass(frozen=True)
class Patterns:
    """The patterns of a slice.

    Parameters
    ----------
    slice : StoredSlice
    outcomes : tuple of int
        Positions won, lost and drawn.
    entropy : float
        Of the outcome, in bits.
    gains : list of Gain
        All single features, then all pairs that were counted, each list with the highest gains first.
    rules : list of Rule
        The broadest first.
    tree : Tree or None
        None if no tree was requested.
    """

    slice: StoredSlice
    outcomes: tuple[int, ...]
    entropy: float
    gains: list[Gain]
    rules: list[Rule]
    tree: Tree | None

    @property
    def positions(self) -> int:
        """Number of positions in the slice."""
        return sum(self.outcomes)

    @property
    def commonest(self) -> float:
        """Share of the most common outcome: what is predicted correctly without any feature."""
        return max(self.outcomes) / self.positions


class Search:
    """A search for patterns in one slice.

    Parameters
    ----------
    game : Game
    store : Store
    known : Selection
        Only this slice, which must have positions.
    features : tuple of Feature
    threads : int
    depth : int
        Depth of the tree; 0 for no tree.
    """

    def __init__(
        self, game: Game, store: Store, known: Selection, features: tuple[Feature, ...], threads: int = 2, depth: int = 3
    ) -> None:
        (self.slice,) = known
        self.game, self.store, self.known, self.threads, self.depth = game, store, known, threads, depth
        by_name = columns(game, [self.slice], features)
        self.outcome = by_name["outcome"]
        self.features = [column for column in by_name.values() if column.feature is not None or _is_coordinate(column)]
        self.max_positions = layout_of(game, self.slice.location.material).cells_with_images
        self.cells = self._scan().cells * (1 if self.max_positions <= SAMPLE else 2)
        """Indices that are decoded in all passes together."""
        self.tick: Callable[[int], object] = lambda _: None
        """Called from time to time with the number of indices decoded since the last call."""

    def run(self) -> Patterns:
        """Search the slice."""
        surveyed = survey(self._scan(), self.outcome, self.features, self.max_positions)
        codes = [levels.codes(values) for levels, values in zip(surveyed.levels, surveyed.sample, strict=True)]
        tree = grow(surveyed.levels, codes, surveyed.outcomes, self.depth) if self.depth else None
        sizes = tuple(len(levels) for levels in surveyed.levels)
        plan = Plan(sizes, tuple(combinations(_paired(surveyed, codes), 2)), leaves(tree) if tree is not None else 0)
        count_values = partial(_count_values, surveyed.levels, plan, tree)
        counts = count_values(surveyed.sample, surveyed.outcomes) if surveyed.whole else self._count(surveyed, count_values)
        tables = Tables(plan, counts)
        return Patterns(
            self.slice,
            tuple(tables.outcomes.tolist()),
            float(entropy(tables.outcomes)),
            gains(surveyed.levels, tables),
            rules(surveyed.levels, tables, codes),
            judge(tree, tables.leaves, len(surveyed.outcomes)) if tree is not None else None,
        )

    def _scan(self) -> Scan:
        """A new pass over the slice."""
        scan, reported = Scan(self.game, self.store, self.known, (), self.threads), 0

        def tick() -> None:
            nonlocal reported
            self.tick(scan.done - reported)
            reported = scan.done

        scan.tick = tick
        return scan

    def _count(self, surveyed: Survey, count_values: Callable[[list[Raw], NDArray[np.intp]], Counts]) -> Counts:
        """Counts of all positions, block by block."""

        def count_rows(rows: Rows) -> Counts:
            values = [raw(column, column.compute(rows)) for column in surveyed.columns]
            return count_values(values, raw(self.outcome, self.outcome.compute(rows)).astype(np.intp))

        total: Counts = np.zeros(1, dtype=np.int64)
        for block in self._scan().spread(count_rows):
            for counts in block:
                total = total + counts
        return total


def _is_coordinate(column: Column) -> bool:
    """Whether it is the file or the rank of a piece."""
    return column.name.startswith("p") and column.name.endswith(("_file", "_rank"))


def _paired(surveyed: Survey, codes: list[NDArray[np.intp]]) -> list[int]:
    """Numbers of the features whose pairs are counted."""
    features = list(range(len(codes)))
    if surveyed.positions <= ALL_PAIRS:
        return features
    plan = Plan(tuple(len(levels) for levels in surveyed.levels), ())
    singles = Tables(plan, count(plan, codes, None, surveyed.outcomes)).singles
    return sorted(sorted(features, key=lambda feature: -information_gain(singles[feature]))[:BEST])


def _count_values(levels: list[Levels], plan: Plan, tree: Node | None, values: list[Raw], outcomes: NDArray[np.intp]) -> Counts:
    """Counts of positions with these values of the features, chunk by chunk."""
    total: Counts = np.zeros(int(plan.ends[-1]), dtype=np.int64)
    for begin in range(0, len(outcomes), CHUNK):
        chunk = slice(begin, begin + CHUNK)
        codes = [of_feature.codes(column[chunk]) for of_feature, column in zip(levels, values, strict=True)]
        total += count(plan, codes, leaf_of(tree, codes) if tree is not None else None, outcomes[chunk])
    return total
