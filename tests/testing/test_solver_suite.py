"""All solvers pass the public suite, and a solver that is wrong does not."""

from dataclasses import replace
from typing import ClassVar

import pytest

from tablebase.solvers.problem import CompiledSlice
from tablebase.solvers.registry import Solver, find_solver
from tablebase.tables.values import Codes
from tablebase.testing import SolverTests


def named(name: str) -> Solver:
    """A solver by its name."""
    solver = find_solver(name)
    assert solver is not None
    return solver


class TestPlanes(SolverTests):
    """The solver of planes."""

    solver: ClassVar[Solver] = named("planes")


class TestLean(SolverTests):
    """The solver of planes that keeps no codes in memory."""

    solver: ClassVar[Solver] = named("lean")


class TestPursuit(SolverTests):
    """The solver of pursuits."""

    solver: ClassVar[Solver] = named("pursuit")


class TestReference(SolverTests):
    """The readable solver, against itself."""

    solver: ClassVar[Solver] = named("reference")


class TestGroups(SolverTests):
    """The solver of identical pieces."""

    solver: ClassVar[Solver] = named("groups")


def no_solution(_problem: CompiledSlice) -> None:
    """Says that no distance fits."""


def other_side_first(problem: CompiledSlice) -> tuple[Codes, Codes] | None:
    """Mixes the sides up."""
    codes = named("reference").solve(problem)
    return None if codes is None else codes[::-1]  # type: ignore[return-value]


def careless_at_the_end(problem: CompiledSlice) -> tuple[Codes, Codes] | None:
    """Leaves out the last index of the second side."""
    codes = named("reference").solve(problem)
    if codes is not None:
        codes[1][-1] = 0
    return codes


def spoiling(problem: CompiledSlice) -> tuple[Codes, Codes] | None:
    """Leaves its marks in what it was given."""
    codes = named("reference").solve(problem)
    problem.children[:] = 0
    return codes


def saturating(problem: CompiledSlice) -> tuple[Codes, Codes] | None:
    """Calls what does not fit a draw."""
    codes = named("reference").solve(problem)
    return (problem.children[:0], problem.children[:0]) if codes is None else codes


@pytest.mark.parametrize(
    ("wrong", "check"),
    [
        (no_solution, "test_codes"),
        (other_side_first, "test_codes"),
        (careless_at_the_end, "test_codes"),
        (spoiling, "test_the_same_again"),
        (saturating, "test_distances_that_do_not_fit"),
    ],
)
def test_what_is_wrong_is_found(wrong: object, check: str) -> None:
    """Each check fails for a solver that breaks what it is about."""

    class Wrong(SolverTests):
        solver: ClassVar[Solver] = replace(named("reference"), solve=wrong)

    with pytest.raises(AssertionError):
        getattr(Wrong(), check)()
