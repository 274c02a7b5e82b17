"""Operations that a database must offer to hold the catalog of a folder."""

from __future__ import annotations

import re
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, delete, inspect

from tablebase.catalog import schema
from tablebase.catalog.entries import Entry, read_entries
from tablebase.errors import (
    ArgumentError,
    CatalogBusyError,
    CorruptCatalogError,
    MissingCatalogError,
    TablebaseError,
    reindex,
    shell_word,
    system_error,
)
from tablebase.system.compute.messages import say
from tablebase.system.compute.processes import fork_safe
from tablebase.system.executors.bounds import deadline
from tablebase.tables.folder import SUFFIX

PATIENCE = 20.0
"""Seconds to wait for another program, which needs milliseconds to write or copy a catalog.

A command opens it up to three times, and so waits up to a minute; a request to a server may take longer than this.
"""
SILENCE = 5.0
"""Seconds of waiting before a sentence about it."""
PAUSE = 0.05
"""Seconds between two attempts."""
in_use = fork_safe(threading.RLock())
"""Held while a database works: in a child forked meanwhile, the locks of its driver would stay taken."""
HINTS = (
    ("^not authorized|^attempt to write|in a read-only transaction$|data-modifying", "only SELECT is allowed"),
    (
        r"^no such table: (distinct_)?positions$|^relation \"(distinct_)?positions\" does not exist$",
        "query positions with 'tablebase mine'",
    ),
    ("lock timeout$", "another program has locked a table: try again when that program has finished"),
)
"""Patterns of reasons for which a statement failed, and what to do instead."""
QUERIES = ("SELECT", "WITH", "VALUES", "TABLE")
Answer = tuple[list[str], list[tuple[Any, ...]]]
"""Column names and rows."""
Result = TypeVar("Result")


class Patience:
    """Waits for another program for so many seconds in all, or without end if they are None, and says it once."""

    def __init__(self, place: str, seconds: float | None) -> None:
        self._place, self._seconds = place, seconds
        self._begun: float | None = None
        self._has_spoken = False

    def wait(self) -> None:
        """Wait a moment; raise `CatalogBusyError` when the time is over."""
        now = time.monotonic()
        self._begun = now if self._begun is None else self._begun
        waited = now - self._begun
        if self._seconds is not None and waited >= self._seconds:
            raise CatalogBusyError(self._place)
        if waited >= SILENCE and not self._has_spoken:
            self._has_spoken = True
            say(f"waiting for {self._place}, locked by another program")
        time.sleep(PAUSE)

    def repeat(self, attempt: Callable[[], Result], is_busy: Callable[[Exception], bool]) -> Result:
        """Return the result of an attempt, repeated while its error is only that the catalog is busy."""
        while True:
            try:
                return attempt()
            except Exception as error:
                if not is_busy(error):
                    raise
            self.wait()


