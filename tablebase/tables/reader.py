"""Reading a table file: a point, a batch, or all in chunks."""

from __future__ import annotations

import errno
import hashlib
import os
import threading
import weakref
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy as np
import zstandard
from numpy.typing import NDArray

from tablebase.errors import CorruptTableError, StaleTableError, TablebaseError
from tablebase.game import Game
from tablebase.slices.indexing import INDEX_VERSION, layout_of
from tablebase.slices.location import sides_stored
from tablebase.slices.material import Material, material_name
from tablebase.tables.format import FORMAT_VERSION
from tablebase.tables.missing import missing_table
from tablebase.tables.summary import Summary
from tablebase.values import Codes, Coding

hdf5 = threading.RLock()
"""HDF5 itself is not thread-safe. It only tells where chunks stand; reading and decompressing them needs no lock."""
_local = threading.local()


def _decompressor() -> zstandard.ZstdDecompressor:
    """The thread's decompressor; to make one takes longer than to decompress a chunk."""
    if not hasattr(_local, "decompressor"):
        _local.decompressor = zstandard.ZstdDecompressor()
    found: zstandard.ZstdDecompressor = _local.decompressor
    return found


@dataclass(frozen=True)
class Header:
    """What a table file says of itself.

    Parameters
    ----------
    coding : Coding
    chunk : int
        Codes a chunk.
    summaries : dict of int to Summary
        By stored side to move.
    values_sha256 : str
        Of the codes as a reader sees them, side after side.
    """

    coding: Coding
    chunk: int
    summaries: dict[int, Summary]
    values_sha256: str


