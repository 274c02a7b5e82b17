"""The positions that a query needs: of each slice those with some values, at some indices or in a sample; and where they are.

They are selected through the catalog before anything is decoded: a condition on nothing but the material, the side to move and the
value has the same answer for all positions of a slice that have the same value. DuckDB therefore evaluates it once for each such
value that the catalog lists.

No two rows of a slice have the same number. A hash of it, with a key made of the seed and the slice, is as good as a random
number; a sample has the rows with hashes in a range.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from sqlglot import exp

from tablebase.catalog.catalog import Catalog
from tablebase.errors import ArgumentError, TablebaseError
from tablebase.game import Game, Outcome
from tablebase.mining.column import HASH, MUTUAL_ZUGZWANG, SLICE_COLUMNS, ZUGZWANG, array_of, array_of_numbers, array_of_words
from tablebase.mining.reading import argument, parts_of, written
from tablebase.mining.sandbox import scratch
from tablebase.mining.statement import compared
from tablebase.positions.indexing import Layout
from tablebase.positions.location import StoredSlice, locate, slices
from tablebase.positions.material import Material, material_name, parse_material, parse_materials, piece_counts
from tablebase.tables.missing import missing_game, missing_pieces, missing_table
from tablebase.tables.values import DRAW, STALEMATE, Coding, Value

VALUE_COLUMNS = ("outcome", "distance", "stalemate")
VALUES_OF_POSITIONS = {"position_outcome": "outcome", "position_distance": "distance"}
"""Columns of moves that are the values of their positions, and what these are called in the table of positions."""
NEAR = 1 << 16
"""Indices that are looked up in one block if all are between two multiples of this; about a chunk of a table."""


@dataclass(frozen=True, order=True)
class ValueClass:
    """A value that positions of a slice have; the fields are columns of `positions`."""

    outcome: str
    distance: int | None
    stalemate: bool

    def code(self, coding: Coding) -> int:
        """Its code in a table."""
        if self.distance is None:
            return STALEMATE if self.stalemate else DRAW
        return coding.code(Value(Outcome(self.outcome), self.distance))


@dataclass(frozen=True)
class Sample:
    """Rows with a hash, a number from 0 up to 1, in a range; raise `TablebaseError` if the range is not in this one."""

    # Draws this share of the rows if the range begins at 0.
    end: float = 1.0
    # Rows have other hashes with another seed.
    seed: int = 0
    begin: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.begin < self.end <= 1:
            raise ArgumentError(f"invalid --sample {self.end}: expected a fraction above 0 and at most 1")


WHOLE = Sample()
"""All rows."""


@dataclass(frozen=True)
class SliceSelection:
    """Conditions that exclude positions of one table before a query filters the remaining positions."""

    # They have one of these values.
    values: frozenset[ValueClass]
    # They are at one of these indices; None for all.
    indices: frozenset[int] | None = None
    # They are zugzwang.
    zugzwang: bool = False
    # They are, or their moves are, in this sample.
    sample: Sample = WHOLE

    def __or__(self, other: SliceSelection) -> SliceSelection:
        """All positions that either wants, and possibly others."""
        indices = None if self.indices is None or other.indices is None else self.indices | other.indices
        sample = self.sample if self.sample == other.sample else WHOLE
        return SliceSelection(self.values | other.values, indices, self.zugzwang and other.zugzwang, sample)


Selection = Mapping[StoredSlice, SliceSelection]
"""Slices, and which of their positions are wanted."""


def union(selections: Sequence[Selection]) -> Selection:
    """The slices that are in any of the selections, and all that is wanted of them."""
    joined: dict[StoredSlice, SliceSelection] = {}
    for selection in selections:
        for slice_, wanted in selection.items():
            joined[slice_] = joined[slice_] | wanted if slice_ in joined else wanted
    return joined


class Span(NamedTuple):
    """Indices from `begin` up to, but not including, `end`; with `indices`, only these are decoded."""

    begin: int
    end: int
    indices: NDArray[np.int64] | None = None


@dataclass
class StoredSide:
    """A side to move of a stored material, the slices that are read from it, and what any of them wants."""

    material: Material
    side: int
    slices: list[StoredSlice]
    wanted: SliceSelection

    def spans(self, layout: Layout, block: int) -> Iterator[Span]:
        """Yield a stream's spans of about this many indices."""
        if self.wanted.indices is None:
            # Whole rows, unless a single row is longer.
            size = block // layout.row_length * layout.row_length or block
            yield from (Span(begin, min(begin + size, layout.size)) for begin in range(0, layout.size, size))
        else:
            every = np.array(sorted(self.wanted.indices), dtype=np.int64)
            for indices in np.split(every, np.flatnonzero(np.diff(every // NEAR)) + 1) if len(every) else ():
                yield Span(int(indices[0]), int(indices[-1]) + 1, indices)


def stored_sides(selection: Selection) -> list[StoredSide]:
    """The slices, grouped by where they are stored."""
    by_location: dict[tuple[Material, int], StoredSide] = {}
    for slice_, wanted in selection.items():
        key = (slice_.location.material, slice_.location.side)
        stored = by_location.setdefault(key, StoredSide(*key, [], wanted))
        stored.slices.append(slice_)
        stored.wanted |= wanted
    return list(by_location.values())


Hashes = NDArray[np.uint64]
AnyRows = Any
"""`Rows`, or `StoredRows` of a game by functions."""

ALL = 1 << 64
"""Number of hashes before they are divided."""
UNUSED = np.uint64(11)
"""The last bits of a hash, which a floating-point number has no room for."""
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
MIX = (np.uint64(30), np.uint64(0xBF58476D1CE4E5B9)), (np.uint64(27), np.uint64(0x94D049BB133111EB))
"""The shifts and factors of SplitMix64, whose state is multiplied by `GOLDEN` instead of counted up by it."""
LAST_SHIFT = np.uint64(31)


def hashes_of(rows: AnyRows, seed: int = 0) -> NDArray[np.float64]:
    """Compute the hash of each row, from 0 up to 1."""
    key = int.from_bytes(hashlib.sha256(repr([seed, *rows.name]).encode()).digest()[:8], "little")
    hashes = row_hashes(key, rows.numbers)
    return (hashes >> UNUSED).astype(np.float64) / float(ALL >> int(UNUSED))


def drawn(rows: AnyRows, sample: Sample) -> AnyRows:
    """Return the rows that are in a sample."""
    if sample == WHOLE:
        return rows
    hashes = hashes_of(rows, sample.seed)
    return rows.some(np.flatnonzero((hashes >= sample.begin) & (hashes < sample.end)))


def row_hashes(key: int, numbers: NDArray[np.int64]) -> Hashes:
    """Hashes of the numbers of rows, which differ if the numbers do.

    The last step is the finaliser of Steele, Lea and Flood 2014, *Fast Splittable Pseudorandom Number Generators*.
    """
    hashes = numbers.astype(np.uint64)
    hashes *= GOLDEN
    hashes += np.uint64(key)
    for shift, factor in MIX:
        hashes ^= hashes >> shift
        hashes *= factor
    hashes ^= hashes >> LAST_SHIFT
    return hashes


def known_slices(game: Game, folder: Path, catalog: str | None = None) -> Selection:
    """All slices that have been built, with the values that occur in them; raise `TablebaseError` if there are none."""
    with closing(Catalog(folder, catalog=catalog)) as opened:
        by_name = {
            name: SliceSelection(frozenset(ValueClass(*row[:3]) for row in rows)) for name, rows in opened.histograms(game).items()
        }
    known = {}
    for count in sorted({parse_material(game, material).pieces for material, _ in by_name}):
        for slice_ in slices(game, count):
            name = material_name(game, slice_.material), game.sides[slice_.side].letter
            if name in by_name:
                known[slice_] = by_name[name]
    if not known:
        raise missing_game(game, folder)
    return known


def select_by_name(
    game: Game,
    folder: Path,
    materials: Sequence[str],
    pieces: int | range | None,
    *,
    aliases: bool = False,
    catalog: str | None = None,
) -> Selection:
    """Slices that have been built and have positions: those of materials by name, and those with some numbers of pieces.

    The latter are distinct slices, or with `aliases` all; without materials and pieces, all such slices are taken. The catalog
    may have the URL of a PostgreSQL database. Raise `MissingTableError` if requested slices have not been built, and
    `TablebaseError` if none of them has a position.
    """
    known = known_slices(game, folder, catalog)
    named = [material for text in materials for material in parse_materials(game, text)]
    for material in named:
        check_built(game, known, material, folder)
    counts = set[int]() if named else {slice_.material.pieces for slice_ in known}
    if pieces is not None:
        counts = set(piece_counts(game, pieces))
        for count in counts:
            _check_pieces(game, known, count, folder)
    selection = {
        slice_: wanted
        for slice_, wanted in known.items()
        if wanted.values and (slice_.material in named or ((aliases or slice_.distinct) and slice_.material.pieces in counts))
    }
    if not selection:
        raise TablebaseError(f"the requested slices of {game.name} contain no positions: choose other slices")
    return selection


def select_by_condition(game: Game, known: Selection, conditions: Sequence[exp.Expr], names: set[str], folder: Path) -> Selection:
    """The part of a selection that can satisfy all of some conditions on rows.

    Only those parts of the conditions are used that depend on nothing but slice and value. `names` are those of the table in
    the conditions, with the empty name if columns may be unqualified. Raise `MissingTableError` if the conditions name slices
    that could exist, but have not been built, and `TablebaseError` if they name an alias that is not in the selection.
    """
    slice_columns = (*SLICE_COLUMNS, *_letters(known))
    parts = [part for part in parts_of(conditions) if _depends_only_on(part, (*slice_columns, *VALUE_COLUMNS), names)]
    slice_parts = [part for part in parts if _depends_only_on(part, slice_columns, names)]
    _check_named(game, known, slice_parts, folder)
    selected = _evaluate(game, known, parts)
    others = list(parts_of(conditions))
    named = (part for part in others if isinstance(part, exp.Column))
    zugzwang = any(_depends_only_on(part, (ZUGZWANG, MUTUAL_ZUGZWANG), names) for part in named)
    samples = (_sample(part) for part in others if _depends_only_on(part, (HASH,), names))
    sample = next((each for each in samples if each != WHOLE), WHOLE)
    return {slice_: replace(wanted, zugzwang=zugzwang, sample=sample) for slice_, wanted in selected.items()}


def _sample(part: exp.Expr) -> Sample:
    """The rows that can satisfy a condition on the hash, if it is a bound or a range."""
    if isinstance(part, exp.LT | exp.LTE):
        column, bounds = part.this, [exp.Literal.number(0), part.expression]
    elif isinstance(part, exp.Between):
        column, bounds = part.this, [argument(part, "low"), argument(part, "high")]
    else:
        return WHOLE
    if not isinstance(column, exp.Column) or not all(isinstance(each, exp.Literal) and not each.is_string for each in bounds):
        return WHOLE
    # DuckDB decides about rows at the bound.
    begin, end = float(bounds[0].name), math.nextafter(float(bounds[1].name), 2)
    return Sample(end, begin=begin) if begin < end <= 1 else WHOLE


def conditions_on_positions(conditions: Iterable[exp.Expr]) -> list[exp.Expr]:
    """The conditions on moves that are conditions on their positions, as those of the table of positions."""

    def renamed(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Column) and node.name.lower() in VALUES_OF_POSITIONS:
            return exp.column(VALUES_OF_POSITIONS[node.name.lower()], table=node.table or None)
        return node

    # The value of a move is not that of its position.
    names = ((part, {column.name.lower() for column in part.find_all(exp.Column)}) for part in parts_of(conditions))
    return [part.transform(renamed) for part, its in names if its.isdisjoint(VALUE_COLUMNS)]


def check_built(game: Game, known: Selection, material: Material, folder: Path) -> None:
    """Raise an error unless the slices of a material are known."""
    if any(slice_.material == material for slice_ in known):
        return
    if all(slice_.material.pieces != material.pieces for slice_ in known):
        # To locate a material of many pieces takes long.
        raise missing_table(game, material, folder)
    stored = locate(game, material, 0).material
    alias = next((material_name(game, slice_.material) for slice_ in known if slice_.location.material == stored), None)
    if alias is not None:
        name = material_name(game, material)
        raise TablebaseError(f"distinct_positions stores {name} only as the equivalent {alias}: use the table 'positions'")
    raise missing_table(game, material, folder)


def _depends_only_on(part: exp.Expr, columns: Sequence[str], names: set[str]) -> bool:
    """Return whether a part has the same answer for all rows that agree in these columns of the table."""
    references = list(part.find_all(exp.Column))
    # A function of no column may return something else for each row, as random() does.
    fixed = all(function.find(exp.Column) is not None for function in part.find_all(exp.Func))
    plain = part.find(exp.Select, exp.Star) is None
    # In a longer name, the "table" may be a column, and the "column" a field of it.
    of_table = all(column.name.lower() in columns and column.table.lower() in names and not column.db for column in references)
    return bool(references) and fixed and plain and of_table


def _check_named(game: Game, known: Selection, parts: Sequence[exp.Expr], folder: Path) -> None:
    """Raise an error if parts of a condition name slices that can exist, but are not known."""
    equalities = (part for part in parts if isinstance(part, exp.EQ | exp.In))
    named = [(column.name.lower(), literal) for part in equalities for column, literal in compared(part)]
    materials = [literal.name for column, literal in named if column == "material"]
    for text in materials:
        check_built(game, known, parse_material(game, text), folder)
    for column, literal in named:
        # Where materials are named, their pieces are known.
        if column == "pieces" and not materials and literal.is_int:
            _check_pieces(game, known, int(literal.name), folder)


def _check_pieces(game: Game, known: Selection, pieces: int, folder: Path) -> None:
    """Raise an error unless some slice has this number of pieces."""
    piece_counts(game, pieces)
    if all(slice_.material.pieces != pieces for slice_ in known):
        raise missing_pieces(game, pieces, folder)


def _evaluate(game: Game, known: Selection, parts: Sequence[exp.Expr]) -> Selection:
    """The slices and values for which all parts hold."""
    if not parts or not known:
        return known
    # Many slices share one set of values.
    sets = {values: number for number, values in enumerate(dict.fromkeys(wanted.values for wanted in known.values()))}
    every, occurring = list(known), [(value, number) for values, number in sets.items() for value in values]
    by_slice = {
        "slice_number": array_of(np.arange(len(every))),
        "set_number": array_of(np.array([sets[wanted.values] for wanted in known.values()])),
        "material": array_of_words(material_name(game, slice_.material) for slice_ in every),
        "pieces": array_of(np.array([slice_.material.pieces for slice_ in every], dtype=np.int16)),
        "side": array_of_words(game.sides[slice_.side].letter for slice_ in every),
    }
    symbols = zip_longest(*([game.kinds[kind].symbol for kind in slice_.material.kinds] for slice_ in every))
    by_slice |= {name: array_of_words(its) for name, its in zip(_letters(known), symbols, strict=True)}
    by_value = {
        "value_number": array_of(np.arange(len(occurring))),
        "set_number": array_of(np.array([number for _, number in occurring], dtype=np.int64)),
        "outcome": array_of_words(value.outcome for value, _ in occurring),
        "distance": array_of_numbers([value.distance for value, _ in occurring], np.int16),
        "stalemate": array_of(np.array([value.stalemate for value, _ in occurring], dtype=bool)),
    }
    # Columns may be qualified with a name of the table, which these tables do not have.
    unqualified = [part.transform(lambda node: exp.column(node.name) if isinstance(node, exp.Column) else node) for part in parts]
    condition = " AND ".join(f"({written(part)})" for part in unqualified)
    statement = f"SELECT slice_number, value_number FROM slices JOIN occurring USING (set_number) WHERE {condition}"
    with scratch() as connection:
        connection.register("slices", pa.table(by_slice))
        connection.register("occurring", pa.table(by_value))
        try:
            rows = connection.execute(statement).fetchall()
        except duckdb.Error:
            # The statement itself may never evaluate what fails here; if it does, it reports the error.
            return known
    values_of: dict[StoredSlice, set[ValueClass]] = {}
    for slice_number, value_number in rows:
        values_of.setdefault(every[slice_number], set()).add(occurring[value_number][0])
    return {slice_: SliceSelection(frozenset(values_of[slice_])) for slice_ in known if slice_ in values_of}


def _letters(known: Iterable[StoredSlice]) -> list[str]:
    """Columns of the pieces' letters; null in slices with fewer pieces."""
    return [f"p{number + 1}" for number in range(max((slice_.material.pieces for slice_ in known), default=0))]
