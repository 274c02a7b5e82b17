"""Files that are read whole, up to a largest size: a device without end must not fill the memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import IO

from tablebase.errors import TablebaseError, system_error, system_errors

MEBIBYTE = 1 << 20
MOST = 256 * MEBIBYTE
"""Bytes of a file, unless something else is said."""
LONGEST_LINE = MEBIBYTE
"""Characters of a line, of a file or of a dialogue with another program."""
ENCODING = "utf-8-sig"
"""UTF-8, without the byte order mark that some programs write before a text."""


def read_text(path: Path, hint: str, most: int = MOST, what: str = "UTF-8 text") -> str:
    """Read a text file; raise `TablebaseError` if it cannot be read, has more than `most` bytes, or is not `what` it should be.

    The `hint` is what to do then, such as ``name another file``.
    """
    try:
        return read_bytes(path, hint, most).decode(ENCODING).replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise TablebaseError(f"{path} is not {what}: {hint}") from error


def read_bytes(path: Path, hint: str, most: int = MOST) -> bytes:
    """Read a file; raise `TablebaseError` if it cannot be read, or has more than `most` bytes."""
    with system_errors(path, hint), path.open("rb") as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise TablebaseError(f"{path} has more than {most:,} bytes: {hint}")
    return content


def check_regular(path: Path, hint: str) -> None:
    """Raise `TablebaseError` if a path is there, but is not a regular file."""
    if path.exists() and not path.is_file():
        raise TablebaseError(f"{path} is not a regular file: {hint}")


def read_lines(path: Path, hint: str) -> Iterator[str]:
    """Read a text file line by line; raise `TablebaseError` if it cannot be read, is not UTF-8, or has a line that is too long."""
    try:
        with path.open(encoding=ENCODING) as file:
            for line in iter(lambda: file.readline(LONGEST_LINE + 1), ""):
                if len(line) > LONGEST_LINE:
                    raise TablebaseError(f"{path} has a line of more than {LONGEST_LINE:,} characters: {hint}")
                yield line
    except OSError as error:
        raise system_error(error, path, hint) from error
    except UnicodeDecodeError as error:
        raise TablebaseError(f"{path} is not UTF-8 text: {hint}") from error


def lines_of(stream: IO[str], most: int = LONGEST_LINE) -> Iterator[str]:
    """Yield the lines of a dialogue as they come; of a line that is too long, only its first ``most + 1`` characters."""
    while line := stream.readline(most + 1):
        yield line
        while len(line) > most and not line.endswith("\n"):
            line = stream.readline(most + 1)