class Database(ABC):
    """A database that holds the catalog of a folder, or can hold it."""

    errors: tuple[type[Exception], ...]  # that the database and its driver raise
    place: str  # its name in errors
    option: str  # names it on the command line, after the folder and a space; empty if the folder is enough
    another: str  # a clause: what to do with a database in which a catalog has no place
    readers: Engine  # its connections show the catalog as it is when they begin, and change nothing
    hooks: str  # a query: kind, name and table of the triggers and rules in the database
    set_aside: Path | None = None  # the new name of a file that could not be opened for a rebuild

    def __init__(self, folder: Path, patience: float | None) -> None:
        self.folder, self.patience = folder, patience

    @abstractmethod
    def changes(self, *, rebuilds: bool = False) -> AbstractContextManager[Connection]:
        """A transaction that may change the catalog; other writers wait for its end, readers do not.

        In a rebuild, other programs' rows never change, and a file that cannot be opened is set aside.
        """

    @abstractmethod
    def lacks_rights(self, connection: Connection) -> TablebaseError | None:
        """The error that not all rows of a catalog may be changed; None if they may."""

    @abstractmethod
    def only_reading(self, connection: Connection) -> AbstractContextManager[Callable[[], object]]:
        """Let statements in a snapshot only read; the function interrupts the one that is running."""

    @abstractmethod
    def error(self, error: Exception) -> TablebaseError:
        """The sentence for one of the `errors`."""

    @contextmanager
    def snapshot(self) -> Iterator[Connection]:
        """A connection to the catalog as it is now, which changes nothing."""
        with self.readers.connect() as connection:
            yield connection

    def reason(self, error: Any) -> str:
        """The message of the driver in an error, in one line."""
        return " ".join(str(getattr(error, "orig", None) or error).split())

    def version(self, connection: Connection) -> int | None:
        """The version of the catalog's schema; 0 if it cannot be known, None if there is no catalog."""
        return schema.version_of(connection)

    def integrity_error(self, connection: Connection) -> str | None:  # noqa: ARG002 (PostgreSQL has no check for everyone)
        """Return the error the database finds in our tables' structure; None if they are sound, or it has no such check."""
        return None

    def make(self, connection: Connection) -> None:
        """Make the schema where none of its names is taken."""
        schema.create_schema(connection)

    def entries(self, connection: Connection) -> dict[str, Entry]:
        """Return a sound catalog's entries, by file; an error if there is no catalog, or it must be rebuilt."""
        if (version := self.version(connection)) is None:
            raise self.missing(self.refusal(connection))
        self.check_version(version)
        entries: dict[str, Entry] = {}
        if (error := schema.schema_error(connection) or self.integrity_error(connection)) is None:
            entries, error = read_entries(connection)
        if error is not None:
            raise CorruptCatalogError(error, self.place, self.hint)
        return entries

    def check_version(self, version: int) -> None:
        """Raise `CorruptCatalogError` if a catalog of this version must be rebuilt."""
        if version != schema.SCHEMA_VERSION:
            made = f"was created by {'an earlier' if version < schema.SCHEMA_VERSION else 'a later'} version of tablebase"
            raise CorruptCatalogError(made if version else "is damaged (its version is missing)", self.place, self.hint)

    def clear(self, connection: Connection) -> list[str]:
        """Remove all that our tables hold; return the names of other programs' indices that went with replaced tables."""
        if self.version(connection) == schema.SCHEMA_VERSION and schema.schema_error(connection) is None:
            # Not dropped: other programs' indices stay, and in PostgreSQL so must tables that a view reads.
            for table in reversed(schema.METADATA.sorted_tables):
                if table is not schema.VERSION:
                    connection.execute(delete(table))
            return []
        before = schema.index_names(connection)
        schema.drop_schema(connection)
        self.make(connection)
        return sorted(before - schema.index_names(connection))

    def refusal(self, connection: Connection) -> TablebaseError | None:
        """The error that keeps this program from making and changing all rows, or lets another one change them."""
        for kind, name, table in connection.exec_driver_sql(self.hooks):
            if table in schema.METADATA.tables:
                hook = f"the {kind} {name!r} on the table {table!r}"
                return TablebaseError(f"{self.place} has {hook}, which may change new rows: remove the {kind}, and try again")
        if self.version(connection) is None:
            inspector = inspect(connection)
            names = {*inspector.get_table_names(), *inspector.get_view_names()}
            if taken := names & {*schema.METADATA.tables, schema.VIEW}:
                held = f"belongs to another program (it has a table {min(taken)!r})"
                return TablebaseError(f"{self.place} {held}: {self.another}")
        return self.lacks_rights(connection)

    def query(self, connection: Connection, statement: str, timeout: float | None) -> Answer:
        """Column names and rows of a statement that only reads, in a snapshot; see `Catalog.sql`."""
        try:
            with self.only_reading(connection) as interrupt, deadline(timeout, interrupt):
                result = connection.exec_driver_sql(statement, execution_options={"no_parameters": True, "stream_results": True})
                if not result.returns_rows:
                    raise ArgumentError("the statement does not return rows: write a SELECT statement")
                return list(result.keys()), [tuple(row) for row in result.fetchall()]
        except self.errors as error:
            if getattr(error, "connection_invalidated", False):
                raise self.error(error) from error
            reason = self.reason(error)
            hint = next((f" ({hint})" for pattern, hint in HINTS if re.search(pattern, reason)), "")
            if not hint and "syntax error" in reason and not statement.lstrip().upper().startswith(QUERIES):
                hint = " (only SELECT is allowed)"
            raise ArgumentError(f"the SQL statement failed: {reason}{hint}") from error

    @property
    def hint(self) -> str:
        """The command that rebuilds the catalog."""
        return reindex(self.folder, self.option)

    def missing(self, refusal: TablebaseError | None = None) -> MissingCatalogError:
        """The error for a folder without a catalog."""
        files = sum(1 for _ in self.folder.glob(f"*/*/*{SUFFIX}"))
        if files:
            count = "1 table file" if files == 1 else f"{files} table files"
            return MissingCatalogError(f"{self.folder} contains {count} but no catalog: {self.hint}", refusal)
        build = f"tablebase build GAME --data {shell_word(self.folder)}{self.option}"
        return MissingCatalogError(f"no tablebase in {self.folder}: run '{build}'", refusal)

    @contextmanager
    def guard(self) -> Iterator[None]:
        """Turn errors of the database and the operating system into one sentence."""
        try:
            with in_use:
                yield
        except OSError as error:
            raise system_error(error, error.filename or self.place) from error
        except self.errors as error:
            raise self.error(error) from error
