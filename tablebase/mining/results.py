"""Results of questions, for people and programs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq


def names_and_rows(batches: Iterator[pa.RecordBatch]) -> tuple[list[str], Iterator[dict[str, Any]]]:
    """Names of the columns, and the rows by them; two columns of one name are numbered.

    Parameters
    ----------
    batches : iterator of pyarrow.RecordBatch
        At least one, which may be empty.
    """
    first = next(batches)
    names = [name if name not in first.schema.names[:i] else f"{name}_{i + 1}" for i, name in enumerate(first.schema.names)]
    return names, (row for batch in batches for row in _rows(names, batch))


def _rows(names: list[str], batch: pa.RecordBatch) -> Iterator[dict[str, Any]]:
    columns = ((_plain(value) for value in column.to_pylist()) for column in batch.columns)
    return (dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True))


def _plain(value: Any) -> Any:
    """A value as JSON could have it; sums come as decimal numbers, though they are whole ones."""
    if isinstance(value, Decimal):
        return int(value) if value == int(value) else float(value)
    if isinstance(value, list):
        return [_plain(one) for one in value]
    return value if isinstance(value, str | int | float | dict | bytes | None) else str(value)


def write_parquet(file: IO[bytes], batches: Iterable[pa.RecordBatch]) -> int:
    """Write the rows as a Parquet file; their number."""
    count = 0
    writer: pq.ParquetWriter | None = None
    for batch in batches:
        if writer is None:
            writer = pq.ParquetWriter(file, batch.schema, compression="zstd")
        writer.write_batch(batch)
        count += batch.num_rows
    if writer is not None:
        writer.close()
    return count
