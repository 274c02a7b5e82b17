"""Commands that a command starts as child processes."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from multiprocessing.connection import Connection
from typing import IO, Any

from tablebase.cli import signals, streams
from tablebase.compute.child_process import ChildProcess, Handle
from tablebase.compute.processes import ensured


def run_command(words: Sequence[str], output: IO[Any] | None = None, environment: Mapping[str, str] | None = None) -> int:
    """Run a command of this program in a child process and wait for it.

    The child process ends with this one, however this one ends (SIGKILL included), and so do its own workers: nothing still
    writes when `run_command` has returned or this process is gone for more than two seconds. If this process is asked to end
    (Ctrl-C, SIGTERM, SIGHUP, SIGQUIT), it first lets the command remove its drafts, and prints the only sentence about it.

    Parameters
    ----------
    words : sequence of str
        The command and its arguments, without the program: ``["verify", "hexapawn", "--data", "data"]``.
    output : file object, optional
        Open for writing, with a descriptor; becomes the command's standard output. It is flushed by nobody else, and stays open
        here. By default the command shares standard output. It always shares standard error; its standard input is empty.
    environment : mapping, optional
        Variables that are set in the child process beside those of this one, such as ``{"TABLEBASE_CATALOG": url}``.

    Returns
    -------
    int
        Exit code of the command, which has printed its own error; negative if a signal ended it, for instance -9 if it was
        killed because memory ran out.
    """
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
    program = import_module("tablebase.cli")
    streams.prepare()
    signals.listen(parent=True)
    sys.exit(program.run(words, bounded=True))
