"""Whether a build fits, and which solvers and workers will do it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tablebase.building.needs import allowed_memory, costs_in, disk, memory, solver_memory
from tablebase.building.plan import dependency_graph
from tablebase.compute import machine
from tablebase.errors import CapacityError
from tablebase.executors.executor import Limits
from tablebase.executors.scheduler import is_chain
from tablebase.game import Game
from tablebase.slices.material import Material, material_name
from tablebase.solvers.registry import choose_solver, find_solver
from tablebase.tables.folder import free_space


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
