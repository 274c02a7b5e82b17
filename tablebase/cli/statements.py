"""Statements of users, which may never end or need any amount of memory."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from contextlib import closing
from typing import Annotated

import typer

from tablebase.errors import TablebaseError

MEMORY = 5 << 29
"""Bytes that a process with a statement may occupy: DuckDB's own limit, this program, and the rows on their way."""
PER_WORKER = 1 << 26
"""Additional bytes for each thread that decodes."""


def parse_seconds(text: str) -> float:
    """A time limit such as ``60`` or ``0.5``."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0
    if not 0 < seconds <= threading.TIMEOUT_MAX:
        raise TablebaseError(f"{text!r} is not a time limit: write a number of seconds such as 60")
    return seconds


Timeout = Annotated[
    float | None,
    typer.Option("--timeout", metavar="SECONDS", parser=parse_seconds, help="Give up if the statement takes longer."),
]


def run_statement(context: typer.Context, answer: Callable[[], object], seconds: float | None, workers: int = 1) -> int:
    """Answer a statement, within bounds if this process is the program's own; return the exit code."""
    from tablebase.executors.bounds import run_bounded

    if context.obj.bounded:
        return run_bounded(answer, seconds, MEMORY + workers * PER_WORKER)
    answer()
    return 0


def check_sqlite(statement: str) -> None:
    """Raise `TablebaseError` if SQLite cannot parse a statement, whatever tables there are."""
    import sqlite3

    with closing(sqlite3.connect(":memory:")) as connection:
        try:
            connection.execute(statement if statement.lstrip().upper().startswith("EXPLAIN") else f"EXPLAIN {statement}")
        except (sqlite3.Error, sqlite3.Warning) as fault:
            # Which tables there are is known when the statement runs.
            if re.search("syntax error|incomplete input|unrecognized token|one statement", str(fault)):
                raise TablebaseError(f"the SQL statement cannot be read: {fault}") from fault
