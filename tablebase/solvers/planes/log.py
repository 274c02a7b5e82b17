"""The log of the lean solver: what it found, in a temporary file, and the codes that are assembled from it.

An *entry* is a row and a word, the positions in the row that have some code. The planes are divided into *parts*; entries are
kept by side to move, part and code, so that the codes of a part can be assembled when they are asked for.
"""

from __future__ import annotations

import errno
import os
import weakref
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from shutil import disk_usage
from tempfile import TemporaryFile, gettempdir
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

from tablebase.errors import system_error
from tablebase.positions.indexing import Layout
from tablebase.solvers.planes.arrays import FULL, ROWS, Entries, Planes, State, new_state
from tablebase.solvers.planes.layout_codes import CodeOutput, write_codes
from tablebase.solvers.planes.record import ENTRY, word_at
from tablebase.system.compute.jit import jit
from tablebase.system.compute.pointers import bare
from tablebase.system.compute.vectors import ELEMENTS, fill, room
from tablebase.tables.checkpoints import HINT
from tablebase.tables.values import DRAW, Codes, Coding, LazyValues

PARTS = 64
"""Parts at most; the codes of one are in memory at a time."""
ROOM = 2
"""Times its size that must be free to give the file a name."""
BLOCK = 1 << 24
"""Bytes that are copied at a time."""


class LogPart(NamedTuple):
    """Planes from `first` up to `last`."""

    first: int
    last: int


class Segment(NamedTuple):
    """Place of entries in the file."""

    begin: int  # in bytes
    numbers: int


