"""Writing a table: a sealed draft, safe on disk under a temporary name, and then published under its own name."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import h5py
import hdf5plugin
import numpy as np
import zstandard

from tablebase.compute.stages import reach
from tablebase.compute.threads import each
from tablebase.errors import system_error
from tablebase.game import Game
from tablebase.slices.indexing import layout_of
from tablebase.slices.location import sides_stored
from tablebase.slices.material import Material
from tablebase.tables.format import USER_BLOCK, digest_behind, seal, title
from tablebase.tables.header import chunk_codes, root_attributes
from tablebase.tables.reader import hdf5
from tablebase.tables.summary import LayoutCounts, Summary, Tally
from tablebase.values import SLAB, Codes, Coding, Source

LEVEL = 3
DRAFT_SUFFIX = ".tmp"
_local = threading.local()


def write_draft(path: Path, game: Game, material: Material, codes: Sequence[Source], coding: Coding) -> Path:
    """Write a table under a temporary name next to `path`, sync it to disk, and return that name.

    Parameters
    ----------
    path : Path
        Where `publish` will move it.
    game : Game
    material : Material
    codes : sequence of Source, each with the codes of all indices
        One for each side to move that the table stores; void indices hold `coding.void`.
    coding : Coding
    """
    return write_sealed(path, title(game, material), lambda draft: _write_hdf5(draft, game, material, codes, coding))


def write_sealed(path: Path, title: str, write: Callable[[Path], None]) -> Path:
    """Write an HDF5 file with a user block under a temporary name next to `path`, seal it, sync it, and return that name."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = draft_of(path)
    try:
        write(draft)
        _seal(draft, title)
    except BaseException as fault:
        draft.unlink(missing_ok=True)
        refused = _system_fault(fault)
        if refused is None:
            raise
        raise system_error(refused, path) from fault
    return draft


def draft_of(path: Path) -> Path:
    """A hidden name next to `path` that no other process uses, on this machine or on another one that shares the folder."""
    return path.with_name(f".{path.name}.{secrets.token_hex(8)}{DRAFT_SUFFIX}")


def _system_fault(fault: BaseException) -> OSError | None:
    """What the operating system refused, if that is the fault; HDF5's own sentence is a page of addresses and descriptors."""
    if isinstance(fault, OSError):
        return fault
    # When HDF5 fails to close a file, h5py does not say so with an `OSError`.
    number = re.search(r"errno = (\d+)", str(fault)) if isinstance(fault, RuntimeError) else None
    return None if number is None else OSError(int(number[1]), str(fault))


def publish(draft: Path, path: Path) -> None:
    """Rename a draft to its final path; the file never changes afterwards."""
    os.replace(draft, path)
    _sync(path.parent)


def _write_hdf5(path: Path, game: Game, material: Material, codes: Sequence[Source], coding: Coding) -> None:
    layout = layout_of(game, material)
    values = hashlib.sha256()
    with hdf5, h5py.File(path, "w", userblock_size=USER_BLOCK, libver=("v110", "v110")) as file:
        for number, (side, side_codes) in enumerate(zip(sides_stored(game, material), codes, strict=True)):
            chunk = chunk_codes(layout, coding)
            name = game.sides[side].letter
            dataset = file.create_dataset(name, (layout.size,), coding.dtype, chunks=(chunk,), **hdf5plugin.Zstd(clevel=LEVEL))
            report = partial(_report, number * layout.size, len(codes) * layout.size)
            frames, summary = _encode_side(side_codes, LayoutCounts(layout, coding), coding, chunk, values, report)
            # Before the chunks, because HDF5 would need more room for them behind those.
            dataset.attrs["histogram"] = np.array(summary.histogram, dtype=np.int64)
            dataset.attrs["first"] = np.array(summary.first, dtype=np.int64)
            for place, frame in enumerate(frames):
                dataset.id.write_direct_chunk((place * chunk,), frame)
        for name, value in root_attributes(game, material, coding.stride, values.hexdigest()).items():
            # Fixed-length text is stored in the object header, which HDF5 protects with a checksum.
            file.attrs[name] = np.bytes_(value.encode()) if isinstance(value, str) else value


class _Slab(NamedTuple):
    """Some codes of a side to move."""

    begin: int
    codes: Codes
    before: int  # the last code before them that is not void


class _Encoded(NamedTuple):
    """A slab as it is written."""

    values: Codes  # what a reader will see: each void is replaced by the code before it
    frames: list[bytes]  # the compressed chunks
    counts: Tally


def _report(before: int, total: int, done: int) -> None:
    """Say how many codes have been encoded, `before` of them for the other side to move."""
    reach("writing", before + done, total)


def _encode_side(
    codes: Source, counts: LayoutCounts, coding: Coding, chunk: int, digest: Any, report: Callable[[int], None]
) -> tuple[list[bytes], Summary]:
    """Compress, hash and count all codes of a side to move; return the compressed chunks and the counts."""
    frames: list[bytes] = []
    tally = Tally(coding)
    done = 0
    for slab in each(partial(_encode, counts, coding.void, chunk), _slabs(codes, coding.void, chunk)):
        tally.merge(slab.counts)
        digest.update(slab.values)
        frames += slab.frames
        done += len(slab.values)
        report(done)
    return frames, tally.summary()


def _slabs(codes: Source, void: int, chunk: int) -> Iterator[_Slab]:
    """All codes, in whole chunks."""
    # Imported here because Numba is slow to load.
    from tablebase.tables.kernels import last_code

    before, size = 0, -(-SLAB // chunk) * chunk
    for begin in range(0, len(codes), size):
        slab = _Slab(begin, codes[begin : begin + size], before)
        yield slab
        before = last_code(slab.codes, void, before)


def _encode(counts: LayoutCounts, void: int, chunk: int, slab: _Slab) -> _Encoded:
    """Count and compress a slab."""
    values = fill_void(slab.codes, void, slab.before)
    padding = np.zeros(-len(values) % chunk, dtype=values.dtype)
    whole = np.concatenate([values, padding]) if len(padding) else values
    frames = [compressed(whole[begin : begin + chunk]) for begin in range(0, len(whole), chunk)]
    return _Encoded(values, frames, counts.tally(slab.codes, slab.begin))


def compressed(codes: Codes) -> bytes:
    """A chunk as it is written."""
    # What zstandard returns holds as much memory as the largest frame would take; a copy holds its own size.
    return memoryview(_compressor().compress(codes.data)).tobytes()


def _compressor() -> zstandard.ZstdCompressor:
    """The thread's compressor."""
    if not hasattr(_local, "compressor"):
        _local.compressor = zstandard.ZstdCompressor(level=LEVEL, write_checksum=True)
    compressor: zstandard.ZstdCompressor = _local.compressor
    return compressor


def fill_void(codes: Codes, void: int, before: int) -> Codes:
    """The codes with each void replaced by the last code before it that is not void; `before` precedes the first one."""
    # Imported here because Numba is slow to load.
    from tablebase.tables.kernels import fill_gaps

    filled = np.empty_like(codes)
    fill_gaps(codes, void, before, filled)
    return filled


def _seal(path: Path, title: str) -> None:
    """Write the digest of everything after the user block into the user block, and sync the file."""
    block = seal(title, digest_behind(path))
    with path.open("r+b") as file:
        file.write(block)
        file.flush()
        os.fsync(file.fileno())


def _sync(folder: Path) -> None:
    """Flush a folder's entries to disk; Windows cannot be asked to."""
    if sys.platform == "win32":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
