"""Levels of features: their numbers, and the conditions in SQL that tell them apart."""

from __future__ import annotations

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from support.checks import at_least_one

from tablebase.mining.column import Column
from tablebase.mining.rows import Rows
from tablebase.patterns.levels import Levels, levels_of


def column(kind: pa.DataType) -> Column:
    """A column of a type, which nobody computes."""

    def none(_: Rows) -> pa.Array:
        raise AssertionError("nobody asks for values")

    return Column("odd", kind, none)


@pytest.mark.parametrize("values", [[-20_000, 7, 20_000], [-32_768, 0], [0, 32_767], [-32_768, -1, 32_767]])
def test_whole_numbers_that_are_far_apart(values: list[int]) -> None:
    """Levels are numbered in ascending order, also where a difference is no int16."""
    present = np.array(values, dtype=np.int16)
    assert Levels("odd", "int", present).codes(present[::-1]).tolist() == list(range(len(values)))[::-1]


def test_words_are_quoted() -> None:
    """A word with a quote is a condition that SQL understands."""
    words = ("don't", "''", "plain")
    levels = Levels("odd", "text", np.arange(3, dtype=np.int16), words)
    with duckdb.connect() as connection:
        for number, condition in enumerate(at_least_one(levels.conditions)):
            query = f"SELECT list({condition.sql} ORDER BY place) FROM (SELECT unnest($1) AS odd, unnest([0, 1, 2]) AS place)"
            assert connection.execute(query, [words]).fetchall() == [([place == number for place in range(3)],)]


@pytest.mark.parametrize(("count", "kind", "levels"), [(31, "int", 31), (32, "int", 32), (33, "range", 16)])
def test_whole_numbers_have_a_level_each_up_to_32(count: int, kind: str, levels: int) -> None:
    """More of them are divided into 16 ranges."""
    values = np.arange(count, dtype=np.int16)
    found = levels_of(column(pa.int16()), values, np.tile(values, 16))
    assert (found.kind, len(found)) == (kind, levels)


@pytest.mark.parametrize(("count", "levels"), [(31, 31), (32, 32), (33, 16)])
def test_fractions_have_a_range_each_up_to_32(count: int, levels: int) -> None:
    """More of them are divided into 16 ranges, too."""
    values = np.arange(count) / 8
    found = levels_of(column(pa.float64()), values[:0], np.tile(values, 16))
    assert (found.kind, len(found)) == ("range", levels)
