"""Many positions asked on the command line: read as they come, answered one by one, and written as they are answered."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from io import UnsupportedOperation
from select import select
from typing import Any, BinaryIO, NamedTuple, Protocol

from tablebase.commands.parameters import Format
from tablebase.errors import TablebaseError, system_error
from tablebase.files.inputs import ENCODING

READ_BYTES = 1 << 22
"""Bytes that are read, and answered, at a time: the more, the fewer times a chunk of a table is decompressed."""
PAUSE = 0.05
"""Seconds without input after which what has been read is answered."""
LONGEST_LINE = 1 << 16
"""Bytes of the longest line that may be a position."""
STANDARD_INPUT = "-"
OF_POSITION = ("game", "position", "side")
"""Columns that repeat the position, or are the same for all."""


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
    some: bytes = file.read1(READ_BYTES)  # type: ignore[attr-defined]
    while some and len(some) < READ_BYTES and _goes_on(file):
        more = file.read1(READ_BYTES - len(some))  # type: ignore[attr-defined]
        if not more:
            break
        some += more
    return some


def _goes_on(file: BinaryIO) -> bool:
    """Whether more comes without a pause, or the end."""
    try:
        return bool(select([file], [], [], PAUSE)[0])
    except UnsupportedOperation:
        # Not a file of the operating system.
        return True


def _positions(lines: Iterable[bytes], before: int, name: str) -> Iterator[Asked]:
    """The lines that are not empty; what is not UTF-8 is no position either."""
    for number, line in enumerate(lines, start=before + 1):
        text = line.decode(ENCODING, "replace").strip()
        if text:
            yield Asked(text, number, name)


def draws_boards(words: Sequence[str], style: Format) -> bool:
    """Whether answers are written with boards and moves: those of streams, which may be many, take a line each."""
    return style is Format.TABLE and not any(map(is_stream, words))


def stream_bytes(words: Sequence[str]) -> int | None:
    """The size of all files among the arguments; None if one of them is not a regular file, or there is none."""
    sizes = [os.stat(word[1:]).st_size if os.path.isfile(word[1:]) else 0 for word in words if is_stream(word)]
    return sum(sizes) if sizes and all(sizes) else None


Answered = tuple[Any, TablebaseError | None]
"""What is written of a position, and why it has no answer, if it has none."""


class Asking(Protocol):
    """Answers the positions of a game."""

    @property
    def columns(self) -> Sequence[str]:
        """The fields of an answer that CSV has."""

    def answers(self, texts: Sequence[str]) -> Iterator[Answered]:
        """The answer for each text: the fields of JSON, those of an error included, or what `show` takes if boards are drawn."""

    def show(self, answer: Any) -> None:
        """Write an answer for people, with its board and moves."""


def write_answers(words: Sequence[str], asking: Asking, style: Format, *, stop: bool) -> None:
    """Write the answers for the positions of arguments; one that has none is written as its reason.

    A position without an answer is a `TablebaseError`: at once with `stop`, which ends the command there, or else at the end.
    """
    from tablebase.commands.output import write_objects, write_rows

    streams = any(map(is_stream, words))
    answered = _Answered(words, asking, stop=stop or (len(words) == 1 and not streams))
    with answered.shown(streams) as found:
        if not streams:
            # Few enough to know before the first is written whether one is an error.
            found = iter(list(found))
        if style is Format.TABLE and streams:
            _write_lines(found, asking.columns)
        elif style is Format.TABLE:
            for one, answer, error in found:
                if error is None:
                    asking.show(answer)
                else:
                    sys.stdout.write(f"{one.text}\n\nno answer: {error}\n\n")
        elif style is Format.JSON:
            rows = ({**row, **({"line": one.line} if one.line else {})} for one, row, _ in found)
            write_objects(rows, compact=streams)
        else:
            several = ("error", "line") if streams else ("error",) if answered.failed else ()
            columns = [*asking.columns, *several]
            write_rows((_cells(columns, one, row) for one, row, _ in found), style, columns)
    if answered.failed:
        raise TablebaseError(f"{answered.failed:,} of {answered.count:,} positions have no answer: each says why")


def _write_lines(found: Iterable[tuple[Asked, Any, TablebaseError | None]], columns: Sequence[str]) -> None:
    """Write one line a position, as a table whose columns have fixed widths, since the rows to come are not known."""
    from tablebase.commands.output import Row, cell_text, write_fixed

    names = ["line", *(name for name in columns if name not in OF_POSITION), "position"]

    def row(one: Asked, answer: Row, error: TablebaseError | None) -> list[str]:
        *cells, text = (cell_text({"line": one.line, **answer}.get(name)) for name in names)
        return [*cells, text if error is None else f"{text}: {error}"]

    write_fixed(names, (row(*answered) for answered in found))


def place(one: Asked) -> str:
    """Where a position was read."""
    return f"line {one.line} of {one.source}"


def _cells(columns: Iterable[str], one: Asked, row: Mapping[str, Any]) -> dict[str, Any]:
    """The cells of a row of CSV."""
    error = row.get("error")
    more = {"line": one.line, "error": error and f"{error['code']}: {error['message']}"}
    return {name: more[name] if name in more else row.get(name) for name in columns}


class _Answered:
    """The answers for the positions of arguments, counted."""

    def __init__(self, words: Sequence[str], asking: Asking, *, stop: bool) -> None:
        self._words, self._asking, self._stop = words, asking, stop
        self.count = self.failed = 0

    @contextmanager
    def shown(self, streams: bool) -> Iterator[Iterator[tuple[Asked, Any, TablebaseError | None]]]:
        """The answers, with progress if they may take long."""
        if not streams:
            yield self._all(lambda _: None)
            return
        from tablebase.compute.progress import progress

        with progress("probe", "B", stream_bytes(self._words)) as shown:
            yield self._all(shown.update)

    def _all(self, read: Callable[[int], object]) -> Iterator[tuple[Asked, Any, TablebaseError | None]]:
        for block in asked(self._words, read):
            answers = self._asking.answers([one.text for one in block])
            for one, (answer, error) in zip(block, answers, strict=True):
                if error is not None and self._stop:
                    raise self._first(one, error)
                self.count += 1
                self.failed += error is not None
                yield one, answer, error
            # Before waiting for more.
            sys.stdout.flush()

    def _first(self, one: Asked, error: TablebaseError) -> TablebaseError:
        """The error for the first position without an answer."""
        return error if one.line is None else TablebaseError(f"{place(one)}: {error}")
