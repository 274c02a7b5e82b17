"""The split of the time of the solver of planes."""

from __future__ import annotations

from plane_steps import measure_plane_steps
from support import toys
from support.solved import Solved

from tablebase.slices.material import parse_material
from tablebase.solvers.problem import compile_slice


def test_every_step_is_measured(solved: Solved) -> None:
    """Each step of the solver takes some time, and none is counted under another's name."""
    game = toys.pond()
    problem = compile_slice(game, parse_material(game, "RTvRL"), solved(game).load)
    seconds = measure_plane_steps(problem)
    steps = ("set up", "children", "captures", "enter", "mark", "wins", "losses", "rows")
    assert set(seconds) == {f"planes, {step}" for step in steps}
    assert all(duration > 0 for duration in seconds.values())
