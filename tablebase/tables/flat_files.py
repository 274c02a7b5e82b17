"""Sealed files of a few datasets with one dimension: those of layers, and those of exact values of games by functions."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import h5py
import numpy as np
from numpy.typing import NDArray

from tablebase.errors import CorruptTableError
from tablebase.game.rules import Rules
from tablebase.system.compute.messages import reports
from tablebase.tables import hdf5 as parts
from tablebase.tables.cached_chunks import CachedChunks
from tablebase.tables.folder import open_file
from tablebase.tables.header import BUILT, Form, check_attributes, checked_chunk
from tablebase.tables.reader import ERRORS, NO_TABLE, OTHER_VALUES, Dataset, Name, RawFile, SealedFile, read_error
from tablebase.tables.values import SLAB, CodeSource
from tablebase.tables.writer import NewDataset, compressed_again, write_hdf5, write_sealed


class Head(NamedTuple):
    """All that a file says beside its values."""

    title: str  # in the seal
    attributes: Mapping[str, str | int]  # in order; the SHA-256 of all values, one dataset after the other, is the last one


def head_of(rules: Rules[Any], place: str, form: str, version: int, **more: str | int) -> Head:
    """The head of a file of a game, whose title ends with its `place`, with `more` attributes than those of all files."""
    known: dict[str, str | int] = {"format": form, "format_version": version, "game": rules.name, "rules_digest": rules.digest}
    return Head(f"{rules.name} {place}", {**known, **more})


def write_flat(path: Path, head: Head, datasets: Mapping[str, CodeSource], form: Form = BUILT) -> Path:
    """Write and sync a sealed file under a temporary name next to `path`; return that name."""

    def write(draft: Path) -> None:
        digest, done = hashlib.sha256(), 0
        total = sum(map(len, datasets.values()))
        stored = []
        for name, values in datasets.items():
            frames = compressed_again(values, form, digest, reports("writing", done, total))
            stored.append(NewDataset(name, len(values), values.dtype.str, {}, frames))
            done += len(values)
        write_hdf5(draft, form, stored, lambda: {**head.attributes, "values_sha256": digest.hexdigest()})

    return write_sealed(path, head.title, write)


class FlatFile(SealedFile):
    """Such a file, open for reading."""

    head: Head

    def _compare(self, root: Any, table: str, names: Sequence[str], versions: Sequence[str]) -> None:
        """Compare the file's attributes with those of `head`: see `check_attributes`."""
        check_attributes(root, self.path, self.head.attributes, table, names, versions)
        self.values_sha256, self.datasets = parts.text(root, "values_sha256"), {}

    def _expect(self, root: Any, name: str, size: int, dtype: np.dtype[Any]) -> None:
        """Raise `ValueError` unless a dataset has so many values of a type, in chunks as they are written."""
        data = parts.dataset(root, name)
        parts.require(data.get_type().equal(h5py.h5t.py_create(dtype)), f"its dataset {name} does not have the right type")
        self.datasets[name] = Dataset(data, size, checked_chunk(data, size, dtype), dtype)

    def chunk_values(self, name: str) -> int:
        """Values in a chunk of a dataset."""
        return self.datasets[name].chunk

    def cached(self, chunks: CachedChunks, name: str, number: int) -> NDArray[Any]:
        """A chunk of a dataset, from the cache if it is there."""
        return chunks.get((self, name, number), partial(self.chunk, name, number))

    def cached_at(self, name: str, places: NDArray[np.int64], chunks: CachedChunks) -> NDArray[Any]:
        """The values of a dataset at places in any order; each chunk is looked up once."""
        return self.at(name, places, partial(self.cached, chunks, name))

    def slabs(self, name: Name) -> Iterator[tuple[slice, NDArray[Any]]]:
        """Yield all values of a dataset, each slab with its places."""
        values = self.source(name)
        for begin in range(0, len(values), SLAB):
            places = slice(begin, min(begin + SLAB, len(values)))
            yield places, values[places]

    def check_values(self, noted: Callable[[str, slice, NDArray[Any]], None] = lambda *_: None) -> None:
        """Read all values, each slab of which is `noted`; `CorruptTableError` if they are not those that were written."""
        digest = hashlib.sha256()
        for name in self.datasets:
            for places, values in self.slabs(name):
                digest.update(values.data)
                noted(str(name), places, values)
        if digest.hexdigest() != self.values_sha256:
            raise CorruptTableError(OTHER_VALUES, self.path)

    def rewrite(self, path: Path, form: Form) -> Path:
        """Write the table again in another form, under a temporary name next to `path`; return that name."""
        return write_flat(path, self.head, {str(name): self.source(name) for name in self.datasets}, form)


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
