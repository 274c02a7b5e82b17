"""Reading a table file: one index, a batch, or everything in chunks."""

from __future__ import annotations

import atexit
import errno
import hashlib
import io
import os
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

import h5py
import numpy as np
import zstandard
from numpy.typing import NDArray

from tablebase.errors import CorruptTableError, TablebaseError, system_error
from tablebase.game import Game
from tablebase.positions.indexing import layout_of
from tablebase.positions.material import Material
from tablebase.system.compute.processes import fork_safe
from tablebase.tables.folder import HDF5_BEGINNING, USER_BLOCK, content_error, open_file
from tablebase.tables.hdf5 import content_bytes, decompressed, require
from tablebase.tables.header import read_header
from tablebase.tables.missing import missing_table
from tablebase.tables.values import SLAB, Codes, CodeSource, Coding

hdf5 = fork_safe(threading.RLock())
"""HDF5 is not thread-safe. It only locates the chunks; reading and decompressing them needs no lock."""
ERRORS = (ArithmeticError, AttributeError, LookupError, OSError, RuntimeError, TypeError, ValueError, zstandard.ZstdError)
"""Exceptions of h5py and zstandard for a file that only seems a table, or that the system does not let them read."""
NO_MEMORY = re.compile("memory allocation failed|unable to allocate|not enough memory", re.IGNORECASE)
"""In sentences of HDF5 and zstandard that are not about the file."""
GRAIN = 4
"""The smallest number of chunks worth a thread."""
NO_TABLE = "is not a readable table file"
"""Predicate of a sentence about a file that cannot be opened as a table."""
FRAME_BYTES = 1 << 16
"""More bytes than Zstandard needs for a chunk beside those of its codes."""


_opened: WeakValueDictionary[int, h5py.File] = WeakValueDictionary()


@atexit.register
def _close_opened() -> None:
    """Close all files while Python still runs: HDF5 would read them once more at the end of the process, and crash."""
    for file in list(_opened.values()):
        with suppress(Exception):
            file.close()


class RawFile(io.RawIOBase):
    """A table file as HDF5 is given it: without locks, since it never changes, and with the system's errors as Python has them."""

    def __init__(self, handle: int) -> None:
        """Of an open file, which is closed with this one."""
        self._handle, self._place = handle, 0

    def read_at(self, size: int, offset: int) -> bytes:
        """Bytes that several threads read, and several processes if the file was open when they were forked."""
        if hasattr(os, "pread"):
            return os.pread(self._handle, size, offset)
        # Windows, where nothing is forked either.
        with hdf5:
            os.lseek(self._handle, offset, os.SEEK_SET)
            return os.read(self._handle, size)

    def state(self) -> tuple[int, int]:
        """Size and time of the last change, which show that an open file has been written to."""
        stat = os.fstat(self._handle)
        return stat.st_size, stat.st_mtime_ns

    def opened(self) -> h5py.File:
        """The file as HDF5 reads it, which is to be closed first; if it cannot be opened, this one is closed."""
        try:
            require(self.read_at(len(HDF5_BEGINNING), USER_BLOCK) == HDF5_BEGINNING, "it does not begin like one")
            file = _opened[id(self)] = h5py.File(self, "r")
            return file
        except BaseException:
            self.close()
            raise

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """See `io.RawIOBase`; HDF5 counts from the beginning or, to learn the size, from the end."""
        self._place = offset + (self.state()[0] if whence == os.SEEK_END else 0)
        return self._place

    def tell(self) -> int:
        """See `io.RawIOBase`."""
        return self._place

    def readinto(self, buffer: Any) -> int:
        """See `io.RawIOBase`; HDF5 expects zeros behind the end."""
        data = self.read_at(len(buffer), self._place)
        buffer[:] = data.ljust(len(buffer), b"\0")
        return len(data)

    def close(self) -> None:
        """Close the file."""
        if not self.closed:
            os.close(self._handle)
        super().close()


