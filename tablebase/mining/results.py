"""Results of queries: as tables of other libraries, as rows of plain values, and as Parquet files."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from itertools import count
from typing import IO, TYPE_CHECKING, Any

import pyarrow as pa

from tablebase.errors import TablebaseError, check_extra

if TYPE_CHECKING:
    import pandas
    import polars


class Tabular(ABC):
    """Rows with named columns."""

    @property
    @abstractmethod
    def columns(self) -> list[str]:
        """Names of the columns, without duplicates."""

    @abstractmethod
    def arrow(self) -> pa.Table:
        """Return all rows as an Arrow table."""

    def df(self) -> pandas.DataFrame:
        """Return all rows as a pandas DataFrame; requires pandas."""
        check_extra("frames of pandas", "pandas")
        return self.arrow().to_pandas()

    def pl(self) -> polars.DataFrame:
        """Return all rows as a Polars DataFrame; requires Polars."""
        check_extra("frames of polars", "polars")
        import polars

        return polars.DataFrame(self.arrow())

    def fetchall(self) -> list[tuple[Any, ...]]:
        """Return all rows as a list of tuples."""
        return list(zip(*(column.to_pylist() for column in self.arrow().columns), strict=True))


def with_plain_numbers(table: pa.Table) -> pa.Table:
    """The table with integers where sums are decimal numbers without decimal places, as far as they fit."""
    for number, field in enumerate(table.schema):
        if pa.types.is_decimal(field.type) and field.type.scale == 0:
            try:
                table = table.set_column(number, field.name, table.column(number).cast(pa.int64()))
            except pa.ArrowInvalid:
                continue
    return table


def distinct_names(names: list[str]) -> list[str]:
    """Make names distinct: a name that occurred before gets a number.

    Examples
    --------
    >>> distinct_names(["a", "b", "a", "a_3"])
    ['a', 'b', 'a_4', 'a_3']
    """
    distinct: list[str] = []
    for place, name in enumerate(names, start=1):
        numbers = count(place)
        new = name
        while new in distinct or (new != name and new in names):
            new = f"{name}_{next(numbers)}"
        distinct.append(new)
    return distinct


def names_and_rows(batches: Iterator[pa.RecordBatch]) -> tuple[list[str], Iterator[dict[str, Any]]]:
    """Names of the columns, and the rows as dicts; there must be at least one batch, and its rows are left out."""
    names = next(batches).schema.names
    return names, (row for batch in batches for row in _rows(names, batch))


@contextmanager
def _expressible() -> Iterator[None]:
    """Raise `TablebaseError` for a value that the format cannot represent."""
    try:
        yield
    except (pa.ArrowException, ValueError, OverflowError) as error:
        reason = str(error).partition("\n")[0]
        raise TablebaseError(f"the result has a value that cannot be written ({reason}): cast the column to VARCHAR") from error


def _rows(names: list[str], batch: pa.RecordBatch) -> Iterator[dict[str, Any]]:
    with _expressible():
        columns = [[_plain(value) for value in column.to_pylist()] for column in batch.columns]
    return (dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True))


def _plain(value: Any) -> Any:
    """A value as JSON can represent it; sums arrive as decimal numbers even if they are integers."""
    if isinstance(value, Decimal):
        return int(value) if value == int(value) else float(value)
    if isinstance(value, dict):
        return {key: _plain(entry) for key, entry in value.items()}
    # The entries of a map are plain tuples; other values, such as intervals, are named tuples.
    if isinstance(value, list) or type(value) is tuple:
        return [_plain(entry) for entry in value]
    return value if isinstance(value, str | int | float | bytes | None) else str(value)


def write_parquet(file: IO[bytes], batches: Iterable[pa.RecordBatch]) -> None:
    """Write the rows as a Parquet file."""
    import pyarrow.parquet as pq

    writer: pq.ParquetWriter | None = None
    for batch in batches:
        if writer is None:
            with _expressible():
                writer = pq.ParquetWriter(file, batch.schema, compression="zstd")
        writer.write_batch(batch)
    if writer is not None:
        writer.close()
