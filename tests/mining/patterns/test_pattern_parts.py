"""What patterns are made of, by hand: levels of features, tables of counts, trees and rules."""

from collections import Counter
from itertools import combinations

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.checks import at_least_one

from tablebase.mining.column import OUTCOMES, Column
from tablebase.mining.patterns.gains import ContingencyTables
from tablebase.mining.patterns.levels import Levels, levels_of
from tablebase.mining.patterns.rules import rules
from tablebase.mining.patterns.trees import Leaf, Split, judge
from tablebase.mining.rows import Rows


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
    words = ("don't", "''", "plain")
    levels = Levels("odd", "text", np.arange(3, dtype=np.int16), words)
    with duckdb.connect() as connection:
        for number, condition in enumerate(at_least_one(levels.conditions)):
            query = f"SELECT list({condition.sql} ORDER BY place) FROM (SELECT unnest($1) AS odd, unnest([0, 1, 2]) AS place)"
            assert connection.execute(query, [words]).fetchall() == [([place == number for place in range(3)],)]


def test_ranges_in_words() -> None:
    ranges = Levels("odd", "range", np.array([4, 9], dtype=np.int16))
    assert [ranges.label(level) for level in range(3)] == ["up to 4", "5 to 9", "10 or more"]


@pytest.mark.parametrize("whole", [True, False], ids=["whole numbers", "fractions"])
@pytest.mark.parametrize(("number", "levels"), [(31, 31), (32, 32), (33, 16)])
def test_numbers_have_a_level_each_up_to_32(number: int, levels: int, whole: bool) -> None:
    """More of them are divided into 16 ranges; fractions have ranges only."""
    values = np.arange(number, dtype=np.int16) if whole else np.arange(number) / 8
    found = levels_of(column(pa.int16() if whole else pa.float64()), values if whole else values[:0], np.tile(values, 16))
    assert (found.kind, len(found)) == ("int" if whole and number <= 32 else "range", levels)


SIZES = (3, 1, 5, 2)
LEAVES, CLASSES = 2, 4
ROW = st.tuples(*(st.integers(0, size - 1) for size in SIZES), st.integers(0, LEAVES - 1), st.integers(0, CLASSES - 1))


@given(st.lists(ROW, max_size=60))
def test_tables_count_every_combination(rows: list[tuple[int, ...]]) -> None:
    joint = [some for number in (2, 3) for some in combinations(range(len(SIZES)), number)]
    columns = [np.array([row[place] for row in rows], dtype=np.intp) for place in range(len(SIZES) + 2)]
    *codes, leaves, classes = columns
    tables, others = (ContingencyTables(SIZES, joint, CLASSES, LEAVES) for _ in range(2))
    for each, begin, end in ((tables, 0, 7), (others, 7, 11), (others, 11, len(rows))):
        each.count([levels[begin:end] for levels in codes], leaves[begin:end], classes[begin:end])
    tables.add(others)
    assert tables.whole.tolist() == [sum(row[-1] == number for row in rows) for number in range(CLASSES)]
    for place, single in enumerate(tables.singles):
        expected = Counter((row[place], row[-1]) for row in rows)
        assert {cell: number for cell, number in np.ndenumerate(single) if number} == expected
    for places, joint in tables.joint.items():
        expected = Counter((*(row[place] for place in places), row[-1]) for row in rows)
        assert {cell: number for cell, number in np.ndenumerate(joint) if number} == expected
    assert {cell: number for cell, number in np.ndenumerate(tables.leaves) if number} == Counter(row[-2:] for row in rows)


ODD = Levels("odd", "int", np.arange(3, dtype=np.int16))
WORDS = tuple(map(str, OUTCOMES))
OUTCOME = {str(outcome): number for number, outcome in enumerate(OUTCOMES)}


def leaf_counts(*leaves: dict[str, int]) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    """Positions that reach each leaf, by outcome."""
    return np.array([[leaf.get(outcome, 0) for outcome in OUTCOME] for leaf in leaves], dtype=np.int64)


def test_a_question_that_changes_nothing_is_not_asked() -> None:
    """Leaves that predict the same are one leaf, also where one of them was two."""
    tree = Split(0, ODD.equal(0), Leaf((0,)), Split(0, ODD.equal(1), Leaf((1,)), Leaf((2,))))
    one = judge(tree, leaf_counts({"win": 9, "loss": 2}, {"win": 3, "draw": 1}, {"win": 5}), WORDS, 20)
    assert (one.leaves, one.depth, one.errors, one.sql) == (1, 0, 3, "'win'")
    assert one.text == "win (85.0 % of 20)"
    two = judge(tree, leaf_counts({"loss": 9, "win": 2}, {"win": 3, "draw": 1}, {"win": 5}), WORDS, 20)
    assert (two.leaves, two.depth, two.errors, two.sql) == (2, 1, 3, "CASE WHEN odd = 0 THEN 'loss' ELSE 'win' END")


def test_rules_that_the_sample_does_not_show() -> None:
    """A rule of positions that are not in the sample is kept, for nothing shows that a broader one contains it."""
    values = np.repeat([0, 1, 1, 2], [50, 3, 4, 5])
    outcomes = np.repeat([OUTCOME[name] for name in ("win", "win", "loss", "win")], [50, 3, 4, 5])
    tables = ContingencyTables((3,), (), len(WORDS))
    tables.count([values], None, outcomes)
    found = rules([ODD], WORDS, tables, [values[values != 2]])
    assert [(one.value, one.condition, one.positions) for one in found] == [("win", "odd = 0", 50), ("win", "odd = 2", 5)]
