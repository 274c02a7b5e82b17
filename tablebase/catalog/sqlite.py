"""What is particular to SQLite: the file, connections, and statements that only read."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import sqlite3
from collections import deque
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from functools import cached_property, lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import shorten
from typing import Any

from sqlalchemy import Connection, Engine, NullPool, create_engine, event
from sqlalchemy.exc import SQLAlchemyError

from tablebase.catalog.database import PATIENCE, Answer, Database
from tablebase.catalog.schema import CREATE_VIEW, VIEW, Base, schema_fault
from tablebase.errors import CorruptCatalogError, TablebaseError, UnusableFileError, space_error, system_error
from tablebase.executors.bounds import deadline
from tablebase.tables.folder import free_name, make_folder

FILE_NAME = "catalog.sqlite"
FAULTS = (SQLAlchemyError, sqlite3.Error, UnicodeError)
"""What the database and its driver raise; the driver also stumbles over a message that quotes damaged text."""
READING = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE)
"""All that a statement may do that does not change anything."""
WRITE_VERSION_OFFSET = 18
"""Of the byte of a file's header above whose value 2 SQLite reads a file, but does not write it."""
UNWRITABLE = "is damaged (its header says that only a later version of SQLite may write it)"
UNREADABLE = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN)
"""What SQLite says of a file that it would have to change before reading it, in a place where nothing can be changed."""
READ_PATIENCE = 20.0
"""Seconds that readers wait for a writer, fewer than a request to a server may take."""
IN_USE = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
ERRNO = {
    sqlite3.SQLITE_FULL: errno.ENOSPC,
    sqlite3.SQLITE_IOERR: errno.EIO,
    sqlite3.SQLITE_READONLY: errno.EACCES,
    sqlite3.SQLITE_PERM: errno.EACCES,
    sqlite3.SQLITE_CANTOPEN: errno.EACCES,
    sqlite3.SQLITE_PROTOCOL: errno.ENOLCK,
    sqlite3.SQLITE_INTERRUPT: errno.EINTR,
}
"""What the operating system would say."""
REFUSED = "quota exceeded, or file too large"
"""What a failed write means: only that of a full disk has a code of its own, and a broken disk fails to sync."""
DIGEST = "digest"
"""Under this name a connection keeps the SHA-256 of the copied catalog."""
UNOPENABLE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
"""What SQLite says of a file that it cannot open as a database, or not read to its end."""

_sound = deque[bytes](maxlen=64)
"""Digests of catalogs without a fault: the same content is not checked again."""


def connect_for_writing(path: Path, *, foreign_keys: bool = True) -> Engine:
    """Connections to a catalog that may change it, or make it; changes of definitions belong to the transaction, too."""

    def connect() -> sqlite3.Connection:
        # Python would begin transactions by itself, but not before a definition or a SELECT.
        connection = _open(path, "rwc", isolation_level=None)
        connection.execute(f"PRAGMA foreign_keys={'ON' if foreign_keys else 'OFF'}")
        return connection

    engine = create_engine("sqlite://", creator=connect, poolclass=NullPool)
    event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN IMMEDIATE"))
    return engine


@lru_cache(maxsize=16)
def _reader(path: Path) -> Engine:
    """Connections to copies of a catalog in memory; kept because an engine remembers how statements are compiled.

    So all questions are answered from one state, neither a writer nor a reader is kept waiting, and no file is changed.
    """
    return create_engine("sqlite://", creator=lambda: _copy(path), poolclass=NullPool)


def _open(path: Path, mode: str, **options: Any) -> sqlite3.Connection:
    """Open a file in a mode of SQLite's URIs: ``ro``, ``rw`` or ``rwc``."""
    uri = f"{path.resolve().as_uri()}?mode={mode}"
    options = {"timeout": PATIENCE, **options}
    connection: sqlite3.Connection = sqlite3.connect(uri, uri=True, check_same_thread=False, **options)
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
        with closing(_open(path, mode, timeout=READ_PATIENCE)) as original:
            original.backup(copy, progress=_give_up)
        # Otherwise SQLite sorts in files, without limit.
        copy.execute("PRAGMA temp_store = MEMORY")
    except BaseException:
        copy.close()
        raise
    return copy


def _give_up(status: int, _left: int, _total: int) -> None:
    """End a copy that has waited for `READ_PATIENCE`; SQLite would begin again without end."""
    if status in IN_USE:
        fault = sqlite3.OperationalError("database is locked")
        fault.sqlite_errorcode = status
        raise fault


def _digest(connection: Connection) -> bytes | None:
    """SHA-256 of a database in memory; None if this SQLite cannot serialize it."""
    driver: Any = connection.connection.driver_connection
    return hashlib.sha256(driver.serialize()).digest() if hasattr(driver, "serialize") else None


def journals(path: Path) -> list[Path]:
    """What a killed writer has left beside a catalog: it must stay with that catalog, and never meet another one."""
    return [file for ending in ("-journal", "-wal") if (file := path.with_name(path.name + ending)).exists()]


def primary_code(fault: BaseException) -> int:
    """The kind of a fault: SQLite's code without the bits that tell its variants apart; 0 if SQLite did not raise it."""
    return getattr(getattr(fault, "orig", fault), "sqlite_errorcode", 0) & 0xFF


