"""Commands that make tables: build, estimate."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from tablebase.cli import options
from tablebase.cli.options import chosen_rules, program_call
from tablebase.commands.parameters import Format
from tablebase.errors import DeadlineError

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
    deadline: options.Deadline = None,
    duration: options.Duration = None,
    grace: options.Grace = options.DEFAULT_GRACE,
    log: options.LogFile = None,
    json_log: options.JsonLogFile = None,
    verbose: options.Verbose = False,
) -> None:
    """Solve, verify and store the tables that are missing.

    Without options, this builds every table that a game from the initial position can reach, if that is feasible. Tables go into
    the folder data, and all processors are used.
    """
    from tablebase.commands.building import build as build_tables

    rules = chosen_rules("build", game, size, variant)
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
        solver=solver,
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

    from tablebase.building.kinds import table_kind
    from tablebase.commands.building import estimate as estimate_build
    from tablebase.commands.output import write_rows

    rules = chosen_rules("estimate", game, size, variant)
    lines = estimate_build(
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
    if style is not Format.TABLE:
        write_rows([asdict(line) for line in lines], style)
        return
    rows, below = table_kind(rules).estimate_table(lines, lines.workers, data)
    write_rows(rows, style)
    sys.stdout.write(f"\n{below}\n")
