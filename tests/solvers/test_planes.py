"""The solver of planes on slices that lead it into corners, and what it reads of them."""

from math import prod

import numpy as np
import pytest
from support import toys
from support.checks import at_least_one
from support.naive_codes import agree
from support.planeviews import GAME
from support.solved import Solved

from tablebase.compute import threads
from tablebase.compute.vectors import ELEMENTS
from tablebase.game import Game
from tablebase.slices.indexing import layout_of
from tablebase.slices.location import stored_materials
from tablebase.slices.material import Material, parse_material
from tablebase.solvers.planes import children
from tablebase.solvers.planes import solve as planes_solver
from tablebase.solvers.planes.children import NOTHING, scores_of
from tablebase.solvers.planes.slices import compile_planes
from tablebase.solvers.problem import compile_slice
from tablebase.solvers.registry import choose_solver, solve_material
from tablebase.tables.values import NARROW, Coding, merit, next_code

# What is read


@pytest.mark.parametrize("coding", [NARROW, Coding(1, "uint16")])
def test_scores_order_captures(coding: Coding) -> None:
    """Of two captures the one that is worth more has the larger score, and any is better than none."""
    scores = scores_of(coding).astype(np.int64)
    codes = [0, 1, *range(2, 40), *range(coding.void - 20, coding.void)]
    for one in codes:
        assert scores[one] > NOTHING
        for other in codes:
            assert (scores[one] > scores[other]) == (merit(next_code(one, 1), 1) > merit(next_code(other, 1), 1))


def planes_of(game: Game, material: Material) -> int:
    """The number of planes of a slice."""
    return prod(layout_of(game, material).radices[:-2])


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("RTvR", id="a tiger that lead and row may block"),
        pytest.param("RCvW", id="a rat as row piece of the first side"),
        pytest.param("RLvT", id="jumpers of both sides that the row blocks"),
        pytest.param("TLvR", id="jumpers of one side that the row blocks"),
        pytest.param("CTvW", id="a jumper as file piece"),
        pytest.param("TLvC", id="a jumper as lead"),
        pytest.param("TLvT", id="jumpers everywhere"),
    ],
)
def test_three_pieces_of_dou_shou_qi(solved: Solved, name: str) -> None:
    """Byte for byte as the reference engine, whatever the lead, the file piece and the row piece can do."""
    for engine in ("planes", "lean"):
        assert agree(solved(GAME), solved(GAME, engine), parse_material(GAME, name))


@pytest.mark.parametrize(
    "game", [*(toys.skaters(*size) for size in ((3, 4), (4, 3), (5, 3))), toys.brook()], ids=lambda game: game.name
)
def test_pieces_that_others_block(solved: Solved, game: Game) -> None:
    """Byte for byte as the reference engine where steps need a square empty, also those of the row piece, with a jumper in it."""
    for table in (*at_least_one(stored_materials(game, 2)), *at_least_one(stored_materials(game, 3))):
        for engine in ("planes", "lean"):
            assert agree(solved(game), solved(game, engine), table)


@pytest.mark.parametrize("name", ["AvC", "BvC"])
def test_the_largest_board_of_planes(solved: Solved, name: str) -> None:
    """64 squares fill rows and planes: the same bytes as the reference engine."""
    game = toys.skaters(8, 8)
    material = parse_material(game, name)
    assert choose_solver(game, material)[0].name == "planes"
    for engine in ("planes", "lean"):
        assert agree(solved(game), solved(game, engine), material)


def test_threads_change_nothing(solved: Solved, monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads that share the planes of each side, and the rows of children, give the same bytes."""
    game = toys.pond()
    material = next(one for one in stored_materials(game, 5) if planes_of(game, one) > 4 * ELEMENTS)
    expected, _, _ = solve_material(game, material, solved(game).load, "planes")
    monkeypatch.setattr(planes_solver, "GRAIN", 1)
    monkeypatch.setattr(children, "GRAIN", 1)
    with threads.use(3):
        found, _, _ = solve_material(game, material, solved(game).load, "planes")
        assert len(planes_solver._parts(compile_planes(compile_slice(game, material, solved(game).load)))) > 8
    assert [one.tobytes() for one in found] == [one.tobytes() for one in expected]
