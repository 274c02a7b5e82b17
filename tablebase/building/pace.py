"""How long tables take: what each solver takes on one machine, corrected by what was measured on this one."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING

from tablebase.building.needs import cells, solver_memory
from tablebase.game import Game
from tablebase.slices.material import Material, parse_material
from tablebase.solvers.registry import AUTO, SOLVERS, Solver, solver_for

if TYPE_CHECKING:
    # Workers need no catalog, which takes as long to load as all else.
    from tablebase.catalog.catalog import TableCost

OVERHEAD = 0.014
"""CPU-seconds that the smallest table takes on the reference machine."""
START = 1.35
"""CPU-seconds until the program solves its first table, on the reference machine."""
COMPILING = {"planes": 11.5, "groups": 2.6, "pursuit": 2.0, "bounds": 20.0}
"""CPU-seconds to compile the kernels of a solver, and those that check and write its tables, on the reference machine."""
OTHERS = 4.0
"""The same for other solvers."""
LOOP, LOOP_SECONDS = 100_000, 0.00225
"""Rounds of a plain loop, and the CPU-seconds that they take on the reference machine."""


class Pace:
    """Build time relative to the reference machine, where the speeds of solvers were measured.

    Parameters
    ----------
    game : Game
    solver : str
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
        solver: str = AUTO,
        allowed: int | None = None,
        costs: Sequence[TableCost] = (),
        factor: float | None = None,
    ) -> None:
        self._game, self._solver, self._allowed = game, solver, allowed
        self._known = [(ratio, cost.codes) for cost in costs for ratio in _ratios(game, cost)]
        self._fixed = factor
        self.factor = _median(self._known) if factor is None else factor

    def seconds(self, material: Material) -> float:
        """CPU-seconds to solve, write and verify the table of a stored material."""
        memory = solver_memory(self._game, material, self._allowed)
        return self.factor * model(self._game, material, solver_for(self._game, material, self._solver, memory))

    def solvers(self, materials: Iterable[Material]) -> set[str]:
        """Names of the solvers of stored materials."""
        found = {(one, solver_memory(self._game, one, self._allowed)) for one in materials}
        return {solver_for(self._game, material, self._solver, memory).name for material, memory in found}

    def learn(self, cost: TableCost) -> None:
        """Take into account what another table took."""
        self._known += [(ratio, cost.codes) for ratio in _ratios(self._game, cost)]
        if self._fixed is None:
            self.factor = _median(self._known)


@cache
def machine_factor() -> float:
    """Time that this machine takes relative to the reference machine, from a plain loop."""
    return min(_loop_seconds() for _ in range(5)) / LOOP_SECONDS


def start_seconds() -> float:
    """CPU-seconds until the program solves its first table, on this machine."""
    return START * machine_factor()


def compiling(game: str, solvers: Iterable[str]) -> float:
    """CPU-seconds to compile the kernels of solvers that have not yet been compiled for a game."""
    # Imported here because Numba is slow to load.
    from tablebase.compute.compiling import is_compiled

    return machine_factor() * sum(COMPILING.get(solver, OTHERS) for solver in solvers if not is_compiled(kernels_of(solver, game)))


def kernels_of(solver: str, game: str) -> str:
    """The name of what is compiled together: kernels of `groups` differ from game to game."""
    return f"{solver}-{game}" if solver == "groups" else solver


def model(game: Game, material: Material, solver: Solver) -> float:
    """CPU-seconds that a solver takes for a stored material on the machine where its speed was measured."""
    return OVERHEAD + cells(game, material) / solver.speed


def _ratios(game: Game, cost: TableCost) -> list[float]:
    """How many times as long as the model says a table took; empty if nobody knows."""
    solvers = [solver for solver in SOLVERS if cost.engine in solver.names]
    if not cost.seconds or not solvers:
        return []
    return [cost.seconds / model(game, parse_material(game, cost.material), solvers[0])]


def _median(known: Sequence[tuple[float, int]]) -> float:
    """The median of ratios, each counted as often as its table has codes; `machine_factor` if there are none."""
    ordered = sorted(known)
    half = sum(codes for _, codes in ordered) / 2
    passed = accumulate(codes for _, codes in ordered)
    return next((ratio for (ratio, _), codes in zip(ordered, passed, strict=True) if codes >= half), None) or machine_factor()


def _loop_seconds() -> float:
    before, total = time.process_time(), 0
    for number in range(LOOP):
        total += number & 7
    return time.process_time() - before
