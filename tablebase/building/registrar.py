"""Enter finished tables into the catalog, several at a time, so that no connection is open while a table is solved."""

from __future__ import annotations

import time
from pathlib import Path
from types import TracebackType
from typing import Any

from tablebase.building.kind import TableKind
from tablebase.building.options import BuildOptions
from tablebase.catalog.catalog import Catalog
from tablebase.catalog.database import Patience
from tablebase.catalog.entries import Entry, enter, strike
from tablebase.catalog.known import Known
from tablebase.errors import CatalogBusyError

INTERVAL = 5.0
"""Seconds between two changes of the catalog, at least."""
BRIEF = 0.2
"""Seconds that an attempt waits for a locked catalog: while it waits to commit, no other program can begin to read."""
AT_LEAST = 2.0
"""Seconds of attempts at the end, also after the deadline."""


class Registrar:
    """The tables of a build that are finished, and the catalog that will list them; used as a context."""

    def __init__(self, kind: TableKind[Any, Any], options: BuildOptions, known: Known) -> None:
        self._kind, self._options, self._folder = kind, options, options.data
        self._catalog = Catalog(options.data, create=True, catalog=options.catalog, patience=BRIEF)
        self._files, self._costs = dict(known.files), known.costs
        self._gone: list[str] = []
        self._pending: list[Entry] = []
        self._next = time.monotonic() + INTERVAL

    def __enter__(self) -> Registrar:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Enter what is left: after an error or an interruption if the catalog is free, else as soon as it is."""
        if error is not None:
            self._attempt()
            return
        left = self._options.seconds_left
        patience = Patience(self._catalog.place, None if left is None else max(AT_LEAST, left))
        while not self._attempt():
            patience.wait()

    @property
    def known(self) -> Known:
        """Facts in the catalog, now or soon."""
        return Known(self._files, self._costs)

    def add(self, entry: Entry) -> None:
        """Enter a table soon."""
        self._pending.append(entry)
        self._files[entry.file] = entry

    def forget(self, path: Path) -> None:
        """Strike a file from the catalog: now, unless that is busy."""
        file = path.relative_to(self._folder).as_posix()
        self._files.pop(file, None)
        self._pending = [entry for entry in self._pending if entry.file != file]
        self._gone.append(file)
        self._attempt()

    def enter_due(self) -> None:
        """Enter finished tables, unless that was done or tried a moment ago."""
        if time.monotonic() >= self._next:
            self._attempt()

    def _attempt(self) -> bool:
        """Change the catalog as far as that is due; return False if another program has locked it, and nothing was changed."""
        if self._pending or self._gone:
            try:
                with self._catalog.writing() as connection:
                    if self._gone:
                        strike(connection, self._gone)
                    for entry in self._pending:
                        enter(connection, self._kind.rules, entry)
            except CatalogBusyError:
                return False
            finally:
                self._next = time.monotonic() + INTERVAL
        self._pending, self._gone = [], []
        return True
