"""Particulars of SQLite: the file, connections, and statements that only read."""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import shorten
from typing import Any

from sqlalchemy import Connection, NullPool, create_engine
from sqlalchemy.exc import OperationalError, SQLAlchemyError

from tablebase.catalog.database import PATIENCE, Database, Patience
from tablebase.catalog.entries import Entry
from tablebase.catalog.schema import CREATE_VIEW, METADATA, VIEW
from tablebase.errors import CatalogBusyError, CorruptCatalogError, TablebaseError, UnusableFileError, space_error, system_error
from tablebase.tables.folder import free_name, make_folder

# ruff: noqa: ARG002, D102 (see `Database`)

FILE_NAME = "catalog.sqlite"
ERRORS = (SQLAlchemyError, sqlite3.Error, UnicodeError)
"""Errors of the database and its driver; the driver also stumbles over a message that quotes damaged text."""
READING = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE)
"""All that a statement may do that does not change anything."""
WRITE_VERSION_OFFSET = 18
"""Of the byte of a file's header above whose value 2 SQLite reads a file, but does not write it."""
UNWRITABLE = "is damaged (its header requires a later version of SQLite for writing)"
UNREADABLE = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN)
"""Codes of SQLite for a file that it would have to change before reading it, in a place where nothing can be changed."""
IN_USE = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
ERRNO = {
    sqlite3.SQLITE_FULL: errno.ENOSPC,
    sqlite3.SQLITE_IOERR: errno.EIO,
    sqlite3.SQLITE_READONLY: errno.EACCES,
    sqlite3.SQLITE_PERM: errno.EACCES,
    sqlite3.SQLITE_CANTOPEN: errno.EACCES,
    sqlite3.SQLITE_PROTOCOL: errno.ENOLCK,
    sqlite3.SQLITE_INTERRUPT: errno.EINTR,
    sqlite3.SQLITE_NOMEM: errno.ENOMEM,
}
"""Error code of the operating system."""
REFUSED = "quota exceeded, or file too large"
"""Cause of a failed write: only a full disk has a separate code, and a broken disk fails to sync."""
NO_DATABASE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
"""Codes for a file that SQLite cannot open as a database, or not read to its end."""
DAMAGE = (*NO_DATABASE, 0, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_MISMATCH, sqlite3.SQLITE_TOOBIG)
"""The same, and codes for rows or definitions that our statements do not fit; 0 is a text that cannot be decoded."""


def _open(path: Path, mode: str, **options: Any) -> Any:
    """Open a file in a mode of SQLite's URIs: ``ro``, ``rw`` or ``rwc``; SQLite itself waits for no lock."""
    uri = f"{path.resolve().as_uri()}?mode={mode}"
    return sqlite3.connect(uri, uri=True, timeout=0, check_same_thread=False, **options)


def _copy(path: Path, mode: str, patience: Patience) -> sqlite3.Connection:
    def watch(status: int, _left: int, _total: int) -> None:
        # SQLite would begin again without end.
        if status in IN_USE:
            patience.wait()

    copy = sqlite3.connect(":memory:", check_same_thread=False)
    try:
        with closing(_open(path, mode)) as original:
            original.backup(copy, progress=watch, sleep=0)
        # Otherwise SQLite sorts in files, without limit.
        copy.execute("PRAGMA temp_store = MEMORY")
    except BaseException:
        copy.close()
        raise
    return copy


def journals(path: Path) -> list[Path]:
    """List a killed writer's files beside a catalog: they must stay with it, and never meet another one."""
    return [file for ending in ("-journal", "-wal") if (file := path.with_name(path.name + ending)).exists()]


def primary_code(error: BaseException) -> int:
    """The kind of an error: SQLite's code without the bits that tell its variants apart; 0 if SQLite did not raise it."""
    return getattr(getattr(error, "orig", error), "sqlite_errorcode", 0) & 0xFF


def is_busy(error: Exception) -> bool:
    """Return whether an error is only that another program has locked the file."""
    return primary_code(error) in IN_USE


