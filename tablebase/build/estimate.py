"""What a build needs: tables, positions, memory, disk space and time."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import psutil

from tablebase.build.plan import plan
from tablebase.catalog.catalog import Catalog
from tablebase.catalog.sqlite import FILE_NAME
from tablebase.errors import CapacityError
from tablebase.executors.executor import Limits
from tablebase.game import Game
from tablebase.slices.indexing import layout_of
from tablebase.slices.location import dependencies, sides_stored, slices
from tablebase.slices.material import Material, material_name
from tablebase.slices.placements import placements, table_placements
from tablebase.slices.pursuit import pursuit_fault
from tablebase.solvers.registry import AUTO, choose_solver, find_solver, solver_for

DEFAULT_RATE = 8_000_000.0
"""Codes solved, written and verified in a CPU-second, until something has been built; measured on a server core of 2021."""
DEFAULT_BYTES = 0.12
"""Bytes of disk a code, until something has been built."""
PURSUIT_BYTES = 0.17
"""The same for pursuits, whose values change faster from square to square."""
WORKER_BYTES = 300_000_000
"""Memory of a worker before it holds any position."""
BYTES_PER_CHILD = 3
"""Memory for each code of the tables that conversions lead to."""


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
    """What a plan needs, whether or not its tables have been built.

    Parameters
    ----------
    game : Game
    pieces : int or None
        All slices of 2 to this number of pieces.
    materials : sequence of Material
        These, and all that they depend on.
    folder : Path
        The tablebase; its tables decide time and disk space, unless `rates` are given.
    rates : tuple of (float, float), optional
        Codes a CPU-second and bytes a code.
    whole : bool
        Whether to give a line for each number of pieces even where materials are asked for.

    Returns
    -------
    list of Estimate
        One for each number of pieces, or for each table if there are only materials.
    """
    planned = plan(game, pieces, materials)
    rates = rates or _rates(game, planned, folder)
    if pieces is None and not whole:
        return [_line(game, [material], rates, material_name(game, material)) for material in planned]
    counts = sorted({material.pieces for material in planned})
    return [_line(game, [material for material in planned if material.pieces == count], rates) for count in counts]


def _line(game: Game, planned: list[Material], rates: tuple[float, float], name: str | None = None) -> Estimate:
    """The line for stored materials with the same number of pieces."""
    stored = set(planned)
    held = [one for one in slices(game, planned[0].pieces) if one.location.material in stored]
    total = sum(cells(game, material) for material in planned)
    return Estimate(
        pieces=planned[0].pieces,
        slices=len(held),
        distinct=sum(one.distinct for one in held),
        tables=len(planned),
        placements=sum(placements(game, one.material) for one in held),
        distinct_placements=sum(table_placements(game, material) for material in planned),
        memory=max(memory(game, material) for material in planned),
        disk=int(total * rates[1]),
        cpu_seconds=total / rates[0],
        material=name,
    )


def _rates(game: Game, planned: Sequence[Material], folder: Path) -> tuple[float, float]:
    """Codes a CPU-second and bytes a code: those of the folder's tables, else figures measured elsewhere."""
    pursuits = all(pursuit_fault(game, material) is None for material in planned)
    default = DEFAULT_RATE, PURSUIT_BYTES if pursuits else DEFAULT_BYTES
    if not (folder / FILE_NAME).exists():
        return default
    with closing(Catalog(folder)) as catalog:
        return catalog.rate(game) or default


def cells(game: Game, material: Material) -> int:
    """Number of codes in the table of a stored material."""
    return layout_of(game, material).size * len(sides_stored(game, material))


def memory(game: Game, material: Material, engine: str = AUTO) -> int:
    """Bytes that a worker needs to solve, write and verify the table of a stored material."""
    solver = solver_for(game, material, engine)
    children = sum(layout_of(game, child).size for child in dependencies(game, material))
    return WORKER_BYTES + solver.bytes_per_index * layout_of(game, material).size + BYTES_PER_CHILD * children


def describe_solvers(game: Game, missing: Sequence[Material], engine: str) -> str:
    """A sentence that says which solver will solve how many tables, and why."""
    solver = find_solver(engine)
    if solver is not None:
        return f"tables to solve with {solver.name}: {len(missing)} (as asked for)"
    reasons = Counter((fastest.name, reason) for fastest, reason in (choose_solver(game, material) for material in missing))
    return "; ".join(f"tables to solve with {name}: {count} ({why})" for (name, why), count in reasons.items())


def physical_memory() -> int:
    """Bytes of memory of this machine."""
    return psutil.virtual_memory().total


def check_capacity(game: Game, missing: Sequence[Material], folder: Path, limits: Limits, engine: str) -> None:
    """Raise `CapacityError` if a table would not fit into memory, or all of them together onto the disk."""
    largest = max(missing, key=lambda material: memory(game, material, engine))
    needed = memory(game, largest, engine)
    present = physical_memory()
    allowed = present if limits.memory is None else limits.memory
    if needed > allowed:
        name = material_name(game, largest)
        cure = "allow more with --memory" if needed <= present else "this machine has no more"
        raise CapacityError(name, cure, needed=needed, allowed=allowed)
    disk = int(sum(cells(game, material) for material in missing) * _rates(game, missing, folder)[1])
    free = shutil.disk_usage(folder).free
    if disk > free:
        raise CapacityError(
            "the build", "name another folder with --data", needed=disk, allowed=free, unit=f"bytes on the disk of {folder}"
        )