def parts_of(planes: int) -> list[LogPart]:
    """The parts that planes are divided into, all but the last whole vectors of planes."""
    size = -(-planes // (PARTS * ELEMENTS)) * ELEMENTS
    return [LogPart(first, min(first + size, planes)) for first in range(0, planes, size)]


def part_state(planes: Planes, part: LogPart, dtype: str) -> State:
    """A state with words and codes of one part only."""
    return new_state(planes._replace(size=part.last - part.first), dtype)._replace(origin=part.first)


class ResultLog:
    """Entries in a temporary file that has no name, so that nothing is left of it however the process ends, until it is kept."""

    def __init__(self, folder: Path | None, parts: list[LogPart]) -> None:
        """Use space in a folder, by default where the system keeps temporary files."""
        self.folder = folder or Path(gettempdir())
        self.parts = parts
        # By side to move and part, the entries of each code that captures lead to, and those with the codes that were settled.
        self.waiting: tuple[list[dict[int, Segment]], ...] = tuple([{} for _ in parts] for _ in (0, 1))
        self.found: tuple[list[list[tuple[int, Segment]]], ...] = tuple([[] for _ in parts] for _ in (0, 1))
        self._end = 0
        self._has_name = False
        self._crc, self._summed = 0, 0
        try:
            self._file: Any = TemporaryFile(dir=self.folder, buffering=0)  # noqa: SIM115 (closed with the log)
        except OSError as error:
            raise system_error(error, self.folder) from error
        self._close = weakref.finalize(self, self._file.close)

    def append(self, entries: Entries) -> Segment:
        """Write entries behind all others."""
        segment = Segment(self._end, len(entries))
        try:
            self._file.seek(self._end)
            _write(self._file, entries.view(np.uint8).data)
        except OSError as error:
            raise system_error(error, self.folder) from error
        self._end += entries.nbytes
        return segment

    def read(self, segment: Segment) -> Entries:
        """Entries that were written."""
        entries = np.empty(segment.numbers, dtype=np.uint32)
        left = entries.view(np.uint8).data
        self._file.seek(segment.begin)
        while left:
            left = left[self._file.readinto(left) :]
        return entries

    def keep(self, path: Path) -> bool:
        """Put the file safely on the disk, under this name from now on; return whether that worked."""
        try:
            if not self._has_name:
                self._move(path)
            for block in _blocks(self._file, self._summed, self._end):
                self._crc = crc32(block, self._crc)
            self._summed = self._end
            os.fsync(self._file.fileno())
        except OSError:
            return False
        return True

    def contents(self) -> dict[str, Any]:
        """All but the file, as JSON can hold it."""
        waiting = [[list(part.items()) for part in side] for side in self.waiting]
        return {"end": self._end, "crc": self._crc, "waiting": waiting, "found": self.found}

    def go_on(self, path: Path, contents: dict[str, Any]) -> bool:
        """Take the place of a log that was kept; return False, and stay empty, if its file is not whole."""
        if not path.is_file():
            return False
        try:
            file = path.open("r+b", buffering=0)
            end, crc = contents["end"], 0
            for block in _blocks(file, 0, end):
                crc = crc32(block, crc)
        except OSError as error:
            raise system_error(error, path, HINT) from error
        if crc != contents["crc"]:
            file.close()
            return False
        self._use(file)
        self._end = self._summed = end
        self._crc = crc
        for side, number in product((0, 1), range(len(self.parts))):
            waiting, found = contents["waiting"][side][number], contents["found"][side][number]
            self.waiting[side][number] = {code: Segment(*segment) for code, segment in waiting}
            self.found[side][number] = [(code, Segment(*segment)) for code, segment in found]
        return True

    def _move(self, path: Path) -> None:
        """Continue in a file with a name."""
        path.parent.mkdir(parents=True, exist_ok=True)
        if disk_usage(path.parent).free < ROOM * self._end:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        file = path.open("w+b", buffering=0)
        try:
            for block in _blocks(self._file, 0, self._end):
                _write(file, block)
        except BaseException:
            file.close()
            path.unlink(missing_ok=True)
            raise
        self._use(file)

    def _use(self, file: Any) -> None:
        self._close()
        self._file, self._has_name = file, True
        self._close = weakref.finalize(self, file.close)


def _blocks(file: Any, begin: int, end: int) -> Iterator[memoryview]:
    """The bytes of a file from one place up to another; fewer if there are no more."""
    buffer = memoryview(bytearray(min(BLOCK, end - begin)))
    file.seek(begin)
    while begin < end and (count := file.readinto(buffer[: end - begin])):
        yield buffer[:count]
        begin += count


def _write(file: Any, data: memoryview) -> None:
    """Write all of it, though the operating system may write less at once."""
    while data:
        data = data[file.write(data) :]


class LoggedCodes(LazyValues):
    """The codes of one side to move, assembled from a log when they are asked for; see `tablebase.tables.values.CodeSource`.

    One part is kept, so that reading from begin to end assembles each part once; only one thread may read at a time.
    """

    def __init__(self, planes: Planes, layout: Layout, output: CodeOutput, coding: Coding, log: ResultLog, side: int) -> None:
        super().__init__(layout.size, np.dtype(coding.dtype))
        self._planes, self._output, self._coding, self._log, self._side = planes, output, coding, log, side
        self._plane_size = layout.size // planes.size
        self._kept: tuple[int, Codes] | None = None

    def between(self, begin: int, end: int) -> Codes:
        """See `LazyValues.between`."""
        codes = np.empty(end - begin, dtype=self.dtype)
        for number, part in enumerate(self._log.parts):
            first, last = part.first * self._plane_size, part.last * self._plane_size
            some = slice(max(begin, first), min(end, last))
            if some.start < some.stop:
                codes[some.start - begin : some.stop - begin] = self._part(number)[some.start - first : some.stop - first]
        return codes

    def _part(self, number: int) -> Codes:
        if self._kept is not None and self._kept[0] == number:
            return self._kept[1]
        self._kept = None
        part = self._log.parts[number]
        state = part_state(self._planes, part, self._coding.dtype)
        state.known[:] = FULL
        state.codes[:] = DRAW
        for code, segment in self._log.found[self._side][number]:
            replay(state, self._log.read(segment), code)
        written: Codes = room((part.last - part.first) * self._plane_size, self.dtype)
        write_codes(self._planes, state, self._output, written, self._coding.void, *part)
        self._kept = number, written
        return written


@jit
def replay(state: State, entries: Entries, code: int) -> None:
    """Write the codes of entries, all of which have the same one."""
    codes, origin = bare(state).codes, state.origin
    for place in range(0, len(entries), ENTRY):
        row = np.int64(entries[place]) - origin * ROWS
        fill(codes, row * ROWS, word_at(entries, place), code)
