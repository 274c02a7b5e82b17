"""Reading a table file: one index, a batch, or everything in chunks."""

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

from tablebase.errors import NO_RIGHT, CorruptTableError, StaleTableError, TablebaseError, system_error
from tablebase.game import Game
from tablebase.slices.indexing import INDEX_VERSION, layout_of
from tablebase.slices.location import sides_stored
from tablebase.slices.material import Material, material_name
from tablebase.tables.format import FORMAT_VERSION
from tablebase.tables.missing import missing_table
from tablebase.tables.summary import Summary
from tablebase.values import Codes, Coding

hdf5 = threading.RLock()
"""HDF5 is not thread-safe. It only locates the chunks; reading and decompressing them needs no lock."""
_local = threading.local()


def _decompressor() -> zstandard.ZstdDecompressor:
    """The thread's decompressor; making one takes longer than decompressing a chunk."""
    if not hasattr(_local, "decompressor"):
        _local.decompressor = zstandard.ZstdDecompressor()
    decompressor: zstandard.ZstdDecompressor = _local.decompressor
    return decompressor


@dataclass(frozen=True)
class Header:
    """The metadata of a table file.

    Parameters
    ----------
    coding : Coding
    chunk : int
        Codes per chunk.
    summaries : dict of int to Summary
        By stored side to move.
    values_sha256 : str
        SHA-256 of the decoded codes, one side after the other.
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
        If the file is not a table of this material.
    StaleTableError
        If it was built under other rules or in another format.
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
        """Open the data sets and read the metadata; see `Table` for the errors."""
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
        """The coding of the codes."""
        return self.header.coding

    def chunk(self, side: int, number: int) -> Codes:
        """Codes of one chunk; the last chunk is cut to the table's size."""
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
        """The offset in the file and the size of the chunk that begins at an index; HDF5 is queried only once."""
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
        """All codes of a side to move, shape (layout.size,)."""
        codes = np.empty(self.layout.size, dtype=self.coding.dtype)
        begin = 0
        for chunk in self.chunks(side):
            codes[begin : begin + len(chunk)] = chunk
            begin += len(chunk)
        return codes

    def codes_at(self, side: int, index: NDArray[np.int64]) -> Codes:
        """Codes of indices in any order; each chunk is decompressed once."""
        codes = np.empty(len(index), dtype=self.coding.dtype)
        order = np.argsort(index, kind="stable")
        numbers = index[order] // self.header.chunk
        for number, begin, end in _runs(numbers):
            rows = order[begin:end]
            codes[rows] = self.chunk(side, number)[index[rows] - number * self.header.chunk]
        return codes

    def codes_between(self, side: int, begin: int, end: int) -> Codes:
        """Codes of the indices from `begin` up to, but not including, `end`."""
        first, last = begin // self.header.chunk, (end - 1) // self.header.chunk
        chunks = [self.chunk(side, number) for number in range(first, last + 1)]
        start = first * self.header.chunk
        return (np.concatenate(chunks) if len(chunks) > 1 else chunks[0])[begin - start : end - start]

    def values_digest(self, codes: dict[int, Codes]) -> str:
        """SHA-256 of the table's codes, given by side to move as `read` returns them."""
        digest = hashlib.sha256()
        for side in self._data:
            digest.update(codes[side].data)
        return digest.hexdigest()

    def close(self) -> None:
        """Close the file; the table cannot be used afterwards."""
        self._close_raw()
        with hdf5:
            self._file.close()


def _open_error(path: Path, fault: OSError) -> TablebaseError:
    """The error for a file that cannot be opened: corrupt unless the operating system denied access."""
    if fault.errno in (errno.EMFILE, errno.ENFILE, *NO_RIGHT):
        return system_error(fault, path)
    return CorruptTableError(f"is not a readable table file ({fault})", path)


def _runs(ordered: NDArray[np.int64]) -> Iterator[tuple[int, int, int]]:
    """(value, begin, end) of each run of equal values."""
    starts = np.flatnonzero(np.diff(ordered, prepend=-1))
    ends = [*starts[1:].tolist(), len(ordered)][: len(starts)]
    for begin, end in zip(starts.tolist(), ends, strict=True):
        yield int(ordered[begin]), begin, end
