"""Sources of the rows that statements read: their tables, streams of rows, and columns made for the rows that remain.

For games of pieces on squares, a stream has all positions of slices, and each stored side is decoded once. Every placement is a
row: an index that also stands for its mirror image yields two, and aliases yield rows under their own names from the same codes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import duckdb
import numpy as np
import pyarrow as pa
from duckdb.func import FunctionNullHandling, PythonUDFType
from numpy.typing import NDArray
from sqlglot import exp

from tablebase.errors import TablebaseError
from tablebase.game import Game
from tablebase.game.features import Feature
from tablebase.mining.column import Column, array_of, numbers_of, sql_type
from tablebase.mining.columns import columns, columns_of_moves
from tablebase.mining.counting import COUNT
from tablebase.mining.lookup import look_up, named_positions, register_functions
from tablebase.mining.move_values import StoredCodes
from tablebase.mining.own_tables import OwnTables
from tablebase.mining.reading import MOVE_TABLES, MOVES, POSITION_TABLES, POSITIONS, Columns, conditions_on, sources
from tablebase.mining.rows import FoundPositions, MoveRows, Named, Rows, positions_of
from tablebase.mining.selection import (
    Selection,
    Span,
    StoredSide,
    conditions_on_positions,
    drawn,
    known_slices,
    select_by_condition,
    stored_sides,
    union,
)
from tablebase.positions.indexing import layout_of
from tablebase.system.compute.threads import in_order
from tablebase.tables.folder import table_path
from tablebase.tables.missing import missing_table
from tablebase.tables.store import Store

NUMBER = "number of position"
"""The column that late columns are made from."""
Result = TypeVar("Result")
BLOCK = 1 << 18
"""Approximate number of indices in a block."""
MOVES_BLOCK = 1 << 15
"""The same where moves are listed, of which there are several for each position."""
AHEAD = 3
"""Blocks in progress per thread."""
SPAN = 1 << 42
"""More than twice the indices of any table: numbers of positions of different slices are as far apart."""


class RowStream(ABC):
    """Rows of a table, which can be streamed any number of times."""

    def __init__(self, columns: Sequence[Column], cells: int, slices: int) -> None:
        """The first stream decodes so many `cells`, indices or numbers of positions, of so many slices or tables."""
        self.columns, self.cells, self.slices = columns, cells, slices
        self.schema = pa.schema([(column.name, column.type) for column in columns])
        # Cells decoded so far; `tick` is called with the number of further ones.
        self.done = 0
        self.tick: Callable[[int], object] = lambda _: None
        # The error that ended a stream; its reader may have wrapped it in one of its own.
        self.error: TablebaseError | None = None

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """A new stream, following Arrow's PyCapsule protocol."""
        return pa.RecordBatchReader.from_batches(self.schema, self.batches()).__arrow_c_stream__(requested_schema)

    @abstractmethod
    def spread(self, work: Callable[[Any], Result]) -> Iterator[list[Result]]:
        """Apply a function to the rows of each slice or table in each block; yield each block's results in order.

        Blocks of the same group of rows follow one another.
        """

    def batches(self) -> Iterator[pa.RecordBatch]:
        """All rows, block by block."""
        try:
            for block in self.spread(self.made):
                yield from block
        except TablebaseError as error:
            self.error = error
            raise

    def made(self, rows: Any) -> pa.RecordBatch:
        """The columns of some rows."""
        return pa.record_batch([column.compute(rows) for column in self.columns], schema=self.schema)

    def reached(self, cells: int, results: list[Result]) -> list[Result]:
        """The results of a block in which so many more cells have been decoded."""
        self.done += cells
        self.tick(cells)
        return results


@dataclass(frozen=True)
class Relation:
    """A table that a statement reads."""

    schema: str
    name: str
    columns: list[Column]
    # Its rows, with all columns that these are made from.
    scan: RowStream

    @property
    def stream(self) -> str:
        """The name of its rows in SQL."""
        return f"{self.schema}_{self.name}"


