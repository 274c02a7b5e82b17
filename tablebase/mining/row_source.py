"""Sources of the rows that statements read: their tables, streams of rows, and columns made for the rows that remain."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
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
from tablebase.mining.column import Column, numbers_of, sql_type, whole
from tablebase.mining.reading import Columns
from tablebase.tables.store import Store

NUMBER = "number of position"
"""The column that late columns are made from."""
Result = TypeVar("Result")


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
    def made(self, column: Column, numbers: NDArray[np.int64], others: NDArray[Any] | None) -> pa.Array:
        """Compute a late column of positions with these numbers, and with the values of what else it is made of."""

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
                    create_function(connection, relation, name, sql_type(column), make, column.made_of)


def made_in_sql(relation: Relation, column: Column) -> str:
    """A column of a view, which a function makes if it is late."""
    if not column.late:
        return f'"{column.name}"'
    more = "" if column.made_of is None else f', "{column.made_of.name}"'
    return f'"{relation.stream} {column.name}"("{NUMBER}"{more}) AS "{column.name}"'


def create_function(
    connection: duckdb.DuckDBPyConnection,
    relation: Relation,
    name: str,
    type_: str,
    make: Callable[..., pa.Array],
    other: Column | None = None,
) -> None:
    """Create a function of numbers of positions, and of another column, whose nulls are read as -1."""

    def made(numbers: pa.Array, others: pa.Array | None = None) -> pa.Array:
        try:
            return plain(make(numbers_of(whole(numbers)), None if others is None else numbers_of(whole(others), null=-1)))
        except TablebaseError as error:
            relation.scan.error = error
            raise

    # DuckDB counts the parameters.
    function = (lambda numbers: made(numbers)) if other is None else (lambda numbers, others: made(numbers, others))
    types: list[Any] = ["BIGINT"] if other is None else ["BIGINT", sql_type(other)]
    nulls = FunctionNullHandling.SPECIAL
    connection.create_function(name, function, types, type_, type=PythonUDFType.ARROW, null_handling=nulls)


def plain(array: pa.Array) -> pa.Array:
    """Words without a dictionary, as DuckDB expects them of functions."""
    return array.cast(pa.string()) if pa.types.is_dictionary(array.type) else array
