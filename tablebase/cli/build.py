"""Commands that make tables: build, estimate."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tablebase.cli import options
from tablebase.cli.options import Format, chosen_rules, program_call
from tablebase.errors import DeadlineError
from tablebase.game.stochastic import StochasticGame

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tablebase.building.estimate import Estimate

Memory = Annotated[
    str | None, typer.Option("--memory", metavar="8G", help="Solve only as many tables at once as fit into this much memory.")
]


def build(
    context: typer.Context,
    game: options.GameName,
    size: options.Size = None,
    variant: options.Variant = None,
    pieces: options.Pieces = None,
    material: options.Materials = None,
    data: options.Data = options.DEFAULT_DATA,
    catalog: options.CatalogUrl = None,
    workers: options.Workers = None,
    memory: Memory = None,
    executor: options.Executed = options.Where.LOCAL,
    scheduler: options.Scheduler = None,
    solver: Annotated[
        str, typer.Option("--solver", help="Solver: auto, planes, pursuit, groups or reference; all write the same files.")
    ] = "auto",
    engine: Annotated[str | None, typer.Option("--engine", hidden=True, help="The former name of --solver.")] = None,
    deadline: options.Deadline = None,
    duration: options.Duration = None,
    grace: options.Grace = options.DEFAULT_GRACE,
    log: options.LogFile = None,
    json_log: options.JsonLogFile = None,
    verbose: options.Verbose = False,
) -> None:
    """Solve, verify and store the tables that are missing."""
    from tablebase.api.building import build as build_tables

    rules = chosen_rules(game, size, variant)
    result = build_tables(
        rules,
        pieces=pieces,
        material=material,
        data=data,
        catalog=catalog,
        workers=workers,
        memory=memory,
        executor=executor,
        scheduler=scheduler,
        solver=solver if engine is None else engine,
        deadline=deadline,
        duration=duration,
        grace=grace,
        log=log,
        json_log=json_log,
        verbose=verbose,
        **options.more_limits(rules, context),
    )
    if result.left:
        raise DeadlineError(result.left, program_call(context))


def estimate(
    context: typer.Context,
    game: options.GameName,
    size: options.Size = None,
    variant: options.Variant = None,
    pieces: options.Pieces = None,
    material: options.Materials = None,
    data: options.Data = options.DEFAULT_DATA,
    catalog: options.CatalogUrl = None,
    workers: options.Workers = None,
    memory: Memory = None,
    measure: Annotated[
        bool, typer.Option("--measure", help="Build a table in a temporary folder first, to measure this machine's speed.")
    ] = False,
    style: options.Style = Format.TABLE,
) -> None:
    """Predict the disk space, memory and time a build needs."""
    from dataclasses import asdict

    from tablebase.api.building import estimate as estimate_build
    from tablebase.cli.output import write_rows

    rules = chosen_rules(game, size, variant)
    lines: Any = estimate_build(
        rules,
        pieces=pieces,
        material=material,
        data=data,
        catalog=catalog,
        workers=workers,
        memory=memory,
        measure=measure,
        **options.more_limits(rules, context),
    )
    if isinstance(rules, StochasticGame):
        from tablebase.cli import chances

        chances.write_estimate(lines, style)
    elif style is Format.TABLE:
        _write_estimate(lines, data, lines.workers)
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
    start = lines[0].start_seconds
    rows.append({**dict.fromkeys(rows[0]), what: "start", "CPU time": in_time(start), "time": in_time(start)})
    total = {"CPU time": in_time(start + sum(line.cpu_seconds for line in lines))}
    rows.append({**row("total", lines), **total, "time": in_time(start + sum(line.wall_seconds for line in lines))})
    write_table(rows, list(rows[0]))
    there = f"{in_bytes(free_space(data))} of disk free, {in_bytes(machine.memory())} of memory, processors: {machine.cores()}"
    sys.stdout.write(f"\ntime is by the clock, with workers: {workers}\nthere is: {there}\n")