class SqliteDatabase(Database):
    """A file in the tables' folder, which readers copy into memory."""

    errors = ERRORS
    hooks = "SELECT type, name, tbl_name FROM sqlite_master WHERE type = 'trigger'"

    def __init__(self, folder: Path, patience: float | None = PATIENCE) -> None:
        super().__init__(folder, patience)
        self.path = folder / FILE_NAME
        self.place, self.option, self.another = str(self.path), "", "move the file to another folder"
        self.readers = create_engine("sqlite://", creator=self._copied, poolclass=NullPool)
        # Python would begin transactions by itself, but not before a definition or a SELECT.
        writer = partial(_open, self.path, "rwc", isolation_level=None)
        self._writers = create_engine("sqlite://", creator=writer, poolclass=NullPool)

    def _copied(self) -> sqlite3.Connection:
        """Return a connection to a copy in memory, so that readers and writers do not wait, and no file is changed."""
        if not self.path.exists():
            raise self.missing()
        patience = Patience(self.place, self.patience)
        try:
            return _copy(self.path, "ro", patience)
        except sqlite3.OperationalError as error:
            if primary_code(error) not in UNREADABLE:
                raise
        # A writer was killed and has left a journal, which must be played back: not in a file that is only to be read.
        with TemporaryDirectory() as scratch:
            for file in (self.path, *journals(self.path)):
                shutil.copy(file, scratch)
            return _copy(Path(scratch, FILE_NAME), "rw", patience)

    def entries(self, connection: Connection) -> dict[str, Entry]:
        """See `Database.entries`; the view of the copy is replaced, however that of the file was changed."""
        entries = super().entries(connection)
        connection.exec_driver_sql(f"DROP VIEW {VIEW}")
        connection.exec_driver_sql(CREATE_VIEW)
        return entries

    @contextmanager
    def changes(self, *, rebuilds: bool = False) -> Iterator[Connection]:
        """See `Database.changes`; if nothing can be written, no file is left."""
        new, patience = not self.path.exists(), Patience(self.place, self.patience)
        if rebuilds and not new and patience.repeat(self._is_no_database, is_busy):
            self.set_aside = free_name(self.path)
            for journal in journals(self.path):
                journal.rename(self.set_aside.with_name(journal.name.replace(self.path.name, self.set_aside.name)))
            self.path.rename(self.set_aside)
        try:
            with self._writers.connect() as connection:
                if rebuilds:
                    # Version 1 had a write-ahead log, for which readers need the right to write.
                    with suppress(OperationalError):
                        connection.exec_driver_sql("PRAGMA journal_mode = DELETE")
                connection.exec_driver_sql(f"PRAGMA foreign_keys = {'OFF' if rebuilds else 'ON'}")
                patience.repeat(partial(connection.exec_driver_sql, "BEGIN IMMEDIATE"), is_busy)
                yield connection
                # Readers may still hold the file.
                patience.repeat(partial(connection.exec_driver_sql, "COMMIT"), is_busy)
        except BaseException:
            with suppress(FileNotFoundError):
                # An empty file is no catalog.
                if new and self.path.stat().st_size == 0:
                    self.path.unlink()
            raise

    def _is_no_database(self) -> bool:
        """Return whether SQLite cannot read the whole file, or will not write it; a sound journal is played back first."""
        try:
            with closing(_open(self.path, "rw")) as connection:
                return connection.execute("PRAGMA integrity_check(1)").fetchone() != ("ok",) or not self._may_be_written()
        except ERRORS as error:
            if is_busy(error):
                raise
            return primary_code(error) in NO_DATABASE or isinstance(error, UnicodeError)

    def lacks_rights(self, connection: Connection) -> TablebaseError | None:
        is_refused = self.path.exists() and not os.access(self.path, os.W_OK)
        return system_error(OSError(errno.EACCES, ""), self.path) if is_refused else None

    def integrity_error(self, connection: Connection) -> str | None:
        """Return an error SQLite finds in our tables or their indices, or would find when writing."""
        if not self._may_be_written():
            return UNWRITABLE
        for name in METADATA.tables:
            (found,) = connection.exec_driver_sql(f"PRAGMA integrity_check({name})").one()
            if found != "ok":
                return f"is damaged ({' '.join(str(found).split())})"
        return None

    def _may_be_written(self) -> bool:
        with self.path.open("rb") as file:
            file.seek(WRITE_VERSION_OFFSET)
            return file.read(1) <= b"\x02"

    @contextmanager
    def only_reading(self, connection: Connection) -> Iterator[Callable[[], object]]:
        """See `Database.only_reading`; an authorizer refuses everything else."""
        driver: Any = connection.connection.driver_connection
        driver.set_authorizer(lambda action, *_: sqlite3.SQLITE_OK if action in READING else sqlite3.SQLITE_DENY)
        try:
            yield driver.interrupt
        finally:
            driver.set_authorizer(None)

    def error(self, error: Exception) -> TablebaseError:
        # SQLite may quote a whole damaged text.
        code, reason = primary_code(error), shorten(self.reason(error), 120, placeholder="…")
        if getattr(getattr(error, "orig", error), "sqlite_errorcode", 0) == sqlite3.SQLITE_IOERR_WRITE:
            return space_error(self.path, REFUSED)
        if code in ERRNO:
            if os.access(self.folder, os.W_OK) and not self.path.is_dir():
                # SQLite does not say that a disk has no room for its journal; this does.
                make_folder(self.folder)
            return system_error(OSError(ERRNO[code], ""), self.path)
        if code in IN_USE:
            return CatalogBusyError(self.place)
        if code not in DAMAGE:
            return UnusableFileError(f"{self.path} cannot be used ({reason}): try again, or use another folder")
        return CorruptCatalogError(f"is damaged ({reason})", self.path)
