"""What a database must offer to hold the catalog of a folder."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, delete, inspect

from tablebase.catalog.registration import rows_fault
from tablebase.catalog.schema import (
    SCHEMA_VERSION,
    VIEW,
    Base,
    VersionRow,
    create_schema,
    drop_schema,
    index_names,
    schema_fault,
    version_of,
)
from tablebase.compute.processes import held_at_fork
from tablebase.errors import TablebaseError, reindex, shell_word, system_error
from tablebase.tables.folder import SUFFIX

PATIENCE = 60.0
"""Seconds to wait for another process, which needs milliseconds to write or copy a catalog."""
in_use = held_at_fork(threading.RLock())
"""Held while a database works: in a child forked meanwhile, the locks of its driver would stay taken."""
Answer = tuple[list[str], list[tuple[Any, ...]]]
"""Column names and rows."""


class Database(ABC):
    """A database that holds the catalog of a folder, or can hold it."""

    faults: tuple[type[Exception], ...]  # that the database and its driver raise
    place: str  # what errors call it
    option: str  # names it on the command line, after the folder and a space; empty if the folder is enough
    another: str  # a clause: what to do with a database in which a catalog has no place
    set_aside: Path | None = None  # the new name of a file that `rebuilding` could not open

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @abstractmethod
    def exists(self) -> bool:
        """Whether there is anything where the catalog would be."""

    @abstractmethod
    def snapshot(self) -> AbstractContextManager[Connection]:
        """A connection to the catalog as it is now, which changes nothing."""

    @abstractmethod
    def changes(self) -> AbstractContextManager[Connection]:
        """A transaction that may change the catalog; other writers wait for its end, readers do not."""

    def rebuilding(self) -> AbstractContextManager[Connection]:
        """Like `changes`, for a rebuild: other programs' rows never change, and a file that cannot be opened is set aside."""
        return self.changes()

    def integrity_fault(self, connection: Connection) -> str | None:  # noqa: ARG002 (PostgreSQL has no check for everyone)
        """What the database finds wrong with the structure of our tables; None if they are sound, or it has no such check."""
        return None

    @abstractmethod
    def hooks(self, connection: Connection) -> list[str]:
        """The triggers and rules of other programs on our tables."""

    def check_rights(self, connection: Connection) -> None:  # noqa: B027 (a file is refused when its transaction begins)
        """Raise an error unless all rows of a catalog may be changed."""

    @abstractmethod
    def query(self, connection: Connection, statement: str, timeout: float | None) -> Answer:
        """Column names and rows of a statement that only reads, in a snapshot; see `Catalog.sql`."""

    @abstractmethod
    def error(self, fault: Exception) -> TablebaseError:
        """The sentence for one of the `faults`."""

    def version(self, connection: Connection) -> int | None:
        """The version of the catalog's schema; 0 if it cannot be known, None if there is no catalog."""
        return version_of(connection)

    def fault(self, connection: Connection) -> str | None:
        """Why a catalog must be rebuilt, as the predicate of a sentence; None if it can be used as it is."""
        version = self.version(connection)
        if not version:
            return "is damaged (its version is missing)"
        if version != SCHEMA_VERSION:
            return f"was made by {'an earlier' if version < SCHEMA_VERSION else 'a later'} version of this program"
        return schema_fault(connection) or self.integrity_fault(connection) or rows_fault(connection)

    def create(self) -> None:
        """Make a catalog without tables if there is none, beside whatever else is in the database."""
        with self.changes() as connection:
            self.prepare(connection)
            if self.version(connection) is None:
                self.make(connection)

    def clear(self, connection: Connection) -> list[str]:
        """Remove all that our tables hold; return the names of other programs' indices if they went with tables made anew."""
        if self.version(connection) == SCHEMA_VERSION and schema_fault(connection) is None:
            # Not dropped: other programs' indices stay, and in PostgreSQL so must tables that a view reads.
            for table in reversed(Base.metadata.sorted_tables):
                if table is not VersionRow.__table__:
                    connection.execute(delete(table))
            return []
        before = index_names(connection)
        if self.version(connection) is not None:
            drop_schema(connection)
        self.make(connection)
        return sorted(before - index_names(connection))

    def prepare(self, connection: Connection) -> None:
        """Raise an error unless all rows may be changed, by nobody but this program."""
        self.check_rights(connection)
        if hooks := self.hooks(connection):
            raise TablebaseError(f"{self.place} runs {hooks[0]} when tables are entered: remove it, and run the command again")

    def make(self, connection: Connection) -> None:
        """Make the schema where none of its names is taken."""
        inspector = inspect(connection)
        names = {*inspector.get_table_names(), *inspector.get_view_names()}
        if taken := names & {*Base.metadata.tables, VIEW}:
            raise TablebaseError(f"{self.place} is a database of another program, with a table {min(taken)!r}: {self.another}")
        create_schema(connection)

    @property
    def cure(self) -> str:
        """What makes the catalog anew."""
        return reindex(self.folder, self.option)

    def missing(self) -> TablebaseError:
        """The error for a folder without a catalog."""
        files = sum(1 for _ in self.folder.glob(f"*/*/*{SUFFIX}"))
        if files:
            lie = "1 table file lies" if files == 1 else f"{files} table files lie"
            return TablebaseError(f"{lie} in {self.folder}, but there is no catalog of them: {self.cure}")
        build = f"tablebase build GAME --data {shell_word(self.folder)}{self.option}"
        return TablebaseError(f"there is no tablebase in {self.folder}: build one with '{build}'")

    @contextmanager
    def guard(self) -> Iterator[None]:
        """Turn what the database and the operating system raise into one sentence."""
        try:
            with in_use:
                yield
        except OSError as fault:
            raise system_error(fault, fault.filename or self.place) from fault
        except self.faults as fault:
            raise self.error(fault) from fault
