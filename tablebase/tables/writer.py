"""Writing a table: a sealed draft, safe on disk under a temporary name, and then published under its own name."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import h5py
import numpy as np

from tablebase.errors import CorruptTableError, system_error
from tablebase.game import Game
from tablebase.positions.indexing import layout_of
from tablebase.positions.location import sides_stored
from tablebase.positions.material import Material
from tablebase.system.compute.messages import reports
from tablebase.system.compute.threads import each
from tablebase.system.files.outputs import draft_of
from tablebase.tables.folder import USER_BLOCK, file_sha256, seal, title
from tablebase.tables.hdf5 import framed, new_dataset
from tablebase.tables.header import BUILT, Form, root_attributes
from tablebase.tables.reader import OTHER_VALUES, Table, hdf5
from tablebase.tables.summary import CodeTally, LayoutCounts, Summary
from tablebase.tables.values import SLAB, Codes, CodeSource, Coding


class NewDataset(NamedTuple):
    """A dataset to be written."""

    name: str
    size: int
    dtype: str
    attributes: Mapping[str, Sequence[int]]
    frames: Iterable[bytes]  # compressed chunks


def write_draft(path: Path, game: Game, material: Material, codes: Sequence[CodeSource], coding: Coding) -> Path:
    """Write a table under a temporary name next to `path`, where `publish` will move it; sync it to disk, and return that name.

    There is a source of the codes of all indices for each side to move that the table stores; void indices hold `coding.void`.
    """

    def write(draft: Path) -> None:
        layout, values = layout_of(game, material), hashlib.sha256()
        chunk, counts = BUILT.chunk(layout.size, coding.dtype), LayoutCounts(layout, coding)
        total = len(codes) * layout.size
        sides = (
            _encode_side(side, counts, coding, chunk, values, reports("writing", number * layout.size, total))
            for number, side in enumerate(codes)
        )
        _write_sides(draft, game, material, coding, BUILT, values, sides)

    return write_sealed(path, title(game, material), write)


def rewrite_draft(path: Path, table: Table, form: Form) -> Path:
    """Write a table again in another form, under a temporary name next to `path`; see `write_draft`.

    Raise `CorruptTableError` if the table does not hold the values it was written with.
    """

    def write(draft: Path) -> None:
        values, size = hashlib.sha256(), table.layout.size
        total = len(table.header.summaries) * size
        sides = (
            (summary, compressed_again(table.source(side), form, values, reports("writing", number * size, total)))
            for number, (side, summary) in enumerate(table.header.summaries.items())
        )
        _write_sides(draft, table.game, table.material, table.coding, form, values, sides)
        if values.hexdigest() != table.values_sha256:
            raise CorruptTableError(OTHER_VALUES, table.path)

    return write_sealed(path, title(table.game, table.material), write)


def write_sealed(path: Path, title: str, write: Callable[[Path], None]) -> Path:
    """Write an HDF5 file with a user block under a temporary name next to `path`, seal it, sync it, and return that name."""
    with drafted(path) as draft:
        write(draft)
        block = seal(title, file_sha256(draft, USER_BLOCK))
        with draft.open("r+b") as file:
            file.write(block)
            file.flush()
            os.fsync(file.fileno())
    return draft


@contextmanager
def drafted(path: Path) -> Iterator[Path]:
    """A temporary name next to `path` for what is written in the block, which is removed if that fails."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = draft_of(path)
    try:
        yield draft
    except BaseException as error:
        draft.unlink(missing_ok=True)
        refused = _system_error(error)
        if refused is None:
            raise
        raise system_error(refused, path) from error


def _system_error(error: BaseException) -> OSError | None:
    """Return the operating system error, if that is the error; HDF5's own sentence is a page of addresses and descriptors."""
    if isinstance(error, OSError):
        return error
    # When HDF5 fails to close a file, h5py does not say so with an `OSError`.
    number = re.search(r"errno = (\d+)", str(error)) if isinstance(error, RuntimeError) else None
    return None if number is None else OSError(int(number[1]), str(error))


