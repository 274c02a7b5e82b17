"""Counts of paths by whole turns: by hand, and by compiled and plain functions alike."""

from random import Random

import pytest
from support.checks import at_least_one

from tablebase.functions.chance.paths import count_paths, merge_plainly, paths_by_code, walk
from tablebase.testing.contract import playouts
from tablebase_rules import pig

PIGLET = pig.game(die=2, target=2)
"""Its turns by hand: pass, tails, or heads; then hold, tails, or heads, which wins. From a score of 1: pass, tails, or heads."""


def test_turns_by_hand() -> None:
    """With n(own, other) paths after: n = 3 n(0) + n(1) + one that ends from a score of 0, 2 n + one from a score of 1."""
    assert [count_paths(PIGLET, PIGLET.start, depth) for depth in (1, 2, 3)] == [5, 3 * 5 + 5, 3 * (3 * 5 + 5) + (3 * 3 + 3)]
    assert [count_paths(PIGLET, PIGLET.parse("1,0 1 0"), depth) for depth in (1, 2)] == [3, 2 * 5]


def test_a_die_by_hand() -> None:
    """To 4 points with a die, each of 0, 2 and 3 in a turn allows to hold and to lose it; from 2 or 3 on, every face wins."""
    game = pig.game(target=4)
    assert count_paths(game, game.start, 1) == 2 + (2 + 5) + (2 + 5) + 3


def test_a_turn_that_has_begun_is_whole() -> None:
    """In its middle, also while the die is being rolled, it is the first one; a finished game has no path."""
    counts = {"0,0 1 1": 3, "0,0 1 1 roll": 2, "0,0 1 2": 1, "2,0 2 0": 0}
    assert {text: count_paths(PIGLET, PIGLET.parse(text), 1) for text in counts} == counts
    assert count_paths(PIGLET, PIGLET.parse("0,0 1 2"), 2) == 0


@pytest.mark.parametrize("threads", [1, 2])
def test_paths_by_code(threads: int) -> None:
    """By the code of the first move, or the label of the first draw; they add up."""
    assert paths_by_code(PIGLET, PIGLET.start, 1, threads) == {"0": 1, "1": 4}
    assert paths_by_code(PIGLET, PIGLET.parse("0,0 1 0 roll"), 1, threads) == {"tails": 1, "heads": 3}
    assert paths_by_code(PIGLET, PIGLET.parse("2,0 2 0"), 1, threads) == {}
    by_code = paths_by_code(PIGLET, PIGLET.start, 5, threads)
    assert sum(by_code.values()) == count_paths(PIGLET, PIGLET.start, 5)


def test_compiled_and_plain_counts_agree() -> None:
    """From the start, and from states in the middle of turns and games."""
    game = pig.game(die=4, target=6)
    kernels = game.kernels()
    assert kernels is not None
    for state in at_least_one(state for played in playouts(game, 60, Random(1)) for state in played):
        for turns in (1, 2, 3):
            assert walk(kernels, state, turns) == merge_plainly(game, state, turns)


def test_a_deep_count_needs_no_deep_recursion() -> None:
    """A turn may be as long as one likes: to a thousand points by a coin."""
    game = pig.game(die=2, target=1000, players=3)
    assert count_paths(game, game.start, 1) == 2 * 1000 + 1
    kernels = pig.game(die=2, target=1000).kernels()
    assert kernels is not None
    assert walk(kernels, (0,) * 5, 1) == 2 * 1000 + 1
