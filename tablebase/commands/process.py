"""The program as a process: its standard streams, the signals that end it, and child processes for commands and statements."""

from __future__ import annotations

import io
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from importlib import import_module
from typing import IO, TYPE_CHECKING, Any, TextIO

from tablebase.errors import NO_SPACE, CapacityError, TablebaseError
from tablebase.system.compute.processes import STOPPING, clean_up, cleanup_on_exit, when_undisturbed
from tablebase.system.files.inputs import ENCODING

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

REASONS = {"SIGINT": "interrupted", "SIGTERM": "terminated", "SIGHUP": "hung up", "SIGQUIT": "quit"}
INTERRUPTED = 128 + signal.SIGINT
GRACE = 0.5
"""Seconds that the main thread has to notice a signal."""
MEMORY = 5 << 29
"""Bytes that a process with a statement may occupy: DuckDB's own limit, this program, and the rows on their way."""
PER_WORKER = 1 << 26
"""Additional bytes for each thread that decodes."""
_ending = threading.RLock()


def sentence(number: int) -> str:
    """Return why the program has ended, and what to do."""
    return f"{REASONS[signal.Signals(number).name]}; a build, an export or a copy resumes when it is started again"


def listen(*, parent: bool = False) -> None:
    """From now on, end the program in order when a signal asks for it.

    A `parent` is another process of the program that has started this one: it ends this one with SIGTERM, and says why itself.
    """
    reader, writer = socket.socketpair()
    writer.setblocking(False)
    signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
    end = partial(_end, silent=parent)
    threading.Thread(target=_watch, args=(reader, writer, end), daemon=True).start()
    for number in (signal.SIGTERM,) if parent else STOPPING:
        # A program started by nohup, or by a shell in the background, continues.
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda number, _: when_undisturbed(partial(end, number)))


def _watch(reader: socket.socket, _writer: socket.socket, end: Callable[[int], object]) -> None:
    """End the program in the main thread's place if that is busy outside Python, as in a kernel or a database."""
    number = reader.recv(1)[0]
    time.sleep(GRACE)
    end(number)


def _end(number: int, *, silent: bool) -> None:
    """Exit at once: Python may ignore an exception raised by a signal, and no table is ever half written under its name."""
    _ending.acquire()
    clean_up()
    if not silent:
        with suppress(OSError):
            os.write(2, f"\nerror: {sentence(number)}\n".encode())
    os._exit(128 + number)


class ReaderGoneError(Exception):
    """The reader of standard output, such as `head`, wants no more of it."""


def prepare_streams() -> None:
    """Make what is closed work like the null device, and let no character and no reader end the program in a traceback."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            # This takes the lowest free number, which the next file to be opened, perhaps a table, would get otherwise.
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
    if sys.stdin is None:
        sys.stdin = open(0, encoding="utf-8")  # noqa: SIM115 (for as long as the program runs)
    if isinstance(sys.stdin, io.TextIOWrapper) and sys.stdin.encoding.lower() == "utf-8":
        sys.stdin.reconfigure(encoding=ENCODING)
    sys.stdout = _text(sys.stdout, 1, is_status=False)
    sys.stderr = _text(sys.stderr, 2, is_status=True)


class _Stream(io.FileIO):
    """Standard output, which reports only once that it cannot be written, or standard error, without which work continues."""

    failed = is_status = False

    def write(self, data: Any, /) -> int:
        try:
            return len(memoryview(data)) if self.failed else super().write(data)
        except OSError as error:
            if self.is_status:
                return len(memoryview(data))
            self.failed = True
            if isinstance(error, BrokenPipeError):
                raise ReaderGoneError from error
            sentence = f"cannot write to standard output ({error.strerror})"
            if error.errno in NO_SPACE:
                raise CapacityError(sentence, "free some space, or redirect the output to another disk") from error
            raise TablebaseError(f"{sentence}: redirect the output to another file") from error


def _text(stream: TextIO | None, number: int, *, is_status: bool) -> TextIO:
    """A text stream like the given one; a character that its encoding lacks is written as an escape."""
    if stream is None:
        stream = open(number, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 (for as long as the program runs)
    assert isinstance(stream, io.TextIOWrapper)
    if not isinstance(getattr(stream.buffer, "raw", stream.buffer), io.FileIO):
        # A console of Windows.
        stream.reconfigure(errors="backslashreplace")
        return stream
    raw = _Stream(number, "wb", closefd=False)
    raw.is_status = is_status
    return io.TextIOWrapper(
        io.BufferedWriter(raw),
        stream.encoding,
        "backslashreplace",
        # With PYTHONUNBUFFERED Python's own standard error has no buffer, and so is not said to be line-buffered.
        line_buffering=stream.line_buffering or is_status,
    )


def read_word(prompt: str) -> str | None:
    """The next line that the person types, None at the end of the input."""
    try:
        if sys.stdin.isatty() and sys.stdout.isatty():
            # Lines can be edited and called back.
            with suppress(ImportError):
                import readline  # noqa: F401
            return input(prompt).strip().lower()
        # Without a terminal on both sides, input(prompt) would write the prompt to standard error.
        sys.stdout.write(prompt)
        return input().strip().lower()
    except EOFError:
        sys.stdout.write("\nend of input\n")
        return None


def run_statement(answer: Callable[[], object], seconds: float | None, workers: int = 1) -> int:
    """Answer a statement, within bounds if this process is the program's own; return the exit code."""
    import click

    from tablebase.system.executors.bounds import run_bounded

    if click.get_current_context().find_root().obj.bounded:
        return run_bounded(answer, seconds, MEMORY + workers * PER_WORKER)
    answer()
    return 0


def run_command(words: Sequence[str], output: IO[Any] | None = None, environment: Mapping[str, str] | None = None) -> int:
    """Run a command of this program in a child process, wait for it, and return its exit code, negative if a signal ended it.

    The child process and its workers end with this one, within two seconds even after SIGKILL. If a signal ends this process, it
    first lets the command remove its drafts, and prints the only sentence about it. The words do not include the program, and
    `environment` is added to the variables of this process. The command writes to `output` (or standard output) and to standard
    error, where it has printed its own error; its standard input is empty.
    """
    from tablebase.system.compute.child_process import ChildProcess, Handle

    sys.stdout.flush()
    handle = None if output is None else Handle(output)
    child = ChildProcess(_run, list(words), handle, dict(environment or {}))
    with cleanup_on_exit(child.end):
        return child.wait()


def _run(_pipe: Connection, words: list[str], output: int | None, environment: dict[str, str]) -> None:
    os.environ.update(environment)
    if output is not None:
        os.dup2(output, sys.stdout.fileno())
        os.close(output)
    # In this process the program begins again; imported by name, since its commands import this module.
    program = import_module("tablebase.commands.program")
    prepare_streams()
    listen(parent=True)
    sys.exit(program.run(words, bounded=True))
