"""DuckDB without access to anything else."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import duckdb

from tablebase.errors import ArgumentError, CapacityError

MEMORY = "2GB"
"""Memory limit of DuckDB; streams need little in addition."""
SETTINGS = {
    "memory_limit": f"'{MEMORY}'",
    "python_enable_replacements": "false",
    "temp_directory": "''",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "enable_external_access": "false",
}
_idle: list[duckdb.DuckDBPyConnection] = []
"""Databases that nothing is left in, since opening one takes longer than a plan; none of them has threads."""


def sandbox(threads: int) -> duckdb.DuckDBPyConnection:
    """A connection that cannot access files or variables of this program, and whose settings are locked; to be closed."""
    connection = duckdb.connect()
    connection.execute(f"SET threads = {threads}")
    # In Jupyter without ipywidgets it is off, and DuckDB refuses to hear of it.
    if connection.execute("SELECT current_setting('enable_progress_bar')").fetchone() == (True,):
        connection.execute("SET enable_progress_bar = false")
    for name, value in SETTINGS.items():
        connection.execute(f"SET {name} = {value}")
    connection.execute("SET lock_configuration = true")
    return connection


@contextmanager
def scratch() -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection like that of a sandbox with one thread, for a short task whose changes are undone."""
    try:
        connection = _idle.pop()
    except IndexError:
        connection = sandbox(1)
    try:
        connection.begin()
        yield connection
        connection.rollback()
    except BaseException:
        # Whatever has failed, the database may be unusable.
        connection.close()
        raise
    _idle.append(connection)


@contextmanager
def errors_as_sentences() -> Iterator[None]:
    """Raise DuckDB's errors as `TablebaseError`, each with a one-sentence message."""
    try:
        yield
    except (duckdb.Error, OSError) as error:
        # A stream that has begun passes DuckDB's message on as an OSError.
        if str(error).startswith("Out of Memory Error"):
            raise CapacityError(f"the statement needs more than {MEMORY} of memory", "select fewer groups or rows") from error
        reason = " ".join(line.strip() for line in str(error).partition("\n\nLINE")[0].splitlines() if line.strip())
        raise ArgumentError(f"the statement failed: {reason}") from error
