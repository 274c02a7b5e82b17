"""Positions as Parquet files, a file a slice, for other programs.

Files are partitioned as Hive does it, ``pieces=3/material=RCvW/side=w/positions.parquet``, and all have the same
columns, so that Polars, DuckDB and pandas read the folder as one table.
"""

from __future__ import annotations

import errno
import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tablebase.errors import CapacityError, TablebaseError
from tablebase.game import Game
from tablebase.mining.columns import Column, Rows
from tablebase.mining.scan import Scan
from tablebase.mining.selection import SLICE_COLUMNS, Selection
from tablebase.slices.location import StoredSlice
from tablebase.slices.material import material_name

FILE_NAME = "positions.parquet"
KEY = b"tablebase"
"""Under which each file says what export it is of."""


@dataclass(frozen=True)
class Sample:
    """Which positions are taken: each with the same chance, by itself.

    Parameters
    ----------
    share : float
        The chance, above 0 and at most 1.
    seed : int
        The same seed takes the same positions.
    """

    share: float = 1.0
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 < self.share <= 1:
            raise TablebaseError(f"a sample is a share above 0 and at most 1, not {self.share}")

    def of(self, rows: Rows) -> Rows:
        """The rows that are taken."""
        if self.share == 1:
            return rows
        names = [rows.slice.side, *rows.slice.material.kinds, *rows.slice.material.advance]
        chances = np.random.default_rng([self.seed, *rows.place, *names]).random(len(rows))
        return rows.take(np.flatnonzero(chances < self.share))


def chosen_columns(game: Game, names: Sequence[str] | None, offered: dict[str, Column]) -> list[Column]:
    """Columns by their names, those of which the folders tell left out; by default all that are of no feature.

    Raises
    ------
    TablebaseError
        If there is no such column, or none is left to write.
    """
    for name in names or ():
        if name not in offered:
            command = f"tablebase mine {game.name} 'DESCRIBE positions'"
            raise TablebaseError(f"there is no column {name} in these slices: {command} lists them")
    wanted = [name for name, column in offered.items() if (column.in_star if names is None else name in names)]
    written = [offered[name] for name in wanted if name not in SLICE_COLUMNS]
    if not written:
        raise TablebaseError(f"{', '.join(SLICE_COLUMNS)} are in the folders' names: name another column beside them")
    return written


class Export:
    """A folder of Parquet files.

    Parameters
    ----------
    game : Game
    folder : Path
    columns : sequence of Column
    sample : Sample

    Raises
    ------
    TablebaseError
        If the folder holds something else already.
    """

    def __init__(self, game: Game, folder: Path, columns: Sequence[Column], sample: Sample) -> None:
        self.game, self.folder, self.columns, self.sample = game, folder, columns, sample
        described = {
            "game": game.name,
            "rules_digest": game.digest,
            "columns": [column.name for column in columns],
            "sample": sample.share,
            "seed": sample.seed,
        }
        text = json.dumps(described, sort_keys=True)
        self.schema = pa.schema([(column.name, column.type) for column in columns], metadata={KEY: text})
        self._check_folder()

    def missing(self, selection: Selection) -> Selection:
        """The slices that have no file yet."""
        return {one: values for one, values in selection.items() if not self._path(one).exists()}

    def write(self, scan: Scan) -> int:
        """Write the slices of a scan; the number of rows.

        A file has its name only when it is whole, so an export that was interrupted can be started again.
        """
        count = 0
        home: object = None
        with ExitStack() as stack:
            writers: dict[StoredSlice, pq.ParquetWriter] = {}
            for batches in scan.spread(self._batch):
                for one, batch in batches:
                    if home != (one.location.material, one.location.side):
                        # The slices of one stored side come together, and then no more of them.
                        stack.close()
                        home = one.location.material, one.location.side
                        writers = {}
                    if one not in writers:
                        writers[one] = stack.enter_context(self._file(one))
                    writers[one].write_batch(batch)
                    count += batch.num_rows
        return count

    def _batch(self, rows: Rows) -> tuple[StoredSlice, pa.RecordBatch]:
        taken = self.sample.of(rows)
        return rows.slice, pa.record_batch([column.compute(taken) for column in self.columns], schema=self.schema)

    @contextmanager
    def _file(self, one: StoredSlice) -> Iterator[pq.ParquetWriter]:
        path = self._path(one)
        draft = path.with_name(f".{path.name}.tmp")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with pq.ParquetWriter(draft, self.schema, compression="zstd") as writer:
                yield writer
            draft.replace(path)
        except OSError as fault:
            full = fault.errno in (errno.ENOSPC, errno.EDQUOT)
            sentence, cure = f"cannot write to {self.folder} ({fault.strerror or fault})", "name another folder with --parquet"
            error = CapacityError(sentence, f"make room or {cure}") if full else TablebaseError(f"{sentence}: {cure}")
            raise error from fault
        finally:
            with suppress(OSError):
                draft.unlink(missing_ok=True)

    def _path(self, one: StoredSlice) -> Path:
        material, side = material_name(self.game, one.material), self.game.sides[one.side].letter
        return self.folder / f"pieces={one.material.pieces}" / f"material={material}" / f"side={side}" / FILE_NAME

    def _check_folder(self) -> None:
        """See that the folder holds nothing but files of the same export."""
        if not self.folder.exists():
            return
        if not self.folder.is_dir():
            raise TablebaseError(f"{self.folder} is a file: name a folder with --parquet")
        if any(not path.name.startswith("pieces=") for path in self.folder.iterdir()):
            raise TablebaseError(f"{self.folder} holds other things: name a new folder")
        found = next(self.folder.rglob(FILE_NAME), None)
        if found is not None and pq.read_schema(found).metadata.get(KEY) != self.schema.metadata[KEY]:
            raise TablebaseError(f"{self.folder} holds another export (of other columns, sample or rules): name another folder")