class Table:
    """A table file open for reading; safe to use from several threads.

    Parameters
    ----------
    path : Path
    game : Game
    material : Material

    Raises
    ------
    MissingTableError
        If there is no such file.
    CorruptTableError
        If it is no table of this material.
    StaleTableError
        If it was built under other rules or another format.
    """

    def __init__(self, path: Path, game: Game, material: Material) -> None:
        self.path = path
        self.game = game
        self.material = material
        self.layout = layout_of(game, material)
        self._places: dict[tuple[int, int], tuple[int, int]] = {}
        if not path.exists():
            raise missing_table(game, material, path.parent.parent.parent)
        try:
            self._raw = os.open(path, os.O_RDONLY)
            self._close_raw = weakref.finalize(self, os.close, self._raw)
            with hdf5:
                self._file = h5py.File(path, "r")
        except OSError as fault:
            raise _open_error(path, fault) from fault
        try:
            with hdf5:
                self.header = self._read_header()
        except (OSError, KeyError, ValueError, TypeError, RuntimeError, TablebaseError) as fault:
            self.close()
            if isinstance(fault, TablebaseError):
                raise
            raise CorruptTableError(f"is not a readable table file ({fault})", path) from fault

    def _read_header(self) -> Header:
        attributes = {name: value.decode() if isinstance(value, bytes) else value for name, value in self._file.attrs.items()}
        name = material_name(self.game, self.material)
        if attributes["format"] != "tablebase" or attributes["game"] != self.game.name or attributes["material"] != name:
            raise CorruptTableError(f"is not the table {name} of {self.game.name}", self.path)
        versions = (int(attributes["format_version"]), int(attributes["index_version"]))
        if versions != (FORMAT_VERSION, INDEX_VERSION) or attributes["rules_digest"] != self.game.digest:
            raise StaleTableError(self.path, self.game.name)
        self._data = {side: self._file[self.game.sides[side].letter] for side in sides_stored(self.game, self.material)}
        first = self._data[0]
        coding = Coding(int(attributes["stride"]), str(first.dtype))
        summaries = {
            side: Summary(coding, tuple(data.attrs["histogram"].tolist()), tuple(data.attrs["first"].tolist()))
            for side, data in self._data.items()
        }
        return Header(coding, int(first.chunks[0]), summaries, str(attributes["values_sha256"]))

    @property
    def coding(self) -> Coding:
        """How the codes are to be read."""
        return self.header.coding

    def chunk(self, side: int, number: int) -> Codes:
        """Codes of one chunk; the last one is cut to the table's size."""
        begin = number * self.header.chunk
        try:
            offset, size = self._chunk_place(side, begin)
            raw = _decompressor().decompress(os.pread(self._raw, size, offset))
        except (OSError, RuntimeError, zstandard.ZstdError) as fault:
            raise CorruptTableError(f"cannot be read ({fault})", self.path) from fault
        codes: Codes = np.frombuffer(raw, dtype=self.coding.dtype)
        if len(codes) != self.header.chunk:
            raise CorruptTableError("has a chunk of the wrong size", self.path)
        return codes[: self.layout.size - begin]

    def _chunk_place(self, side: int, begin: int) -> tuple[int, int]:
        """Where in the file the chunk from an index on stands, and its size; asked of HDF5 once."""
        place = self._places.get((side, begin))
        if place is None:
            with hdf5:
                info = self._data[side].id.get_chunk_info_by_coord((begin,))
            place = self._places[side, begin] = (int(info.byte_offset), int(info.size))
        return place

    def chunks(self, side: int) -> Iterator[Codes]:
        """All codes of a side to move in chunks, in order."""
        for number in range(-(-self.layout.size // self.header.chunk)):
            yield self.chunk(side, number)

    def read(self, side: int) -> Codes:
        """All codes of a side to move at once, shape (layout.size,)."""
        codes = np.empty(self.layout.size, dtype=self.coding.dtype)
        begin = 0
        for block in self.chunks(side):
            codes[begin : begin + len(block)] = block
            begin += len(block)
        return codes

    def codes_at(self, side: int, index: NDArray[np.int64]) -> Codes:
        """Codes of a batch of indices, each chunk decompressed once; the indices may come in any order."""
        codes = np.empty(len(index), dtype=self.coding.dtype)
        order = np.argsort(index, kind="stable")
        numbers = index[order] // self.header.chunk
        for number, begin, end in _runs(numbers):
            where = order[begin:end]
            codes[where] = self.chunk(side, number)[index[where] - number * self.header.chunk]
        return codes

    def codes_between(self, side: int, begin: int, end: int) -> Codes:
        """Codes of the indices from `begin` up to `end`."""
        first, last = begin // self.header.chunk, (end - 1) // self.header.chunk
        parts = [self.chunk(side, number) for number in range(first, last + 1)]
        start = first * self.header.chunk
        return np.concatenate(parts)[begin - start : end - start] if len(parts) > 1 else parts[0][begin - start : end - start]

    def values_digest(self, codes: dict[int, Codes]) -> str:
        """SHA-256 of codes that have been read, by side to move."""
        digest = hashlib.sha256()
        for side in self._data:
            digest.update(codes[side].data)
        return digest.hexdigest()

    def close(self) -> None:
        """Close the file; the table is of no use afterwards."""
        self._close_raw()
        with hdf5:
            self._file.close()


def _open_error(path: Path, fault: OSError) -> TablebaseError:
    """What to say of a file that cannot be opened: a table's fault only where HDF5 does not know it."""
    if fault.errno in (errno.EMFILE, errno.ENFILE, errno.EACCES, errno.EPERM):
        return TablebaseError(f"{path} cannot be opened ({os.strerror(fault.errno)})")
    return CorruptTableError(f"is not a readable table file ({fault})", path)


def _runs(ordered: NDArray[np.int64]) -> Iterator[tuple[int, int, int]]:
    """(value, begin, end) of each run of equal values."""
    starts = np.flatnonzero(np.diff(ordered, prepend=-1))
    ends = [*starts[1:].tolist(), len(ordered)][: len(starts)]
    for begin, end in zip(starts.tolist(), ends, strict=True):
        yield int(ordered[begin]), begin, end
