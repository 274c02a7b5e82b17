"""Patterns in a set of positions: the most informative features, exact rules, and a small decision tree.

The search makes two passes over the positions. The first collects the values that occur and draws a sample, from which
the tree is grown; the second counts. Positions that fit into the sample need only one pass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import prod
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tablebase.errors import ArgumentError
from tablebase.game import Game
from tablebase.game.features import Feature
from tablebase.mining.column import SLICE_COLUMNS, Column
from tablebase.mining.columns import CANONICAL, chosen_columns, columns
from tablebase.mining.patterns.contingency import (
    CONDITIONS,
    Gain,
    Numbers,
    Rule,
    Tables,
    count,
    empty_tables,
    entropy,
    gains,
    information_gain,
    rules,
)
from tablebase.mining.patterns.levels import OUTCOME, Levels, Raw, Target, levels_of, raw
from tablebase.mining.patterns.trees import Node, Tree, grow, judge, leaf_of, leaves
from tablebase.mining.rows import Rows
from tablebase.mining.scan import Scan
from tablebase.mining.selection import Sample, Selection, hashes_of
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
    """Options of a pattern search (see `Tablebase.patterns`); raises `TablebaseError` if an option is out of range."""

    target: Target = OUTCOME
    depth: int = 3
    conditions: int = 2
    support: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.support <= 1:
            raise ArgumentError(f"invalid --support {self.support}: expected a fraction from 0 to 1")
        if not 1 <= self.conditions <= CONDITIONS:
            raise ArgumentError(f"invalid --conditions {self.conditions}: expected 1 to {CONDITIONS}")


@dataclass(frozen=True)
class Profile:
    """Frequency of each class for each level (value or range of values) of a feature.

    Parameters
    ----------
    feature : str
        Name of the feature.
    levels : tuple of str
        Values or ranges of values, such as ``mover`` or ``up to 5``.
    counts : tuple of tuple of int
        Number of positions in each class, for each level.
    """

    feature: str
    levels: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Patterns:
    """Patterns found in a set of positions.

    Parameters
    ----------
    game : Game
    slices : tuple of StoredSlice
        The searched slices, each a set of pieces with one side to move.
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
        Rules in descending order of the number of positions that satisfy them.
    tree : Tree or None
        Decision tree; None if no tree was requested.
    profile : Profile or None
        Class counts for each level of the feature with the highest gain; None without features.
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
        """Number of positions in the search."""
        return sum(self.counts)

    @property
    def commonest(self) -> float:
        """Share of the most common class: the accuracy of a prediction without features."""
        return max(self.counts) / self.positions


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """Positions as arrays, for machine learning libraries.

    Parameters
    ----------
    X : ndarray of float32, shape (positions, columns)
        Features of the positions. Booleans are 0 or 1, text columns are one-hot encoded, and missing values are NaN.
    y : ndarray, shape (positions,)
        Target: outcome as text, distance in plies, or True if only one move keeps the outcome.
    names : list of str
        Names of the columns of `X`, such as ``mobility`` or, for a one-hot encoded text column, ``first=mover``.
    groups : ndarray of int, shape (positions,)
        Group number for cross-validation; only a position and its mirror image share a number.
    """

    X: NDArray[np.float32]
    y: NDArray[Any]
    names: list[str]
    groups: NDArray[np.integer]

    def __repr__(self) -> str:
        return f"Dataset({len(self.y):,} positions, {len(self.names)} columns, {len(set(self.groups)):,} groups)"


class Surveyed(NamedTuple):
    """A column after the first pass."""

    column: Column
    levels: Levels
    codes: Numbers  # the level of each position in the sample

    def levels_in(self, rows: Rows) -> Numbers:
        """The level of each of some positions."""
        return self.levels.codes(raw(self.column, self.column.compute(rows)))


def _present(values: Raw) -> Raw:
    """The values that occur, ascending; empty for floating-point numbers, which could have very many."""
    if values.dtype != np.int16:
        return values[:0]
    seen = np.zeros(1 << 16, dtype=bool)
    seen[values.view(np.uint16)] = True
    return np.sort(np.flatnonzero(seen).astype(np.uint16).view(np.int16))


