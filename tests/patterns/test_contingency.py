"""Contingency tables against counting on one's fingers."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tablebase.patterns.contingency import Plan, Tables, count

SIZES = (3, 1, 5, 2)
LEAVES, CLASSES = 2, 4
ROW = st.tuples(*(st.integers(0, size - 1) for size in SIZES), st.integers(0, LEAVES - 1), st.integers(0, CLASSES - 1))


@given(st.lists(ROW, max_size=60))
def test_tables_count_every_combination(rows: list[tuple[int, ...]]) -> None:
    """Every cell of every table is as many positions as have those levels and that class."""
    plan = Plan(SIZES, tuple(some for number in (2, 3) for some in combinations(range(len(SIZES)), number)), CLASSES, LEAVES)
    columns = [np.array([row[place] for row in rows], dtype=np.intp) for place in range(len(SIZES) + 2)]
    *codes, leaves, classes = columns
    counts = plan.zeros()
    for begin, end in ((0, 7), (7, len(rows))):
        count(plan, [levels[begin:end] for levels in codes], leaves[begin:end], classes[begin:end], counts)
    tables = Tables(plan, counts)
    assert tables.whole.tolist() == [sum(row[-1] == number for row in rows) for number in range(CLASSES)]
    for place, single in enumerate(tables.singles):
        expected = Counter((row[place], row[-1]) for row in rows)
        assert {cell: number for cell, number in np.ndenumerate(single) if number} == expected
    for places, joint in tables.joint.items():
        expected = Counter((*(row[place] for place in places), row[-1]) for row in rows)
        assert {cell: number for cell, number in np.ndenumerate(joint) if number} == expected
    assert {cell: number for cell, number in np.ndenumerate(tables.leaves) if number} == Counter(row[-2:] for row in rows)
