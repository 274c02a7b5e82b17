"""Commands that make tables: build, estimate, reindex."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from tablebase.cli import chances
from tablebase.cli.options import (
    DEFAULT_DATA,
    Data,
    Format,
    GameName,
    Materials,
    Pieces,
    Size,
    Style,
    Variant,
    Verbose,
    Workers,
    chosen_rules,
)
from tablebase.game.stochastic import StochasticGame

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tablebase.build.estimate import Estimate
    from tablebase.build.tables import Built
    from tablebase.game import Game
    from tablebase.slices.material import Material

Memory = Annotated[
    str | None, typer.Option("--memory", metavar="8G", help="Solve only as many tables at once as fit into this much memory.")
]


def build(
    context: typer.Context,
    game: GameName,
    size: Size = None,
    variant: Variant = None,
    pieces: Pieces = None,
    material: Materials = None,
    data: Data = DEFAULT_DATA,
    workers: Workers = 1,
    memory: Memory = None,
    engine: Annotated[
        str,
        typer.Option("--engine", help="Solver: auto, planes, lean, bitrow, pursuit, reference or sweep; all write the same files."),
    ] = "auto",
    verbose: Verbose = False,
) -> None:
    """Solve, verify and store the tables that are missing."""
    rules = chosen_rules(game, size, variant)
    if isinstance(rules, StochasticGame):
        chances.refuse_given(rules, pieces=pieces, material=material, memory=memory)
        chances.build(rules, chances.limits_from(rules, context.args), data, workers, verbose)
    else:
        chances.refuse_more(context)
        _build_tables(rules, pieces, material, data, workers, memory, engine, verbose)


def _build_tables(
    rules: Game,
    pieces: range | None,
    material: list[str] | None,
    data: Path,
    workers: int,
    memory: str | None,
    engine: str,
    verbose: bool,
) -> None:
    """Solve, verify and store the missing tables of a game of pieces."""
    from tablebase.build import tables as building
    from tablebase.build.capacity import check_capacity, describe_sharing, describe_solvers
    from tablebase.build.plan import wanted_materials, with_dependencies
    from tablebase.catalog.catalog import Catalog
    from tablebase.catalog.sqlite import FILE_NAME
    from tablebase.cli.options import parse_size
    from tablebase.cli.output import say
    from tablebase.cli.progress import progress
    from tablebase.compute import machine
    from tablebase.executors.executor import Limits
    from tablebase.executors.local import LocalExecutor
    from tablebase.slices.placements import table_placements
    from tablebase.solvers.registry import find_solver

    materials = _chosen_materials(rules, pieces, material)
    find_solver(engine)
    limits = Limits(workers, machine.memory() if memory is None else parse_size(memory))
    wanted = wanted_materials(rules, pieces, materials)
    planned = with_dependencies(rules, wanted)
    # A folder that can only be read may need no more tables.
    catalog = Catalog(data, create=not (data / FILE_NAME).exists() or os.access(data, os.W_OK))
    missing = building.missing_tables(rules, planned, data, catalog)
    catalog.close()
    if not missing:
        say(f"nothing to do: all {len(planned)} tables are in {data}, built and verified")
        return
    check_capacity(rules, missing, data, limits, engine)
    if len(planned) > len(wanted):
        say(f"tables asked for: {len(wanted)}; further tables that these depend on: {len(planned) - len(wanted)}")
    say(describe_solvers(rules, missing, engine, limits.memory))
    if workers > 1:
        say(describe_sharing(rules, missing, limits, engine))
    placements = {stored: table_placements(rules, stored) for stored in planned}
    new = sum(placements[stored] for stored in missing)
    total = sum(placements.values())
    with progress(f"build {rules.name}", "placements", total, total - new, verbose=verbose, compiles=True) as shown:
        for built in building.build(rules, planned, data, executor=LocalExecutor(limits), engine=engine):
            shown.update(placements[built.material])
            shown.note(_describe(rules, built, placements[built.material]))
    say(f"built and verified in {data}: {len(missing)} of {len(planned)} tables, {new:,} placements")


def _describe(game: Game, built: Built, placements: int) -> str:
    """A line about a finished table."""
    from tablebase.slices.material import material_name

    name = material_name(game, built.material)
    if built.engine is None:
        return f"{name}: {placements:,} placements, already there and correct"
    return f"{name}: {placements:,} placements, {built.engine}, {built.seconds:.1f} CPU-seconds"


def estimate(
    context: typer.Context,
    game: GameName,
    size: Size = None,
    variant: Variant = None,
    pieces: Pieces = None,
    material: Materials = None,
    data: Data = DEFAULT_DATA,
    workers: Workers = 1,
    memory: Memory = None,
    measure: Annotated[
        bool, typer.Option("--measure", help="Build a table in a temporary folder first, to measure this machine's speed.")
    ] = False,
    style: Style = Format.TABLE,
) -> None:
    """Predict the disk space, memory and time a build needs."""
    rules = chosen_rules(game, size, variant)
    if isinstance(rules, StochasticGame):
        chances.refuse_given(rules, pieces=pieces, material=material, memory=memory)
        chances.estimate(rules, chances.limits_from(rules, context.args), style)
    else:
        chances.refuse_more(context)
        _estimate_tables(rules, pieces, material, data, workers, memory, measure, style)


def _estimate_tables(
    rules: Game,
    pieces: range | None,
    material: list[str] | None,
    data: Path,
    workers: int,
    memory: str | None,
    measure: bool,
    style: Format,
) -> None:
    """Predict what the tables of a game of pieces need."""
    from dataclasses import asdict

    from tablebase.build import tables as building
    from tablebase.build.estimate import estimate as estimate_build
    from tablebase.cli.options import parse_size
    from tablebase.cli.output import write_rows

    materials = _chosen_materials(rules, pieces, material)
    factor = building.measure(rules) if measure else None
    allowed = None if memory is None else parse_size(memory)
    lines = estimate_build(rules, pieces, materials, data, factor, whole=not material, workers=workers, allowed=allowed)
    if style is Format.TABLE:
        _write_estimate(lines, data, workers)
    else:
        write_rows([asdict(line) for line in lines], style)


def _write_estimate(lines: Sequence[Estimate], data: Path, workers: int) -> None:
    """Write the lines and their total with units, and below them what there is of each."""
    from tablebase.cli.output import in_bytes, in_time, write_table
    from tablebase.compute import machine
    from tablebase.tables.folder import free_space

    def row(name: str | int, some: Sequence[Estimate]) -> dict[str, object]:
        return {
            what: str(name),
            "tables": sum(line.tables for line in some),
            "placements": sum(line.placements for line in some),
            "memory": in_bytes(max(line.memory for line in some)),
            "disk": in_bytes(sum(line.disk for line in some)),
            "CPU time": in_time(sum(line.cpu_seconds for line in some)),
            "time": in_time(sum(line.wall_seconds for line in some)),
        }

    what = "pieces" if lines[0].material is None else "material"
    rows = [row(line.material or line.pieces, [line]) for line in lines]
    if len(lines) > 1:
        rows.append(row("total", lines))
    write_table(rows, list(rows[0]))
    there = f"{in_bytes(free_space(data))} of disk free, {in_bytes(machine.memory())} of memory, processors: {machine.cores()}"
    sys.stdout.write(f"\ntime is by the clock, with workers: {workers}\nthere is: {there}\n")


def reindex(data: Data = DEFAULT_DATA) -> None:
    """Rebuild the catalog from the table files."""
    from tablebase.build.reindex import reindex as rebuild
    from tablebase.cli.output import say
    from tablebase.errors import TablebaseError

    if not data.is_dir():
        raise TablebaseError(f"there is no folder {data}: name the tables' folder with --data")
    counts = rebuild(data)
    say(f"catalog of {data} rebuilt from {sum(counts.values())} tables of {', '.join(counts) or 'no game'}")


def _chosen_materials(game: Game, pieces: range | None, texts: list[str] | None) -> list[Material]:
    """The materials named; without any, and without a number of pieces, that of the start if the game is small enough."""
    from tablebase.build.plan import start_material
    from tablebase.errors import TablebaseError
    from tablebase.slices.material import parse_materials

    if pieces is None and not texts:
        start = start_material(game)
        if start is None:
            raise TablebaseError("choose tables: --pieces 3 for all with three pieces, or --material RCvW for one material")
        return [start]
    return [material for text in texts or [] for material in parse_materials(game, text)]


COMMANDS = (build, estimate, reindex)
LIMITED = (build, estimate)
"""Commands that take the limits of a game as options, too."""
