"""Answers from the catalog, for programs and for pages, each kept until the catalog changes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar, cast

from tablebase.catalog.catalog import Catalog
from tablebase.catalog.sqlite import FILE_NAME
from tablebase.errors import TablebaseError
from tablebase.tables.folder import check_folder
from tablebase.web.problems import unusable

Result = TypeVar("Result")
KEPT = 256
"""Answers that are kept; the largest one, of all slices of a game, takes about a megabyte."""

PATIENCE = 4.0
"""Seconds that a request waits for another program that has locked the catalog."""

State = tuple[tuple[int, int, int], ...]


class KnownCatalog:
    """Keeps answers as long as the file of the catalog does not change. Safe to use from several threads.

    Nothing is kept of a catalog in a PostgreSQL database, which `url` names.
    """

    def __init__(self, folder: Path, url: str | None = None) -> None:
        self.folder, self.url = folder, url
        self._opened: Catalog | None = None
        # Read without the lock, so the two belong together, and no answer is ever removed.
        self._kept: tuple[State, dict[Hashable, object]] = (), {}
        self._reading = threading.Lock()

    def answer(self, question: Hashable, read: Callable[[Catalog], Result]) -> Result:
        """Return the result of `read` on the catalog, or one kept for this question; it must not be changed.

        `ProblemError` if there is no catalog, or it cannot be used.
        """
        before, (state, answers) = self._seen(), self._kept
        if before == state and question in answers:
            return cast(Result, answers[question])
        with self._reading:
            if before != self._kept[0] or self._opened is None:
                self.close()
                try:
                    check_folder(self.folder, built=True)
                    self._opened = Catalog(self.folder, catalog=self.url, patience=PATIENCE)
                except TablebaseError as error:
                    raise unusable(error) from error
                self._kept = before, {}
            try:
                found = read(self._opened)
            finally:
                # A database shows one state as long as it is open, also after an error.
                if not before:
                    self.close()
            # A change while it was read may have come too late or not.
            if before and before == self._seen():
                if len(self._kept[1]) == KEPT:
                    self._kept = before, {}
                self._kept[1][question] = found
        return found

    def close(self) -> None:
        """Forget all answers, and the copy of the catalog in memory that gave them."""
        self._kept = (), {}
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    def _seen(self) -> State:
        """Return the catalog's state, to see changes; empty if they cannot be seen, or there is no file."""
        if self.url is not None:
            return ()
        found = []
        for ending in ("", "-wal", "-journal"):
            with suppress(OSError):
                stat = (self.folder / f"{FILE_NAME}{ending}").stat()
                found.append((stat.st_ino, stat.st_size, stat.st_mtime_ns))
        return tuple(found)
