"""Reading a table file: one index, a batch, or everything in chunks."""

from __future__ import annotations

import errno
import hashlib
import os
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import zstandard
from numpy.typing import NDArray

from tablebase.compute.processes import held_at_fork
from tablebase.errors import NO_RIGHT, CorruptTableError, TablebaseError, system_error
from tablebase.game import Game
from tablebase.slices.indexing import layout_of
from tablebase.slices.material import Material
from tablebase.tables.choice import missing_table
from tablebase.tables.folder import HDF5_BEGINNING, USER_BLOCK, open_file
from tablebase.tables.header import read_header
from tablebase.tables.parts import content_bytes, decompressed
from tablebase.tables.values import SLAB, Codes, Coding, Source

hdf5 = held_at_fork(threading.RLock())
"""HDF5 is not thread-safe. It only locates the chunks; reading and decompressing them needs no lock."""
FAULTS = (ArithmeticError, AttributeError, LookupError, OSError, RuntimeError, TypeError, ValueError, zstandard.ZstdError)
"""What h5py and zstandard may raise for a file that is not what it seems."""
GRAIN = 4
"""The smallest number of chunks worth a thread."""
FRAME_BYTES = 1 << 16
"""More bytes than Zstandard needs for a chunk beside those of its codes."""


class Table:
    """A table file open for reading; safe to use from several threads."""

    def __init__(self, path: Path, game: Game, material: Material) -> None:
        """Raise `MissingTableError` without such a file, `CorruptTableError` or `StaleTableError` if it cannot be used."""
        self.path = path
        self.game = game
        self.material = material
        self.layout = layout_of(game, material)
        self._places: dict[tuple[int, int], tuple[int, int]] = {}
        if not path.exists():
            raise missing_table(game, material, path.parent.parent.parent)
        try:
            self._raw = open_file(path)
        except OSError as fault:
            raise _open_error(path, fault) from fault
        self._close_raw = weakref.finalize(self, os.close, self._raw)
        self._written = _state(self._raw)
        self._file: h5py.File | None = None
        try:
            with hdf5:
                self._file = self._open_hdf5()
                self.header, self._data = read_header(self._file, path, game, material)
        except TablebaseError:
            self.close()
            raise
        except FAULTS as fault:
            self.close()
            raise _open_error(path, fault) from fault
        self._chunk_count = -(-self.layout.size // self.header.chunk)
        self._chunk_bytes = self.header.chunk * np.dtype(self.coding.dtype).itemsize

    def _open_hdf5(self) -> h5py.File:
        if _read_at(self._raw, len(HDF5_BEGINNING), USER_BLOCK) != HDF5_BEGINNING:
            raise ValueError("it does not begin like one")
        return h5py.File(self.path, "r")

    @property
    def values_sha256(self) -> str:
        """SHA-256 of the values, as the header names it."""
        return self.header.values_sha256

    @property
    def coding(self) -> Coding:
        """The coding of the codes."""
        return self.header.coding

    def chunk(self, side: int, number: int) -> Codes:
        """Codes of one chunk; the last chunk is cut to the table's size."""
        begin = number * self.header.chunk
        try:
            raw = decompressed(self._frame(side, begin))
        except FAULTS as fault:
            raise CorruptTableError(f"cannot be read ({fault})", self.path) from fault
        codes: Codes = np.frombuffer(raw, dtype=self.coding.dtype)
        if codes.max() >= len(self.header.summaries[side].histogram):
            raise CorruptTableError("holds a code that its statistics do not count", self.path)
        return codes[: self.layout.size - begin]

    def _frame(self, side: int, begin: int) -> bytes:
        """The compressed chunk that begins at an index; it says itself that it has the right size."""
        offset, size = self._chunk_place(side, begin)
        frame = _read_at(self._raw, size, offset)
        # Offsets of an earlier file could fit to a later one that is written over it.
        if _state(self._raw) != self._written:
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
        except FAULTS as fault:
            raise CorruptTableError(f"cannot be read ({fault})", self.path) from fault

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
        from tablebase.compute.threads import spread

        codes = np.empty(self.layout.size, dtype=self.coding.dtype)
        self._locate_chunks(side)

        def read_chunks(first: int, last: int) -> None:
            begin, end = first * self.header.chunk, min(last * self.header.chunk, self.layout.size)
            codes[begin:end] = self.codes_between(side, begin, end)

        spread(read_chunks, self._chunk_count, GRAIN)
        return codes

    def source(self, side: int) -> Source:
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

    def values_digest(self, codes: Mapping[int, Source]) -> str:
        """SHA-256 of the table's codes, given by side to move as `read` or `source` returns them."""
        from tablebase.compute.threads import each

        digest = hashlib.sha256()
        slabs = ((codes[side], begin) for side in self._data for begin in range(0, self.layout.size, SLAB))
        for some in each(lambda slab: slab[0][slab[1] : slab[1] + SLAB], slabs):
            digest.update(some.data)
        return digest.hexdigest()

    def close(self) -> None:
        """Close the file; the table cannot be used afterwards."""
        self._close_raw()
        with hdf5:
            if self._file is not None:
                self._file.close()


class _Unread:
    """The codes of one side to move of a table, read when they are asked for; see `tablebase.tables.values.Source`."""

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


def _state(handle: int) -> tuple[int, int]:
    """What shows that an open file has been written to."""
    stat = os.fstat(handle)
    return stat.st_size, stat.st_mtime_ns


def _read_at(handle: int, size: int, offset: int) -> bytes:
    """Bytes of a file that several threads read, and several processes if it was open when they were forked."""
    if hasattr(os, "pread"):
        return os.pread(handle, size, offset)
    # Windows, where nothing is forked either.
    with hdf5:
        os.lseek(handle, offset, os.SEEK_SET)
        return os.read(handle, size)


def _open_error(path: Path, fault: Exception) -> TablebaseError:
    """The error for a file that cannot be opened: corrupt unless the operating system denied access."""
    if isinstance(fault, OSError) and fault.errno in (errno.EMFILE, errno.ENFILE, *NO_RIGHT):
        return system_error(fault, path)
    return CorruptTableError(f"is not a readable table file ({fault})", path)
