"""The solver of planes on slices that lead it into corners, and what it reads of them."""

from math import prod

import numpy as np
import pytest
from support import toys
from support.solved import Solved

from tablebase.game import Game
from tablebase.positions.indexing import layout_of
from tablebase.positions.location import stored_materials
from tablebase.positions.material import Material
from tablebase.solvers.planes import children
from tablebase.solvers.planes import solve as planes_solver
from tablebase.solvers.planes.children import NOTHING, scores_of
from tablebase.solvers.planes.slices import compile_planes
from tablebase.solvers.problem import compile_slice
from tablebase.solvers.registry import solve_material
from tablebase.system.compute import threads
from tablebase.system.compute.vectors import ELEMENTS
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
    return prod(layout_of(game, material).radices[:-2])


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
