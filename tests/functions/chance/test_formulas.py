"""Formulas that are written once for a run of states: what a run holds, where it must end, and what it reads."""

from typing import Any

import numpy as np
import pytest

from tablebase.functions.chance import compiled as compiled_module
from tablebase.functions.chance.chances import (
    CLOSED,
    GRANULE,
    MOST_WEIGHT,
    UNIT,
    improve,
    improve_at_once,
    new_evaluating,
    new_rises,
    quotient,
    store,
)
from tablebase.functions.chance.formulas import COUNT, SEEN, blocks_read, formulas_of, new_space
from tablebase.game.kernels import OVER, Kernels, alone, counts_alike

Row = tuple[int, list[tuple[int, int]]]


@counts_alike
def three_alike(_rules: Any, number: Any) -> Any:
    """That the first three states are."""
    return 3 if number == 2 else int(number > 2), 1


def written(rows: list[Row], states: int, alike: Any = three_alike) -> Any:
    """The formulas of the first states of a game whose rules are a list, of which some states are said to be alike.

    For each state it has who is to move, and the weights and states that follow; -3 if the game is over.
    """
    places, following = [], []
    for who, after in rows:
        places += [who, 1, len(following) // compiled_module.WIDTH]
        for weight, state in after:
            following += [0, weight, 1, state]
    stored = sum(who >= 0 for who, _ in rows)
    rules = np.array([stored, len(rows), *places, OVER, -1, len(following) // compiled_module.WIDTH, *following], np.int64)
    kernels = Kernels(rules, compiled_module.expand, compiled_module.index, compiled_module.state_at, 1, 4, 1, (), "", alike)
    return formulas_of(kernels, rules, 0, states, new_space(kernels))


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
    steady: list[Row] = [(player, [(1, 3)]) for player in (0, 0, 0, 0, 0, 1, 1, 1)]
    chances = np.arange(22, dtype=np.int64).reshape(2, 11)
    formulas = written([(0, [(1, 3)]), middle, last, *steady, (OVER, [])], 3)
    assert formulas.runs[:, COUNT].tolist() == ([3] if right else [1, 1, 1])
    before = chances.copy()
    chances[:, :3] = 0
    improve_at_once(formulas, chances, np.zeros((2, 3), np.int64), new_rises(11), 1, new_evaluating(1, 3))
    for place, (player, rows) in enumerate([(0, [(1, 3)]), middle, last]):
        # Where the game is over, nobody has won.
        after = [before[int(player != steady[state - 3][0]), state] if state < 11 else 0 for _, state in rows]
        assert chances[0, place] == max(after)


def test_blocks_between_are_read() -> None:
    """What a run reads are the blocks of the first and of the last state after it, and those between."""
    steady: list[Row] = [(0, [(1, 3)])] * 8
    formulas = written([(0, [(1, 3)]), (0, [(1, 6)]), (0, [(1, 9)]), *steady], 3)
    assert formulas.runs[:, COUNT].tolist() == [3]
    marks = np.zeros(6, bool)
    blocks_read(formulas, 2, marks)
    assert np.flatnonzero(marks).tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize(("stride", "granule"), [(1, 0), (1, 1), (70, 0), (70, 1), (70, 2), (70, 3)])
@pytest.mark.parametrize("player", [0, 1])
def test_what_has_risen_is_read_again(stride: int, granule: int, player: int) -> None:
    """A run is computed when it is new, and if a granule has risen that it reads, or one between, for the player it asks about."""
    base = (1 << GRANULE) - 2
    moves: list[Row] = [(0, [(1, base + stride * place)]) for place in range(3)]
    formulas = written([*moves, *((player, [(1, 0)]) for _ in range(5 << GRANULE))], 3)
    assert formulas.runs[:, COUNT].tolist() == [3]
    chances, rises = np.zeros((2, 5 << GRANULE), np.int64), new_rises(5 << GRANULE)
    risen = np.full((2, 3), 99, np.int64)
    known = formulas, chances, risen, rises
    last = base + 2 * stride

    def step(now: int) -> int:
        largest = improve(*known, now, new_evaluating(1, 3))
        store(*known, now)
        return largest

    chances[player, last] = 7
    before = chances.copy()
    assert improve(*known, 1, new_evaluating(1, 3)) == 7
    assert (chances == before).all()
    store(*known, 1)
    assert chances[0, :3].tolist() == [0, 0, 7]
    assert (rises != 0).sum() == 1
    rises[:] = 0
    assert step(2) == 0
    # Not noted as risen, or for the other player, or in a granule that is not read.
    chances[player, last] = 9
    assert step(3) == 0
    rises[:, 4] = rises[1 - player] = 4
    assert step(4) == 0
    # In the same batch, after it was computed.
    rises[:] = 0
    rises[player, granule] = 4
    assert step(5) == 2
    assert chances[0, :3].tolist() == [0, 0, 9]
    # Final for one of the two players in every state: never computed again.
    chances[player, [base, base + stride, last]] = UNIT
    rises[player, granule] = 6
    assert step(6) == UNIT
    assert formulas.runs[:, SEEN].tolist() == [CLOSED]
    chances[0, :3] = 0
    rises[:] = 7
    assert step(7) == 0


@counts_alike
def far_alike(_rules: Any, number: Any) -> Any:
    """That the states 0, 70 and 140 are."""
    return 3 if number == 140 else int(number not in (0, 70)), 70 if number == 140 else 1


def test_rises_are_noted_where_they_are() -> None:
    """In the granules of the states that have risen, at the time of the batch, for the player whose chance it is."""
    moves: list[Row] = [(0, [(1, 150)]) for _ in range(200)]
    for place in range(3):
        moves[70 * place] = (0, [(1, 160 + place)])
    formulas = written(moves, 141, far_alike)
    assert formulas.runs[0, COUNT] == 3
    chances, rises = np.zeros((2, 200), np.int64), new_rises(200)
    chances[1, 161:163] = 1, 2
    improve_at_once(formulas, chances, np.zeros((2, 141), np.int64), rises, 3, new_evaluating(1, 3))
    assert np.flatnonzero(chances[1, :150]).tolist() == [70, 140]
    assert rises.tolist() == [[0, 0, 0, 0], [0, 3, 3, 0]]


@pytest.mark.parametrize("alike", [three_alike, alone])
def test_what_is_improved_is_stored_where_it_belongs(alike: Any) -> None:
    """With as many runs as states, or with one for the first three: each state has the chance of the one that follows it."""
    steady: list[Row] = [(0, [(1, 10 + place)]) for place in range(10)]
    formulas = written([*steady, *((0, [(1, 0)]) for _ in range(10))], 10, alike)
    chances, risen, rises = np.zeros((2, 20), np.int64), np.zeros((2, 10), np.int64), new_rises(20)
    chances[:, 10:] = np.random.default_rng(1).integers(1, UNIT // 4, (2, 10))
    improve(formulas, chances, risen, rises, 1, new_evaluating(1, 3))
    store(formulas, chances, risen, rises, 1)
    assert (chances[:, :10] == chances[:, 10:]).all()


def test_quotients_are_exact() -> None:
    """As whole numbers are divided: the largest sums of every weight, those around multiples of it, and others."""
    random = np.random.default_rng(1)
    for weights in range(1, MOST_WEIGHT + 1):
        near = random.integers(0, UNIT, 6).tolist()
        for whole in (0, 1, 2, UNIT - 1, UNIT >> 1, *near):
            for more in {0, weights // 2, weights - 1}:
                assert quotient(whole * weights + more, weights, 1 / weights) == whole
        assert quotient(UNIT * weights, weights, 1 / weights) == UNIT
