"""Contingency tables against counting on one's fingers."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tablebase.patterns.contingency import Plan, Tables, count

SIZES = (3, 1, 5)
LEAVES = 2
ROW = st.tuples(*(st.integers(0, size - 1) for size in SIZES), st.integers(0, LEAVES - 1), st.integers(0, 2))


@given(st.lists(ROW, max_size=60))
def test_tables_count_every_combination(rows: list[tuple[int, ...]]) -> None:
    """Every cell of every table is as many positions as have those levels and that outcome."""
    plan = Plan(SIZES, tuple(combinations(range(len(SIZES)), 2)), LEAVES)
    columns = [np.array([row[place] for row in rows], dtype=np.intp) for place in range(len(SIZES) + 2)]
    *codes, leaves, outcomes = columns
    tables = Tables(plan, count(plan, codes, leaves, outcomes))
    assert tables.outcomes.tolist() == [sum(row[-1] == outcome for row in rows) for outcome in range(3)]
    for place, single in enumerate(tables.singles):
        expected = Counter((row[place], row[-1]) for row in rows)
        assert {cell: number for cell, number in np.ndenumerate(single) if number} == expected
    for (one, other), pair in tables.pairs.items():
        expected = Counter((row[one], row[other], row[-1]) for row in rows)
        assert {cell: number for cell, number in np.ndenumerate(pair) if number} == expected
    assert {cell: number for cell, number in np.ndenumerate(tables.leaves) if number} == Counter(row[-2:] for row in rows)
