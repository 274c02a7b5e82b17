"""What is particular to SQLite: the file, connections, and statements that only read."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, NullPool, create_engine
from sqlalchemy.exc import SQLAlchemyError

from tablebase.errors import TablebaseError
from tablebase.executors.bounds import deadline

FILE_NAME = "catalog.sqlite"
FAULTS = (SQLAlchemyError, sqlite3.Error)
"""What the database and its driver raise."""
READING = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE)
"""All that a statement may do that does not change anything."""


def connect_for_writing(path: Path) -> Engine:
    """Connections to a catalog that may change it, or make it; readers are not kept waiting (write-ahead log)."""

    def set_up(connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA foreign_keys=ON")

    return _connect(path, "rwc", set_up)


def connect_for_reading(path: Path) -> Engine:
    """Connections to a catalog that must not change it, nor any other file that has its name."""
    return _connect(path, "ro")


def _connect(path: Path, mode: str, set_up: Callable[[sqlite3.Connection], None] = lambda _: None) -> Engine:
    """Connections in a mode of SQLite's URIs: ``ro`` or ``rwc``."""

    def connect() -> sqlite3.Connection:
        connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode={mode}", uri=True, check_same_thread=False)
        set_up(connection)
        return connection

    return create_engine("sqlite://", creator=connect, poolclass=NullPool)


def query(path: Path, statement: str, timeout: float | None = None) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Column names and rows of a statement that only reads; see `Catalog.sql`."""
    engine = connect_for_reading(path)
    try:
        with engine.connect() as connection:
            driver: Any = connection.connection.driver_connection
            # Otherwise SQLite sorts in files, without limit.
            driver.execute("PRAGMA temp_store = MEMORY")
            driver.set_authorizer(lambda action, *_: sqlite3.SQLITE_OK if action in READING else sqlite3.SQLITE_DENY)
            with deadline(timeout, driver.interrupt):
                result = connection.exec_driver_sql(statement)
                if not result.returns_rows:
                    raise TablebaseError("the statement returns no rows: only SELECT is allowed")
                return list(result.keys()), [tuple(row) for row in result]
    except (*FAULTS, UnicodeError) as fault:
        reason = str(getattr(fault, "orig", None) or fault)
        raise TablebaseError(f"the SQL statement failed: {reason}{_hint(reason)}") from fault
    finally:
        engine.dispose()


def _hint(reason: str) -> str:
    """What to add to a fault of SQLite that does not say enough."""
    if reason.startswith(("not authorized", "attempt to write")):
        return " (only reading is allowed)"
    if reason in ("no such table: positions", "no such table: distinct_positions"):
        return " (ask it with 'tablebase mine')"
    return ""
