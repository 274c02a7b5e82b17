"""Patterns in a set of positions: the most informative features, exact rules, and a small decision tree.

The search makes two passes over the positions. The first collects the values that occur and draws a sample, from which
the tree is grown; the second counts. Positions that fit into the sample need only one pass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tablebase.errors import ArgumentError
from tablebase.game import Game
from tablebase.game.features import Feature
from tablebase.mining.column import SLICE_COLUMNS, Column
from tablebase.mining.columns import columns
from tablebase.mining.patterns.gains import CHUNK, ContingencyTables, Gain, entropy, gains, information_gain
from tablebase.mining.patterns.levels import Levels, Raw, levels_of, raw
from tablebase.mining.patterns.rules import CONDITIONS, Rule, rules
from tablebase.mining.patterns.targets import OUTCOME, Target
from tablebase.mining.patterns.trees import Node, Tree, grow, judge, leaf_of, leaves
from tablebase.mining.row_selection import Selection, hashes_of
from tablebase.mining.rows import Rows
from tablebase.mining.scan import Scan
from tablebase.positions.indexing import layout_of
from tablebase.positions.location import StoredSlice
from tablebase.tables.store import Store

SAMPLE = 200_000
"""Approximate number of positions in a sample; fewer are kept whole."""
ALL_PAIRS = 20_000_000
"""Up to this many positions are searched for all pairs of features."""
BEST = 12
"""In more positions, only pairs of this many features: the most informative ones in the sample; likewise all triples."""
TRIPLE_COUNTS = 4_000_000
"""Triples are those of fewer features if their tables would have more counts than this."""


@dataclass(frozen=True)
class PatternSettings:
    """Options of a pattern search, see `Tablebase.patterns`; raises `TablebaseError` if an option is out of range."""

    target: Target = OUTCOME
    depth: int = 3
    conditions: int = 2
    support: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.support <= 1:
            raise ArgumentError(f"invalid --support {self.support}: expected a share from 0 to 1")
        if not 1 <= self.conditions <= CONDITIONS:
            raise ArgumentError(f"invalid --conditions {self.conditions}: expected 1 to {CONDITIONS}")


@dataclass(frozen=True)
class Profile:
    """Frequency of each class for each level (value or range of values) of a feature.

    Parameters
    ----------
    feature : str
    levels : tuple of str
    counts : tuple of tuple of int
        Number of positions in each class, for each level.
    """

    feature: str
    levels: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Patterns:
    """Patterns that were found in a set of positions.

    Parameters
    ----------
    game : Game
    slices : tuple of StoredSlice
        The tables of these positions, one for each set of pieces and side to move.
    target : Target
    classes : tuple of str
        Classes of the target, such as ``win``, ``loss`` and ``draw`` for the outcome.
    expression : str
        SQL expression for the class of a position.
    counts : tuple of int
        Number of positions in each class.
    entropy : float
        Entropy of the target, in bits.
    gains : list of Gain
        Gains of single features, then of pairs of features, both in descending order.
    rules : list of Rule
        Rules in descending order of the number of positions that they cover.
    tree : Tree or None
        None if no tree was requested.
    profile : Profile or None
        Profile of the feature with the highest gain; None without features.
    """

    game: Game
    slices: tuple[StoredSlice, ...]
    target: Target
    classes: tuple[str, ...]
    expression: str
    counts: tuple[int, ...]
    entropy: float
    gains: list[Gain]
    rules: list[Rule]
    tree: Tree | None
    profile: Profile | None

    def __repr__(self) -> str:
        return f"Patterns({self.game.name}, {self.target.name}: {self.positions:,} positions of {len(self.slices)} slices)"

    @property
    def positions(self) -> int:
        """Number of positions."""
        return sum(self.counts)

    @property
    def commonest(self) -> float:
        """Share of the most common class, which is the accuracy of a prediction without features."""
        return max(self.counts) / self.positions


@dataclass(frozen=True)
class Survey:
    """Results of the first pass."""

    positions: int  # number of positions
    columns: list[Column]  # those that do not have the same value in all positions
    levels: list[Levels]  # their levels
    sample: list[Raw]  # their values in the sample, shape (sampled positions,)
    classes: Levels  # the classes of the target
    sampled_classes: NDArray[np.intp]  # their numbers in the sample, shape (sampled positions,)
    whole: bool  # whether the sample is all positions


def survey(scan: Scan, target: Target, column: Column, columns: Sequence[Column], max_positions: int) -> Survey:
    """Pass once over all positions of a scan, of which there are at most `max_positions`.

    `column` is that of the target, `columns` are the features.
    """
    share, every = SAMPLE / max(max_positions, 1), (column, *columns)

    def examine(rows: Rows) -> tuple[int, list[Raw], list[Raw], list[pa.Array | None]]:
        """The number of positions, and for each column the values that occur, those in the sample, and their words."""
        in_sample = slice(None) if share >= 1 else hashes_of(rows) < share
        arrays = [each.compute(rows) for each in every]
        values = [raw(each, array) for each, array in zip(every, arrays, strict=True)]
        words = [array.dictionary if pa.types.is_dictionary(array.type) else None for array in arrays]
        return len(rows), [_present(of) for of in values], [of[in_sample].copy() for of in values], words

    parts = [part for block in scan.spread(examine) for part in block]
    present = [np.unique(np.concatenate(arrays)) for arrays in zip(*(part for _, part, _, _ in parts), strict=True)]
    samples = [np.concatenate(arrays) for arrays in zip(*(part for _, _, part, _ in parts), strict=True)]
    # All arrays of a column have the same dictionary.
    words = [() if found is None else tuple(found.to_pylist()) for found in parts[0][3]]
    levels = [levels_of(*of) for of in zip(columns, present[1:], samples[1:], words[1:], strict=True)]
    kept = [number for number, of_column in enumerate(levels) if len(of_column) > 1]
    classes = target.classes(column, present[0], samples[0])
    return Survey(
        sum(count for count, *_ in parts),
        [columns[number] for number in kept],
        [levels[number] for number in kept],
        [samples[1 + number] for number in kept],
        classes,
        classes.codes(samples[0]),
        share >= 1,
    )


def _present(values: Raw) -> Raw:
    """The values that occur, ascending; empty for floating-point numbers, which could have very many."""
    if values.dtype != np.int16:
        return values[:0]
    seen = np.zeros(1 << 16, dtype=bool)
    seen[values.view(np.uint16)] = True
    return np.sort(np.flatnonzero(seen).astype(np.uint16).view(np.int16))


class Search:
    """A search for patterns in one set of positions.

    Raises `TablebaseError` if the target does not apply to any of the positions.
    """

    def __init__(
        self,
        game: Game,
        store: Store,
        known: Selection,
        features: tuple[Feature, ...],
        threads: int = 2,
        settings: PatternSettings = PatternSettings(),
    ) -> None:
        self.game, self.store, self.threads, self.settings = game, store, threads, settings
        self.known = settings.target.select(game, known)
        self.slices = tuple(self.known)
        self.columns = columns(game, self.slices, features)
        self.target = settings.target.column(game, self.columns)
        alike = len({slice_.material.pieces for slice_ in self.slices}) == 1
        self.features = [column for column in self.columns.values() if self._is_feature(column, alike=alike)]
        self.max_positions = sum(layout_of(game, slice_.location.material).cells_with_images for slice_ in self.slices)
        self.cells = self._scan().cells * (1 if self.max_positions <= SAMPLE else 2)
        """Indices that are decoded in all passes together."""
        self.tick: Callable[[int], object] = lambda _: None
        """Called from time to time with the number of indices decoded since the last call."""

    def run(self) -> Patterns:
        """Run the search, and return its patterns."""
        settings = self.settings
        surveyed = survey(self._scan(), settings.target, self.target, self.features, self.max_positions)
        codes = [levels.codes(values) for levels, values in zip(surveyed.levels, surveyed.sample, strict=True)]
        classes = surveyed.sampled_classes
        tree = grow(surveyed.levels, codes, classes, settings.depth, settings.support) if settings.depth else None
        tables = self._count(surveyed, tree, self._joint(surveyed, codes))
        words = tuple(surveyed.classes.label(number) for number in range(len(surveyed.classes)))
        return Patterns(
            self.game,
            self.slices,
            settings.target,
            words,
            settings.target.expression(surveyed.classes),
            tuple(tables.whole.tolist()),
            float(entropy(tables.whole)),
            gains(surveyed.levels, tables),
            rules(surveyed.levels, words, tables, codes, settings.conditions, settings.support),
            judge(tree, tables.leaves, words, len(classes)) if tree is not None else None,
            _profile(surveyed.levels, tables),
        )

    def _is_feature(self, column: Column, *, alike: bool) -> bool:
        """Return whether a column is searched; columns of pieces are if all slices have equally many."""
        if column.feature is not None:
            return column.feature.pieces == 0 or alike
        if column.name == OUTCOME.name:
            return self.settings.target != OUTCOME
        if column.name in SLICE_COLUMNS:
            return len(self.slices) > 1
        if column.name.startswith("p") and column.name[1:].isdigit():
            return len(self.slices) > 1 and alike
        return alike and column.name.startswith("p") and column.name.endswith(("_file", "_rank"))

    def _scan(self) -> Scan:
        # Its columns are not computed, but the target's may need moves.
        scan = Scan(self.game, self.store, self.known, [self.target], self.threads)
        scan.tick = lambda cells: self.tick(cells)
        return scan

    def _joint(self, surveyed: Survey, codes: list[NDArray[np.intp]]) -> tuple[tuple[int, ...], ...]:
        """The pairs and triples of features that are counted together."""
        sizes = tuple(len(levels) for levels in surveyed.levels)
        tables, few = ContingencyTables(sizes, (), len(surveyed.classes)), surveyed.positions <= ALL_PAIRS
        tables.count(codes, None, surveyed.sampled_classes)
        ranked = sorted(range(len(codes)), key=lambda feature: -information_gain(tables.singles[feature]))
        pairs = combinations(range(len(codes)) if few else sorted(ranked[:BEST]), 2)
        if self.settings.conditions < CONDITIONS:
            return tuple(pairs)
        return (*pairs, *combinations(_within(ranked[:BEST], sizes, len(surveyed.classes)), CONDITIONS))

    def _count(self, surveyed: Survey, tree: Node | None, joint: tuple[tuple[int, ...], ...]) -> ContingencyTables:
        """Count all positions; each thread has its own tables until the end."""
        sizes = tuple(len(levels) for levels in surveyed.levels)
        free: list[ContingencyTables] = []

        def add(values: list[Raw], classes: NDArray[np.intp]) -> None:
            try:
                tables = free.pop()
            except IndexError:
                tables = ContingencyTables(sizes, joint, len(surveyed.classes), leaves(tree) if tree is not None else 0)
            for begin in range(0, len(classes), CHUNK):
                chunk = slice(begin, begin + CHUNK)
                codes = [levels.codes(column[chunk]) for levels, column in zip(surveyed.levels, values, strict=True)]
                tables.count(codes, leaf_of(tree, codes) if tree is not None else None, classes[chunk])
            free.append(tables)

        def add_rows(rows: Rows) -> None:
            values = [raw(column, column.compute(rows)) for column in surveyed.columns]
            add(values, surveyed.classes.codes(raw(self.target, self.target.compute(rows))))

        if surveyed.whole:
            add(surveyed.sample, surveyed.sampled_classes)
        else:
            for _ in self._scan().spread(add_rows):
                pass
        for other in free[1:]:
            free[0].add(other)
        return free[0]


def searches(
    game: Game, store: Store, known: Selection, features: tuple[Feature, ...], threads: int, settings: PatternSettings, pool: bool
) -> list[Search]:
    """A search for each slice with positions that the target examines, or for all of these together; see `Search`."""
    selection = settings.target.select(game, known)
    sets = [selection] if pool else [{slice_: wanted} for slice_, wanted in selection.items()]
    return [Search(game, store, each, features, threads, settings) for each in sets]


def _within(ranked: Iterable[int], sizes: tuple[int, ...], classes: int) -> list[int]:
    """Choose features, most informative first, so that triples do not have too many counts together; ascending."""
    chosen: list[int] = []
    for feature in ranked:
        triples = combinations([*chosen, feature], CONDITIONS)
        if classes * sum(prod(sizes[each] for each in triple) for triple in triples) <= TRIPLE_COUNTS:
            chosen.append(feature)
    return sorted(chosen)


def _profile(levels: list[Levels], tables: ContingencyTables) -> Profile | None:
    best = max(range(len(levels)), key=lambda feature: information_gain(tables.singles[feature]), default=None)
    if best is None:
        return None
    labels = tuple(levels[best].label(level) for level in range(len(levels[best])))
    return Profile(levels[best].name, labels, tuple(map(tuple, tables.singles[best].tolist())))
