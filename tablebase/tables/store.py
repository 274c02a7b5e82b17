"""The tables of a folder, opened on first use."""

from __future__ import annotations

import threading
from collections import OrderedDict
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tablebase.errors import CorruptTableError, TablebaseError
from tablebase.game import Game
from tablebase.positions.material import Material
from tablebase.system.compute.processes import fork_safe
from tablebase.tables.cached_chunks import CachedChunks
from tablebase.tables.folder import check_folder, table_path
from tablebase.tables.reader import Table
from tablebase.tables.values import Codes

OTHER_FILES = 96
"""Descriptors that the rest of the program may need."""
MOST_TABLES = 1024


def tables_to_keep_open() -> int:
    """Tables that a store keeps open, each with a descriptor."""
    try:
        import resource
    except ImportError:
        # Windows, whose runtime library allows this many files.
        limit = 512
    else:
        limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        if limit == resource.RLIM_INFINITY:
            return MOST_TABLES
    return max(16, min(MOST_TABLES, limit - OTHER_FILES))


OPEN_FILES = tables_to_keep_open()
lock = fork_safe(threading.Lock())
"""One for all stores, since only a lock that lives as long as the process can be taken at a fork."""


def closed(folder: Path) -> TablebaseError:
    """The error for questions to tables that have been closed."""
    return TablebaseError(f"the tables of {folder} have been closed: open the tablebase again with tablebase.open")


class Store:
    """The tables of a folder, with a cache of decompressed chunks; table files are opened on first use.

    A store can be used from several threads and in forked processes.
    """

    def __init__(self, folder: Path, cache: int | None = None) -> None:
        """`cache` is the size of the cache for decompressed chunks in bytes; see `CachedChunks`."""
        check_folder(folder)
        self.folder, self.chunks = folder, CachedChunks(cache)
        self._tables: OrderedDict[tuple[Game, Material], Table] = OrderedDict()
        self._is_closed = False

    def require_open(self) -> None:
        """Raise `TablebaseError` if the store is closed."""
        if self._is_closed:
            raise closed(self.folder)

    def table(self, game: Game, material: Material) -> Table:
        """Return the table of a stored material; the first call opens the table. See `Table` for errors."""
        key = (game, material)
        with lock:
            self.require_open()
            table = self._tables.get(key)
            if table is None:
                table = self._tables[key] = Table(table_path(self.folder, game, material), game, material)
            self._tables.move_to_end(key)
            while len(self._tables) > OPEN_FILES:
                # Not closed here, because another thread may be reading it; losing the last reference closes it.
                self._tables.popitem(last=False)
        return table

    def code(self, table: Table, side: int, index: int) -> int:
        """Return the value code at an index."""
        number, offset = divmod(index, table.header.chunk)
        return int(self._chunk(table, side, number)[offset])

    def codes(self, table: Table, side: int, index: NDArray[np.int64]) -> Codes:
        """Return the value codes at many indices, in any order; each chunk is read once."""
        return table.at(side, index, partial(self._chunk, table, side))

    def _chunk(self, table: Table, side: int, number: int) -> Codes:
        """A chunk of a table, from the cache if it is there."""
        try:
            return self.chunks.get((table.game.name, table.material, side, number), partial(table.chunk, side, number))
        except CorruptTableError:
            # It is opened again when it is next asked for: another file may have its place by then.
            with lock:
                if self._tables.get((table.game, table.material)) is table:
                    del self._tables[table.game, table.material]
            raise

    def close(self) -> None:
        """Close all files; after that, the store cannot be used."""
        with lock:
            self._is_closed = True
            for table in self._tables.values():
                table.close()
            self._tables.clear()
        self.chunks.clear()
