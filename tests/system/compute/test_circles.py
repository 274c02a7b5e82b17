"""Circles of blocks that lead to one another, and their order."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tablebase.system.compute.circles import circles


@given(st.integers(1, 8).flatmap(lambda size: st.lists(st.sets(st.integers(0, size - 1)), min_size=size, max_size=size)))
def test_circles_are_those_of_a_naive_twin(after: list[set[int]]) -> None:
    found = circles([np.array(sorted(nodes), np.int64) for nodes in after])
    size = len(after)
    leads = np.eye(size, dtype=bool)
    for node, nodes in enumerate(after):
        leads[node, sorted(nodes)] = True
    for _ in range(size):
        leads = leads @ leads
    assert sorted(node for circle in found for node in circle) == list(range(size))
    place = {node: number for number, circle in enumerate(found) for node in circle}
    for one in range(size):
        for other in range(size):
            assert (place[one] == place[other]) == bool(leads[one, other] and leads[other, one])
            if leads[one, other]:
                assert place[other] <= place[one]


def test_the_order_in_a_circle() -> None:
    """In a round trip, each after the one that it leads to, but for the one that was met first."""
    assert circles([np.array([1]), np.array([2]), np.array([3]), np.array([0])]) == [[3, 2, 1, 0]]
