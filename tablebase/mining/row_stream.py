"""Streams of the rows that statements read; `SliceSource` and `StoredSource` make them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import pyarrow as pa

from tablebase.errors import TablebaseError
from tablebase.mining.column import Column
from tablebase.mining.reading import TALLIED

Result = TypeVar("Result")


class RowStream(ABC):
    """Rows of a table, which can be streamed any number of times."""

    def __init__(self, columns: Sequence[Column], cells: int) -> None:
        """The first stream decodes so many `cells`: indices, or numbers of positions."""
        self.columns, self.cells = columns, cells
        self.schema = pa.schema([(column.name, column.type) for column in columns])
        # Cells decoded so far; `tick` is called when there are more of these.
        self.done = 0
        self.tick: Callable[[], object] = lambda: None
        # The error that ended a stream; its reader may have wrapped it in one of its own.
        self.fault: TablebaseError | None = None

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """A new stream, following Arrow's PyCapsule protocol."""
        return pa.RecordBatchReader.from_batches(self.schema, self.batches()).__arrow_c_stream__(requested_schema)

    def made(self, rows: Any) -> pa.RecordBatch:
        """The columns of some rows."""
        return pa.record_batch([column.compute(rows) for column in self.columns], schema=self.schema)

    @property
    @abstractmethod
    def slices(self) -> int:
        """Number of slices, or of tables, that are read."""

    @abstractmethod
    def batches(self) -> Iterator[pa.RecordBatch]:
        """All rows, block by block."""

    @abstractmethod
    def placed(self, work: Callable[[Any], Result]) -> Iterator[tuple[Hashable, str, Result]]:
        """Apply a function to the rows of each slice or table in each block.

        Each result comes with its group, all results of which follow one another, and with the folder for its slice or table.
        """


@dataclass(frozen=True)
class Relation:
    """A table that a statement reads."""

    schema: str
    name: str
    columns: list[Column]
    # Its rows, with all columns that these are made from.
    scan: RowStream

    @property
    def rows(self) -> str:
        """The sort of its rows, in a word."""
        return TALLIED if self.schema == TALLIED else "decoded"

    @property
    def stream(self) -> str:
        """The name of its rows in SQL."""
        return f"{self.schema}_{self.name}"