class Table:
    """A table file open for reading; safe to use from several threads."""

    def __init__(self, path: Path, game: Game, material: Material) -> None:
        """Raise `MissingTableError` without such a file, `CorruptTableError` or `StaleTableError` if it cannot be used."""
        self.path = path
        self.game = game
        self.material = material
        self.layout = layout_of(game, material)
        self._places: dict[tuple[int, int], tuple[int, int]] = {}
        try:
            self._raw = RawFile(open_file(path))
        except (FileNotFoundError, NotADirectoryError):
            raise missing_table(game, material, path.parent.parent.parent) from None
        except OSError as error:
            raise system_error(error, path) from error
        self._file: h5py.File | None = None
        try:
            self._written = self._raw.state()
            with hdf5:
                self._file = self._raw.opened()
                self.header, self._data = read_header(self._file, path, game, material)
        except TablebaseError:
            self.close()
            raise
        except ERRORS as error:
            self.close()
            raise read_error(path, error, NO_TABLE) from error
        self.coding: Coding = self.header.coding
        self.values_sha256: str = self.header.values_sha256
        self._chunk_count = -(-self.layout.size // self.header.chunk)
        self._chunk_bytes = self.header.chunk * np.dtype(self.coding.dtype).itemsize

    def chunk(self, side: int, number: int) -> Codes:
        """Codes of one chunk; the last chunk is cut to the table's size."""
        begin = number * self.header.chunk
        try:
            raw = decompressed(self._frame(side, begin))
        except ERRORS as error:
            raise read_error(self.path, error) from error
        codes: Codes = np.frombuffer(raw, dtype=self.coding.dtype)
        if codes.max() >= len(self.header.summaries[side].histogram):
            raise CorruptTableError("holds a code that its statistics do not count", self.path)
        return codes[: self.layout.size - begin]

    def _frame(self, side: int, begin: int) -> bytes:
        """The compressed chunk that begins at an index; it says itself that it has the right size."""
        offset, size = self._chunk_place(side, begin)
        frame = self._raw.read_at(size, offset)
        # Offsets of an earlier file could fit to a later one that is written over it.
        if self._raw.state() != self._written:
            raise CorruptTableError("has been changed since it was opened", self.path)
        if content_bytes(frame) != self._chunk_bytes:
            raise CorruptTableError("has a chunk of the wrong size", self.path)
        return frame

    def _chunk_place(self, side: int, begin: int) -> tuple[int, int]:
        """The offset in the file and the size of the chunk that begins at an index; HDF5 is queried only once."""
        place = self._places.get((side, begin))
        if place is None:
            with hdf5:
                info = self._data[side].get_chunk_info_by_coord((begin,))
            if info.filter_mask or info.size > self._chunk_bytes + FRAME_BYTES:
                raise CorruptTableError("has a chunk that is not compressed or too large", self.path)
            place = self._places[side, begin] = (int(info.byte_offset), int(info.size))
        return place

    def _locate_chunks(self, side: int) -> None:
        """Find the places of all chunks at once; HDF5 takes far longer to find them one by one."""

        def note(info: Any) -> None:
            if not info.filter_mask and info.size <= self._chunk_bytes + FRAME_BYTES:
                self._places[side, int(info.chunk_offset[0])] = (int(info.byte_offset), int(info.size))

        try:
            with hdf5:
                self._data[side].chunk_iter(note)
        except ERRORS as error:
            raise read_error(self.path, error) from error

    def check_chunks(self) -> None:
        """Decompress everything; raise `CorruptTableError` if that is impossible."""
        for side in self.header.summaries:
            for _ in self.chunks(side):
                pass

    def chunks(self, side: int) -> Iterator[Codes]:
        """All codes of a side to move in chunks, in order."""
        self._locate_chunks(side)
        for number in range(self._chunk_count):
            yield self.chunk(side, number)

    def read(self, side: int) -> Codes:
        """All codes of a side to move, shape (layout.size,)."""
        # Here, since those who look up single codes use no threads.
        from tablebase.system.compute.threads import spread

        codes = np.empty(self.layout.size, dtype=self.coding.dtype)
        self._locate_chunks(side)

        def read_chunks(first: int, last: int) -> None:
            begin, end = first * self.header.chunk, min(last * self.header.chunk, self.layout.size)
            codes[begin:end] = self.codes_between(side, begin, end)

        spread(read_chunks, self._chunk_count, GRAIN)
        return codes

    def source(self, side: int) -> CodeSource:
        """All codes of a side to move, read when they are asked for."""
        self._locate_chunks(side)
        return _Unread(self, side)

    def codes_at(self, side: int, index: NDArray[np.int64], chunk: Callable[[int], Codes] | None = None) -> Codes:
        """Codes of indices in any order; each chunk is decompressed once, or found by its number with `chunk`."""
        find = chunk or partial(self.chunk, side)
        codes = np.empty(len(index), dtype=self.coding.dtype)
        numbers = index // self.header.chunk
        # Short integers are sorted by counting.
        small = numbers.astype(np.uint16) if self.layout.size >> 16 <= self.header.chunk else numbers
        order = np.argsort(small, kind="stable")
        numbers, offsets = numbers[order], (index % self.header.chunk)[order]
        starts = np.flatnonzero(np.diff(numbers, prepend=-1)).tolist()
        for begin, end in zip(starts, [*starts[1:], len(index)], strict=False):
            codes[order[begin:end]] = find(int(numbers[begin]))[offsets[begin:end]]
        return codes

    def codes_between(self, side: int, begin: int, end: int) -> Codes:
        """Codes of the indices from `begin` up to, but not including, `end`."""
        codes = np.empty(end - begin, dtype=self.coding.dtype)
        place = begin
        while place < end:
            number, offset = divmod(place, self.header.chunk)
            some = self.chunk(side, number)[offset : offset + end - place]
            codes[place - begin : place - begin + len(some)] = some
            place += len(some)
        return codes

    def values_digest(self, codes: Mapping[int, CodeSource]) -> str:
        """SHA-256 of the table's codes, given by side to move as `read` or `source` returns them."""
        from tablebase.system.compute.threads import each

        digest = hashlib.sha256()
        slabs = ((codes[side], begin) for side in self._data for begin in range(0, self.layout.size, SLAB))
        for some in each(lambda slab: slab[0][slab[1] : slab[1] + SLAB], slabs):
            digest.update(some.data)
        return digest.hexdigest()

    def close(self) -> None:
        """Close the file; the table cannot be used afterwards."""
        with hdf5:
            if self._file is not None:
                self._file.close()
        self._raw.close()


class _Unread:
    """The codes of one side to move of a table, read when they are asked for; see `tablebase.tables.values.CodeSource`."""

    def __init__(self, table: Table, side: int) -> None:
        self.dtype = np.dtype(table.coding.dtype)
        self._table, self._side = table, side

    def __len__(self) -> int:
        return self._table.layout.size

    def __getitem__(self, key: slice) -> Codes:
        begin, end, _ = key.indices(len(self))
        return self._table.codes_between(self._side, begin, max(begin, end))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Codes:
        return np.asarray(self[:], dtype=dtype)


def read_error(path: Path, error: Exception, predicate: str = "cannot be read") -> TablebaseError:
    """The error for one of `FAULTS`: that of the system if it says nothing about the content, else that of a damaged table."""
    if isinstance(error, OSError) and error.errno:
        return system_error(error, path)
    if NO_MEMORY.search(str(error)):
        return system_error(OSError(errno.ENOMEM, ""), path)
    return content_error(path, f"{predicate} ({error})")
