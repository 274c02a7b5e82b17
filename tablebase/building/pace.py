"""How long tables take: what each solver takes on one machine, corrected by what was measured on this one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

from tablebase.building.needs import cells, solver_memory
from tablebase.game import Game
from tablebase.slices.material import Material, parse_material
from tablebase.solvers.registry import AUTO, SOLVERS, Solver, solver_for

if TYPE_CHECKING:
    # Workers need no catalog, which takes as long to load as all else.
    from tablebase.catalog.catalog import TableCost

OVERHEAD = 0.05
"""CPU-seconds that the smallest table takes."""
START = 1.9
"""CPU-seconds until the program solves its first table."""
COMPILING = {"planes": 18.5, "lean": 18.5, "groups": 4.0, "pursuit": 3.0, "bounds": 33.0}
"""CPU-seconds to compile the kernels of a solver, and those that check and write its tables; those of `bounds` are never kept."""
OTHERS = 5.0
"""The same for other solvers."""


class Pace:
    """How many times as long tables take as on the machine where the speeds of solvers were measured.

    Parameters
    ----------
    game : Game
    engine : str
        Name of a solver, or ``auto``.
    allowed : int or None
        Bytes of memory that a worker may need, by which solvers are chosen.
    costs : sequence of TableCost
        What tables of this game took on this machine.
    factor : float, optional
        By default the median over all codes of `costs`, since tables for which kernels had to be compiled took far longer
        than others will; without any, 1.
    """

    def __init__(
        self,
        game: Game,
        engine: str = AUTO,
        allowed: int | None = None,
        costs: Sequence[TableCost] = (),
        factor: float | None = None,
    ) -> None:
        self._game, self._engine, self._allowed = game, engine, allowed
        self._known = [(ratio, cost.codes) for cost in costs for ratio in _ratios(game, cost)]
        self._fixed = factor
        self.factor = _median(self._known) if factor is None else factor

    def seconds(self, material: Material) -> float:
        """CPU-seconds to solve, write and verify the table of a stored material."""
        memory = solver_memory(self._game, material, self._allowed)
        return self.factor * model(self._game, material, solver_for(self._game, material, self._engine, memory))

    def solvers(self, materials: Iterable[Material]) -> set[str]:
        """Names of the solvers of stored materials."""
        found = {(one, solver_memory(self._game, one, self._allowed)) for one in materials}
        return {solver_for(self._game, material, self._engine, memory).name for material, memory in found}

    def learn(self, cost: TableCost) -> None:
        """Take into account what another table took."""
        self._known += [(ratio, cost.codes) for ratio in _ratios(self._game, cost)]
        if self._fixed is None:
            self.factor = _median(self._known)


def compiling(game: str, solvers: Iterable[str]) -> float:
    """CPU-seconds to compile the kernels of solvers that have not yet been compiled for a game."""
    # Imported here because Numba is slow to load.
    from tablebase.compute.compiling import is_compiled

    return sum(COMPILING.get(solver, OTHERS) for solver in solvers if not is_compiled(kernels_of(solver, game)))


def kernels_of(solver: str, game: str) -> str:
    """The name of what is compiled together: kernels of `groups` differ from game to game."""
    return f"{solver}-{game}" if solver == "groups" else solver


def model(game: Game, material: Material, solver: Solver) -> float:
    """CPU-seconds that a solver takes for a stored material on the machine where its speed was measured."""
    return OVERHEAD + cells(game, material) / solver.speed


def _ratios(game: Game, cost: TableCost) -> list[float]:
    """How many times as long as the model says a table took; empty if nobody knows."""
    solvers = [solver for solver in SOLVERS if solver.name == cost.engine]
    if not cost.seconds or not solvers:
        return []
    return [cost.seconds / model(game, parse_material(game, cost.material), solvers[0])]


def _median(known: Sequence[tuple[float, int]]) -> float:
    """The median of ratios, each counted as often as its table has codes; 1 if there are none."""
    ordered = sorted(known)
    half = sum(codes for _, codes in ordered) / 2
    passed = accumulate(codes for _, codes in ordered)
    return next((ratio for (ratio, _), codes in zip(ordered, passed, strict=True) if codes >= half), 1.0)
