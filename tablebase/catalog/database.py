"""What a database must offer to hold the catalog of a folder."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection

from tablebase.catalog.schema import SCHEMA_VERSION, create_schema, is_empty
from tablebase.catalog.seal import renew_totals
from tablebase.compute.locks import held_at_fork
from tablebase.errors import CorruptCatalogError, TablebaseError, reindex, system_error

PATIENCE = 60.0
"""Seconds to wait for another process, which needs milliseconds to write or copy a catalog."""
in_use = held_at_fork(threading.RLock())
"""Held while a database works: in a child forked meanwhile, the locks of its driver would stay taken."""
Answer = tuple[list[str], list[tuple[Any, ...]]]
"""Column names and rows."""


class Database(ABC):
    """A database that holds the catalog of a folder, or can hold it.

    Parameters
    ----------
    folder : Path
        The tablebase.

    Attributes
    ----------
    faults : tuple of type
        What the database and its driver raise.
    """

    faults: tuple[type[Exception], ...]

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    @abstractmethod
    def place(self) -> str:
        """What errors call it."""

    @property
    @abstractmethod
    def option(self) -> str:
        """What names it on the command line, after the folder and a space; empty if the folder is enough."""

    @abstractmethod
    def exists(self) -> bool:
        """Whether there is anything where the catalog would be."""

    @abstractmethod
    def snapshot(self) -> AbstractContextManager[Connection]:
        """A connection to the catalog as it is now, which changes nothing."""

    @abstractmethod
    def changes(self) -> AbstractContextManager[Connection]:
        """A transaction that may change the catalog; others wait for its end, readers do not. Definitions belong to it, too."""

    @abstractmethod
    def replacement(self) -> AbstractContextManager[Connection]:
        """A transaction in a new catalog without tables, which takes the place of the old one at the end of the block."""

    @abstractmethod
    def definitions_fault(self, connection: Connection) -> str | None:
        """Why a catalog does not have just the tables, indices and view that it was made with; None if it has."""

    @abstractmethod
    def integrity_fault(self, connection: Connection) -> str | None:
        """What the database finds wrong with its own structure; None if it is sound, or cannot check itself."""

    @abstractmethod
    def is_marked(self) -> bool:
        """Whether this was made as a catalog, however damaged it is now."""

    @abstractmethod
    def mark(self, connection: Connection) -> None:
        """Write into a database with a new schema that it is a catalog."""

    @abstractmethod
    def drop(self, connection: Connection) -> None:
        """Remove the schema."""

    @abstractmethod
    def query(self, connection: Connection, statement: str, timeout: float | None) -> Answer:
        """Column names and rows of a statement that only reads, in a snapshot; see `Catalog.sql`."""

    @abstractmethod
    def error(self, fault: Exception) -> TablebaseError:
        """The sentence for one of the `faults`."""

    @property
    @abstractmethod
    def another(self) -> str:
        """What to do with something that is no catalog, so that `reindex` can make one: a clause."""

    def create(self) -> None:
        """Make a catalog without tables, if there is nothing yet."""
        with self.changes() as connection:
            if is_empty(connection):
                self.make(connection)

    def make(self, connection: Connection) -> None:
        """Make the schema in an empty database."""
        create_schema(connection)
        self.mark(connection)
        renew_totals(connection)

    def compact(self) -> None:  # noqa: B027 (not every database needs it)
        """Give back room that is not needed any more."""

    @property
    def cure(self) -> str:
        """What makes the catalog anew."""
        return reindex(self.folder, self.option)

    def missing(self) -> TablebaseError:
        """The error for a folder without a catalog."""
        build = f"build one with 'tablebase build GAME --data {self.folder}{self.option}'"
        return TablebaseError(f"there is no tablebase in {self.folder}: {build}")

    def unusable(self, reason: object) -> TablebaseError:
        """The error for something in the catalog's place that is no catalog."""
        return TablebaseError(f"{self.place} cannot be used as a catalog ({reason}): {self.another} and {self.cure}")

    def refuse(self, fault: str | None) -> None:
        """Raise an error if there is a fault."""
        if fault is not None:
            raise CorruptCatalogError(fault, self.place, self.cure)

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


def other_version(database: Database, version: int) -> TablebaseError:
    """The error for a catalog whose schema has another version."""
    if version < SCHEMA_VERSION:
        cure = f"run 'tablebase migrate --data {database.folder}{database.option}'"
        return TablebaseError(f"{database.place} was made by an earlier version of this program: {cure}")
    return TablebaseError(f"{database.place} was made by a later version of this program: install that, or {database.cure}")
