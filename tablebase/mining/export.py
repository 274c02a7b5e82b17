"""Positions as Parquet files, one file per slice or table, for other programs.

The files follow the Hive convention, ``pieces=3/material=RCvW/side=w/positions.parquet``, and all have the same
columns, so that Polars, DuckDB and pandas read the folder as one table.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from itertools import chain, groupby
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from tablebase.errors import ArgumentError, TablebaseError, system_errors
from tablebase.game.features import Feature
from tablebase.game.rules import Rules
from tablebase.mining.column import SLICE_COLUMNS, Column
from tablebase.mining.columns import chosen_columns, columns
from tablebase.mining.reading import POSITIONS
from tablebase.mining.rows import slice_place
from tablebase.mining.scan import RowStream, Scan
from tablebase.mining.selection import WHOLE, Sample, Selection
from tablebase.mining.stored_rows import StoredSource, StoredStream, table_place
from tablebase.system.files.outputs import check_output_folder, written
from tablebase.tables.store import Store

FILE_NAME = "positions.parquet"
HINT = "choose another folder for --to"
KEY = b"tablebase"
"""Metadata key under which each file records the export it belongs to."""


class Export:
    """A folder of Parquet files, in others named after `folders`; raise `TablebaseError` if it already contains anything else."""

    def __init__(
        self, game: Rules[Any], folder: Path, columns: Sequence[Column], sample: Sample, folders: Sequence[str] = SLICE_COLUMNS
    ) -> None:
        self.folder = folder
        description = {
            "game": game.name,
            "rules_digest": game.digest,
            "columns": [column.name for column in columns],
            "sample": sample.end,
            "seed": sample.seed,
        }
        text = json.dumps(description, sort_keys=True)
        self.schema = pa.schema([(column.name, column.type) for column in columns], metadata={KEY: text})
        check_output_folder(folder, HINT)
        first = tuple(f"{name}=" for name in folders) or FILE_NAME
        if folder.exists() and any(not path.name.startswith(first) for path in folder.iterdir()):
            raise TablebaseError(f"{folder} contains unrelated files: choose a new folder for --to")
        file = next(folder.rglob(FILE_NAME), None)
        if file is not None and pq.read_schema(file).metadata.get(KEY) != self.schema.metadata[KEY]:
            error = f"{folder} contains an export with different columns, sample or rules"
            raise ArgumentError(f"{error}: choose another folder for --to")

    def write(self, stream: RowStream, place_of: Callable[[Any], str]) -> int:
        """Write the rows of a stream, which have their place in the folder, and return their number.

        A file gets its name only once it is complete, so an interrupted export can be resumed.
        """
        count = 0
        blocks = filter(None, stream.spread(lambda rows: (place_of(rows), stream.made(rows))))
        # Blocks of the same rows under the names of several slices follow one another.
        for _, same in groupby(blocks, lambda block: dict(block).keys()):
            with ExitStack() as stack:
                writers: dict[str, pq.ParquetWriter] = {}
                for place, batch in chain.from_iterable(same):
                    if place not in writers:
                        writers[place] = stack.enter_context(self._file(self.folder / place / FILE_NAME))
                    writers[place].write_batch(batch)
                    count += batch.num_rows
        return count

    @contextmanager
    def _file(self, path: Path) -> Iterator[pq.ParquetWriter]:
        with system_errors(self.folder, HINT):
            path.parent.mkdir(parents=True, exist_ok=True)
        with written(path, HINT, own=True) as file, pq.ParquetWriter(file, self.schema, compression="zstd") as writer:
            yield writer


class Exported(NamedTuple):
    """Result of an export."""

    slices: int  # slices or tables that had no file before
    of: int  # all slices or tables
    rows: int


def export(
    rules: Rules[Any],
    data: Path,
    selection: Selection | None,
    folder: Path,
    names: Sequence[str] | None = None,
    features: tuple[Feature, ...] = (),
    sample: Sample = WHOLE,
    threads: int = 2,
    tick: Callable[[int, int], object] | None = None,
) -> Exported:
    """Write slices, or the tables of a game by functions, to a folder of Parquet files, except those that have a file there.

    The columns are those of ``*`` unless `names` has others. `tick` is called from time to time with the numbers of indices
    decoded so far and in all. Raise `TablebaseError` if there is no such column, or the folder contains anything else.
    """
    with ExitStack() as stack:
        store = stack.enter_context(closing(Store(data)))
        places: Mapping[str, Any]
        stream: RowStream
        place_of: Callable[[Any], str]
        if selection is None:
            source = stack.enter_context(closing(StoredSource(rules, store, features)))
            places = {table_place(table): table for table in source.stored.tables}
            offered, folders = source.offered[POSITIONS], list(source.stored.tables[0].words)
        else:
            game: Any = rules
            places = {slice_place(game, slice_): slice_ for slice_ in selection}
            offered, folders = columns(game, list(selection), features), list(SLICE_COLUMNS)
        chosen = chosen_columns(rules, names, offered, folders)
        output = Export(rules, folder, chosen, sample, folders)
        missing = [its for place, its in places.items() if not (folder / place / FILE_NAME).exists()]
        if selection is None:
            stream, place_of = StoredStream(source.stored, chosen, missing, sample), lambda rows: table_place(rows.table)
        else:
            wanted = {its: replace(selection[its], sample=sample) for its in missing}
            stream, place_of = Scan(game, store, wanted, chosen, threads), lambda rows: slice_place(game, rows.slice)
        stream.tick = lambda _: tick and tick(stream.done, stream.cells)
        return Exported(stream.slices, len(places), output.write(stream, place_of))
