"""What a build needs: tables, positions, memory, disk space and time."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

from tablebase.build.plan import dependency_graph, plan
from tablebase.compute import machine
from tablebase.errors import CapacityError
from tablebase.executors.executor import Limits
from tablebase.executors.scheduler import is_chain
from tablebase.game import Game
from tablebase.slices.indexing import layout_of
from tablebase.slices.location import dependencies, sides_stored, slices
from tablebase.slices.material import Material, material_name, parse_material
from tablebase.slices.placements import placements, table_placements
from tablebase.slices.pursuit import pursuit_fault
from tablebase.solvers.registry import AUTO, choose_solver, find_solver, solver_for
from tablebase.tables.folder import free_space

if TYPE_CHECKING:
    # Workers need no catalog, which takes as long to load as all else.
    from tablebase.catalog.catalog import TableCost

DEFAULT_SPEED = 8_000_000.0
"""Codes solved, written and verified in a CPU-second, until something has been built; measured on a server core of 2021."""
WORKER_BYTES = 300_000_000
"""Memory of a worker before it holds any position."""
BYTES_PER_CHILD = 3
"""Memory for each code of the tables that conversions lead to."""


@dataclass(frozen=True)
class FileSize:
    """A model of the size of a table file: ``overhead + scale * codes ** power`` bytes.

    Parameters
    ----------
    overhead : float
        Bytes of a file with hardly any codes.
    scale, power : float
        The power is less than 1 where larger tables compress better.
    """

    overhead: float
    scale: float
    power: float

    def __call__(self, codes: int) -> float:
        """Bytes of the file of a table with this number of codes."""
        return self.overhead + self.scale * math.pow(codes, self.power)


ROW_FILES = FileSize(10_300, 0.158, 0.965)
"""Fitted to all Dou Shou Qi tables of two, three and four pieces; each of the three sums is met within 3 %."""
PURSUIT_FILES = FileSize(6_600, 0.17, 1.0)
"""Fitted to all Fox & Hounds tables of 8×8 and 10×10; both sums are met within 1 %."""


@dataclass(frozen=True)
class Estimate:
    """One line of ``estimate``: what all slices with a number of pieces need, or one material.

    Parameters
    ----------
    pieces, slices, distinct, tables, placements : int
    distinct_placements : int
        In the slices that are solved and stored.
    memory : int
        Bytes that a worker needs for the largest table.
    disk : int
        Bytes.
    cpu_seconds : float
        To solve, write and verify.
    material : str or None
    wall_seconds : float
        The same by the clock, with as many workers as were asked for, if there are processors and memory for them.
    """

    pieces: int
    slices: int
    distinct: int
    tables: int
    placements: int
    distinct_placements: int
    memory: int
    disk: int
    cpu_seconds: float
    material: str | None = None
    wall_seconds: float = 0.0


def estimate(
    game: Game,
    pieces: int | range | None,
    materials: Sequence[Material],
    folder: Path,
    speed: float | None = None,
    *,
    whole: bool = False,
    workers: int = 1,
    allowed: int | None = None,
) -> list[Estimate]:
    """What a plan needs, whether or not its tables have been built.

    Parameters
    ----------
    game : Game
    pieces : int, range or None
        All slices with this number of pieces, or these numbers, and all that they depend on.
    materials : sequence of Material
        These, and all that they depend on.
    folder : Path
        The tablebase; its tables correct the figures measured elsewhere.
    speed : float, optional
        Codes solved, written and verified in a CPU-second; by default that of the folder's tables.
    whole : bool
        Whether to give a line for each number of pieces even where materials are asked for.
    workers : int
        How many tables are solved at a time.
    allowed : int, optional
        Bytes of memory that they may need together; by default all that this machine has.

    Returns
    -------
    list of Estimate
        One for each number of pieces, or for each table if there are only materials.
    """
    planned = plan(game, pieces, materials)
    costs = _costs(game, folder)
    speed = speed or _speed(costs)
    correction = _correction(game, costs)
    limits = Limits(workers, machine.memory() if allowed is None else allowed)
    if pieces is None and not whole:
        return [_line(game, [material], speed, correction, limits, material_name(game, material)) for material in planned]
    counts = sorted({material.pieces for material in planned})
    groups = ([material for material in planned if material.pieces == count] for count in counts)
    return [_line(game, group, speed, correction, limits) for group in groups]


def _line(
    game: Game, planned: list[Material], speed: float, correction: float, limits: Limits, name: str | None = None
) -> Estimate:
    """The line for stored materials with the same number of pieces."""
    sizes = [cells(game, material) for material in planned]
    largest = max(memory(game, material, AUTO, limits.memory) for material in planned)
    at_a_time = max(1, min(limits.workers, machine.cores(), allowed_memory(limits) // largest))
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
        disk=int(correction * sum(_file_bytes(game, material) for material in planned)),
        cpu_seconds=sum(sizes) / speed,
        material=name,
        # Tables with the same number of pieces seldom wait for each other, but the largest one is solved by one worker.
        wall_seconds=max(sum(sizes) / at_a_time, max(sizes)) / speed,
    )


def _costs(game: Game, folder: Path) -> list[TableCost]:
    """What the tables took that have been built in a folder."""
    from tablebase.catalog.catalog import Catalog
    from tablebase.catalog.sqlite import FILE_NAME

    if not (folder / FILE_NAME).exists():
        return []
    with closing(Catalog(folder)) as catalog:
        return catalog.costs(game)


def _speed(costs: Sequence[TableCost]) -> float:
    """Codes a CPU-second: those of the tables that were built here, else a figure measured elsewhere.

    It is the median over all codes, since tables for which kernels had to be compiled took far longer than others will.
    """
    timed = sorted((cost.codes / cost.seconds, cost.codes) for cost in costs if cost.seconds)
    half = sum(codes for _, codes in timed) / 2
    passed = accumulate(codes for _, codes in timed)
    return next((speed for (speed, _), codes in zip(timed, passed, strict=True) if codes >= half), DEFAULT_SPEED)


def _correction(game: Game, costs: Sequence[TableCost]) -> float:
    """How much larger the built tables are, all together, than predicted."""
    predicted = sum(_file_bytes(game, parse_material(game, cost.material)) for cost in costs)
    return sum(cost.bytes for cost in costs) / predicted if costs else 1.0


def _file_bytes(game: Game, material: Material) -> float:
    """Bytes that the file of a stored material is expected to have."""
    model = ROW_FILES if pursuit_fault(game, material) is not None else PURSUIT_FILES
    return model(cells(game, material))


def cells(game: Game, material: Material) -> int:
    """Number of codes in the table of a stored material."""
    return layout_of(game, material).size * len(sides_stored(game, material))


def allowed_memory(limits: Limits) -> int:
    """Bytes of memory that a build may use: those of its limits or, without such a limit, of this machine."""
    return machine.memory() if limits.memory is None else limits.memory


def memory(game: Game, material: Material, engine: str = AUTO, allowed: int | None = None) -> int:
    """Bytes that a worker needs to solve, write and verify the table of a stored material, with a solver for which `allowed` do."""
    solver = solver_for(game, material, engine, solver_memory(game, material, allowed))
    return _other_memory(game, material) + solver.memory(game, material)


def solver_memory(game: Game, material: Material, allowed: int | None) -> int | None:
    """How many of the bytes that a worker is allowed its solver may need."""
    return None if allowed is None else allowed - _other_memory(game, material)


def _other_memory(game: Game, material: Material) -> int:
    """What a worker needs beside the memory of its solver."""
    return WORKER_BYTES + BYTES_PER_CHILD * sum(layout_of(game, child).size for child in dependencies(game, material))


def describe_solvers(game: Game, missing: Sequence[Material], engine: str, allowed: int | None = None) -> str:
    """A sentence that says which solver will solve how many tables, and why."""
    solver = find_solver(engine)
    if solver is not None:
        return f"tables to solve with {solver.name}: {len(missing)} (as asked for)"
    choices = (choose_solver(game, material, solver_memory(game, material, allowed)) for material in missing)
    reasons = Counter((fastest.name, reason) for fastest, reason in choices)
    return "; ".join(f"tables to solve with {name}: {count} ({why})" for (name, why), count in reasons.items())


def describe_sharing(game: Game, missing: Sequence[Material], limits: Limits, engine: str) -> str:
    """A sentence that says how several workers divide the work: among tables, or within a table."""
    if is_chain(dependency_graph(game, missing)):
        return f"tables at a time: 1, with {limits.workers} threads (each needs the one before it)"
    shared = f"tables at a time: up to {limits.workers}"
    if limits.memory is None:
        return shared
    alone = sum(2 * memory(game, material, engine, limits.memory) > limits.memory for material in missing)
    if not alone:
        return shared
    reason = f"two like them do not fit into {limits.memory:,} bytes"
    return f"{shared}; tables solved alone, with {limits.workers} threads: {alone} ({reason})"


def check_capacity(game: Game, missing: Sequence[Material], folder: Path, limits: Limits, engine: str) -> None:
    """Raise `CapacityError` if a table would not fit into memory, or all of them together onto the disk."""
    present, allowed = machine.memory(), allowed_memory(limits)
    largest = max(missing, key=lambda material: memory(game, material, engine, allowed))
    needed = memory(game, largest, engine, allowed)
    if needed > allowed:
        name = material_name(game, largest)
        cure = "allow more with --memory" if needed <= present else "this machine has no more"
        raise CapacityError(name, cure, needed=needed, allowed=allowed)
    disk = int(_correction(game, _costs(game, folder)) * sum(_file_bytes(game, material) for material in missing))
    free = free_space(folder)
    if disk > free:
        raise CapacityError(
            "the build", "name another folder with --data", needed=disk, allowed=free, unit=f"bytes on the disk of {folder}"
        )