class SqliteDatabase(Database):
    """A file in the tables' folder, which readers copy into memory."""

    faults = FAULTS

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.path = folder / FILE_NAME
        self.place, self.option, self.another = str(self.path), "", "move it away"

    def exists(self) -> bool:
        """Whether there is a file where the catalog would be."""
        return self.path.exists()

    @contextmanager
    def snapshot(self) -> Iterator[Connection]:
        """A connection to a copy in memory."""
        with _reader(self.path.resolve()).connect() as connection:
            digest = connection.info[DIGEST] = _digest(connection)
            # The copy is ours, so that its view is ours, however the file's was changed.
            if digest in _sound or schema_fault(connection) is None:
                connection.exec_driver_sql(f"DROP VIEW {VIEW}")
                connection.exec_driver_sql(CREATE_VIEW)
            yield connection

    def fault(self, connection: Connection) -> str | None:
        """Why a catalog must be rebuilt; a snapshot with the same content as a sound one is sound."""
        digest = connection.info.get(DIGEST)
        if digest in _sound:
            return None
        fault = super().fault(connection)
        if fault is None and digest is not None:
            _sound.append(digest)
        return fault

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
    def rebuilding(self) -> Iterator[Connection]:
        """A transaction in which no foreign keys delete rows of other programs' tables."""
        if self.path.exists() and self._is_unopenable():
            self.set_aside = _set_aside(self.path)
        # Version 1 had a write-ahead log, for which readers need the right to write.
        with suppress(sqlite3.OperationalError), closing(_open(self.path, "rwc")) as connection:
            connection.execute("PRAGMA journal_mode = DELETE")
        with connect_for_writing(self.path, foreign_keys=False).begin() as connection:
            yield connection

    def _is_unopenable(self) -> bool:
        """Whether SQLite cannot read the whole file, or will not write it; a sound journal is played back first."""
        try:
            with closing(_open(self.path, "rw")) as connection:
                return connection.execute("PRAGMA integrity_check(1)").fetchone() != ("ok",) or not self._may_be_written()
        except FAULTS as fault:
            if primary_code(fault) in IN_USE:
                raise
            return primary_code(fault) in UNOPENABLE or isinstance(fault, UnicodeError)

    def create(self) -> None:
        """Make a catalog without tables, if there is none; if nothing can be written, leave no file."""
        new = not self.path.exists()
        try:
            super().create()
        except BaseException:
            with suppress(FileNotFoundError):
                # An empty file is no catalog.
                if new and self.path.stat().st_size == 0:
                    self.path.unlink()
            raise

    def integrity_fault(self, connection: Connection) -> str | None:
        """What SQLite finds wrong with our tables, their indices included, or would find when writing."""
        if not self._may_be_written():
            return UNWRITABLE
        for name in Base.metadata.tables:
            (found,) = connection.exec_driver_sql(f"PRAGMA integrity_check({name})").one()
            if found != "ok":
                return f"is damaged ({' '.join(str(found).split())})"
        return None

    def _may_be_written(self) -> bool:
        """Whether the header lets this version of SQLite write the file."""
        with self.path.open("rb") as file:
            file.seek(WRITE_VERSION_OFFSET)
            return file.read(1) <= b"\x02"

    def hooks(self, connection: Connection) -> list[str]:
        """The triggers on our tables."""
        rows = connection.exec_driver_sql("SELECT name, tbl_name FROM sqlite_master WHERE type = 'trigger'")
        return [f"the trigger {name!r} on the table {table!r}" for name, table in rows if table in Base.metadata.tables]

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
        # SQLite may quote a whole damaged text.
        code, reason = primary_code(fault), shorten(str(getattr(fault, "orig", None) or fault), 120, placeholder="…")
        if getattr(getattr(fault, "orig", fault), "sqlite_errorcode", 0) == sqlite3.SQLITE_IOERR_WRITE:
            return space_error(self.path, REFUSED)
        if code == sqlite3.SQLITE_READONLY and not self._may_be_written():
            return CorruptCatalogError(UNWRITABLE, self.path)
        if code in ERRNO:
            if os.access(self.folder, os.W_OK) and not self.path.is_dir():
                # SQLite does not say that a disk has no room for its journal; this does.
                make_folder(self.folder)
            return system_error(OSError(ERRNO[code], ""), self.path)
        if code in IN_USE:
            # SQLite says so, too, where a file system refuses locks.
            cure = "try again when it has finished or, if its file system has no locks, copy the folder to another one"
            return UnusableFileError(f"{self.path} is being changed by another program: {cure}")
        return CorruptCatalogError(f"is damaged ({reason})", self.path)


def _set_aside(path: Path) -> Path:
    """Rename a file that SQLite cannot open, together with its journals; return its new name, which is free until then."""
    aside = free_name(path)
    for journal in journals(path):
        journal.rename(aside.with_name(journal.name.replace(path.name, aside.name)))
    path.rename(aside)
    return aside


def _hint(reason: str) -> str:
    """What to add to a fault of SQLite that does not say enough."""
    if reason.startswith(("not authorized", "attempt to write")):
        return " (only reading is allowed)"
    if reason in ("no such table: positions", "no such table: distinct_positions"):
        return " (ask it with 'tablebase mine')"
    return ""
