"""What is particular to SQLite: the file, connections, and statements that only read."""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from contextvars import ContextVar
from functools import cache, cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import shorten
from typing import Any

from sqlalchemy import Connection, Engine, NullPool, create_engine, event
from sqlalchemy.exc import SQLAlchemyError

from tablebase.catalog.database import PATIENCE, Answer, Database
from tablebase.catalog.schema import create_schema, drop_schema
from tablebase.catalog.seal import renew_totals
from tablebase.errors import CorruptCatalogError, TablebaseError, space_error, system_error
from tablebase.executors.bounds import deadline

FILE_NAME = "catalog.sqlite"
FAULTS = (SQLAlchemyError, sqlite3.Error, UnicodeError)
"""What the database and its driver raise; the driver also stumbles over a message that quotes damaged text."""
READING = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE)
"""All that a statement may do that does not change anything."""
APPLICATION = b"tbls"
"""SQLite's application id of a catalog: four bytes of its file's header, which are there however damaged the rest is."""
APPLICATION_OFFSET = 68
WRITE_VERSION_OFFSET = 18
"""Of the byte of a file's header above whose value 2 SQLite reads a file, but does not write it."""
UNWRITABLE = "is damaged (its header says that only a later version of SQLite may write it)"
UNREADABLE = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN)
"""What SQLite says of a file that it would have to change before reading it, in a place where nothing can be changed."""
IN_USE = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
ERRNO = {
    sqlite3.SQLITE_FULL: errno.ENOSPC,
    sqlite3.SQLITE_IOERR: errno.EIO,
    sqlite3.SQLITE_READONLY: errno.EACCES,
    sqlite3.SQLITE_PERM: errno.EACCES,
    sqlite3.SQLITE_CANTOPEN: errno.EACCES,
}
"""What the operating system would say."""
REFUSED = "quota exceeded, or file too large"
"""What a failed write means: only that of a full disk has a code of its own, and a broken disk fails to sync."""
_copied: ContextVar[Path] = ContextVar("_copied")
"""The catalog that is being copied."""


def connect_for_writing(path: Path) -> Engine:
    """Connections to a catalog that may change it, or make it; changes of definitions belong to the transaction, too."""

    def connect() -> sqlite3.Connection:
        # Python would begin transactions by itself, but not before a definition or a SELECT.
        connection = _open(path, "rwc", isolation_level=None)
        connection.execute("PRAGMA foreign_keys=ON")
        return connection

    engine = create_engine("sqlite://", creator=connect, poolclass=NullPool)
    event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN IMMEDIATE"))
    return engine


@contextmanager
def connect_for_reading(path: Path) -> Iterator[Connection]:
    """A connection to a copy of a catalog in memory.

    So all questions are answered from one state, neither a writer nor a reader is kept waiting, and no file is changed.
    """
    token = _copied.set(path)
    try:
        connection = _reader().connect()
    finally:
        _copied.reset(token)
    with connection:
        yield connection


@cache
def _reader() -> Engine:
    """One engine for the copies of all catalogs, because it remembers how statements are compiled."""
    return create_engine("sqlite://", creator=lambda: _copy(_copied.get()), poolclass=NullPool)


def _open(path: Path, mode: str, **options: Any) -> sqlite3.Connection:
    """Open a file in a mode of SQLite's URIs: ``ro``, ``rw`` or ``rwc``."""
    uri = f"{path.resolve().as_uri()}?mode={mode}"
    connection: sqlite3.Connection = sqlite3.connect(uri, uri=True, timeout=PATIENCE, check_same_thread=False, **options)
    return connection


def _copy(path: Path) -> sqlite3.Connection:
    """Copy a catalog into memory."""
    try:
        return _copy_in_mode(path, "ro")
    except sqlite3.OperationalError as fault:
        if primary_code(fault) not in UNREADABLE:
            raise
    # A writer was killed and has left a journal, which must be played back: not in a file that is only to be read.
    with TemporaryDirectory() as scratch:
        for file in (path, *journals(path)):
            shutil.copy(file, scratch)
        return _copy_in_mode(Path(scratch, path.name), "rw")