class RowSource(ABC):
    """The tables of a game that statements can read.

    Late columns are computed by functions of SQL, given the numbers of positions, and so only for rows that remain.
    """

    store: Store
    offered: Mapping[str, Columns]
    """The columns of each table."""
    counts: bool
    """True if statements that only count can read equal rows with their number."""

    @abstractmethod
    def stream(self, name: str, needed: Sequence[Column], tables: Sequence[exp.Table]) -> RowStream:
        """The rows of a table that a statement needs, which names it in `tables`, with all that columns are made from."""

    @abstractmethod
    def made(self, column: Column, numbers: NDArray[np.int64], others: NDArray[np.int16]) -> pa.Array:
        """Compute a late column of positions with these numbers, and with the values of what else it is made of, or -1."""

    def close(self) -> None:
        """Close all files."""
        self.store.close()

    def view(self, relation: Relation) -> str:
        """The SELECT that makes the columns of a relation from its stream."""
        return f"SELECT {', '.join(made_in_sql(relation, column) for column in relation.columns)} FROM {relation.stream}"

    def register(self, connection: duckdb.DuckDBPyConnection, relations: Sequence[Relation]) -> None:
        """Create the functions that statements, and the views of relations, call."""
        for relation in relations:
            for column in relation.columns:
                if column.late:
                    make = partial(self.made, column)
                    name = f"{relation.stream} {column.name}"
                    create_function(connection, relation, name, sql_type(column), make)


def made_in_sql(relation: Relation, column: Column) -> str:
    """A column of a view, which a function makes if it is late."""
    if not column.late:
        return f'"{column.name}"'
    other = "NULL" if column.made_of is None else f'"{column.made_of.name}"'
    return f'"{relation.stream} {column.name}"("{NUMBER}", {other}) AS "{column.name}"'


def create_function(
    connection: duckdb.DuckDBPyConnection,
    relation: Relation,
    name: str,
    type_: str,
    make: Callable[[NDArray[np.int64], NDArray[np.int16]], pa.Array],
) -> None:
    """Create a function of numbers of positions, and of other small numbers, whose nulls are read as -1."""

    def made(numbers: pa.Array, others: pa.Array) -> pa.Array:
        try:
            return plain(make(numbers_of(numbers), numbers_of(others, null=-1)))
        except TablebaseError as error:
            relation.scan.error = error
            raise

    nulls = FunctionNullHandling.SPECIAL
    connection.create_function(name, made, ["BIGINT", "SMALLINT"], type_, type=PythonUDFType.ARROW, null_handling=nulls)


def plain(array: pa.Array) -> pa.Array:
    """Words without a dictionary, as DuckDB expects them of functions."""
    return array.cast(pa.string()) if pa.types.is_dictionary(array.type) else array


class Scan(RowStream):
    """Positions that can be streamed any number of times.

    A row is a position with these columns or, for `of_moves`, each of its legal moves.
    """

    def __init__(
        self,
        game: Game,
        store: Store,
        selection: Selection,
        columns: Sequence[Column],
        threads: int,
        *,
        of_moves: bool = False,
    ) -> None:
        self.game, self.store, self.threads, self.of_moves = game, store, threads, of_moves
        self.selection, self.stored_codes = selection, StoredCodes(game, store)
        self.stored_sides = stored_sides(selection)
        every = ((stored.wanted.indices, layout_of(game, stored.material).size) for stored in self.stored_sides)
        cells = sum(size if indices is None else len(indices) for indices, size in every)
        super().__init__(columns, cells, len(selection))

    def spread(self, work: Callable[[Rows], Result]) -> Iterator[list[Result]]:
        """See `RowStream`; blocks are processed on all threads."""
        lists_moves = self.of_moves or any(column.of_moves for column in self.columns)
        size = min(BLOCK, MOVES_BLOCK) if lists_moves else BLOCK
        blocks = (
            (stored, span) for stored in self.stored_sides for span in stored.spans(layout_of(self.game, stored.material), size)
        )
        with ThreadPoolExecutor(self.threads) as pool:
            for cells, results in in_order(partial(self._process_block, work), blocks, pool, AHEAD * self.threads - 1):
                yield self.reached(cells, results)

    def _process_block(self, work: Callable[[Rows], Result], block: tuple[StoredSide, Span]) -> tuple[int, list[Result]]:
        """The number of indices decoded in a block, and the results for its rows under each slice's name."""
        stored, span = block
        table = self.store.table(self.game, stored.material)
        codes = table.between(stored.side, span.begin, span.end)
        cells = len(codes)
        if span.indices is not None:
            cells = len(span.indices)
            others = np.ones(len(codes), dtype=bool)
            others[span.indices - span.begin] = False
            codes = np.where(others, codes.dtype.type(table.coding.void), codes)
        found = FoundPositions(table.layout, stored.side, span.begin, codes, table.coding, self.stored_codes, stored.wanted)
        every = (Rows(found, slice_, *image) for image in found.images() for slice_ in stored.slices)
        return cells, [work(drawn(MoveRows(rows) if self.of_moves else rows, stored.wanted.sample)) for rows in every]

    def made(self, rows: Rows) -> pa.RecordBatch:
        """The columns of some rows; equal ones are counted together where the column of counts is read."""
        if COUNT not in self.columns:
            return super().made(rows)
        # Imported here because Numba is slow to load.
        from tablebase.mining.tally import tallied, with_counts

        columns = [column for column in self.columns if column is not COUNT]
        if all(column.by_value or column.of_twin for column in columns):
            counted = rows.tally(pairs=any(column.of_twin for column in columns))
            if counted is not None:
                return with_counts(super().made(rows.some(counted.places)), counted.counts)
        return tallied(super().made(rows))


