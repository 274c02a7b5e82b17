"""What is particular to SQLite: files, connections, read-only access."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, NullPool, create_engine

from tablebase.errors import TablebaseError


def _hint(reason: str) -> str:
    """What to add to a fault of SQLite, where it does not say enough."""
    if reason.startswith(("not authorized", "attempt to write")):
        return " (only reading is allowed)"
    if reason in ("no such table: positions", "no such table: distinct_positions"):
        return " (ask it with 'tablebase mine')"
    return ""


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".writable"
        probe.touch()
        probe.unlink()
    except OSError as fault:
        raise TablebaseError(f"cannot write to {folder} ({fault.strerror}): name another folder with --data") from fault


def _connect(path: Path, mode: str, set_up: Callable[[sqlite3.Connection], None]) -> Engine:
    """An engine for an SQLite file in a mode of its URI: ``ro`` or ``rwc``."""

    def connect() -> sqlite3.Connection:
        connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode={mode}", uri=True, check_same_thread=False)
        set_up(connection)
        return connection

    return create_engine("sqlite://", creator=connect, poolclass=NullPool)


def _set_up_writing(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA foreign_keys=ON")


def _set_up_nothing(connection: sqlite3.Connection) -> None:
    """Questions need no setting."""


def _allow_reading_only(connection: Connection) -> None:
    allowed = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
    driver: Any = connection.connection.driver_connection
    driver.set_authorizer(lambda action, *_: sqlite3.SQLITE_OK if action in allowed else sqlite3.SQLITE_DENY)
