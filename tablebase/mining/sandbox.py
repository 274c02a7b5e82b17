"""DuckDB with nothing else in its reach."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import duckdb

from tablebase.errors import CapacityError, TablebaseError

MEMORY = "2GB"
"""What DuckDB may use; streams take little beside."""
SETTINGS = {
    "memory_limit": f"'{MEMORY}'",
    "enable_progress_bar": "false",
    "python_enable_replacements": "false",
    "temp_directory": "''",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "enable_external_access": "false",
}


@contextmanager
def locked(threads: int) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection that reaches no file and no variable of this program, and cannot be told to."""
    with duckdb.connect() as connection:
        connection.execute(f"SET threads = {threads}")
        for name, value in SETTINGS.items():
            connection.execute(f"SET {name} = {value}")
        connection.execute("SET lock_configuration = true")
        yield connection


@contextmanager
def sentences() -> Iterator[None]:
    """DuckDB's faults as one sentence."""
    try:
        yield
    except duckdb.OutOfMemoryException as fault:
        raise CapacityError(f"the statement needs more than {MEMORY} of memory", "ask for fewer groups or rows") from fault
    except duckdb.Error as fault:
        reason = " ".join(line.strip() for line in str(fault).partition("\n\nLINE")[0].splitlines() if line.strip())
        raise TablebaseError(f"the statement failed: {reason}") from fault
