"""Columns, and the Arrow arrays that they are made of.

PyArrow's functions that make arrays from plain values, and read them as NumPy arrays, import pandas wherever it is installed, which
takes longer than most statements; so there are others here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Sized
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tablebase.errors import ArgumentError, did_you_mean, quoted
from tablebase.game import Outcome
from tablebase.game.features import Feature

OUTCOMES = tuple(Outcome)
NO_OUTCOME = 2
BY_SIGN = np.array([OUTCOMES.index(Outcome.DRAW), OUTCOMES.index(Outcome.WIN), -1, OUTCOMES.index(Outcome.LOSS)], dtype=np.int16)
"""Places in `OUTCOMES` of a draw (0), a win (1), `NO_OUTCOME` and, as the last one, a loss (-1)."""
SLICE_COLUMNS = ("material", "pieces", "side")
"""The columns that name a slice; the letters of its pieces, p1, p2, …, follow from these."""
TEXT = pa.dictionary(pa.int16(), pa.string())
ZUGZWANG, MUTUAL_ZUGZWANG = "zugzwang", "mutual_zugzwang"
"""The columns that say whether both sides do worse when they have to move, and whether both then lose."""
POSITION = "position"
HASH = "hash"
"""The column with a number from 0 up to 1 that is as good as a random one."""


Check = Callable[[str], object]
"""Raises `TablebaseError` for a word or whole number that no row has."""
LISTED = 16
"""An error lists no more words than these."""


@dataclass(frozen=True)
class Column:
    """A column."""

    name: str
    type: pa.DataType
    # Maps `Rows`, `Named` if it is late, or `StoredRows` and `StoredMoves` of games by functions, to an Arrow array.
    compute: Callable[[Any], pa.Array]
    # The feature that it belongs to.
    feature: Feature | None = None
    # Whether a query computes it from other columns, and only for the rows that remain, because it is slow.
    late: bool = False
    # Whether ``*`` leaves it out for another reason.
    extra: bool = False
    # Whether it is made from the legal moves.
    of_moves: bool = False
    # Whether all positions of a slice that have the same value agree in it.
    by_value: bool = False
    # Whether it is made from that value and the one with the other side to move alone.
    of_twin: bool = False
    # What a late column is made from, besides the numbers of positions.
    made_of: Column | None = None
    # Raises `TablebaseError` for a word or whole number that no row can have.
    check: Check | None = None

    @property
    def in_star(self) -> bool:
        """True if ``*`` includes it."""
        return self.feature is None and not self.late and not self.extra


def one_of(name: str, words: Sequence[str], because: str = "") -> Check:
    """A check of a column that holds nothing but some words."""
    *others, last = words if len(words) <= LISTED else [f"one of {len(words)} words, such as {words[0]}", words[1]]
    expected = f"{', '.join(others)} or {last}" if others else last

    def check(text: str) -> None:
        if text not in words:
            raise ArgumentError(f"invalid {name} {quoted(text)}{did_you_mean(text, words)}: expected {expected}{because}")

    return check


def between(name: str, first: int, last: int) -> Check:
    """A check of a column that holds whole numbers in a range."""

    def check(text: str) -> None:
        if text.isdecimal() and not first <= int(text) <= last:
            raise ArgumentError(f"invalid {name} {text}: expected {first} to {last}")

    return check


def sql_type(column: Column) -> str:
    """The column's type in SQL."""
    if pa.types.is_dictionary(column.type) or pa.types.is_string(column.type):
        return "VARCHAR"
    return {pa.bool_(): "BOOLEAN", pa.int16(): "SMALLINT", pa.int64(): "BIGINT", pa.float64(): "DOUBLE"}[column.type]


def words_column(
    name: str, words: Iterable[str], number: Callable[[Any], NDArray[np.integer]], check: Check | None = None, **more: Any
) -> Column:
    """Make a column of these words, given the number of each row's word, which is negative for none."""
    words = tuple(map(str, words))
    dictionary = array_of_words(words)

    def compute(rows: Any) -> pa.Array:
        numbers = number(rows)
        missing = numbers < 0
        return pa.DictionaryArray.from_arrays(small_integers(numbers, missing if missing.any() else None), dictionary)

    return Column(name, TEXT, compute, check=check or one_of(name, words), **more)


def constant(rows: Sized, number: int) -> NDArray[np.int16]:
    """The same number for all rows."""
    return np.full(len(rows), number, dtype=np.int16)


def small_integers(values: NDArray[np.generic], missing: NDArray[np.bool_] | None = None) -> pa.Array:
    """Small integers, null where missing."""
    return array_of(values.astype(np.int16, copy=False), missing)


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


def numbers_of(array: pa.Array | pa.ChunkedArray, null: int = 0) -> NDArray[Any]:
    """The numbers of an array, which may not be written to, with another one for null.

    Examples
    --------
    >>> numbers_of(array_of(np.array([3, 4]), np.array([False, True])), null=-1).tolist()
    [3, -1]
    """
    array = array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array
    if not array.null_count:
        return np.from_dlpack(array)
    known = np.from_dlpack(array.is_valid().cast(pa.int8())).astype(bool)
    numbers = np.full(len(array), null, dtype=np.from_dlpack(array.drop_null()).dtype)
    numbers[known] = np.from_dlpack(array.drop_null())
    return numbers


def _bits(values: NDArray[np.bool_]) -> NDArray[np.uint8]:
    return np.packbits(values, bitorder="little")
