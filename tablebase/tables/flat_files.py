"""Sealed files of a few datasets with one dimension: those of layers, and those of exact values of games by functions."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import h5py
import numpy as np
from numpy.typing import NDArray

from tablebase.errors import CorruptTableError, StaleTableError
from tablebase.system.compute.messages import reach
from tablebase.tables import hdf5 as parts
from tablebase.tables.cached_chunks import CachedChunks
from tablebase.tables.folder import USER_BLOCK, open_file
from tablebase.tables.hdf5 import ZSTANDARD, content_bytes, decompressed, filters_of, framed, new_dataset
from tablebase.tables.header import FORMS, Form
from tablebase.tables.reader import ERRORS, NO_TABLE, RawFile, hdf5, read_error
from tablebase.tables.values import SLAB
from tablebase.tables.writer import write_sealed


class Written(NamedTuple):
    """A dataset to be written."""

    name: str
    size: int
    dtype: np.dtype[Any]
    some: Callable[[slice], NDArray[Any]]  # the values at some places


def write_flat(
    path: Path, title: str, form: Form, datasets: Sequence[Written], attributes: Callable[[str], Mapping[str, str | int]]
) -> Path:
    """Write and sync a sealed file under a temporary name next to `path`; return that name.

    `attributes` are those of the file, given the SHA-256 of all values, one dataset after the other.
    """

    def write(draft: Path) -> None:
        digest = hashlib.sha256()
        total, done = sum(data.size for data in datasets), 0
        with hdf5, h5py.File(draft, "w", locking=False, userblock_size=USER_BLOCK, libver=("v110", "v110")) as file:
            for data in datasets:
                chunk = form.chunk(data.size, data.dtype)
                stored = new_dataset(file, data.name, data.size, data.dtype.str, chunk, form.level)
                # A slab has whole chunks.
                slab = -(-SLAB // chunk) * chunk
                for begin in range(0, data.size, slab):
                    values, frames = framed(chunk, form.level, data.some(slice(begin, begin + slab)))
                    for number, frame in enumerate(frames):
                        stored.id.write_direct_chunk((begin + number * chunk,), frame)
                    digest.update(values.tobytes())
                    reach("writing", done + begin, total)
                done += data.size
            for name, value in attributes(digest.hexdigest()).items():
                file.attrs[name] = np.bytes_(value.encode()) if isinstance(value, str) else value

    return write_sealed(path, title, write)


class FlatFile(ABC):
    """Such a file, open for reading; `CorruptTableError` if it cannot be read."""

    title: str  # in the seal
    attributes: Callable[[str], Mapping[str, str | int]]  # see `write_flat`
    values_sha256: str  # of all values, one dataset after the other

    def __init__(self, path: Path) -> None:
        self.path = path
        self._chunks: dict[str, tuple[int, int, np.dtype[Any]]] = {}  # by dataset: its size, values in a chunk, their type
        self._datasets: dict[str, Any] = {}
        with hdf5:
            self._file = opened_hdf5(path)
            try:
                self._check(self._file.id)
            except ERRORS as error:
                self._file.close()
                raise read_error(path, error, NO_TABLE) from error
            except Exception:
                self._file.close()
                raise

    @abstractmethod
    def _check(self, root: Any) -> None:
        """Set `title` and `attributes`, check the attributes with `_compare`, and each dataset with `_expect`."""

    def _compare(self, root: Any, game: str, table: str, names: Sequence[str], versions: Sequence[str]) -> None:
        """Raise an error unless the file's attributes are `attributes`: those that name the `table`, and those of its version."""
        expected = self.attributes("")
        for name in names:
            if parts.text(root, name) != expected[name]:
                raise CorruptTableError(f"is not the table {table}", self.path)
        for name in versions:
            if parts.text_or_number(root, name, expected[name]) != expected[name]:
                raise StaleTableError(self.path, game)
        self.values_sha256 = parts.text(root, "values_sha256")

    def _expect(self, root: Any, name: str, size: int, dtype: np.dtype[Any]) -> None:
        """Raise `ValueError` unless a dataset has so many values of a type, in chunks as they are written."""
        data = parts.dataset(root, name)
        form = data.get_create_plist()
        parts.require(data.shape == (size,), f"its dataset {name} does not have the right size")
        parts.require(data.get_type().equal(h5py.h5t.py_create(dtype)), f"its dataset {name} does not have the right type")
        parts.require(form.get_layout() == h5py.h5d.CHUNKED, f"its dataset {name} is not divided into chunks")
        (chunk,) = form.get_chunk()
        parts.require(chunk in {known.chunk(size, dtype) for known in FORMS}, f"its dataset {name} has other chunks")
        parts.require(filters_of(data) == [ZSTANDARD], f"its dataset {name} is not compressed with Zstandard alone")
        parts.require(data.get_num_chunks() == -(-size // chunk), f"its dataset {name} lacks chunks")
        self._chunks[name], self._datasets[name] = (size, int(chunk), dtype), data

    def chunk_values(self, name: str) -> int:
        """Values in a chunk of a dataset."""
        return self._chunks[name][1]

    def some(self, name: str, places: slice) -> NDArray[Any]:
        """The values of a dataset at some places; `CorruptTableError` if they cannot be read."""
        size, chunk, _ = self._chunks[name]
        begin, end, _ = places.indices(size)
        first, behind = begin // chunk, -(-end // chunk)
        chunks = [self.chunk(name, number) for number in range(first, behind)]
        return np.concatenate(chunks)[begin - first * chunk : end - first * chunk]

    def at(self, name: str, places: NDArray[np.int64], chunks: CachedChunks) -> NDArray[Any]:
        """The values of a dataset at places in any order; each chunk is looked up once."""
        _, chunk, dtype = self._chunks[name]
        found = np.empty(len(places), dtype)
        order = np.argsort(places, kind="stable")
        for some in np.split(order, np.flatnonzero(np.diff(places[order] // chunk)) + 1) if len(places) else ():
            number = int(places[some[0]]) // chunk
            found[some] = self.cached(chunks, name, number)[places[some] - number * chunk]
        return found

    def cached(self, chunks: CachedChunks, name: str, number: int) -> NDArray[Any]:
        """A chunk of a dataset, from the cache if it is there."""
        return chunks.get((self, name, number), partial(self.chunk, name, number))

    def chunk(self, name: str, number: int) -> NDArray[Any]:
        """A chunk of a dataset; the last one is longer than the dataset."""
        _, chunk, dtype = self._chunks[name]
        try:
            with hdf5:
                unfiltered, frame = self._datasets[name].read_direct_chunk((number * chunk,))
            whole = not unfiltered and content_bytes(frame) == chunk * dtype.itemsize
            parts.require(whole, "a chunk is not compressed, or of the wrong size")
            return np.frombuffer(decompressed(frame), dtype)
        except ERRORS as error:
            raise read_error(self.path, error) from error

    def read_slabs(self, name: str, noted: Callable[[slice, NDArray[Any]], None]) -> None:
        """Read a dataset, each slab of which is `noted`."""
        for begin in range(0, self._chunks[name][0], SLAB):
            noted(slice(begin, begin + SLAB), self.some(name, slice(begin, begin + SLAB)))

    def check_values(self, noted: Callable[[str, slice, NDArray[Any]], None] = lambda *_: None) -> None:
        """Read all values, each slab of which is `noted`; `CorruptTableError` if they are not those that were written."""
        digest = hashlib.sha256()
        for name in self._chunks:

            def note(places: slice, values: NDArray[Any], name: str = name) -> None:
                digest.update(values.data)
                noted(name, places, values)

            self.read_slabs(name, note)
        if digest.hexdigest() != self.values_sha256:
            raise CorruptTableError("does not hold the values it was written with", self.path)

    def rewrite(self, path: Path, form: Form) -> Path:
        """Write the table again in another form, under a temporary name next to `path`; return that name."""
        datasets = [Written(name, size, dtype, partial(self.some, name)) for name, (size, _, dtype) in self._chunks.items()]
        return write_flat(path, self.title, form, datasets, self.attributes)

    def close(self) -> None:
        """Close the file."""
        with hdf5:
            self._file.close()


def opened_hdf5(path: Path) -> h5py.File:
    """An HDF5 file behind a user block."""
    try:
        return RawFile(open_file(path)).opened()
    except ERRORS as error:
        raise read_error(path, error, NO_TABLE) from error


def files_stamp(folder: Path, name: str) -> tuple[tuple[str, int], ...]:
    """Something else after a file of a game's tables has come, gone or been replaced."""
    home = folder / name
    places = [home, *sorted(path for path in home.iterdir() if path.is_dir())] if home.is_dir() else []
    return tuple((place.name, place.stat().st_mtime_ns) for place in places)
