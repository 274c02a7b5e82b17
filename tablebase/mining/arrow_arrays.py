"""Arrow arrays made from plain values, and read as NumPy arrays.

PyArrow's functions for this import pandas wherever it is installed, which takes longer than most statements.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray


def array_of(values: NDArray[Any], missing: NDArray[np.bool_] | None = None) -> pa.Array:
    """Numbers or truth values, null where missing; numbers are not copied.

    Examples
    --------
    >>> array_of(np.array([3, 4]), np.array([False, True])).to_pylist()
    [3, None]
    """
    data = _bits(values) if values.dtype == np.bool_ else np.ascontiguousarray(values)
    valid = None if missing is None else pa.py_buffer(_bits(~missing))
    return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), len(values), [valid, pa.py_buffer(data)])


def array_of_words(words: Iterable[str | None]) -> pa.Array:
    """Words, or null for None."""
    words = list(words)
    encoded = [(word or "").encode() for word in words]
    ends = np.cumsum([0, *map(len, encoded)], dtype=np.int32)
    valid = _bits(np.array([word is not None for word in words], dtype=bool))
    return pa.StringArray.from_buffers(len(words), pa.py_buffer(ends), pa.py_buffer(b"".join(encoded)), pa.py_buffer(valid))


def array_of_numbers(numbers: Sequence[int | bool | None], dtype: type[np.generic]) -> pa.Array:
    """Numbers or truth values, or null for None."""
    missing = np.array([number is None for number in numbers], dtype=bool)
    return array_of(np.array([number or 0 for number in numbers], dtype=dtype), missing)


def numbers_of(array: pa.Array, null: int = 0) -> NDArray[Any]:
    """The numbers of an array, which may not be written to, with another one for null.

    Examples
    --------
    >>> numbers_of(array_of(np.array([3, 4]), np.array([False, True])), null=-1).tolist()
    [3, -1]
    """
    if not array.null_count:
        return np.from_dlpack(array)
    known = np.from_dlpack(array.is_valid().cast(pa.int8())).astype(bool)
    numbers = np.full(len(array), null, dtype=np.from_dlpack(array.drop_null()).dtype)
    numbers[known] = np.from_dlpack(array.drop_null())
    return numbers


def whole(values: pa.Array | pa.ChunkedArray) -> pa.Array:
    """An array in one piece."""
    return values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values


def _bits(values: NDArray[np.bool_]) -> NDArray[np.uint8]:
    return np.packbits(values, bitorder="little")
