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


def suite(of: Solver) -> SolverTests:
    """The suite for a solver."""

    class Suite(SolverTests):
        solver: ClassVar[Solver] = of

    return Suite()


@pytest.mark.parametrize("check", [name for name in dir(SolverTests) if name.startswith("test_")])
@pytest.mark.parametrize("name", ["planes", "lean", "pursuit", "groups", "reference"])
def test_the_solvers_pass(name: str, check: str) -> None:
    getattr(suite(named(name)), check)()


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
    with pytest.raises(AssertionError):
        getattr(suite(replace(named("reference"), solve=wrong)), check)()
