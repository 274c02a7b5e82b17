"""Estimates: the disk space, memory and time a build needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tablebase.building.needs import allowed_memory, costs_in, disk, memory
from tablebase.building.pace import Pace, compiling, start_seconds
from tablebase.building.plan import plan
from tablebase.compute import machine
from tablebase.executors.executor import Limits
from tablebase.game import Game
from tablebase.slices.location import slices
from tablebase.slices.material import Material, material_name
from tablebase.slices.placements import placements, table_placements
from tablebase.solvers.registry import AUTO

if TYPE_CHECKING:
    # Workers need no catalog, which takes as long to load as all else.
    from tablebase.catalog.catalog import TableCost


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
    factor : float, optional
        Build time relative to the reference machine, as by `tablebase.building.tables.measure`; by default that of the
        folder's tables.
    whole : bool
        Whether to give a line for each number of pieces even where materials are asked for.
    workers : int
        How many tables are solved at a time.
    allowed : int, optional
        Bytes of memory that they may need together; by default all that this machine has.
    catalog : str, optional
        URL of the PostgreSQL database that holds the catalog; by default it is a file in the folder.

    Returns
    -------
    list of Estimate
        One for each number of pieces, or for each table if there are only materials.
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
