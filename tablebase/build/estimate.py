"""What a plan would take: which tables, how many positions, how much memory, disk and time."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tablebase.build.plan import plan
from tablebase.catalog.catalog import FILE_NAME, Catalog
from tablebase.errors import CapacityError
from tablebase.executors.executor import Limits
from tablebase.game import Game
from tablebase.slices.indexing import layout_of
from tablebase.slices.location import dependencies, sides_stored, slices
from tablebase.slices.material import Material, material_name
from tablebase.slices.placements import placements, table_placements
from tablebase.solvers.registry import AUTO, choose_solver, solver_for

DEFAULT_RATE = 8_000_000.0
"""Codes a CPU-second, solved, written and verified, where nothing has been built yet; measured on a server core of 2021."""
DEFAULT_BYTES = 0.12
"""Bytes on disk a code where nothing has been built yet."""
PURSUIT_BYTES = 0.17
"""The same for pursuits, whose values change faster from square to square."""
WORKER_BYTES = 300_000_000
"""A worker before it holds any position."""
BYTES_PER_CHILD = 3
"""Memory for each code of the tables that captures lead to."""


@dataclass(frozen=True)
class Estimate:
    """One line of ``estimate``; what all slices with so many pieces, or one material, take.

    Parameters
    ----------
    pieces, slices, distinct, tables, placements : int
    distinct_placements : int
        In the slices that are solved and stored.
    memory : int
        Bytes a worker needs for the largest table.
    disk : int
        Bytes.
    cpu_seconds : float
        To solve and verify.
    material : str or None
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


def estimate(
    game: Game,
    pieces: int | None,
    materials: Sequence[Material],
    folder: Path,
    rates: tuple[float, float] | None = None,
    *,
    whole: bool = False,
) -> list[Estimate]:
    """What a plan takes, whether or not its tables are there: a line a number of pieces, or a line a table.

    A line stands for a table if materials are asked for, unless the `whole` is of interest.

    Time and disk come from `rates` (codes a CPU-second, bytes a code), else from the tables that `folder` holds
    already, else from figures measured elsewhere.
    """
    planned = plan(game, pieces, materials)
    rates = rates or _rates(game, planned, folder)
    if pieces is None and not whole:
        return [_line(game, [table], rates, material_name(game, table)) for table in planned]
    counts = sorted({table.pieces for table in planned})
    return [_line(game, [table for table in planned if table.pieces == count], rates) for count in counts]


def _line(game: Game, planned: list[Material], rates: tuple[float, float], name: str | None = None) -> Estimate:
    homes = set(planned)
    held = [one for one in slices(game, planned[0].pieces) if one.location.material in homes]
    total = sum(cells(game, table) for table in planned)
    return Estimate(
        pieces=planned[0].pieces,
        slices=len(held),
        distinct=sum(one.distinct for one in held),
        tables=len(planned),
        placements=sum(placements(game, one.material) for one in held),
        distinct_placements=sum(table_placements(game, table) for table in planned),
        memory=max(memory(game, table) for table in planned),
        disk=int(total * rates[1]),
        cpu_seconds=total / rates[0],
        material=name,
    )


def _rates(game: Game, planned: Sequence[Material], folder: Path) -> tuple[float, float]:
    """Cells a CPU-second and bytes a cell."""
    pursuits = all(choose_solver(game, table)[0].name == "pursuit" for table in planned)
    default = DEFAULT_RATE, PURSUIT_BYTES if pursuits else DEFAULT_BYTES
    if not (folder / FILE_NAME).exists():
        return default
    catalog = Catalog(folder)
    try:
        return catalog.rate(game) or default
    finally:
        catalog.close()


def cells(game: Game, table: Material) -> int:
    """Number of codes in a table."""
    return layout_of(game, table).size * len(sides_stored(game, table))


def memory(game: Game, table: Material, engine: str = AUTO) -> int:
    """Bytes a worker needs to solve and verify a table."""
    solver = solver_for(game, table, engine)
    children = sum(layout_of(game, child).size for child in dependencies(game, table))
    return WORKER_BYTES + solver.bytes_per_index * layout_of(game, table).size + BYTES_PER_CHILD * children


def describe_solvers(game: Game, missing: Sequence[Material], engine: str) -> str:
    """A sentence that says which engine will solve how many tables, and why."""
    if engine != AUTO:
        return f"tables to solve with {engine}: {len(missing)} (as asked for)"
    choices = (choose_solver(game, table) for table in missing)
    reasons = Counter((solver.name, reason) for solver, reason in choices)
    return "; ".join(f"tables to solve with {name}: {count} ({why})" for (name, why), count in reasons.items())


def physical_memory() -> int:
    """Bytes of memory of this machine."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def check_capacity(game: Game, missing: Sequence[Material], folder: Path, limits: Limits, engine: str) -> None:
    """Raise `CapacityError` if a table would not fit into memory, or all of them not onto the disk."""
    largest = max(missing, key=lambda table: memory(game, table, engine))
    needed = memory(game, largest, engine)
    present = physical_memory()
    allowed = present if limits.memory is None else limits.memory
    if needed > allowed:
        name = material_name(game, largest)
        cure = "allow more with --memory" if needed <= present else "this machine has no more"
        raise CapacityError(name, cure, needed=needed, allowed=allowed)
    disk = int(sum(cells(game, table) for table in missing) * _rates(game, missing, folder)[1])
    free = shutil.disk_usage(folder).free
    if disk > free:
        raise CapacityError(
            "the build", "name another folder with --data", needed=disk, allowed=free, unit=f"bytes on the disk of {folder}"
        )
