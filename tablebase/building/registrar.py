"""Enter finished tables into the catalog, several at a time, so that no connection is open while a table is solved."""

from __future__ import annotations

import time
from contextlib import closing
from pathlib import Path
from typing import Any

from tablebase.building.kind import TableKind
from tablebase.catalog.catalog import Catalog
from tablebase.catalog.entries import Entry
from tablebase.catalog.known import Known, KnownFile

INTERVAL = 5.0
"""Seconds between two changes of the catalog, at least."""


class Registrar:
    """The tables of a build that are finished, and the catalog that will list them."""

    def __init__(self, kind: TableKind[Any, Any], folder: Path, catalog: str | None, known: Known) -> None:
        self._kind, self._folder, self._catalog = kind, folder, catalog
        self._files, self._costs = dict(known.files), known.costs
        self._pending: list[Entry] = []
        self._next = time.monotonic() + INTERVAL

    @property
    def known(self) -> Known:
        """What the catalog says, or will say."""
        return Known(self._files, self._costs)

    def add(self, entry: Entry) -> None:
        """Enter a table soon."""
        self._pending.append(entry)
        self._files[entry.file] = KnownFile(entry.row["bytes"], entry.sha256)

    def forget(self, path: Path) -> None:
        """Strike a file from the catalog now."""
        file = path.relative_to(self._folder).as_posix()
        self._files.pop(file, None)
        self._pending = [entry for entry in self._pending if entry.file != file]
        with closing(Catalog(self._folder, create=True, catalog=self._catalog)) as opened:
            opened.remove([file])

    def enter_due(self) -> None:
        """Enter what is finished, unless that was done a moment ago."""
        if time.monotonic() >= self._next:
            self.enter_all()

    def enter_all(self) -> None:
        """Enter all that is finished."""
        self._next = time.monotonic() + INTERVAL
        if not self._pending:
            return
        with closing(Catalog(self._folder, create=True, catalog=self._catalog)) as opened, opened.writing() as session:
            for entry in self._pending:
                self._kind.enter(session, entry, None)
        self._pending = []
