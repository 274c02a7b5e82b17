"""Positions as Parquet files, one file per slice, for other programs.

The files follow the Hive convention, ``pieces=3/material=RCvW/side=w/positions.parquet``, and all have the same
columns, so that Polars, DuckDB and pandas read the folder as one table.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from tablebase.errors import ArgumentError, TablebaseError, did_you_mean, system_error
from tablebase.files.outputs import check_output_folder, written
from tablebase.game import Game
from tablebase.game.features import Feature
from tablebase.mining.column import Column
from tablebase.mining.columns import columns
from tablebase.mining.rows import Rows
from tablebase.mining.scan import Scan
from tablebase.mining.selection import SLICE_COLUMNS
from tablebase.mining.wanted import WHOLE, Sample, Selection
from tablebase.slices.location import StoredSlice
from tablebase.slices.material import material_name
from tablebase.tables.store import Store

FILE_NAME = "positions.parquet"
CURE = "name another folder with --to"
KEY = b"tablebase"
"""Metadata key under which each file records the export it belongs to."""


def chosen_columns(game: Game, names: Sequence[str] | None, offered: dict[str, Column]) -> list[Column]:
    """Columns by name, without those in the folder names; by default the columns of ``*``.

    Raise `TablebaseError` if there is no such column, or no column remains to be written.
    """
    for name in names or ():
        if name not in offered:
            command = f"tablebase mine {game.name} 'DESCRIBE positions'"
            raise ArgumentError(f"these slices have no column {name}{did_you_mean(name, offered)}: {command} lists the columns")
    wanted = [name for name, column in offered.items() if (column.in_star if names is None else name in names)]
    written = [offered[name] for name in wanted if name not in SLICE_COLUMNS]
    if not written:
        raise ArgumentError(f"{', '.join(SLICE_COLUMNS)} are in the folder names: name another column as well")
    return written


class Export:
    """A folder of Parquet files; raise `TablebaseError` if it already contains anything else."""

    def __init__(self, game: Game, folder: Path, columns: Sequence[Column], sample: Sample) -> None:
        self.game, self.folder, self.columns, self.sample = game, folder, columns, sample
        description = {
            "game": game.name,
            "rules_digest": game.digest,
            "columns": [column.name for column in columns],
            "sample": sample.end,
            "seed": sample.seed,
        }
        text = json.dumps(description, sort_keys=True)
        self.schema = pa.schema([(column.name, column.type) for column in columns], metadata={KEY: text})
        self._check_folder()

    def missing(self, selection: Selection) -> Selection:
        """The slices that have no file yet."""
        return {slice_: wanted for slice_, wanted in selection.items() if not self._path(slice_).exists()}

    def write(self, scan: Scan) -> int:
        """Write the slices of a scan and return the number of rows.

        A file gets its name only once it is complete, so an interrupted export can be resumed.
        """
        count = 0
        stored_side: object = None
        with ExitStack() as stack:
            writers: dict[StoredSlice, pq.ParquetWriter] = {}
            for batches in scan.spread(self._batch):
                for slice_, batch in batches:
                    if stored_side != (slice_.location.material, slice_.location.side):
                        # A scan yields all slices of one stored side before those of the next.
                        stack.close()
                        stored_side = slice_.location.material, slice_.location.side
                        writers = {}
                    if slice_ not in writers:
                        writers[slice_] = stack.enter_context(self._file(slice_))
                    writers[slice_].write_batch(batch)
                    count += batch.num_rows
        return count

    def _batch(self, rows: Rows) -> tuple[StoredSlice, pa.RecordBatch]:
        return rows.slice, pa.record_batch([column.compute(rows) for column in self.columns], schema=self.schema)

    @contextmanager
    def _file(self, slice_: StoredSlice) -> Iterator[pq.ParquetWriter]:
        path = self._path(slice_)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as fault:
            raise system_error(fault, self.folder, CURE) from fault
        with written(path, CURE, own=True) as file, pq.ParquetWriter(file, self.schema, compression="zstd") as writer:
            yield writer

    def _path(self, slice_: StoredSlice) -> Path:
        material, side = material_name(self.game, slice_.material), self.game.sides[slice_.side].letter
        return self.folder / f"pieces={slice_.material.pieces}" / f"material={material}" / f"side={side}" / FILE_NAME

    def _check_folder(self) -> None:
        """Raise `TablebaseError` if the folder contains anything but files of the same export."""
        check_output_folder(self.folder, CURE)
        if not self.folder.exists():
            return
        if any(not path.name.startswith("pieces=") for path in self.folder.iterdir()):
            raise TablebaseError(f"{self.folder} contains other files: name a new folder")
        file = next(self.folder.rglob(FILE_NAME), None)
        if file is not None and pq.read_schema(file).metadata.get(KEY) != self.schema.metadata[KEY]:
            fault = f"{self.folder} contains another export (with other columns, sample or rules)"
            raise ArgumentError(f"{fault}: name another folder")


@dataclass(frozen=True)
class Exported:
    """What an export has written."""

    # Slices that had no file before.
    slices: int
    # Their rows.
    rows: int


def export(
    game: Game,
    data: Path,
    selection: Selection,
    folder: Path,
    names: Sequence[str] | None = None,
    features: tuple[Feature, ...] = (),
    sample: Sample = WHOLE,
    threads: int = 2,
    tick: Callable[[int, int], object] | None = None,
) -> Exported:
    """Write slices that have been built to a folder of Parquet files, except those that already have a file there.

    The columns are those of ``*`` unless `names` has others. `tick` is called from time to time with the numbers of indices
    decoded so far and in all. Raise `TablebaseError` if there is no such column, or the folder contains anything else.
    """
    written = chosen_columns(game, names, columns(game, list(selection), features))
    output = Export(game, folder, written, sample)
    missing = {slice_: replace(wanted, sample=sample) for slice_, wanted in output.missing(selection).items()}
    with closing(Store(data)) as store:
        scan = Scan(game, store, missing, written, threads)
        scan.tick = lambda: tick and tick(scan.done, scan.cells)
        return Exported(len(missing), output.write(scan))
