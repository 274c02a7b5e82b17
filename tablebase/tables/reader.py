"""Reading table files: one value, a batch, or everything in chunks."""

from __future__ import annotations

import atexit
import errno
import hashlib
import io
import os
import re
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
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
from tablebase.tables.values import SLAB, Codes, CodeSource, LazyValues

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
OTHER_VALUES = "does not contain the values it was written with"
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
            require(self.read_at(len(HDF5_BEGINNING), USER_BLOCK) == HDF5_BEGINNING, "it does not begin with the HDF5 signature")
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


class Dataset(NamedTuple):
    """A dataset of one dimension, divided into chunks."""

    stored: h5py.h5d.DatasetID
    size: int
    chunk: int  # values in a chunk
    dtype: np.dtype[Any]

    @property
    def chunk_bytes(self) -> int:
        """Bytes of a chunk that is not compressed."""
        return self.chunk * self.dtype.itemsize


Name = int | str
"""Name of a dataset: of a table's codes, the side to move."""


class SealedFile(ABC):
    """A file of datasets, open for reading; safe to use from several threads."""

    datasets: dict[Name, Dataset]
    values_sha256: str  # of all values, one dataset after the other

    def __init__(self, path: Path) -> None:
        """Raise `CorruptTableError` or `StaleTableError` if it cannot be used."""
        self.path = path
        self._places: dict[tuple[Name, int], tuple[int, int]] = {}
        self._opened = ExitStack()
        try:
            self._raw = RawFile(open_file(path))
            self._opened.callback(self._raw.close)
            self._written = self._raw.state()
            with hdf5:
                file = self._raw.opened()
                self._opened.callback(file.close)
                self._check(file.id)
        except BaseException as error:
            self.close()
            if isinstance(error, ERRORS) and not isinstance(error, TablebaseError):
                raise read_error(path, error, NO_TABLE) from error
            raise

    @abstractmethod
    def _check(self, root: Any) -> None:
        """Check all that needs no decompression, and set the attributes of this class."""

    def chunk(self, name: Name, number: int) -> NDArray[Any]:
        """Values of one chunk of a dataset; the last chunk is cut to the dataset's size."""
        data, begin = self.datasets[name], number * self.datasets[name].chunk
        try:
            raw = decompressed(self._frame(name, begin))
        except ERRORS as error:
            raise read_error(self.path, error) from error
        return np.frombuffer(raw, data.dtype)[: data.size - begin]

    def _frame(self, name: Name, begin: int) -> bytes:
        """The compressed chunk that begins at an index; it says itself that it has the right size."""
        offset, size = self._chunk_place(name, begin)
        frame = self._raw.read_at(size, offset)
        # Offsets of an earlier file could fit to a later one that is written over it.
        if self._raw.state() != self._written:
            raise CorruptTableError("has changed since it was opened", self.path)
        if content_bytes(frame) != self.datasets[name].chunk_bytes:
            raise CorruptTableError("contains a chunk of the wrong size", self.path)
        return frame

    def _chunk_place(self, name: Name, begin: int) -> tuple[int, int]:
        """The offset in the file and the size of the chunk that begins at an index; HDF5 is queried only once."""
        if (name, begin) not in self._places:
            with hdf5:
                self._note_place(name, self.datasets[name].stored.get_chunk_info_by_coord((begin,)))
            if (name, begin) not in self._places:
                raise CorruptTableError("contains a chunk that is uncompressed or too large", self.path)
        return self._places[name, begin]

    def _note_place(self, name: Name, info: Any) -> None:
        if not info.filter_mask and info.size <= self.datasets[name].chunk_bytes + FRAME_BYTES:
            self._places[name, int(info.chunk_offset[0])] = (int(info.byte_offset), int(info.size))

    def source(self, name: Name) -> CodeSource:
        """All values of a dataset, read when they are asked for."""
        # HDF5 takes far longer to find the chunks one by one.
        try:
            with hdf5:
                self.datasets[name].stored.chunk_iter(partial(self._note_place, name))
        except ERRORS as error:
            raise read_error(self.path, error) from error
        data = self.datasets[name]
        return LazyValues(data.size, data.dtype, partial(self.between, name))

    def at(
        self, name: Name, places: NDArray[np.int64], chunk: Callable[[int], NDArray[Any]] | None = None, dtype: Any = None
    ) -> NDArray[Any]:
        """Values at places in any order; each chunk is decompressed once, or found by its number with `chunk`, as another type."""
        find, data = chunk or partial(self.chunk, name), self.datasets[name]
        values = np.empty(len(places), dtype or data.dtype)
        numbers = places // data.chunk
        # Short integers are sorted by counting.
        small = numbers.astype(np.uint16) if data.size >> 16 <= data.chunk else numbers
        order = np.argsort(small, kind="stable")
        numbers, offsets = numbers[order], (places % data.chunk)[order]
        starts = np.flatnonzero(np.diff(numbers, prepend=-1)).tolist()
        for begin, end in zip(starts, [*starts[1:], len(places)], strict=False):
            values[order[begin:end]] = find(int(numbers[begin]))[offsets[begin:end]]
        return values

    def between(self, name: Name, begin: int, end: int) -> NDArray[Any]:
        """Values from the place `begin` up to, but not including, `end`."""
        data = self.datasets[name]
        values = np.empty(end - begin, data.dtype)
        place = begin
        while place < end:
            number, offset = divmod(place, data.chunk)
            some = self.chunk(name, number)[offset : offset + end - place]
            values[place - begin : place - begin + len(some)] = some
            place += len(some)
        return values

    def close(self) -> None:
        """Close the file; it cannot be used afterwards."""
        with hdf5:
            self._opened.close()


