"""Answers from the catalog, for programs and for pages, each kept until the catalog changes."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import TypeVar, cast

from tablebase.catalog.catalog import Catalog
from tablebase.catalog.sqlite import FILE_NAME
from tablebase.errors import CorruptCatalogError, TablebaseError
from tablebase.tables.folder import check_folder

Result = TypeVar("Result")
KEPT = 256
"""Answers that are kept; the largest one, of all slices of a game, takes about a megabyte."""

PATIENCE = 4.0
"""Seconds that a request waits for another program that has locked the catalog."""

State = tuple[tuple[int, int, int], ...]


class UnusableCatalogError(CorruptCatalogError):
    """A catalog that cannot be read now, which is the server's fault."""

    def __init__(self, fault: TablebaseError, path: Path) -> None:
        super().__init__(str(fault), path)
        self.args, self.places = (str(fault),), fault.places


class KnownCatalog:
    """Keeps answers as long as the file of the catalog does not change. Safe to use from several threads.

    Nothing is kept of a catalog in a PostgreSQL database, which `url` names.
    """

    def __init__(self, folder: Path, url: str | None = None) -> None:
        self.folder, self.url = folder, url
        self._state: State = ()
        self._opened: Catalog | None = None
        self._answers: OrderedDict[Hashable, object] = OrderedDict()
        self._lock = threading.Lock()
        self._reading = threading.Lock()

    def answer(self, question: Hashable, read: Callable[[Catalog], Result]) -> Result:
        """What `read` returns, given the catalog, or has returned for the same question; it must not be changed.

        `UnusableCatalogError` if there is no catalog, or it cannot be used.
        """
        before = self._seen()
        with self._lock:
            if before == self._state and question in self._answers:
                self._answers.move_to_end(question)
                return cast(Result, self._answers[question])
        with self._reading:
            if before != self._state or self._opened is None:
                self.close()
                self._opened, self._state = self._open(), before
            try:
                found = read(self._opened)
            finally:
                # A database shows one state as long as it is open, also after a fault.
                if not before:
                    self.close()
            # A change while it was read may have come too late or not.
            if before and before == self._seen():
                with self._lock:
                    self._answers[question] = found
                    while len(self._answers) > KEPT:
                        self._answers.popitem(last=False)
        return found

    def close(self) -> None:
        """Forget all answers, and the copy of the catalog in memory that gave them."""
        with self._lock:
            self._answers.clear()
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    def _open(self) -> Catalog:
        try:
            check_folder(self.folder, built=True)
            return Catalog(self.folder, catalog=self.url, patience=PATIENCE)
        except CorruptCatalogError:
            raise
        except TablebaseError as fault:
            raise UnusableCatalogError(fault, self.folder) from fault

    def _seen(self) -> State:
        """What shows whether the catalog has changed; empty if that cannot be seen."""
        if self.url is not None:
            return ()
        found = []
        for ending in ("", "-wal", "-journal"):
            try:
                stat = (self.folder / f"{FILE_NAME}{ending}").stat()
            except OSError:
                if not ending:
                    return ()
                continue
            found.append((stat.st_ino, stat.st_size, stat.st_mtime_ns))
        return tuple(found)
