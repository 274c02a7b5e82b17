"""Work that a command leaves to a child process: other commands, and statements, which may need any amount of memory."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import IO, TYPE_CHECKING, Any

import click

from tablebase.commands import process
from tablebase.compute.processes import ensured

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

MEMORY = 5 << 29
"""Bytes that a process with a statement may occupy: DuckDB's own limit, this program, and the rows on their way."""
PER_WORKER = 1 << 26
"""Additional bytes for each thread that decodes."""


def run_statement(answer: Callable[[], object], seconds: float | None, workers: int = 1) -> int:
    """Answer a statement, within bounds if this process is the program's own; return the exit code."""
    from tablebase.executors.bounds import run_bounded

    if click.get_current_context().find_root().obj.bounded:
        return run_bounded(answer, seconds, MEMORY + workers * PER_WORKER)
    answer()
    return 0


def run_command(words: Sequence[str], output: IO[Any] | None = None, environment: Mapping[str, str] | None = None) -> int:
    """Run a command of this program in a child process, wait for it, and return its exit code.

    The child process ends with this one, however this one ends (SIGKILL included), and so do its own workers: nothing still
    writes when `run_command` has returned or this process is gone for more than two seconds. If this process is asked to end
    (Ctrl-C, SIGTERM, SIGHUP, SIGQUIT), it first lets the command remove its drafts, and prints the only sentence about it.
    The words are those of the command without the program, and `environment` is added to the variables of this process. The
    command writes to `output`, a file with a descriptor that stays open here, or shares standard output; it always shares
    standard error, and its standard input is empty. It has printed its own error. The code is negative if a signal ended it,
    for instance -9 if it was killed because memory ran out.
    """
    # Loaded here so that help is instant.
    from tablebase.compute.child_process import ChildProcess, Handle

    sys.stdout.flush()
    child = ChildProcess(_run, list(words), None if output is None else Handle(output), dict(environment or {}))
    with ensured(child.end):
        return child.wait()


def _run(_pipe: Connection, words: list[str], output: int | None, environment: dict[str, str]) -> None:
    """Run a command in the child process, as the program would, except that the parent reports signals."""
    os.environ.update(environment)
    if output is not None:
        os.dup2(output, sys.stdout.fileno())
        os.close(output)
    # In this process the program begins anew; imported by name, since its commands import this module.
    program = import_module("tablebase.commands.program")
    process.prepare_streams()
    process.listen(parent=True)
    sys.exit(program.run(words, bounded=True))
