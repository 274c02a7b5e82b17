"""Results of queries, for people and programs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq

from tablebase.errors import TablebaseError
from tablebase.mining.column_names import distinct_names


def names_and_rows(batches: Iterator[pa.RecordBatch]) -> tuple[list[str], Iterator[dict[str, Any]]]:
    """Names of the columns, and the rows as dicts; columns with the same name are numbered.

    Parameters
    ----------
    batches : iterator of pyarrow.RecordBatch
        At least one, which may be empty.
    """
    first = next(batches)
    names = distinct_names(first.schema.names)
    return names, (row for batch in batches for row in _rows(names, batch))


@contextmanager
def _expressible() -> Iterator[None]:
    """Raise `TablebaseError` for a value that the format cannot represent."""
    try:
        yield
    except (pa.ArrowException, ValueError, OverflowError) as fault:
        reason = str(fault).partition("\n")[0]
        raise TablebaseError(f"a value cannot be written ({reason}): cast it to VARCHAR") from fault


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
    writer: pq.ParquetWriter | None = None
    for batch in batches:
        if writer is None:
            with _expressible():
                writer = pq.ParquetWriter(file, batch.schema, compression="zstd")
        writer.write_batch(batch)
    if writer is not None:
        writer.close()
