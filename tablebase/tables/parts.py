"""The parts of an HDF5 file, read one by one and only after their types and sizes are known to be right.

Each function raises `ValueError`, with a sentence about the file, for what this program does not write.
"""

from __future__ import annotations

from typing import Any

import h5py
import numpy as np

INTEGER = np.dtype("<i8")
LONGEST_TEXT = 1 << 16
"""More bytes than HDF5 keeps in an object header."""


def require(right: bool, fault: str) -> None:
    """Raise `ValueError` with a sentence about the file unless something is right."""
    if not right:
        raise ValueError(fault)


def attribute(holder: Any, name: str) -> h5py.h5a.AttrID:
    """An attribute of a file or a dataset."""
    try:
        return h5py.h5a.open(holder, name.encode())
    except KeyError:
        raise ValueError(f"it has no attribute {name}") from None


def text(holder: Any, name: str) -> str:
    """A text of fixed length."""
    opened = attribute(holder, name)
    kind = opened.get_type()
    fixed = opened.shape == () and kind.get_class() == h5py.h5t.STRING and not kind.is_variable_str()
    require(fixed and kind.get_size() < LONGEST_TEXT, f"its attribute {name} is not a text of fixed length")
    value = np.empty((), dtype=f"S{kind.get_size()}")
    opened.read(value, kind)
    found: str = value.item().decode()
    return found


def number(holder: Any, name: str) -> int:
    """An integer."""
    (found,) = integers(attribute(holder, name), name, ())
    return found


def text_or_number(holder: Any, name: str, like: str | int) -> str | int:
    """An attribute of the type of another value."""
    return text(holder, name) if isinstance(like, str) else number(holder, name)


def numbers(holder: Any, name: str, least: int, most: int) -> list[int]:
    """A list of integers, one for each code, of which there are from `least` to `most`."""
    opened = attribute(holder, name)
    # A null dataspace has no shape.
    shape: tuple[int, ...] = opened.shape or ()
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
    require(root.links.exists(key), f"it has no dataset {name}")
    require(root.links.get_info(key).type == h5py.h5l.TYPE_HARD, f"its dataset {name} is a link")
    found = h5py.h5o.open(root, key)
    require(isinstance(found, h5py.h5d.DatasetID), f"its {name} is not a dataset")
    return found