def _write_sides(
    path: Path,
    game: Game,
    material: Material,
    coding: Coding,
    form: Form,
    values: Any,
    sides: Iterable[tuple[Summary, Iterable[bytes]]],
) -> None:
    """Write statistics and compressed chunks of each stored side, and in the end the digest of what they have added to `values`."""
    size = layout_of(game, material).size
    datasets = (
        NewDataset(game.sides[side].letter, size, coding.dtype, {"histogram": counts.histogram, "first": counts.first}, frames)
        for side, (counts, frames) in zip(sides_stored(game, material), sides, strict=True)
    )
    write_hdf5(path, form, datasets, lambda: root_attributes(game, material, coding.stride, values.hexdigest()))


def write_hdf5(path: Path, form: Form, datasets: Iterable[NewDataset], attributes: Callable[[], Mapping[str, str | int]]) -> None:
    """Write datasets into an HDF5 file behind a user block, and then the file's attributes."""
    with hdf5, h5py.File(path, "w", locking=False, userblock_size=USER_BLOCK, libver=("v110", "v110")) as file:
        for data in datasets:
            chunk = form.chunk(data.size, data.dtype)
            dataset = new_dataset(file, data.name, data.size, data.dtype, chunk, form.level)
            # Before the chunks, because HDF5 would need more room for them behind those.
            for name, numbers in data.attributes.items():
                dataset.attrs[name] = np.array(numbers, dtype=np.int64)
            for place, frame in enumerate(data.frames):
                dataset.id.write_direct_chunk((place * chunk,), frame)
        for name, value in attributes().items():
            # Fixed-length text is stored in the object header, which HDF5 protects with a checksum.
            file.attrs[name] = np.bytes_(value.encode()) if isinstance(value, str) else value


def _encode_side(
    codes: CodeSource, counts: LayoutCounts, coding: Coding, chunk: int, digest: Any, report: Callable[[int], None]
) -> tuple[Summary, list[bytes]]:
    """Compress, hash and count all codes of a side to move; return the counts and the compressed chunks."""
    frames: list[bytes] = []
    tally = CodeTally(coding)
    done = 0
    for values, some, counted in each(partial(_encode, counts, coding.void, chunk), _slabs(codes, coding.void, chunk)):
        tally.merge(counted)
        digest.update(values)
        frames += some
        done += len(values)
        report(done)
    return tally.summary(), frames


def compressed_again(values: CodeSource, form: Form, digest: Any, report: Callable[[int], None]) -> Iterator[bytes]:
    """Compress and hash all values of a dataset."""
    chunk, done = form.chunk(len(values), values.dtype), 0
    # They are read in this thread, which may hold the lock of HDF5.
    for some, frames in each(partial(framed, chunk, form.level), _blocks(values, chunk)):
        digest.update(some.data)
        yield from frames
        done += len(some)
        report(done)


def _blocks(codes: CodeSource, chunk: int) -> Iterator[Codes]:
    """All codes, in whole chunks."""
    size = -(-SLAB // chunk) * chunk
    return (codes[begin : begin + size] for begin in range(0, len(codes), size))


def _slabs(codes: CodeSource, void: int, chunk: int) -> Iterator[tuple[int, Codes, int]]:
    """All codes, in whole chunks: where some begin, these, and the last code before them that is not void."""
    # Imported here because Numba is slow to load.
    from tablebase.tables.code_kernels import last_code

    begin = before = 0
    for block in _blocks(codes, chunk):
        yield begin, block, before
        begin += len(block)
        before = last_code(block, void, before)


def _encode(counts: LayoutCounts, void: int, chunk: int, slab: tuple[int, Codes, int]) -> tuple[Codes, list[bytes], CodeTally]:
    """A slab as a reader will see it, each void replaced by the code before it; its compressed chunks; and its counts."""
    begin, codes, before = slab
    return *framed(chunk, BUILT.level, fill_void(codes, void, before)), counts.tally(codes, begin)


def fill_void(codes: Codes, void: int, before: int) -> Codes:
    """The codes with each void replaced by the last code before it that is not void; `before` precedes the first one."""
    # Imported here because Numba is slow to load.
    from tablebase.tables.code_kernels import fill_gaps

    filled = np.empty_like(codes)
    fill_gaps(codes, void, before, filled)
    return filled
