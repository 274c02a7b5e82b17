"""Features of Fox & Hounds are those of plain Python, on all placements and not only on those that a game comes to."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from twins.walk import FOX, HOUNDS, box_measures

from tablebase.features import Positions
from tablebase.game.moves import Position
from tablebase.graph.reachable import reachable_from_all
from tablebase.slices.material import material_of
from tablebase_rules.foxhounds import game as foxhounds

BOXES = ["foxbox", "b", "max_b", "max_b_plies"]


def placements(size: int, count: int) -> Iterator[Position]:
    """Positions, fox or hounds to move, drawn from all placements."""
    game, random = foxhounds((size, size)), np.random.default_rng(size)
    kinds = material_of(game, game.initial).kinds
    for _ in range(count):
        fox, *hounds = random.choice(len(game.board), len(kinds), replace=False).tolist()
        yield Position(tuple(zip(kinds, [fox, *sorted(hounds)], strict=True)), int(random.integers(2)))


def measured(size: int, position: Position) -> dict[str, int | bool]:
    """The features of one position."""
    game = foxhounds((size, size))
    squares = np.array([[square for _, square in position.pieces]], dtype=np.int8)
    positions = Positions(game, material_of(game, position), position.side, squares)
    return {feature.name: feature.values(positions, ()).item() for feature in game.features}


@pytest.mark.parametrize(("size", "count"), [(4, 100), (6, 40)])
def test_the_features_are_those_of_the_twin(size: int, count: int) -> None:
    """Whether a placement is a FoxBox, B, and the largest B to come with the plies until then."""
    game, lost = foxhounds((size, size)), set()
    for position in placements(size, count):
        expected = box_measures(game, position)
        assert measured(size, position) == expected, position
        lost.add(expected["b"] == -1)
    assert lost == {False, True}


@pytest.mark.parametrize(
    ("size", "expected"), [(4, [0, 2, 4]), (6, [-1, -1, -1]), pytest.param(8, [0, 6, 6], marks=pytest.mark.full)]
)
def test_known_numbers_at_the_start(size: int, expected: list[int]) -> None:
    """B, max B and k at the start, those of 8×8 as in the article."""
    found = measured(size, foxhounds((size, size)).initial)
    assert [found[name] for name in BOXES[1:]] == expected


@pytest.mark.parametrize("size", [4, 6])
def test_a_graph_of_all_placements_has_each_once(size: int) -> None:
    """Each placement, with either side to move, is a node; nothing else begins there."""
    game = foxhounds((size, size))
    kinds = material_of(game, game.initial).kinds
    graph = reachable_from_all(game, kinds)
    going = [stage for stage in graph.stages if not stage.final]
    squares, hounds = len(game.board), len(kinds) - 1
    placed = squares * (squares - 1)
    for taken in range(1, hounds):
        placed = placed * (squares - 1 - taken) // (taken + 1)
    assert [sum(len(stage) for stage in going if stage.side == side) for side in (FOX, HOUNDS)] == [placed, placed]
    assert len({graph.position(stage.first + row) for stage in going for row in range(len(stage))}) == 2 * placed


def test_large_boards_have_no_such_features() -> None:
    """Boxes are looked for on up to 64 squares, and B on boards of which all positions can be looked at."""
    assert [feature.name for feature in foxhounds((8, 8)).features] == BOXES
    assert [feature.name for feature in foxhounds((10, 10)).features] == BOXES[:1]
    assert not foxhounds((12, 12)).features
