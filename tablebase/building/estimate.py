"""Needs of tables: memory, disk space and time, judged by those that have been built; and whether a build fits."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import accumulate, groupby
from operator import attrgetter
from typing import NamedTuple

from tablebase.building.jobs import CostModel, JobCost, Made
from tablebase.building.plan import plan
from tablebase.catalog.known import TableCost
from tablebase.game import Game
from tablebase.positions.indexing import layout_of
from tablebase.positions.location import aliases, dependencies, sides_stored, slices, table_placements
from tablebase.positions.material import Material, material_name, parse_material, placements
from tablebase.positions.pursuit import pursuit_error
from tablebase.solvers.registry import AUTO, SOLVERS, Solver, solver_for
from tablebase.system.compute import machine
from tablebase.system.executors.executor import Limits

WORKER_BYTES = 300_000_000  # memory of a worker before it holds any position
BYTES_PER_CHILD = 3  # memory for each code of the tables that conversions lead to
OVERHEAD = 0.014  # CPU-seconds that the smallest table takes on the reference machine
START = 1.35  # CPU-seconds until the program solves its first table, on the reference machine
COMPILING = {"planes": 11.5, "groups": 2.6, "pursuit": 2.0, "bounds": 20.0, "tiers": 8.0}
"""CPU-seconds to compile the kernels of a solver, and those that check and write its tables, on the reference machine."""
OTHERS = 4.0  # the same for other solvers
RECENT = 8  # tables from which the time of the next ones by the clock is judged
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


def memory(game: Game, material: Material, solver: str = AUTO, allowed: int | None = None) -> int:
    """Bytes that a worker needs to solve, write and verify the table of a stored material, with a solver for which `allowed` do."""
    chosen = solver_for(game, material, solver, solver_memory(game, material, allowed))
    return _other_memory(game, material) + chosen.memory(game, material)


def solver_memory(game: Game, material: Material, allowed: int | None) -> int | None:
    """Return how many of the bytes that a worker is allowed its solver may need."""
    return None if allowed is None else allowed - _other_memory(game, material)


def _other_memory(game: Game, material: Material) -> int:
    return WORKER_BYTES + BYTES_PER_CHILD * sum(layout_of(game, child).size for child in dependencies(game, material))


def _file_bytes(game: Game, material: Material) -> float:
    model = ROW_FILES if pursuit_error(game, material) is not None else PURSUIT_FILES
    return model(cells(game, material))


class SpeedModel(CostModel):
    """Costs of tables of slices, by the speeds of solvers on the reference machine and the tables that have been built."""

    def __init__(
        self,
        game: Game,
        solver: str = AUTO,
        limits: Limits | None = None,
        known: Sequence[TableCost] = (),
        factor: float | None = None,
        planned: Iterable[Material] = (),
    ) -> None:
        """Choose solvers for `planned` materials that the memory of `limits` is enough for; `known` are costs on this machine.

        By default `factor`, the build time relative to the reference machine, is the median over all codes of `known`: tables
        that had kernels to compile took far longer.
        """
        self._game, self._solver, self._limits = game, solver, limits or Limits()
        self._ratios = [(ratio, cost.codes) for cost in known for ratio in _ratios(game, cost)]
        self._fixed = factor
        self.factor = _median(self._ratios) if factor is None else factor
        predicted = sum(_file_bytes(game, parse_material(game, cost.material)) for cost in known)
        self._disk = sum(cost.bytes for cost in known) / predicted if known else 1.0
        self._recent: deque[Made] = deque(maxlen=RECENT)
        self.kernels = frozenset(self._solver_of(material).name for material in planned)

    def _solver_of(self, material: Material) -> Solver:
        return solver_for(self._game, material, self._solver, solver_memory(self._game, material, self._limits.memory))

    def cost(self, key: Material) -> JobCost:
        """See `CostModel.cost`; of a stored material."""
        return JobCost(
            table_placements(self._game, key),
            memory(self._game, key, self._solver, self._limits.memory),
            int(self._disk * _file_bytes(self._game, key)),
            self.seconds(key),
        )

    def placements(self, key: Material) -> int:
        """See `CostModel.placements`."""
        stored = (one for side in sides_stored(self._game, key) for one in aliases(self._game, key, side))
        return sum(placements(self._game, one.material) for one in stored)

    def seconds(self, material: Material) -> float:
        """CPU-seconds to solve, write and verify the table of a stored material."""
        return self.factor * model(self._game, material, self._solver_of(material))

    def wall(self, keys: Sequence[Material]) -> float:
        """See `CostModel.wall`; judged by how long the last tables took."""
        seconds = [self.seconds(key) for key in keys]
        largest = max(memory(self._game, key, self._solver, self._limits.memory) for key in keys)
        spent = sum(made.seconds for made in self._recent)
        slowdown = sum(made.elapsed for made in self._recent) / spent if self._recent else 1.0
        return slowdown * elapsed(seconds, largest, self._limits)

    def learn(self, made: Made) -> None:
        """See `CostModel.learn`; tables that were only verified say nothing about solving."""
        if made.engine is None:
            return
        self._recent.append(made)
        cost = TableCost(material_name(self._game, made.key), cells(self._game, made.key), made.bytes, made.seconds, made.engine)
        self._ratios += [(ratio, cost.codes) for ratio in _ratios(self._game, cost)]
        if self._fixed is None:
            self.factor = _median(self._ratios)


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
    from tablebase.system.compute.compiling import is_compiled

    return machine_factor() * sum(COMPILING.get(solver, OTHERS) for solver in solvers if not is_compiled(kernels_of(solver, game)))


def kernels_of(solver: str, game: str) -> str:
    """The name of what is compiled together: kernels of `groups` differ from game to game."""
    return f"{solver}-{game}" if solver == "groups" else solver


def model(game: Game, material: Material, solver: Solver) -> float:
    """CPU-seconds that a solver takes for a stored material on the machine where its speed was measured."""
    return OVERHEAD + cells(game, material) / solver.speed


def _ratios(game: Game, cost: TableCost) -> list[float]:
    """Return how many times as long as the model says a table took; empty if nobody knows."""
    solvers = [solver for solver in SOLVERS if cost.seconds and cost.engine in solver.names]
    return [(cost.seconds or 0.0) / model(game, parse_material(game, cost.material), solver) for solver in solvers[:1]]


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
class SliceEstimate:
    """Estimated time, memory and disk space for building the tables with a given number or set of pieces."""

    pieces: int
    slices: int
    distinct: int
    tables: int
    placements: int
    distinct_placements: int  # in the slices that are solved and stored
    memory: int
    """Memory in bytes for the largest table."""
    disk: int
    """Disk space in bytes."""
    cpu_seconds: float
    """CPU time in seconds to solve, write and verify the tables."""
    material: str | None = None
    wall_seconds: float = 0.0
    """Elapsed time in seconds with all workers, if there are enough processors and memory."""
    start_seconds: float = 0.0
    """Time in seconds to start the program and to compile missing kernels, given only in the first row."""


def estimate(
    game: Game,
    pieces: int | range | None,
    materials: Sequence[Material],
    known: Sequence[TableCost] = (),
    factor: float | None = None,
    *,
    whole: bool = False,
    workers: int = 1,
    allowed: int | None = None,
) -> list[SliceEstimate]:
    """Predict what all slices with so many pieces, the materials, and all that they depend on need, built already or not.

    There is a line for each number of pieces or, if there are only materials and not `whole`, for each table. The tables of the
    catalog correct the figures measured elsewhere; `factor` is the build time relative to the reference machine, and by default
    follows from these tables. `workers` solve tables at the same time, which may need `allowed` bytes of memory together, by
    default all that this machine has.
    """
    planned = plan(game, pieces, materials)
    limits = Limits(workers, machine.memory() if allowed is None else allowed)
    speed = SpeedModel(game, AUTO, limits, known, factor, planned)
    if pieces is None and not whole:
        lines = [_line(game, [material], speed, material_name(game, material)) for material in planned]
    else:
        lines = [_line(game, list(group), speed) for _, group in groupby(planned, key=attrgetter("pieces"))]
    before = start_seconds() + compiling(game.name, speed.kernels)
    return [replace(lines[0], start_seconds=before), *lines[1:]]


def _line(game: Game, planned: list[Material], speed: SpeedModel, name: str | None = None) -> SliceEstimate:
    costs = [speed.cost(material) for material in planned]
    stored = set(planned)
    held = [one for one in slices(game, planned[0].pieces) if one.location.material in stored]
    return SliceEstimate(
        pieces=planned[0].pieces,
        slices=len(held),
        distinct=sum(one.distinct for one in held),
        tables=len(planned),
        placements=sum(map(speed.placements, planned)),
        distinct_placements=sum(cost.size for cost in costs),
        memory=max(cost.memory for cost in costs),
        disk=sum(cost.disk for cost in costs),
        cpu_seconds=sum(cost.cpu_seconds for cost in costs),
        material=name,
        wall_seconds=speed.wall(planned),
    )


def elapsed(seconds: Sequence[float], largest: int, limits: Limits) -> float:
    """Seconds by the clock for tables that take these CPU-seconds each, the largest of them with this much memory."""
    allowed = machine.memory() if limits.memory is None else limits.memory
    at_a_time = limits.workers if limits.each else max(1, min(limits.workers, machine.cores(), allowed // largest))
    # Tables with the same number of pieces seldom wait for each other, but the largest one is solved by one worker.
    return max(sum(seconds) / at_a_time, max(seconds))
