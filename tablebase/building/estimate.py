"""What tables need: memory, disk space and time, judged by those that have been built; and whether a build fits."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tablebase.building.plan import plan
from tablebase.compute import machine
from tablebase.errors import CapacityError
from tablebase.executors.executor import Limits
from tablebase.game import Game
from tablebase.slices.indexing import layout_of
from tablebase.slices.location import dependencies, sides_stored, slices
from tablebase.slices.material import Material, material_name, parse_material
from tablebase.slices.placements import placements, table_placements
from tablebase.slices.pursuit import pursuit_fault
from tablebase.solvers.registry import AUTO, SOLVERS, Solver, solver_for
from tablebase.tables.folder import free_space

if TYPE_CHECKING:
    # Workers need no catalog, which takes as long to load as all else.
    from tablebase.catalog.catalog import TableCost

WORKER_BYTES = 300_000_000
"""Memory of a worker before it holds any position."""
BYTES_PER_CHILD = 3
"""Memory for each code of the tables that conversions lead to."""
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


class FileSize(NamedTuple):
    """A model of the size of a table file: ``overhead + scale * codes ** power`` bytes."""

    overhead: float
    scale: float
    power: float  # less than 1 where larger tables compress better

    def __call__(self, codes: int) -> float:
        """Bytes of the file of a table with this number of codes."""
        return self.overhead + self.scale * math.pow(codes, self.power)


ROW_FILES = FileSize(10_300, 0.158, 0.965)
"""Fitted to all Dou Shou Qi tables of two, three and four pieces; each of the three sums is met within 3 %."""
PURSUIT_FILES = FileSize(6_600, 0.17, 1.0)
"""Fitted to all Fox & Hounds tables of 8×8 and 10×10; both sums are met within 1 %."""


def cells(game: Game, material: Material) -> int:
    """Number of codes in the table of a stored material."""
    return layout_of(game, material).size * len(sides_stored(game, material))


def allowed_memory(limits: Limits) -> int:
    """Bytes of memory that a build may use: those of its limits or, without such a limit, of this machine."""
    return machine.memory() if limits.memory is None else limits.memory


def memory(game: Game, material: Material, solver: str = AUTO, allowed: int | None = None) -> int:
    """Bytes that a worker needs to solve, write and verify the table of a stored material, with a solver for which `allowed` do."""
    chosen = solver_for(game, material, solver, solver_memory(game, material, allowed))
    return _other_memory(game, material) + chosen.memory(game, material)


def solver_memory(game: Game, material: Material, allowed: int | None) -> int | None:
    """How many of the bytes that a worker is allowed its solver may need."""
    return None if allowed is None else allowed - _other_memory(game, material)


def _other_memory(game: Game, material: Material) -> int:
    """What a worker needs beside the memory of its solver."""
    return WORKER_BYTES + BYTES_PER_CHILD * sum(layout_of(game, child).size for child in dependencies(game, material))


def costs_in(game: Game, folder: Path, catalog: str | None = None) -> list[TableCost]:
    """What the tables of a game took that have been built in a folder, whose catalog may have a URL."""
    from tablebase.catalog.catalog import Catalog, has_catalog

    if not has_catalog(folder, catalog):
        return []
    with closing(Catalog(folder, catalog=catalog)) as opened:
        return opened.costs(game)


def disk(game: Game, materials: Sequence[Material], costs: Sequence[TableCost]) -> int:
    """Bytes that the files of stored materials are expected to have, judged by those that have been built."""
    predicted = sum(_file_bytes(game, parse_material(game, cost.material)) for cost in costs)
    correction = sum(cost.bytes for cost in costs) / predicted if costs else 1.0
    return int(correction * sum(_file_bytes(game, material) for material in materials))


def _file_bytes(game: Game, material: Material) -> float:
    """Bytes that the file of a stored material is expected to have."""
    model = ROW_FILES if pursuit_fault(game, material) is not None else PURSUIT_FILES
    return model(cells(game, material))


class Pace:
    """Build time relative to the reference machine, where the speeds of solvers were measured."""

    def __init__(
        self,
        game: Game,
        solver: str = AUTO,
        allowed: int | None = None,  # bytes of memory that a worker may need, by which solvers are chosen
        costs: Sequence[TableCost] = (),  # of tables of this game on this machine
        factor: float | None = None,
    ) -> None:
        """By default `factor` is the median over all codes of `costs`: tables that had kernels to compile took far longer."""
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


@dataclass(frozen=True)
class Estimate:
    """What tables take: of a number of pieces, or of one material."""

    pieces: int
    slices: int
    distinct: int
    tables: int
    placements: int
    distinct_placements: int
    """In the slices that are solved and stored."""
    memory: int
    """Bytes, for the largest table."""
    disk: int
    """Bytes."""
    cpu_seconds: float
    """To solve, write and verify."""
    material: str | None = None
    wall_seconds: float = 0.0
    """The same by the clock, with as many workers as were asked for, if there are processors and memory for them."""
    start_seconds: float = 0.0
    """In the first row, to start and to compile kernels that are not kept; it comes to the times of all rows."""


def estimate(
    game: Game,
    pieces: int | range | None,
    materials: Sequence[Material],
    folder: Path,
    factor: float | None = None,
    *,
    whole: bool = False,
    workers: int = 1,
    allowed: int | None = None,
    catalog: str | None = None,
) -> list[Estimate]:
    """What all slices with so many pieces, the materials, and all that they depend on need, built already or not.

    There is a line for each number of pieces or, if there are only materials and not `whole`, for each table. The tables of the
    folder correct the figures measured elsewhere; `factor` is the build time relative to the reference machine, as by
    `tablebase.building.tables.measure`, and by default that of these tables. So many `workers` solve tables at a time, which may
    need `allowed` bytes of memory together, by default all that this machine has.
    """
    planned = plan(game, pieces, materials)
    limits = Limits(workers, machine.memory() if allowed is None else allowed)
    costs = costs_in(game, folder, catalog)
    pace = Pace(game, AUTO, limits.memory, costs, factor)
    if pieces is None and not whole:
        lines = [_line(game, [material], pace, costs, limits, material_name(game, material)) for material in planned]
    else:
        counts = sorted({material.pieces for material in planned})
        groups = ([material for material in planned if material.pieces == count] for count in counts)
        lines = [_line(game, group, pace, costs, limits) for group in groups]
    before = start_seconds() + compiling(game.name, pace.solvers(planned))
    return [replace(lines[0], start_seconds=before), *lines[1:]]


def _line(
    game: Game, planned: list[Material], pace: Pace, costs: Sequence[TableCost], limits: Limits, name: str | None = None
) -> Estimate:
    """The line for stored materials with the same number of pieces."""
    largest = max(memory(game, material, AUTO, limits.memory) for material in planned)
    seconds = [pace.seconds(material) for material in planned]
    stored = set(planned)
    held = [one for one in slices(game, planned[0].pieces) if one.location.material in stored]
    return Estimate(
        pieces=planned[0].pieces,
        slices=len(held),
        distinct=sum(one.distinct for one in held),
        tables=len(planned),
        placements=sum(placements(game, one.material) for one in held),
        distinct_placements=sum(table_placements(game, material) for material in planned),
        memory=largest,
        disk=disk(game, planned, costs),
        cpu_seconds=sum(seconds),
        material=name,
        wall_seconds=elapsed(seconds, largest, limits),
    )


def elapsed(seconds: Sequence[float], largest: int, limits: Limits) -> float:
    """Seconds by the clock for tables that take these CPU-seconds each, the largest of them with this much memory."""
    at_a_time = limits.workers if limits.each else max(1, min(limits.workers, machine.cores(), allowed_memory(limits) // largest))
    # Tables with the same number of pieces seldom wait for each other, but the largest one is solved by one worker.
    return max(sum(seconds) / at_a_time, max(seconds))


def check_capacity(
    game: Game,
    missing: Sequence[Material],
    folder: Path,
    limits: Limits,
    solver: str,
    keep: int = 0,
    catalog: str | None = None,
) -> None:
    """Raise `CapacityError` if a table would not fit into memory, or all of them onto the disk with `keep` bytes left free."""
    present, allowed = machine.memory(), allowed_memory(limits)
    largest = max(missing, key=lambda material: memory(game, material, solver, allowed))
    needed = memory(game, largest, solver, allowed)
    if needed > allowed:
        name = material_name(game, largest)
        cure = "allow more with --memory" if needed <= present else "this machine has no more"
        if limits.each:
            cure = "no worker has more, so use fewer or larger ones"
        raise CapacityError(name, cure, needed=needed, allowed=allowed)
    needed, free = disk(game, missing, costs_in(game, folder, catalog)), max(0, free_space(folder) - keep)
    if needed > free:
        raise CapacityError(
            "the build", "name another folder with --data", needed=needed, allowed=free, unit=f"bytes on the disk of {folder}"
        )
