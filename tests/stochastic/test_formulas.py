"""Formulas that are written once for a run of states: what a run holds, where it must end, and what it reads."""

from typing import Any

import numpy as np
import pytest

from tablebase.game.kernels import OVER, Int64, Kernels, counts_alike
from tablebase.stochastic import compiled as compiled_module
from tablebase.stochastic.chances import improve, new_sums
from tablebase.stochastic.formulas import COUNT, blocks_read, formulas_of, new_space


def listed(rows: list[tuple[int, list[tuple[int, int]]]]) -> Int64:
    """Rules of a game as a list: who is to move in each state, and the weights and states that follow; -3 if it is over."""
    places, following = [], []
    for who, after in rows:
        places += [who, 1, len(following) // compiled_module.WIDTH]
        for weight, state in after:
            following += [0, weight, 1, state]
    stored = sum(who >= 0 for who, _ in rows)
    return np.array([stored, len(rows), *places, OVER, -1, len(following) // compiled_module.WIDTH, *following], np.int64)


@counts_alike
def three_alike(_rules: Any, number: Any) -> Any:
    """That the first three states are."""
    return 3 if number == 2 else int(number > 2), 1


@pytest.mark.parametrize(
    ("middle", "last", "right"),
    [
        ((0, [(1, 4)]), (0, [(1, 5)]), True),
        ((0, [(1, 5)]), (0, [(1, 7)]), True),
        # Another player, another number of moves, and steps of one and two.
        ((1, [(1, 4)]), (1, [(1, 5)]), False),
        ((0, [(1, 4)]), (0, [(1, 5), (1, 3)]), False),
        ((0, [(1, 4)]), (0, [(1, 6)]), False),
        # The next one to move is another one, or nobody.
        ((0, [(1, 4)]), (0, [(1, 9)]), False),
        ((0, [(1, 4)]), (0, [(1, 11)]), False),
    ],
)
def test_ends_must_match(middle: tuple[int, Any], last: tuple[int, Any], right: bool) -> None:
    """Of three states said to be alike, each with one move: the first leads to state 3."""
    steady: list[tuple[int, list[tuple[int, int]]]] = [(player, [(1, 3)]) for player in (0, 0, 0, 0, 0, 1, 1, 1)]
    rules = listed([(0, [(1, 3)]), middle, last, *steady, (OVER, [])])
    kernels = Kernels(rules, compiled_module.expand, compiled_module.index, compiled_module.state_at, 1, 4, 1, (), "", three_alike)
    chances = np.arange(22, dtype=np.int64).reshape(2, 11)
    formulas = formulas_of(kernels, rules, 0, 3, new_space(kernels))
    assert formulas.runs[:, COUNT].tolist() == ([3] if right else [1, 1, 1])
    improved = np.zeros((2, 3), np.int64)
    improve(formulas, chances, improved, 0, new_sums(1, 3))
    for place, (player, rows) in enumerate([(0, [(1, 3)]), middle, last]):
        # Where the game is over, nobody has won.
        after = [chances[int(player != steady[state - 3][0]), state] if state < 11 else 0 for _, state in rows]
        assert improved[0, place] == max(after)


def test_blocks_between_are_read() -> None:
    """What a run reads are the blocks of the first and of the last state after it, and those between."""
    steady: list[tuple[int, list[tuple[int, int]]]] = [(0, [(1, 3)])] * 8
    rules = listed([(0, [(1, 3)]), (0, [(1, 6)]), (0, [(1, 9)]), *steady])
    kernels = Kernels(rules, compiled_module.expand, compiled_module.index, compiled_module.state_at, 1, 4, 1, (), "", three_alike)
    formulas = formulas_of(kernels, rules, 0, 3, new_space(kernels))
    assert formulas.runs[:, COUNT].tolist() == [3]
    marks = np.zeros(6, bool)
    blocks_read(formulas, 2, marks)
    assert np.flatnonzero(marks).tolist() == [1, 2, 3, 4]
