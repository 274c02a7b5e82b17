"""The values of a feature in a slice as numbers from 0 upwards, and the conditions in SQL that tell them apart."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tablebase.errors import TablebaseError
from tablebase.mining.columns import Column
from tablebase.mining.sandbox import locked

MOST = 32
"""Whole numbers of more values than this are cut into ranges, as numbers with a fraction are."""
RANGES = 16
"""Ranges of about equally many positions."""

Raw = NDArray[Any]
"""Values of a feature: int16, or float64 for numbers with a fraction."""
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Condition:
    """A comparison of one feature, and which of its levels satisfy it.

    Parameters
    ----------
    sql : str
        As `tablebase mine` takes it.
    holds : ndarray of bool, shape (levels,)
    """

    sql: str
    holds: Flags


@dataclass(frozen=True)
class Levels:
    """What values a feature has, in ascending order: single ones, or ranges of them.

    Parameters
    ----------
    name : str
        The column.
    kind : str
        ``bool``, ``text``, ``int`` or ``range``.
    bounds : ndarray
        The values; of ranges the largest value of each but the last, which has no end.
    words : tuple of str
        What the values of a text are called.
    """

    name: str
    kind: str
    bounds: Raw
    words: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.bounds) + (self.kind == "range")

    @property
    def ordered(self) -> bool:
        """Whether larger and smaller mean something."""
        return self.kind != "text"

    def codes(self, values: Raw) -> NDArray[np.intp]:
        """The number of each value's level; they must be among the values known."""
        if self.kind == "range":
            return np.searchsorted(self.bounds, values)
        # A difference can be too large for int16, and then has the bits of that as a number without a sign.
        found: NDArray[np.intp] = self._numbers[(values - int(self.bounds[0])).astype(np.uint16)]
        return found

    @cached_property
    def _numbers(self) -> NDArray[np.intp]:
        found = np.zeros(int(self.bounds[-1]) - int(self.bounds[0]) + 1, dtype=np.intp)
        found[self.bounds.astype(np.intp) - int(self.bounds[0])] = np.arange(len(self.bounds))
        return found

    @cached_property
    def conditions(self) -> tuple[Condition, ...]:
        """All comparisons that some positions satisfy and others do not, each set of levels once."""
        last = len(self) - 1
        if self.kind == "range":
            return tuple(one for place in range(last) for one in (self.up_to(place), self.beyond(place)))
        found = [self.equal(place) for place in range(last + 1)]
        if self.kind == "int":
            found += [self.up_to(place) for place in range(1, last)]
            found += [self.beyond(place) for place in range(last - 1)]
        return tuple(found)

    def up_to(self, place: int) -> Condition:
        """That the value is of this level or a lower one; there must be a higher one."""
        if place == 0 and self.kind != "range":
            return self.equal(0)
        return Condition(f"{self._sql} <= {self._literal(place)}", np.arange(len(self)) <= place)

    def beyond(self, place: int) -> Condition:
        """That the value is of a higher level; there must be one."""
        if self.kind == "range":
            return Condition(f"{self._sql} > {self._literal(place)}", np.arange(len(self)) > place)
        return Condition(f"{self._sql} >= {self._literal(place + 1)}", np.arange(len(self)) > place)

    def equal(self, place: int) -> Condition:
        """That the value is this one."""
        return Condition(f"{self._sql} = {self._literal(place)}", np.arange(len(self)) == place)

    @property
    def _sql(self) -> str:
        return f'"{self.name}"' if self.name.lower() in _keywords() else self.name

    def _literal(self, place: int) -> str:
        value: bool | int | float = self.bounds[place].item()
        if self.kind == "bool":
            return str(bool(value)).lower()
        if self.kind == "text":
            return "'" + self.words[int(value)].replace("'", "''") + "'"
        # Without an exponent it would be a decimal number, not the very same one.
        return f"{value!r}e0" if isinstance(value, float) and "e" not in repr(value) else repr(value)


@cache
def _keywords() -> frozenset[str]:
    """What DuckDB does not take for a column's name."""
    with locked(1) as connection:
        query = "SELECT keyword_name FROM duckdb_keywords() WHERE keyword_category IN ('reserved', 'type_function')"
        return frozenset(name for (name,) in connection.execute(query).fetchall())


def raw(column: Column, array: pa.Array) -> Raw:
    """The values of a column as numbers.

    Raises
    ------
    TablebaseError
        If one is no finite number, so that it cannot be compared.
    """
    values = array.indices.to_numpy() if pa.types.is_dictionary(array.type) else array.to_numpy(zero_copy_only=False)
    if values.dtype != np.float64:
        whole: Raw = values.astype(np.int16, copy=False)
        return whole
    if not np.isfinite(values).all():
        raise TablebaseError(
            f"the feature {column.name} has values that are no finite numbers, in which no pattern can be searched"
        )
    found: Raw = values
    return found


def levels_of(column: Column, present: Raw, sample: Raw) -> Levels:
    """The levels of a column.

    Parameters
    ----------
    column : Column
    present : ndarray
        All values of whole numbers, truths and texts, ascending; not used for numbers with a fraction.
    sample : ndarray
        Values of many positions, by which ranges are cut.
    """
    words = column.feature.words if column.feature is not None else ()
    if pa.types.is_dictionary(column.type):
        return Levels(column.name, "text", present, words)
    if pa.types.is_boolean(column.type):
        return Levels(column.name, "bool", present)
    if pa.types.is_int16(column.type) and len(present) <= MOST:
        return Levels(column.name, "int", present)
    return Levels(column.name, "range", _edges(sample))


def _edges(sample: Raw) -> Raw:
    """The ends of ranges: all values if they are few, else the quantiles; never the largest."""
    values = np.unique(sample)
    if len(values) > MOST:
        shares = np.arange(1, RANGES) / RANGES
        values = np.append(np.unique(np.quantile(sample, shares, method="inverted_cdf")), values[-1])
    ends: Raw = values[values < values[-1]]
    return ends
