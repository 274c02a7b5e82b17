"""Texts and positions of a command line: from its arguments, standard input and files, read as they come."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext, suppress
from io import UnsupportedOperation
from select import select
from typing import BinaryIO, NamedTuple

from tablebase.errors import TablebaseError, system_error
from tablebase.files.inputs import ENCODING

READ_BYTES = 1 << 22
"""Bytes that are read, and answered, at a time: the more, the fewer times a chunk of a table is decompressed."""
PAUSE = 0.05
"""Seconds without input after which what has been read is answered."""
LONGEST_LINE = 1 << 16
"""Bytes of the longest line that may be a position."""
STANDARD_INPUT = "-"


class Asked(NamedTuple):
    """A position as it was given."""

    text: str
    line: int | None = None  # its line, if it comes from standard input or a file
    source: str = ""  # the name of that


def is_stream(word: str) -> bool:
    """Whether an argument stands for the lines of standard input or of a file."""
    return word == STANDARD_INPUT or word.startswith("@")


def asked(words: Sequence[str], read: Callable[[int], object] = lambda _: None) -> Iterator[list[Asked]]:
    """The positions of arguments, some at a time: of ``-`` and ``@FILE`` all lines that are not empty, as soon as they are there.

    `read` is called with the number of bytes that have been read of a stream. A file that cannot be read, or has a line that is
    far too long, is a `TablebaseError`.
    """
    for word in words:
        if is_stream(word):
            yield from _lines(word, read)
        else:
            yield [Asked(word)]


def _lines(word: str, read: Callable[[int], object]) -> Iterator[list[Asked]]:
    name = "standard input" if word == STANDARD_INPUT else word[1:]
    number, rest = 0, b""
    try:
        with nullcontext(sys.stdin.buffer) if word == STANDARD_INPUT else open(name, "rb") as file:
            while more := _read(file):
                read(len(more))
                *lines, rest = (rest + more).split(b"\n")
                if len(rest) > LONGEST_LINE:
                    raise TablebaseError(f"line {number + len(lines) + 1} of {name} is too long for a position: name another file")
                yield list(_positions(lines, number, name))
                number += len(lines)
    except OSError as fault:
        raise system_error(fault, name, "name another file") from fault
    yield list(_positions([rest], number, name))


def _read(file: BinaryIO) -> bytes:
    """What comes without a pause, at least one byte; none at the end."""
    more = some = file.read1(READ_BYTES)  # type: ignore[attr-defined]
    while more and len(some) < READ_BYTES:
        # What is not a file of the operating system never pauses.
        with suppress(UnsupportedOperation):
            if not select([file], [], [], PAUSE)[0]:
                break
        more = file.read1(READ_BYTES - len(some))  # type: ignore[attr-defined]
        some += more
    return bytes(some)


def _positions(lines: Iterable[bytes], before: int, name: str) -> Iterator[Asked]:
    """The lines that are not empty; what is not UTF-8 is no position either."""
    for number, line in enumerate(lines, start=before + 1):
        text = line.decode(ENCODING, "replace").strip()
        if text:
            yield Asked(text, number, name)


def stream_bytes(words: Sequence[str]) -> int | None:
    """The size of all files among the arguments; None if one of them is not a regular file, or there is none."""
    sizes = [os.stat(word[1:]).st_size if os.path.isfile(word[1:]) else 0 for word in words if is_stream(word)]
    return sum(sizes) if sizes and all(sizes) else None
