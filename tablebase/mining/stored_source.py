"""The rows of games by functions: their stored positions, read in blocks, and the moves of these.

Columns that need the rules are computed by functions of SQL, given the numbers of positions, and so only for rows that remain.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import partial
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
from duckdb.func import FunctionNullHandling, PythonUDFType
from sqlglot import exp

from tablebase.errors import NotationError, TablebaseError
from tablebase.game.features import Feature
from tablebase.game.rules import Rules
from tablebase.mining.arrow_arrays import array_of, numbers_of, whole
from tablebase.mining.column import Column, sql_type
from tablebase.mining.reading import MOVE_TABLES, POSITION_TABLES
from tablebase.mining.row_functions import AS_DISTINCT_ROW, AS_ROW
from tablebase.mining.row_stream import Relation, Result, RowStream
from tablebase.mining.sample import drawn
from tablebase.mining.stored_rows import StoredRows, move_columns, position_columns
from tablebase.mining.wanted import WHOLE, Sample
from tablebase.probe.prober import source_of
from tablebase.probe.stored import Stored, StoredTable
from tablebase.tables.store import Store

BLOCK = 1 << 16
"""Numbers of positions in a block."""
NUMBER = Column("number of position", pa.int64(), lambda rows: array_of(rows.numbers))


class StoredStream(RowStream):
    """Stored positions, with columns that do not need all of the rules."""

    def __init__(
        self, stored: Stored[Any], columns: Sequence[Column], tables: Sequence[StoredTable], sample: Sample = WHOLE
    ) -> None:
        """Only those of some tables, and in a sample."""
        super().__init__(columns, sum(table.end - table.begin for table in tables))
        self.stored, self.tables, self.sample = stored, tables, sample

    @property
    def slices(self) -> int:
        """Number of tables."""
        return len(self.tables)

    def placed(self, work: Callable[[StoredRows], Result]) -> Iterator[tuple[Hashable, str, Result]]:
        """See `RowStream`."""
        for table in self.tables:
            for begin in range(table.begin, table.end, BLOCK):
                numbers = np.arange(begin, min(begin + BLOCK, table.end))
                rows = drawn(StoredRows(self.stored, self.stored.occupied(numbers), table), self.sample)
                yield table.begin, table_place(table), work(rows)
                self.done += len(numbers)
                self.tick()

    def batches(self) -> Iterator[pa.RecordBatch]:
        """All rows, block by block."""
        try:
            for _, _, batch in self.placed(self.made):
                yield batch
        except TablebaseError as fault:
            self.fault = fault
            raise


def table_place(table: StoredTable) -> str:
    """The folder for the rows of a table, named in the way of Hive."""
    return "/".join(f"{name}={word}" for name, word in table.words.items())


class StoredSource:
    """The same as `SliceSource` for games by functions; `MissingTableError` without tables."""

    counts = False

    def __init__(self, rules: Rules[Any], store: Store, features: Sequence[Feature]) -> None:
        self.store, self._source = store, source_of(store, rules)
        self.stored = self._source.stored()
        positions = position_columns(self.stored, features)
        self.offered = dict.fromkeys(POSITION_TABLES, positions) | dict.fromkeys(MOVE_TABLES, move_columns(rules, positions))

    def close(self) -> None:
        """Close all files."""
        self._source.close()
        self.store.close()

    def stream(self, name: str, needed: Sequence[Column], tables: Sequence[exp.Table]) -> StoredStream:
        """All positions: DuckDB leaves out rows before it calls functions."""
        del name, tables
        read = [column for column in needed if not column.late and not column.of_moves]
        return StoredStream(self.stored, [*read, NUMBER], self.stored.tables)

    def view(self, relation: Relation) -> str:
        """Functions of numbers for late columns, and a row for each move where there are moves."""
        number, stream = f'"{NUMBER.name}"', relation.stream
        made = [
            f'"{_function(relation, column)}"({number}) AS "{column.name}"'
            if column.late
            else f'{"moved." if column.of_moves else ""}"{column.name}"'
            for column in relation.columns
        ]
        if relation.name in MOVE_TABLES:
            stream = f'(SELECT *, unnest("{relation.stream}"({number})) AS moved FROM {relation.stream})'
        return f"SELECT {', '.join(made)} FROM {stream}"

    def register(self, connection: duckdb.DuckDBPyConnection, relations: Sequence[Relation]) -> None:
        """The functions of views, and those that find the row of a position."""
        for name in (AS_ROW, AS_DISTINCT_ROW):
            connection.create_function(name, self._as_row, ["VARCHAR"], "VARCHAR")
        for relation in relations:
            for column in relation.columns:
                if column.late:
                    self._register(connection, relation, _function(relation, column), sql_type(column), column.compute)
            if relation.name in MOVE_TABLES:
                own = [column for column in relation.columns if column.of_moves] or [self.offered[relation.name]["move"]]
                fields = ", ".join(f'"{column.name}" {sql_type(column)}' for column in own)
                self._register(connection, relation, relation.stream, f"STRUCT({fields})[]", partial(_moves, own))

    def _as_row(self, text: str) -> str:
        """Text of a position as its row has it; any other text stays as it is."""
        rules = self.stored.rules
        try:
            return rules.format(self.stored.representative(rules.parse(text)))
        except NotationError:
            return text

    def _register(
        self, connection: duckdb.DuckDBPyConnection, relation: Relation, name: str, type_: str, make: Callable[[Any], pa.Array]
    ) -> None:
        """Create a function of numbers."""

        def function(numbers: pa.Array | pa.ChunkedArray) -> pa.Array:
            try:
                return _plain(make(StoredRows(self.stored, numbers_of(whole(numbers)))))
            except TablebaseError as fault:
                relation.scan.fault = fault
                raise

        nulls, types = FunctionNullHandling.SPECIAL, ["BIGINT"]
        connection.create_function(name, function, types, type_, type=PythonUDFType.ARROW, null_handling=nulls)  # type: ignore[arg-type]


def _function(relation: Relation, column: Column) -> str:
    """The function that makes a late column."""
    return f"{relation.stream} {column.name}"


def _moves(columns: Sequence[Column], rows: StoredRows) -> pa.Array:
    """For each row a list of its moves."""
    moves = rows.moves
    made = pa.StructArray.from_arrays([_plain(column.compute(moves)) for column in columns], [column.name for column in columns])
    return pa.ListArray.from_arrays(array_of(moves.begin.astype(np.int32)), made)


def _plain(array: pa.Array) -> pa.Array:
    """Words without a dictionary, as DuckDB expects them of functions."""
    return array.cast(pa.string()) if pa.types.is_dictionary(array.type) else array
