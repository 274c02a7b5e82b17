"""The rows of games by functions: their stored positions, read in blocks, and the moves of these."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
from sqlglot import exp

from tablebase.errors import NotationError
from tablebase.game.features import Feature
from tablebase.game.rules import Rules
from tablebase.mining.arrow_arrays import array_of
from tablebase.mining.column import Column, sql_type
from tablebase.mining.reading import MOVE_TABLES, POSITION_TABLES
from tablebase.mining.row_functions import AS_DISTINCT_ROW, AS_ROW
from tablebase.mining.row_selection import WHOLE, Sample
from tablebase.mining.row_source import NUMBER, Relation, Result, RowSource, RowStream, create_function, made_in_sql, plain
from tablebase.mining.sample import drawn
from tablebase.mining.stored_rows import StoredRows, move_columns, position_columns
from tablebase.probe.prober import source_of
from tablebase.probe.stored import Numbers, Stored, StoredTable
from tablebase.tables.store import Store

BLOCK = 1 << 16
"""Numbers of positions in a block."""
STORED_NUMBER = Column(NUMBER, pa.int64(), lambda rows: array_of(rows.numbers))


class StoredStream(RowStream):
    """Stored positions, with columns that do not need all of the rules."""

    def __init__(
        self, stored: Stored[Any], columns: Sequence[Column], tables: Sequence[StoredTable], sample: Sample = WHOLE
    ) -> None:
        """Only those of some tables, and in a sample."""
        super().__init__(columns, sum(table.end - table.begin for table in tables), len(tables))
        self.stored, self.tables, self.sample = stored, tables, sample

    def spread(self, work: Callable[[StoredRows], Result]) -> Iterator[list[Result]]:
        """See `RowStream`."""
        for table in self.tables:
            for begin in range(table.begin, table.end, BLOCK):
                numbers = np.arange(begin, min(begin + BLOCK, table.end))
                rows = drawn(StoredRows(self.stored, self.stored.occupied(numbers), table), self.sample)
                yield self.reached(len(numbers), [work(rows)])


class StoredSource(RowSource):
    """The stored positions of a game by functions; `MissingTableError` without tables."""

    counts = False

    def __init__(self, rules: Rules[Any], store: Store, features: Sequence[Feature]) -> None:
        self.store, self._source = store, source_of(store, rules)
        self.stored = self._source.stored()
        positions = position_columns(self.stored, features)
        self.offered = dict.fromkeys(POSITION_TABLES, positions) | dict.fromkeys(MOVE_TABLES, move_columns(rules, positions))

    def close(self) -> None:
        """Close all files."""
        self._source.close()
        super().close()

    def stream(self, name: str, needed: Sequence[Column], tables: Sequence[exp.Table]) -> StoredStream:
        """All positions: DuckDB leaves out rows before it calls functions."""
        del name, tables
        read = [column for column in needed if not column.late and not column.of_moves]
        return StoredStream(self.stored, [*read, STORED_NUMBER], self.stored.tables)

    def made(self, column: Column, numbers: Numbers, others: object = None) -> pa.Array:
        """See `RowSource`."""
        del others
        return column.compute(StoredRows(self.stored, numbers))

    def view(self, relation: Relation) -> str:
        """See `RowSource`; with a row for each move where there are moves."""
        if relation.name not in MOVE_TABLES:
            return super().view(relation)
        moves = f'SELECT *, unnest("{relation.stream}"("{NUMBER}")) AS moved FROM {relation.stream}'
        made = (f'moved."{column.name}"' if column.of_moves else made_in_sql(relation, column) for column in relation.columns)
        return f"SELECT {', '.join(made)} FROM ({moves})"

    def register(self, connection: duckdb.DuckDBPyConnection, relations: Sequence[Relation]) -> None:
        """See `RowSource`; as well as the functions that find the row of a position, and that list moves."""
        super().register(connection, relations)
        for name in (AS_ROW, AS_DISTINCT_ROW):
            connection.create_function(name, self._as_row, ["VARCHAR"], "VARCHAR")
        for relation in relations:
            if relation.name in MOVE_TABLES:
                own = [column for column in relation.columns if column.of_moves] or [self.offered[relation.name]["move"]]
                fields = ", ".join(f'"{column.name}" {sql_type(column)}' for column in own)
                create_function(connection, relation, relation.stream, f"STRUCT({fields})[]", partial(self._moves, own))

    def _as_row(self, text: str) -> str:
        """Text of a position as its row has it; any other text stays as it is."""
        rules = self.stored.rules
        try:
            return rules.format(self.stored.representative(rules.parse(text)))
        except NotationError:
            return text

    def _moves(self, columns: Sequence[Column], numbers: Numbers, _: object) -> pa.Array:
        """For each position a list of its moves."""
        moves = StoredRows(self.stored, numbers).moves
        made = [plain(column.compute(moves)) for column in columns]
        lists = pa.StructArray.from_arrays(made, [column.name for column in columns])
        return pa.ListArray.from_arrays(array_of(moves.begin.astype(np.int32)), lists)
