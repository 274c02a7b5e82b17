"""Standard input, output and error, whatever they are connected to."""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from typing import Any, TextIO

from tablebase.errors import NO_SPACE, CapacityError, TablebaseError


class ReaderGoneError(Exception):
    """The reader of standard output, such as `head`, wants no more of it."""


def prepare() -> None:
    """Make what is closed work like the null device, and let no character and no reader end the program in a traceback."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            # This takes the lowest free number, which the next file to be opened, perhaps a table, would get otherwise.
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
    if sys.stdin is None:
        sys.stdin = open(0, encoding="utf-8")  # noqa: SIM115 (for as long as the program runs)
    sys.stdout = _text(sys.stdout, _Output, 1)
    sys.stderr = _text(sys.stderr, _Status, 2)


def is_unicode() -> bool:
    """Whether standard output can represent every character."""
    return (getattr(sys.stdout, "encoding", None) or "utf-8").lower().startswith("utf")


class _Output(io.FileIO):
    """Standard output, which reports only once that it cannot be written."""

    failed = False

    def write(self, data: Any, /) -> int:
        if self.failed:
            return len(memoryview(data))
        try:
            return super().write(data)
        except OSError as fault:
            self.failed = True
            raise _output_error(fault) from fault


class _Status(io.FileIO):
    """Standard error: work goes on if nobody reads about it."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except OSError:
            return len(memoryview(data))


def _output_error(fault: OSError) -> Exception:
    if isinstance(fault, BrokenPipeError):
        return ReaderGoneError()
    sentence = f"standard output cannot be written ({fault.strerror})"
    if fault.errno in NO_SPACE:
        return CapacityError(sentence, "free some space or write to another place")
    return TablebaseError(f"{sentence}: write to another place")


def _text(stream: TextIO | None, kind: type[io.FileIO], number: int) -> TextIO:
    """A text stream like the given one; a character that its encoding lacks is written as an escape."""
    if stream is None:
        stream = open(number, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 (for as long as the program runs)
    assert isinstance(stream, io.TextIOWrapper)
    if not isinstance(getattr(stream.buffer, "raw", stream.buffer), io.FileIO):
        # A console of Windows.
        stream.reconfigure(errors="backslashreplace")
        return stream
    return io.TextIOWrapper(
        io.BufferedWriter(kind(number, "wb", closefd=False)),
        stream.encoding,
        "backslashreplace",
        # With PYTHONUNBUFFERED Python's own standard error has no buffer, and so is not said to be line-buffered.
        line_buffering=stream.line_buffering or kind is _Status,
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
