"""A test suite for solvers, as a class to inherit from."""

from __future__ import annotations

from functools import cache, partial
from typing import ClassVar

import numpy as np

from tablebase.game import Game, Outcome, load_game
from tablebase.game.companions import companions
from tablebase.positions.conversions import conversions
from tablebase.positions.indexing import layout_of
from tablebase.positions.location import locate, sides_stored
from tablebase.positions.material import Material, parse_material
from tablebase.solvers.problem import CompiledSlice, compile_slice
from tablebase.solvers.registry import Solver, find_solver, solve_material
from tablebase.tables.values import NARROW, NARROW_ANY, Codes, Coding, Value

REFERENCE = "reference"


class SolverTests:
    """A suite of pytest tests for solvers; to run the tests, define a subclass with the attribute `solver`.

    Attributes
    ----------
    solver : Solver
        Solver under test.
    slices : tuple of (str, str)
        Games and materials to solve. The solver must accept at least one slice; rejected slices are skipped. By default, examples
        of installed games, from the constant ``SLICES`` in the module ``NAME_examples`` in the folder of each game's rules.

    Examples
    --------
    >>> from tablebase.solvers.registry import find_solver
    >>> class TestGroups(SolverTests):
    ...     solver = find_solver("groups")
    """

    solver: ClassVar[Solver]
    slices: ClassVar[tuple[tuple[str, str], ...]] = ()

    def test_unsupported(self) -> None:
        """If a solver rejects a slice, the reason that the solver returns is a clause without a full stop."""
        for game, material in self._all():
            for unsupported in (self.solver.refuses(game, material), self.solver.avoids(game, material)):
                assert unsupported is None or (unsupported.strip() == unsupported != "" and not unsupported.endswith("."))

    def test_codes(self) -> None:
        """The value codes of both sides equal the codes from the solver `reference`, including invalid indices."""
        reference = find_solver(REFERENCE)
        assert reference is not None
        for problem in self._problems():
            codes, expected = self.solver.solve(problem), reference.solve(problem)
            assert codes is not None
            assert expected is not None
            for side in (0, 1):
                assert codes[side].dtype == np.dtype(problem.coding.dtype)
                assert np.array_equal(codes[side], expected[side]), (problem.game.name, problem.layout.material, side)

    def test_the_same_again(self) -> None:
        """Solving twice returns the same codes and does not change the input."""
        for problem in self._problems():
            children = problem.children.copy()
            first, second = self.solver.solve(problem), self.solver.solve(problem)
            assert first is not None
            assert second is not None
            assert all(np.array_equal(one, other) for one, other in zip(first, second, strict=True))
            assert np.array_equal(problem.children, children)

    def test_distances_that_do_not_fit(self) -> None:
        """If a distance is one ply too long for one-byte codes, the solver returns None; with two-byte codes, it succeeds."""
        converting = [(game, material) for game, material in self._accepted() if conversions(game, material)]
        game, material = min(converting, key=lambda pair: layout_of(*pair).size)
        coding = NARROW if game.escape is None else NARROW_ANY
        code = coding.code(Value(Outcome.LOSS, coding.reach))

        def load(child: Material, _side: int) -> tuple[Codes, Coding]:
            return np.full(layout_of(game, child).size, code, dtype=coding.dtype), coding

        narrow = compile_slice(game, material, load)
        assert self.solver.solve(narrow) is None
        assert self.solver.solve(compile_slice(game, material, load, narrow.coding.wider)) is not None

    def _all(self) -> list[tuple[Game, Material]]:
        slices = self.slices or [one for module in companions("_examples", "examples") for one in getattr(module, "SLICES", ())]
        games = [(load_game(game), material) for game, material in slices]
        return [(game, locate(game, parse_material(game, material), 0).material) for game, material in games]

    def _accepted(self) -> list[tuple[Game, Material]]:
        accepted = [(game, material) for game, material in self._all() if self.solver.refuses(game, material) is None]
        assert accepted, "the solver refuses all slices of the suite: set `slices` to some that it accepts"
        return accepted

    def _problems(self) -> list[CompiledSlice]:
        return [compile_slice(game, material, partial(_solved, game)) for game, material in self._accepted()]


@cache
def _solved(game: Game, material: Material, side: int) -> tuple[Codes, Coding]:
    codes, coding, _ = solve_material(game, material, partial(_solved, game), REFERENCE)
    return np.asarray(codes[sides_stored(game, material).index(side)]), coding