class SliceRowSource(RowSource):
    """The slices that have been built; `MissingTableError` if there are none."""

    counts = True

    def __init__(self, game: Game, store: Store, features: Iterable[Feature], threads: int, catalog: str | None, own: OwnTables):
        self.game, self.store, self.threads, self.own = game, store, threads, own
        self.known = known_slices(game, store.folder, catalog)
        self._slices = list(self.known)
        firsts = {slice_: number * SPAN for number, slice_ in enumerate(self._slices)}
        self._number = Column(NUMBER, pa.int64(), lambda rows: array_of(firsts[rows.slice] + rows.position_numbers))
        positions = columns(game, self._slices, tuple(features))
        moves = columns_of_moves(game, positions)
        self.offered = dict.fromkeys(POSITION_TABLES, positions) | dict.fromkeys(MOVE_TABLES, moves)

    def stream(self, name: str, needed: Sequence[Column], tables: Sequence[exp.Table]) -> Scan:
        """The slices and values that a statement needs; `MissingTableError` for a slice whose file is gone."""
        everything = {slice_: wanted for slice_, wanted in self.known.items() if slice_.distinct or name in (POSITIONS, MOVES)}
        selection = union([self._select(table, everything) for table in tables])
        for material in {slice_.location.material for slice_ in selection}:
            if not table_path(self.store.folder, self.game, material).exists():
                raise missing_table(self.game, material, self.store.folder)
        late = [column for column in needed if column.late]
        read = [column for column in needed if not column.late] + [self._number] * bool(late)
        read += {column.made_of.name: column.made_of for column in late if column.made_of is not None}.values()
        return Scan(self.game, self.store, selection, read, self.threads, of_moves=name in MOVE_TABLES)

    def _select(self, table: exp.Table, known: Selection) -> Selection:
        conditions, name = conditions_on(table), table.alias_or_name.lower()
        if table.name.lower() in MOVE_TABLES:
            conditions = conditions_on_positions(conditions)
        names = {name, ""} if len(sources(table)) == 1 else {name}
        selection = select_by_condition(self.game, known, conditions, names, self.store.folder)
        texts = named_positions(self.game, table, self.own)
        return selection if texts is None else look_up(self.game, known, selection, texts, self.store.folder)

    def made(self, column: Column, numbers: NDArray[np.int64], others: NDArray[np.int16]) -> pa.Array:
        """See `RowSource`; positions are set up slice by slice."""
        places, numbers = np.divmod(numbers, SPAN)
        order = np.argsort(places, kind="stable")
        occurring, firsts = np.unique(places[order], return_index=True)
        made = []
        for place, rows in zip(occurring.tolist(), np.split(order, firsts[1:]), strict=True):
            slice_ = self._slices[place]
            positions = positions_of(layout_of(self.game, slice_.location.material), slice_, numbers[rows])
            made.append(column.compute(Named(positions, others[rows])))
        return pa.concat_arrays(made).take(array_of(np.argsort(order)))

    def register(self, connection: duckdb.DuckDBPyConnection, relations: Sequence[Relation]) -> None:
        """See `RowSource`; as well as the functions that find the row of a position."""
        super().register(connection, relations)
        register_functions(connection, self.game)