def _copy_in_mode(path: Path, mode: str) -> sqlite3.Connection:
    copy = sqlite3.connect(":memory:", check_same_thread=False)
    try:
        with closing(_open(path, mode)) as original:
            original.backup(copy)
        # Otherwise SQLite sorts in files, without limit.
        copy.execute("PRAGMA temp_store = MEMORY")
    except BaseException:
        copy.close()
        raise
    return copy


def journals(path: Path) -> list[Path]:
    """What a killed writer has left beside a catalog: it must stay with that catalog, and never meet another one."""
    return [file for ending in ("-journal", "-wal") if (file := path.with_name(path.name + ending)).exists()]


def settle(path: Path) -> None:
    """Play back the journal that a killed writer has left beside a catalog, if it is sound enough."""
    with suppress(sqlite3.Error), closing(_open(path, "rw")) as connection:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()


def reason_of(fault: BaseException) -> str:
    """What SQLite says of a fault, in one short line: it may quote a whole damaged text."""
    return shorten(str(getattr(fault, "orig", None) or fault), 120, placeholder="…")


def primary_code(fault: BaseException) -> int:
    """The kind of a fault: SQLite's code without the bits that tell its variants apart; 0 if SQLite did not raise it."""
    return getattr(getattr(fault, "orig", fault), "sqlite_errorcode", 0) & 0xFF


def is_write_refused(fault: BaseException) -> bool:
    """Whether a file could not grow, although the disk is not full."""
    return getattr(getattr(fault, "orig", fault), "sqlite_errorcode", 0) == sqlite3.SQLITE_IOERR_WRITE


def _definitions(connection: Connection) -> dict[tuple[str, str], str]:
    """The SQL of everything in a database, whatever white space it is written with."""
    rows = connection.exec_driver_sql("SELECT type, name, sql FROM sqlite_master")
    return {(kind, name): " ".join(str(sql).split()) for kind, name, sql in rows}


@cache
def _expected_definitions() -> dict[tuple[str, str], str]:
    engine = create_engine("sqlite://")
    with engine.begin() as connection:
        create_schema(connection)
        return _definitions(connection)


