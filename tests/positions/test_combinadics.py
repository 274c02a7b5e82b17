"""Numbers of choices of identical pieces against plain lists of them."""

from itertools import combinations
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablebase.positions.combinadics import Combinations, advances, count_symmetric, ways

Levels = tuple[int, ...]

levels_of_places = st.lists(st.integers(0, 5), max_size=9).map(tuple)
counts = st.integers(0, 4)
BY_ROWS: Levels = tuple(place // 6 for place in range(72))
"""Levels of the 72 dark squares of a 12 x 12 board."""


def advance_of(levels: Levels, places: tuple[int, ...]) -> int:
    """Levels added up."""
    return sum(levels[place] for place in places)


def listed(levels: Levels, count: int, advance: int) -> list[tuple[int, ...]]:
    """All choices of that advance in the order stated: by the largest place, then the next, and so on."""
    chosen = [places for places in combinations(range(len(levels)), count) if advance_of(levels, places) == advance]
    return sorted(chosen, key=lambda places: places[::-1])


@given(levels_of_places, counts)
def test_the_table_counts_combinations(levels: Levels, count: int) -> None:
    """Each entry is the number of choices of j of the first p places that add up to s."""
    table = ways(levels, count)
    assert table.shape == (count + 1, len(levels) + 1, count * max(levels, default=0) + 1)
    for j, p, s in np.ndindex(table.shape):
        chosen = combinations(range(p), j)
        assert table[j, p, s] == sum(advance_of(levels, places) == s for places in chosen)


@given(levels_of_places, counts)
def test_advances_are_those_that_a_choice_has(levels: Levels, count: int) -> None:
    """They ascend, each once, and there are none if there are too few places."""
    assert advances(levels, count) == tuple(
        sorted({advance_of(levels, places) for places in combinations(range(len(levels)), count)})
    )


@given(levels_of_places, counts, st.randoms(use_true_random=False))
def test_numbers_follow_the_stated_order(levels: Levels, count: int, random: Random) -> None:
    """Of every advance, the i-th choice in the list has number i and back, its places in any order, singly and many at once."""
    for advance in advances(levels, count):
        expected = listed(levels, count, advance)
        choices = Combinations(levels, count, advance)
        assert choices.size == len(expected) > 0
        assert [choices.unrank(number) for number in range(choices.size)] == expected
        mixed = [tuple(random.sample(places, count)) for places in expected]
        assert [choices.rank(places) for places in mixed] == list(range(choices.size))
        numbers = list(range(choices.size))
        random.shuffle(numbers)
        places = choices.unrank_many(np.array(numbers, dtype=np.int64))
        assert places.tolist() == [list(expected[number]) for number in numbers]
        many = np.array([mixed[number] for number in numbers], dtype=np.int8).reshape(len(numbers), count)
        before = many.copy()
        assert choices.rank_many(many).tolist() == numbers
        assert np.array_equal(many, before)


@given(st.lists(st.integers(0, 3), max_size=4), st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=3), counts)
def test_choices_that_a_mirror_leaves_unchanged(fixed: list[int], pairs: list[tuple[int, int]], count: int) -> None:
    """Their number is that of a plain list: places on the axis are their own images, the others swap in pairs."""
    levels = (*fixed, *(level for pair in pairs for level in pair))
    image = (*range(len(fixed)), *(len(fixed) + (place ^ 1) for place in range(2 * len(pairs))))
    for advance in advances(levels, count):
        expected = sum({image[place] for place in places} == set(places) for places in listed(levels, count, advance))
        assert count_symmetric(Combinations(levels, count, advance), image) == expected


@given(st.data())
def test_numbers_of_a_large_board_survive(data: st.DataObject) -> None:
    """Random numbers of six hounds on 12 x 12 give places of the right advance, which give the number back."""
    advance = data.draw(st.integers(0, 66))
    choices = Combinations(BY_ROWS, 6, advance)
    numbers = data.draw(st.lists(st.integers(0, choices.size - 1), min_size=1, max_size=5))
    places = choices.unrank_many(np.array(numbers))
    assert choices.rank_many(places[:, ::-1]).tolist() == numbers
    for number, row in zip(numbers, places.tolist(), strict=True):
        assert len(set(row)) == 6
        assert advance_of(BY_ROWS, tuple(row)) == advance
        assert choices.unrank(number) == tuple(sorted(row)) == tuple(row)
        assert choices.rank(row) == number


@pytest.mark.parametrize("places", [(0,), (0, 1, 2)])
def test_a_choice_of_the_wrong_size_is_refused(places: tuple[int, ...]) -> None:
    """Numbering one place or three where two are chosen is an error, not a number."""
    with pytest.raises(ValueError, match=r"shorter|longer"):
        Combinations((0, 0, 0), 2, 0).rank(places)
