"""One table, one HDF5 file: read a point, a batch, or all in chunks; `tablebase.drafts` writes it.

A file never changes once it has its name. Its first 512 bytes (HDF5 calls them the user block) hold a
line with the SHA-256 of all the rest, so that a file can be checked without anything beside it. It holds
no time stamps: the same table gives the same bytes. `docs/file-format.md` describes it in full.
"""

from __future__ import annotations

import errno
import hashlib
import os
import threading
import weakref
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy as np
import zstandard
from numpy.typing import NDArray

from tablebase.errors import CorruptTableError, MissingTableError, StaleTableError, TablebaseError
from tablebase.game import Game
from tablebase.indexing import INDEX_VERSION, layout
from tablebase.material import Material, material_name
from tablebase.routes import sides_stored
from tablebase.summary import Summary
from tablebase.values import Codes, Coding

FORMAT_VERSION = 1
USER_BLOCK = 512
CACHED_CHUNKS = 4096
OPEN_FILES = 256
SUFFIX = ".h5"

hdf5 = threading.RLock()
"""HDF5 itself is not thread-safe. It only tells where chunks stand; reading and decompressing them needs no lock."""
_local = threading.local()


def _decompressor() -> zstandard.ZstdDecompressor:
    """The thread's decompressor; to make one takes longer than to decompress a chunk."""
    if not hasattr(_local, "decompressor"):
        _local.decompressor = zstandard.ZstdDecompressor()
    found: zstandard.ZstdDecompressor = _local.decompressor
    return found


def table_path(folder: Path, game: Game, material: Material) -> Path:
    """Where the table of a material stands in a tablebase."""
    return slice_folder(folder, game, material.pieces) / (material_name(game, material) + SUFFIX)


def slice_folder(folder: Path, game: Game, pieces: int) -> Path:
    """Where the tables with so many pieces stand."""
    return folder / game.name / str(pieces)


def digest_behind(path: Path) -> str:
    """SHA-256 of all that stands behind the user block of a file."""
    with path.open("rb") as file:
        file.seek(USER_BLOCK)
        return hashlib.file_digest(file, "sha256").hexdigest()


def seal(game: Game, material: Material, digest: str) -> bytes:
    """The user block of a table's file."""
    title = f"tablebase {FORMAT_VERSION} {game.name} {material_name(game, material)}"
    return f"{title} sha256={digest}\n".encode().ljust(USER_BLOCK, b"\0")


def check_seal(path: Path, game: Game, material: Material) -> None:
    """Raise `CorruptTableError` unless every byte of the file is as it was written."""
    expected = seal(game, material, digest_behind(path))
    with path.open("rb") as file:
        if file.read(USER_BLOCK) != expected:
            raise CorruptTableError(f"{path} is not as it was written (SHA-256 differs): delete it and build it again")


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
        self.layout = layout(game, material)
        self._places: dict[tuple[int, int], tuple[int, int]] = {}
        if not path.exists():
            raise MissingTableError(missing_sentence(game, material, path.parent.parent.parent))
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
            raise CorruptTableError(f"{path} is not a readable table file ({fault}): delete it and build it again") from fault

    def _read_header(self) -> Header:
        attributes = {name: value.decode() if isinstance(value, bytes) else value for name, value in self._file.attrs.items()}
        name = material_name(self.game, self.material)
        if attributes["format"] != "tablebase" or attributes["game"] != self.game.name or attributes["material"] != name:
            raise CorruptTableError(f"{self.path} is not the table {name} of {self.game.name}: delete it and build it again")
        versions = (int(attributes["format_version"]), int(attributes["index_version"]))
        if versions != (FORMAT_VERSION, INDEX_VERSION) or attributes["rules_digest"] != self.game.digest:
            raise StaleTableError(
                f"{self.path} was built under other rules of {self.game.name} than those installed: delete it and build it again"
            )
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
            raise CorruptTableError(f"{self.path} cannot be read ({fault}): delete it and build it again") from fault
        codes: Codes = np.frombuffer(raw, dtype=self.coding.dtype)
        if len(codes) != self.header.chunk:
            raise CorruptTableError(f"{self.path} has a chunk of the wrong size: delete it and build it again")
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
    return CorruptTableError(f"{path} is not a readable table file ({fault}): delete it and build it again")


def _runs(ordered: NDArray[np.int64]) -> Iterator[tuple[int, int, int]]:
    """(value, begin, end) of each run of equal values."""
    starts = np.flatnonzero(np.diff(ordered, prepend=-1))
    ends = [*starts[1:].tolist(), len(ordered)][: len(starts)]
    for begin, end in zip(starts.tolist(), ends, strict=True):
        yield int(ordered[begin]), begin, end


def missing_sentence(game: Game, material: Material, folder: Path) -> str:
    """The sentence that names a missing table and the command that builds it."""
    name = material_name(game, material)
    command = f"tablebase build {game.name} --material {name} --data {folder}"
    return f"the table {name} of {game.name} has not been built: run '{command}'"


def unbuilt_sentence(game: Game, pieces: int, folder: Path) -> str:
    """The sentence that says that there is nothing with so many pieces, and the command that builds it."""
    command = f"tablebase build {game.name} --pieces {pieces} --data {folder}"
    return f"no table of {game.name} with {pieces} pieces has been built: run '{command}'"


def unregistered_sentence(game: Game, folder: Path) -> str:
    """The sentence that says that there is no table at all, and the command that builds the first."""
    return f"no table of {game.name} is registered in {folder}: run 'tablebase build {game.name} --pieces 2 --data {folder}'"


class Store:
    """The tables of a folder: files opened when first asked for, recent chunks kept decoded.

    Safe to use from several threads.

    Parameters
    ----------
    folder : Path
    """

    def __init__(self, folder: Path) -> None:
        if folder.exists() and not folder.is_dir():
            raise TablebaseError(f"{folder} is a file: name a folder for the tables")
        self.folder = folder
        self._lock = threading.Lock()
        self._tables: OrderedDict[tuple[Game, Material], Table] = OrderedDict()
        self._chunks: OrderedDict[tuple[str, Material, int, int], Codes] = OrderedDict()

    def table(self, game: Game, material: Material) -> Table:
        """The open table of a material that has one of its own; see `Table` for the errors."""
        key = (game, material)
        with self._lock:
            table = self._tables.get(key)
            if table is None:
                table = self._tables[key] = Table(table_path(self.folder, game, material), game, material)
            self._tables.move_to_end(key)
            while len(self._tables) > OPEN_FILES:
                # Not closed here: another thread may be reading it, and the last reference closes it.
                self._tables.popitem(last=False)
        return table

    def code(self, table: Table, side: int, index: int) -> int:
        """Code of one index."""
        number, place = divmod(index, table.header.chunk)
        key = (table.game.name, table.material, side, number)
        with self._lock:
            chunk = self._chunks.get(key)
            if chunk is not None:
                self._chunks.move_to_end(key)
        if chunk is None:
            chunk = table.chunk(side, number)
            with self._lock:
                self._chunks[key] = chunk
                while len(self._chunks) > CACHED_CHUNKS:
                    self._chunks.popitem(last=False)
        return int(chunk[place])

    def close(self) -> None:
        """Close all files."""
        with self._lock:
            for table in self._tables.values():
                table.close()
            self._tables.clear()
            self._chunks.clear()