class Search:
    """A search for patterns in one set of positions.

    Raises `TablebaseError` if none of the positions has one of the target's outcomes.
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
        self.is_whole = self.max_positions <= SAMPLE
        """True if the sample contains all positions."""
        self.cells = self._scan().cells * (1 if self.is_whole else 2)
        """Number of table entries to decode in all passes."""
        self.tick: Callable[[int], object] = lambda _: None
        """Progress callback, called with the number of table entries decoded since the last call."""

    def run(self) -> Patterns:
        """Run the search and return the patterns."""
        settings, target = self.settings, self.settings.target
        positions, classes, features = self._survey()
        levels, codes = [each.levels for each in features], [each.codes for each in features]
        tree: Node = grow(levels, codes, classes.codes, settings.depth, settings.support) if settings.depth else 0
        tables = self._count(classes, features, tree, self._counted(positions, classes, features))
        in_leaves = tables.pop((len(features),))
        words = tuple(classes.levels.label(number) for number in range(len(classes.levels)))
        return Patterns(
            self.game,
            self.slices,
            target,
            words,
            target.expression(classes.levels),
            tuple(tables[()].tolist()),
            float(entropy(tables[()])),
            gains(levels, tables),
            rules(levels, words, tables, codes, settings.conditions, settings.support),
            judge(tree, in_leaves, words, len(classes.codes)) if settings.depth else None,
            _profile(levels, tables),
        )

    def dataset(self, names: Sequence[str] | None, limit: int | None, seed: int) -> Dataset:
        """Return the searched positions as arrays; with `limit`, a random sample of about `limit` positions.

        `names` are the columns of `X`, by default the searched features; an unknown column raises `ArgumentError`.
        """
        chosen = self.features if names is None else chosen_columns(self.game, names, self.columns, ())
        for column in chosen:
            if column.late:
                raise ArgumentError(f"the column {column.name} has a different value in each position: choose other columns")
        sample = Sample(1.0 if limit is None else min(1.0, limit / self.max_positions), seed)
        selection = {slice_: replace(wanted, sample=sample) for slice_, wanted in self.known.items()}
        scan = Scan(self.game, self.store, selection, [*chosen, self.target, self.columns[CANONICAL]], self.threads)
        *columns, target, canonical = pa.Table.from_batches(scan.batches(), scan.schema).combine_chunks().columns
        made = [part for column, values in zip(chosen, columns, strict=True) for part in _encoded(column, values.combine_chunks())]
        return Dataset(
            np.column_stack([values for _, values in made]) if made else np.zeros((len(target), 0), dtype=np.float32),
            target.to_numpy(),
            [name for name, _ in made],
            canonical.combine_chunks().dictionary_encode().indices.to_numpy(),
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

    def _survey(self) -> tuple[int, Surveyed, list[Surveyed]]:
        """Pass over all positions once: their number, the target, and the features that do not have one value in all of them."""
        share, every = SAMPLE / max(self.max_positions, 1), (self.target, *self.features)

        def examine(rows: Rows) -> tuple[int, list[Raw], list[Raw], list[tuple[str, ...]]]:
            """The number of positions, and for each column the values that occur, those in the sample, and their words."""
            in_sample = slice(None) if self.is_whole else hashes_of(rows) < share
            arrays = [each.compute(rows) for each in every]
            values = [raw(each, array) for each, array in zip(every, arrays, strict=True)]
            words = [tuple(array.dictionary.to_pylist()) if pa.types.is_dictionary(array.type) else () for array in arrays]
            return len(rows), [_present(of) for of in values], [of[in_sample].copy() for of in values], words

        counts, presents, samples, words = zip(*(part for block in self._scan().spread(examine) for part in block), strict=True)
        present = [np.unique(np.concatenate(arrays)) for arrays in zip(*presents, strict=True)]
        sample = [np.concatenate(arrays) for arrays in zip(*samples, strict=True)]
        # All arrays of a column have the same dictionary.
        levels = [levels_of(*of) for of in zip(self.features, present[1:], sample[1:], words[0][1:], strict=True)]
        levels = [self.settings.target.classes(self.target, present[0], sample[0]), *levels]
        target, *features = map(Surveyed, every, levels, (its.codes(of) for its, of in zip(levels, sample, strict=True)))
        return sum(counts), target, [each for each in features if len(each.levels) > 1]

    def _counted(self, positions: int, classes: Surveyed, features: Sequence[Surveyed]) -> Iterator[tuple[int, ...]]:
        """The features that are counted together: none, each, and pairs and triples; the leaves of a tree are the last one."""
        singles = [(number,) for number in range(len(features))]
        yield from [(), *singles, (len(features),)]
        sizes, of_classes = [len(each.levels) for each in features], len(classes.levels)
        tables = empty_tables(sizes, singles, of_classes)
        count(tables, [each.codes for each in features], classes.codes)
        ranked = sorted(range(len(features)), key=lambda feature: -information_gain(tables[feature,]))
        yield from combinations(range(len(features)) if positions <= ALL_PAIRS else sorted(ranked[:BEST]), 2)
        if self.settings.conditions == CONDITIONS:
            yield from combinations(_within(ranked[:BEST], sizes, of_classes), CONDITIONS)

    def _count(self, classes: Surveyed, features: Sequence[Surveyed], tree: Node, counted: Iterable[tuple[int, ...]]) -> Tables:
        """Count all positions; each thread has its own tables until the end."""
        every, free = list(counted), list[Tables]()
        sizes = [*(len(each.levels) for each in features), leaves(tree)]

        def add(codes: list[Numbers], of_classes: Numbers) -> None:
            try:
                tables = free.pop()
            except IndexError:
                tables = empty_tables(sizes, every, len(classes.levels))
            count(tables, [*codes, leaf_of(tree, codes) + np.zeros_like(of_classes)], of_classes)
            free.append(tables)

        if self.is_whole:
            add([each.codes for each in features], classes.codes)
        else:
            for _ in self._scan().spread(lambda rows: add([each.levels_in(rows) for each in features], classes.levels_in(rows))):
                pass
        return {of: np.sum([tables[of] for tables in free], axis=0) for of in every}


def searches(
    game: Game, store: Store, known: Selection, features: tuple[Feature, ...], threads: int, settings: PatternSettings, pool: bool
) -> list[Search]:
    """A search for each slice with positions that the target examines, or for all of these together; see `Search`."""
    selection = settings.target.select(game, known)
    sets = [selection] if pool else [{slice_: wanted} for slice_, wanted in selection.items()]
    return [Search(game, store, each, features, threads, settings) for each in sets]


def _within(ranked: Iterable[int], sizes: Sequence[int], classes: int) -> list[int]:
    """Choose features, most informative first, so that triples do not have too many counts together; ascending."""
    chosen: list[int] = []
    for feature in ranked:
        triples = combinations([*chosen, feature], CONDITIONS)
        if classes * sum(prod(sizes[each] for each in triple) for triple in triples) <= TRIPLE_COUNTS:
            chosen.append(feature)
    return sorted(chosen)


def _profile(levels: list[Levels], tables: Tables) -> Profile | None:
    best = max(range(len(levels)), key=lambda feature: information_gain(tables[feature,]), default=None)
    if best is None:
        return None
    labels = tuple(levels[best].label(level) for level in range(len(levels[best])))
    return Profile(levels[best].name, labels, tuple(map(tuple, tables[best,].tolist())))


def _encoded(column: Column, values: pa.Array) -> Iterator[tuple[str, NDArray[np.float32]]]:
    """A column as numbers, or one column for each word of a text, with their names."""
    if not pa.types.is_dictionary(values.type):
        yield column.name, values.cast(pa.float32()).to_numpy(zero_copy_only=False)
        return
    numbers = values.indices.to_numpy(zero_copy_only=False)
    for number, word in enumerate(values.dictionary.to_pylist()):
        yield f"{column.name}={word}", (numbers == number).astype(np.float32)