class SqliteDatabase(Database):
    """A file in the tables' folder, which readers copy into memory."""

    faults = FAULTS

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.path = folder / FILE_NAME

    @property
    def place(self) -> str:
        """What errors call it."""
        return str(self.path)

    @property
    def option(self) -> str:
        """The folder is enough."""
        return ""

    @property
    def another(self) -> str:
        """What to do with a file that is no catalog."""
        return "move it away"

    def exists(self) -> bool:
        """Whether there is a file where the catalog would be."""
        return self.path.exists()

    @contextmanager
    def snapshot(self) -> Iterator[Connection]:
        """A connection to a copy in memory."""
        with connect_for_reading(self.path) as connection:
            yield connection

    @contextmanager
    def changes(self) -> Iterator[Connection]:
        """A transaction that holds the lock of the file."""
        with self._engine.begin() as connection:
            yield connection

    @cached_property
    def _engine(self) -> Engine:
        """Kept because it remembers how statements are compiled."""
        return connect_for_writing(self.path)

    @contextmanager
    def replacement(self) -> Iterator[Connection]:
        """A transaction in a new file, which gets the catalog's name at the end of the block."""
        # Imported here because reading the catalog needs no HDF5.
        from tablebase.tables.writer import DRAFT_SUFFIX, publish

        for file in self.folder.glob(f".{FILE_NAME}.*{DRAFT_SUFFIX}*"):
            file.unlink()
        draft = self.folder / f".{FILE_NAME}.{os.getpid()}{DRAFT_SUFFIX}"
        try:
            with connect_for_writing(draft).begin() as connection:
                self.make(connection)
                yield connection
                renew_totals(connection)
            settle(self.path)
            for journal in journals(self.path):
                journal.unlink()
            publish(draft, self.path)
        finally:
            for file in self.folder.glob(f"{draft.name}*"):
                file.unlink()

    def create(self) -> None:
        """Make a catalog without tables, if there is no file; if nothing can be written, leave none."""
        new = not self.path.exists()
        try:
            super().create()
        except BaseException:
            with suppress(FileNotFoundError):
                # An empty file is no catalog.
                if new and self.path.stat().st_size == 0:
                    self.path.unlink()
            raise

    def compact(self) -> None:
        """Make the file as small as can be, and the only one; those of version 1 had a write-ahead log beside them."""
        # If somebody is reading, it stays as it is, which does no harm.
        with suppress(sqlite3.Error), closing(_open(self.path, "rw", isolation_level=None)) as connection:
            connection.execute("PRAGMA journal_mode = DELETE")
            connection.execute("VACUUM")

    def definitions_fault(self, connection: Connection) -> str | None:
        """Why the definitions are not, statement by statement, those that this program makes."""
        expected, found = _expected_definitions(), _definitions(connection)
        for kind, name in sorted(expected.keys() | found.keys(), key=str):
            if (kind, name) not in expected:
                return f"has a {kind} {name!r}, which this program did not make"
            if expected[kind, name] != found.get((kind, name)):
                return f"has not the {kind} {name!r} that this program makes"
        return None

    def integrity_fault(self, connection: Connection) -> str | None:
        """What SQLite finds wrong with the structure of a database, its indices included, or would find when writing."""
        if not self._may_be_written():
            return UNWRITABLE
        (found,) = connection.exec_driver_sql("PRAGMA integrity_check(1)").one()
        return None if found == "ok" else f"is damaged ({' '.join(str(found).split())})"

    def is_marked(self) -> bool:
        """Whether the file was made as a catalog."""
        return self._header(APPLICATION_OFFSET, len(APPLICATION)) == APPLICATION

    def _may_be_written(self) -> bool:
        """Whether the header lets this version of SQLite write the file."""
        return self._header(WRITE_VERSION_OFFSET, 1) <= b"\x02"

    def _header(self, begin: int, count: int) -> bytes:
        """Bytes of the file's header."""
        with self.path.open("rb") as file:
            file.seek(begin)
            return file.read(count)

    def mark(self, connection: Connection) -> None:
        """Write into the header of the file that it is a catalog."""
        connection.exec_driver_sql(f"PRAGMA application_id = {int.from_bytes(APPLICATION)}")

    def drop(self, connection: Connection) -> None:
        """Remove the schema."""
        drop_schema(connection)

    def query(self, connection: Connection, statement: str, timeout: float | None) -> Answer:
        """Column names and rows of a statement; an authorizer refuses everything except reading."""
        driver: Any = connection.connection.driver_connection
        driver.set_authorizer(lambda action, *_: sqlite3.SQLITE_OK if action in READING else sqlite3.SQLITE_DENY)
        try:
            with deadline(timeout, driver.interrupt):
                result = connection.exec_driver_sql(statement)
                if not result.returns_rows:
                    raise TablebaseError("the statement returns no rows: only SELECT is allowed")
                return list(result.keys()), [tuple(row) for row in result]
        except (*FAULTS, UnicodeError) as fault:
            reason = str(getattr(fault, "orig", None) or fault)
            raise TablebaseError(f"the SQL statement failed: {reason}{_hint(reason)}") from fault
        finally:
            driver.set_authorizer(None)

    def error(self, fault: Exception) -> TablebaseError:
        """The sentence for a fault of SQLite."""
        code, reason = primary_code(fault), reason_of(fault)
        if is_write_refused(fault):
            return space_error(self.path, REFUSED)
        if code == sqlite3.SQLITE_READONLY and not self._may_be_written():
            return CorruptCatalogError(UNWRITABLE, self.path)
        if code in ERRNO:
            return system_error(OSError(ERRNO[code], ""), self.path)
        if code in IN_USE:
            return TablebaseError(f"{self.path} is being changed by another program: try again when it has finished")
        if self.is_marked():
            return CorruptCatalogError(f"is damaged ({reason})", self.path)
        return self.unusable(reason)


def _hint(reason: str) -> str:
    """What to add to a fault of SQLite that does not say enough."""
    if reason.startswith(("not authorized", "attempt to write")):
        return " (only reading is allowed)"
    if reason in ("no such table: positions", "no such table: distinct_positions"):
        return " (ask it with 'tablebase mine')"
    return ""
