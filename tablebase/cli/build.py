"""Commands that make tables: build, estimate, reindex."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from tablebase.cli import chances
from tablebase.cli.migrate import prepare_catalog
from tablebase.cli.options import (
    DEFAULT_DATA,
    DEFAULT_GRACE,
    CatalogUrl,
    Data,
    Deadline,
    Duration,
    Executed,
    Format,
    GameName,
    Grace,
    JsonLogFile,
    LogFile,
    Materials,
    Pieces,
    Scheduler,
    Size,
    Style,
    Variant,
    Verbose,
    Where,
    Workers,
    chosen_materials,
    chosen_rules,
    end_of_work,
    program_call,
)
from tablebase.errors import DeadlineError
from tablebase.game.stochastic import StochasticGame

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tablebase.build.estimate import Estimate
    from tablebase.game import Game

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
    catalog: CatalogUrl = None,
    workers: Workers = 1,
    memory: Memory = None,
    executor: Executed = Where.LOCAL,
    scheduler: Scheduler = None,
    engine: Annotated[
        str,
        typer.Option(
            "--engine", help="Solver: auto, planes, lean, bitrow, pursuit, groups, reference or sweep; all write the same files."
        ),
    ] = "auto",
    deadline: Deadline = None,
    duration: Duration = None,
    grace: Grace = DEFAULT_GRACE,
    log: LogFile = None,
    json_log: JsonLogFile = None,
    verbose: Verbose = False,
) -> None:
    """Solve, verify and store the tables that are missing."""
    rules = chosen_rules(game, size, variant)
    end = end_of_work(deadline, duration)
    summarized = end is not None or log is not None or json_log is not None
    from tablebase.cli.build_tables import Wanted, build_tables
    from tablebase.cli.log import Log
    from tablebase.cli.terms import Terms, chosen_limits

    prepare_catalog(data, catalog)
    with Log(log, json_log) as lines:
        if isinstance(rules, StochasticGame):
            chances.refuse_given(rules, pieces=pieces, material=material, memory=memory)
            chances.refuse_cluster(rules, executor)
        limits = chosen_limits(workers, memory, executor, scheduler)
        terms = Terms(data, limits, end, grace, 0, lines, verbose, catalog, executor, scheduler)
        if isinstance(rules, StochasticGame):
            left = chances.build(rules, chances.limits_from(rules, context.args), terms, summarized=summarized)
        else:
            chances.refuse_more(context)
            wanted = Wanted(rules, pieces, chosen_materials(rules, pieces, material), engine)
            left = build_tables(wanted, terms, summarized=summarized)
    if left:
        raise DeadlineError(left, program_call(context))


def estimate(
    context: typer.Context,
    game: GameName,
    size: Size = None,
    variant: Variant = None,
    pieces: Pieces = None,
    material: Materials = None,
    data: Data = DEFAULT_DATA,
    catalog: CatalogUrl = None,
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
        _estimate_tables(rules, pieces, material, data, catalog, workers, memory, measure, style)


def _estimate_tables(
    rules: Game,
    pieces: range | None,
    material: list[str] | None,
    data: Path,
    catalog: str | None,
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

    materials = chosen_materials(rules, pieces, material)
    factor = building.measure(rules) if measure else None
    allowed = None if memory is None else parse_size(memory)
    lines = estimate_build(
        rules, pieces, materials, data, factor, whole=not material, workers=workers, allowed=allowed, catalog=catalog
    )
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


def reindex(data: Data = DEFAULT_DATA, catalog: CatalogUrl = None) -> None:
    """Rebuild the catalog from the table files."""
    from tablebase.build.reindex import reindex as rebuild
    from tablebase.cli.output import say
    from tablebase.errors import TablebaseError

    if not data.is_dir():
        raise TablebaseError(f"there is no folder {data}: name the tables' folder with --data")
    counts = rebuild(data, catalog)
    say(f"catalog of {data} rebuilt from {sum(counts.values())} tables of {', '.join(counts) or 'no game'}")


COMMANDS = (build, estimate, reindex)
LIMITED = (build, estimate)
"""Commands that take the limits of a game as options, too."""
