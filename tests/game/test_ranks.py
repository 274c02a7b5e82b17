"""Ranks of identical men and of stones, compared with lists of all of them."""

from itertools import combinations, product
from typing import Any

import pytest

from tablebase.game.ranks import (
    bits,
    field,
    lowest,
    men,
    men_rank,
    men_size,
    men_unrank,
    pits,
    pits_rank,
    pits_size,
    pits_unrank,
    symmetries,
)

SQUARE = [[0, 1, 2, 3], [1, 2, 3, 0], [2, 3, 0, 1], [3, 0, 1, 2], [3, 2, 1, 0], [2, 1, 0, 3], [1, 0, 3, 2], [0, 3, 2, 1]]
"""The symmetries of four points in a circle."""
THREE = [[3 * ((place + turn) % 3) + part for place in range(3) for part in range(3)] for turn in range(3)]
REFLECTED = [list(range(17)), list(range(17))[::-1]]
LONG = [list(range(24)), [(point + 12) % 24 for point in range(24)]]
AT = 3
"""Numbers before the tables, which begin anywhere in the rules."""


def test_symmetries() -> None:
    """Two of a square generate all eight, each once; the identity is the first."""
    found = [list(image) for image in symmetries([1, 2, 3, 0], [3, 2, 1, 0])]
    assert found[0] == [0, 1, 2, 3]
    assert sorted(found) == sorted(SQUARE)


def points_of(word: int) -> frozenset[int]:
    return frozenset(point for point in range(24) if word >> point & 1)


@pytest.mark.parametrize(("points", "images", "most"), [(4, SQUARE, 2), (9, THREE, 3), (17, REFLECTED, 2), (24, LONG, 1)])
def test_ranks_of_men_number_the_classes(points: int, images: list[list[int]], most: int) -> None:
    """Positions have one rank if and only if a symmetry leads from one to the other; ranks lead back to them."""
    rules: Any = memoryview(men(points, images, most, [7] * AT))
    for first, second in product(range(most + 1), repeat=2):
        if first + second > points:
            continue
        ranks: dict[int, set[frozenset[Any]]] = {}
        classes = set()
        for own in combinations(range(points), first):
            for other in combinations([point for point in range(points) if point not in own], second):
                one = frozenset((tuple(sorted(image[p] for p in own)), tuple(sorted(image[p] for p in other))) for image in images)
                rank = men_rank(rules, AT, sum(1 << p for p in own), sum(1 << p for p in other))
                ranks.setdefault(rank, set()).add(one)
                classes.add(one)
        assert all(len(some) == 1 for some in ranks.values())
        assert len(ranks) == len(classes)
        size = men_size(rules, AT, first, second)
        assert max(ranks) < size
        for rank in range(size):
            own, other = (points_of(word) for word in men_unrank(rules, AT, first, second, rank))
            assert (len(own), len(other), len(own & other)) == (first, second, 0)
            back = men_rank(rules, AT, sum(1 << p for p in own), sum(1 << p for p in other))
            assert (back == rank) == (rank in ranks)
            assert back in ranks


def test_ranks_are_dense_where_nothing_is_symmetric() -> None:
    """Then each rank stands for a position."""
    rules: Any = memoryview(men(6, [[*range(6)]], 2))
    found = {men_rank(rules, 0, 1 << a, 1 << b | 1 << c) for a, b, c in product(range(6), repeat=3) if len({a, b, c}) == 3}
    assert found == set(range(men_size(rules, 0, 1, 2))) == set(range(6 * 10))


@pytest.mark.parametrize(("count", "first", "stones"), [(1, 1, 4), (2, 1, 9), (3, 0, 5), (4, 3, 6), (6, 2, 4), (5, 5, 0)])
def test_ranks_of_stones_number_all_distributions(count: int, first: int, stones: int) -> None:
    """Each distribution of up to so many stones has a rank, fewer stones a smaller one; ranks lead back, also from two words."""
    rules = [7] * AT + pits(6, 9)
    ranks = {}
    for pit in product(range(stones + 1), repeat=count):
        if sum(pit) <= stones:
            word = sum(here << 5 * place for place, here in enumerate(pit))
            rank, total = pits_rank(rules, AT, word, 5, count)
            ranks[rank] = total
            assert pits_unrank(rules, AT, rank, 5, count, 0, stones) == (word, 0, 0)
            assert [field(word, place, 5) for place in range(count)] == list(pit)
            low, high = word & (1 << 5 * first) - 1, word >> 5 * first
            below, before = pits_rank(rules, AT, low, 5, first)
            above, _ = pits_rank(rules, AT, high, 5, count - first, first, before)
            assert below + above == rank
            assert pits_unrank(rules, AT, rank, 5, count - first, first, stones) == (high, below, before)
            assert pits_unrank(rules, AT, below, 5, first, 0, before) == (low, 0, 0)
    assert sorted(ranks) == list(range(pits_size(rules, AT, count, stones)))
    assert [ranks[rank] for rank in sorted(ranks)] == sorted(ranks.values())


def test_bits() -> None:
    assert [bits(word) for word in (0, 1, 0b1011, (1 << 62) - 1)] == [0, 1, 3, 62]
    assert [lowest(word) for word in (1, 0b1000, 1 << 62)] == [0, 3, 62]