class Table(SealedFile):
    """The file of a table of pieces; its datasets are the codes of each stored side to move."""

    def __init__(self, path: Path, game: Game, material: Material) -> None:
        """Raise `MissingTableError` without such a file, `CorruptTableError` or `StaleTableError` if it cannot be used."""
        self.game, self.material, self.layout = game, material, layout_of(game, material)
        try:
            super().__init__(path)
        except TablebaseError as error:
            if isinstance(error.__cause__, FileNotFoundError | NotADirectoryError):
                raise missing_table(game, material, path.parent.parent.parent) from None
            raise

    def _check(self, root: Any) -> None:
        self.header, stored = read_header(root, self.path, self.game, self.material)
        self.coding, self.values_sha256 = self.header.coding, self.header.values_sha256
        more = self.layout.size, self.header.chunk, np.dtype(self.coding.dtype)
        self.datasets = {side: Dataset(data, *more) for side, data in stored.items()}

    def chunk(self, name: Name, number: int) -> Codes:
        """See `SealedFile.chunk`."""
        codes = super().chunk(name, number)
        if codes.max() >= len(self.header.summaries[int(name)].histogram):
            raise CorruptTableError("contains a value that is missing from its statistics", self.path)
        return codes

    def read(self, side: int) -> Codes:
        """All codes of a side to move, shape (layout.size,)."""
        # Here, since those who look up single codes use no threads.
        from tablebase.system.compute.threads import spread

        chunk, source = self.header.chunk, self.source(side)
        codes = np.empty(len(source), source.dtype)

        def read_chunks(first: int, last: int) -> None:
            codes[first * chunk : last * chunk] = source[first * chunk : last * chunk]

        spread(read_chunks, -(-len(source) // chunk), GRAIN)
        return codes

    def check_values(self, codes: Mapping[int, CodeSource] | None = None) -> None:
        """Raise `CorruptTableError` if codes, as `read` or `source` return them by side, are not those that were written."""
        from tablebase.system.compute.threads import each

        known = {side: self.source(side) for side in self.header.summaries} if codes is None else codes
        digest = hashlib.sha256()
        slabs = ((known[side], begin) for side in self.header.summaries for begin in range(0, self.layout.size, SLAB))
        for some in each(lambda slab: slab[0][slab[1] : slab[1] + SLAB], slabs):
            digest.update(some.data)
        if digest.hexdigest() != self.values_sha256:
            raise CorruptTableError(OTHER_VALUES, self.path)


def read_error(path: Path, error: Exception, predicate: str = "cannot be read") -> TablebaseError:
    """The error for one of `ERRORS`: that of the system if it says nothing about the content, else that of a damaged table."""
    if isinstance(error, OSError) and error.errno:
        return system_error(error, path)
    if NO_MEMORY.search(str(error)):
        return system_error(OSError(errno.ENOMEM, ""), path)
    return content_error(path, f"{predicate} ({error})")
