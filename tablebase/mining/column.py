"""Column class, and helpers to make columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tablebase.game import Outcome
from tablebase.game.features import Feature
from tablebase.mining.arrow_arrays import array_of, array_of_words
from tablebase.mining.rows import Rows
from tablebase.mining.word_checks import Check, one_of
from tablebase.tables.values import FIRST, Codes, Coding

OUTCOMES = tuple(Outcome)
TEXT = pa.dictionary(pa.int16(), pa.string())
ZUGZWANG, MUTUAL_ZUGZWANG = "zugzwang", "mutual_zugzwang"
"""The columns that say whether both sides do worse when they have to move, and whether both then lose."""

HASH = "hash"
"""The column with a number from 0 up to 1 that is as good as a random one."""


def of_outcomes(name: str) -> Check:
    """The check of a column of outcomes."""
    return one_of(name, tuple(map(str, OUTCOMES)))


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


def sql_type(column: Column) -> str:
    """The column's type in SQL."""
    if pa.types.is_dictionary(column.type) or pa.types.is_string(column.type):
        return "VARCHAR"
    return {pa.bool_(): "BOOLEAN", pa.int16(): "SMALLINT", pa.int64(): "BIGINT", pa.float64(): "DOUBLE"}[column.type]


def constant(names: Sequence[str]) -> Callable[[Rows, str], pa.Array]:
    """Return a function that makes constant arrays of these words, which share one dictionary."""
    numbers = {name: number for number, name in enumerate(names)}
    dictionary = array_of_words(names)

    def make(rows: Rows, name: str) -> pa.Array:
        return of_dictionary(np.full(len(rows), numbers[name], dtype=np.int16), dictionary)

    return make


def of_dictionary(numbers: NDArray[np.integer], words: pa.Array, missing: NDArray[np.bool_] | None = None) -> pa.Array:
    """Words by their numbers, null where missing."""
    return pa.DictionaryArray.from_arrays(small_integers(numbers, missing), words)


def outcomes(coding: Coding, codes: Codes, missing: NDArray[np.bool_] | None = None) -> pa.Array:
    """Outcomes of codes, null where missing."""
    return of_dictionary(by_code(coding)[0].take(codes), words_array(tuple(map(str, OUTCOMES))), missing)


def distances(coding: Coding, codes: Codes) -> pa.Array:
    """Distances of codes, null for draws."""
    return small_integers(by_code(coding)[1].take(codes), codes < FIRST)


def small_integers(values: NDArray[np.generic], missing: NDArray[np.bool_] | None = None) -> pa.Array:
    """Small integers, null where missing."""
    return array_of(values.astype(np.int16, copy=False), missing)


@cache
def by_code(coding: Coding) -> tuple[NDArray[np.int16], NDArray[np.int16]]:
    """Number of the outcome, and distance, of each code."""
    values = [coding.value(code) for code in range(coding.void)]
    return (
        np.array([OUTCOMES.index(value.outcome) for value in values], dtype=np.int16),
        np.array([value.distance or 0 for value in values], dtype=np.int16),
    )


@cache
def words_array(words: tuple[str, ...]) -> pa.Array:
    """Words as an array, always the same one."""
    return array_of_words(words)
