"""The parts of an HDF5 file: its attributes, its datasets, and their chunks.

Attributes and datasets are read one by one, and only after their types and sizes are known to be right; functions raise
`ValueError`, with a sentence about the file, for what this program does not write. Chunks are Zstandard frames, written and read
without HDF5's own filters: HDF5 itself does not know Zstandard, but a program with a plugin for filter 32015, such as the package
hdf5plugin, reads these datasets like any others.
"""

from __future__ import annotations

import threading
from functools import cache
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import zstandard
from numpy.typing import NDArray

INTEGER = np.dtype("<i8")
LONGEST_TEXT = 1 << 16
"""More bytes than HDF5 keeps in an object header."""
ZSTANDARD = 32015
"""The number under which HDF5 registers Zstandard."""
LEVELS = Path(__file__).with_name("zstandard.h5")
"""An empty dataset for each level of Zstandard, as hdf5plugin 7.1 makes it."""
_local = threading.local()


def require(right: bool, error: str) -> None:
    """Raise `ValueError` with a sentence about the file unless something is right."""
    if not right:
        raise ValueError(error)


def attribute(holder: Any, name: str) -> h5py.h5a.AttrID:
    """An attribute of a file or a dataset."""
    try:
        return h5py.h5a.open(holder, name.encode())
    except KeyError:
        raise ValueError(f"the attribute {name} is missing") from None


def text(holder: Any, name: str) -> str:
    """A text of fixed length."""
    opened = attribute(holder, name)
    kind = opened.get_type()
    fixed = opened.shape == () and kind.get_class() == h5py.h5t.STRING and not kind.is_variable_str()
    require(fixed and kind.get_size() < LONGEST_TEXT, f"its attribute {name} is not a fixed-length string")
    value = np.empty((), dtype=f"S{kind.get_size()}")
    opened.read(value, kind)
    found: str = value.item().decode()
    return found


def number(holder: Any, name: str) -> int:
    """An integer."""
    (found,) = integers(attribute(holder, name), name, ())
    return found


def numbers(holder: Any, name: str, least: int, most: int) -> list[int]:
    """A list of integers, one for each code, of which there are from `least` to `most`."""
    opened = attribute(holder, name)
    shape: tuple[int, ...] = opened.shape or ()  # a null dataspace has no shape
    require(len(shape) == 1 and least <= shape[0] <= most, f"an attribute {name} is not a list with an entry for each code")
    return integers(opened, name, shape)


def integers(opened: h5py.h5a.AttrID, name: str, shape: tuple[int, ...]) -> list[int]:
    """The integers of an attribute of this shape."""
    kind = opened.get_type()
    require(opened.shape == shape and kind.equal(h5py.h5t.STD_I64LE), f"an attribute {name} does not consist of integers")
    value = np.empty(shape, dtype=INTEGER)
    opened.read(value, kind)
    found: list[int] = value.reshape(-1).tolist()
    return found


def dataset(root: Any, name: str) -> h5py.h5d.DatasetID:
    """A dataset of this very file."""
    key = name.encode()
    require(root.links.exists(key), f"the dataset {name} is missing")
    require(root.links.get_info(key).type == h5py.h5l.TYPE_HARD, f"its dataset {name} is a link")
    found = h5py.h5o.open(root, key)
    require(isinstance(found, h5py.h5d.DatasetID), f"its {name} is not a dataset")
    return found


def new_dataset(file: h5py.File, name: str, size: int, dtype: str, chunk: int, level: int) -> h5py.Dataset:
    """Make a dataset of so many elements, divided into chunks that are to be written as frames of this level."""
    form = _form(level).copy()
    form.set_chunk((chunk,))
    kind, space = h5py.h5t.py_create(np.dtype(dtype)), h5py.h5s.create_simple((size,))
    return h5py.Dataset(h5py.h5d.create(file.id, name.encode(), kind, space, form))


@cache
def _form(level: int) -> h5py.h5p.PropDCID:
    """Return how a dataset of a level is stored.

    HDF5 writes a filter's name, which it knows from a plugin or from another dataset. All names come from one file, so that
    the bytes of a table do not depend on the plugin.
    """
    with h5py.File(LEVELS, "r", locking=False) as file:
        return file[str(level)].id.get_create_plist()


def filters_of(dataset: h5py.h5d.DatasetID) -> list[int]:
    """The numbers of the filters of a dataset's chunks."""
    form = dataset.get_create_plist()
    return [form.get_filter(number)[0] for number in range(form.get_nfilters())]


def framed(chunk: int, level: int, values: NDArray[Any]) -> tuple[NDArray[Any], list[bytes]]:
    """Values, and the compressed chunks that hold them; the last chunk is padded with zeros."""
    padding = np.zeros(-len(values) % chunk, dtype=values.dtype)
    whole = np.concatenate([values, padding]) if len(padding) else values
    return values, [compressed(whole[begin : begin + chunk], level) for begin in range(0, len(whole), chunk)]


def compressed(values: NDArray[Any], level: int) -> bytes:
    """A chunk as it is written."""
    # What zstandard returns holds as much memory as the largest frame would take; a copy holds its own size.
    return memoryview(_compressor(level).compress(values.data)).tobytes()


def content_bytes(frame: bytes) -> int:
    """The number of bytes that a compressed chunk says it holds; `zstandard.ZstdError` if it is no frame."""
    return int(zstandard.get_frame_parameters(frame).content_size)


def decompressed(frame: bytes) -> bytes:
    """The bytes of a chunk; `zstandard.ZstdError` if it is not one whole frame."""
    return _decompressor().decompress(frame, allow_extra_data=False)


def _compressor(level: int) -> zstandard.ZstdCompressor:
    known: tuple[int, zstandard.ZstdCompressor] | None = getattr(_local, "compressor", None)
    if known is None or known[0] != level:
        known = _local.compressor = level, zstandard.ZstdCompressor(level=level, write_checksum=True)
    return known[1]


def _decompressor() -> zstandard.ZstdDecompressor:
    """The thread's decompressor; making one takes longer than decompressing a chunk."""
    if not hasattr(_local, "decompressor"):
        _local.decompressor = zstandard.ZstdDecompressor()
    decompressor: zstandard.ZstdDecompressor = _local.decompressor
    return decompressor
