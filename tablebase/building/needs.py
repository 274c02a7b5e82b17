"""What tables need of memory and disk, and whether a build fits."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tablebase.building.plan import dependency_graph
from tablebase.compute import machine
from tablebase.errors import CapacityError
from tablebase.executors.executor import Limits
from tablebase.executors.scheduler import is_chain
from tablebase.game import Game
from tablebase.slices.indexing import layout_of
from tablebase.slices.location import dependencies, sides_stored
from tablebase.slices.material import Material, material_name, parse_material
from tablebase.slices.pursuit import pursuit_fault
from tablebase.solvers.registry import AUTO, choose_solver, find_solver, solver_for
from tablebase.tables.folder import free_space

if TYPE_CHECKING:
    from tablebase.catalog.catalog import TableCost

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


def describe_solvers(game: Game, missing: Sequence[Material], solver: str, allowed: int | None = None) -> str:
    """A sentence that says which solver will solve how many tables, and why."""
    chosen = find_solver(solver)
    if chosen is not None:
        return f"tables to solve with {chosen.name}: {len(missing)} (as asked for)"
    choices = (choose_solver(game, material, solver_memory(game, material, allowed)) for material in missing)
    reasons = Counter((fastest.name, reason) for fastest, reason in choices)
    return "; ".join(f"tables to solve with {name}: {count} ({why})" for (name, why), count in reasons.items())


def describe_sharing(game: Game, missing: Sequence[Material], limits: Limits, solver: str) -> str:
    """A sentence that says how several workers divide the work: among tables, or within a table."""
    if limits.each:
        return f"tables at a time: up to {limits.workers}, each in {limits.memory or 0:,} bytes of memory at most"
    if is_chain(dependency_graph(game, missing)):
        return f"tables at a time: 1, with {limits.workers} threads (each needs the one before it)"
    shared = f"tables at a time: up to {limits.workers}"
    if limits.memory is None:
        return shared
    alone = sum(2 * memory(game, material, solver, limits.memory) > limits.memory for material in missing)
    if not alone:
        return shared
    reason = f"two like them do not fit into {limits.memory:,} bytes"
    return f"{shared}; tables solved alone, with {limits.workers} threads: {alone} ({reason})"


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
