"""Build tables, and predict what that takes: `tablebase.build` and `estimate`."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import asdict
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from tablebase.commands import lib
from tablebase.commands import parameters as shared
from tablebase.commands.arguments import as_catalog, as_counts, as_duration, as_folder, as_optional, as_time, checked
from tablebase.commands.calls import Call, program_call
from tablebase.commands.parameters import Format, Output, Shell
from tablebase.errors import ArgumentTypeError, DeadlineError, did_you_mean, quoted
from tablebase.game import plain_arguments as plain
from tablebase.game.rules import Rules
from tablebase.system.compute.messages import brief

if TYPE_CHECKING:
    from tablebase.building.estimate import SliceEstimate
    from tablebase.building.exact_kind import ExactEstimate
    from tablebase.building.kind import TableKind
    from tablebase.building.layer_kind import LayerEstimate
    from tablebase.building.options import TableQuery
    from tablebase.building.records import BuildResult

    AnyEstimate: TypeAlias = SliceEstimate | LayerEstimate | ExactEstimate

_MEMORY = "Memory limit, such as 8G; by default, all memory. With a lower limit, fewer tables are solved at the same time."
Memory = Annotated[int | str | None, Shell(help=_MEMORY, metavar="8G", parse=plain.parse_size)]
DEFAULT_GRACE = "10min"


@checked
def build(
    game: shared.GameName,
    *,
    size: shared.Size = None,
    variant: shared.Variant = None,
    pieces: shared.Pieces = None,
    material: shared.Materials = None,
    data: shared.Data = None,
    catalog: shared.CatalogUrl = None,
    workers: shared.Workers = None,
    memory: Memory = None,
    executor: Literal["local", "dask"] = "local",
    scheduler: Annotated[str | None, Shell(metavar="URL")] = None,
    solver: Annotated[str, Shell(metavar="NAME")] = "auto",
    deadline: Annotated[str | datetime | float | None, Shell(metavar="TIME", parse=plain.parse_time)] = None,
    duration: Annotated[str | timedelta | float | None, Shell(metavar="TIME", option="--for", parse=plain.parse_duration)] = None,
    grace: Annotated[str | timedelta | float, Shell(metavar="TIME", parse=plain.parse_duration)] = DEFAULT_GRACE,
    log: Annotated[str | Path | None, Shell(metavar="FILE", output=Output.ADDED)] = None,
    json_log: Annotated[str | Path | None, Shell(metavar="FILE", output=Output.ADDED)] = None,
    verbose: shared.Verbose = False,
    **limits: int | str,
) -> BuildResult:
    """Solve, verify and store the missing tables of a game.

    Messages and progress (a bar in terminals and notebooks, otherwise a line each minute) are written to standard error. To
    resume an interrupted build, call the function again; finished tables and checkpoints are kept. Times are strings such as
    ``8h`` or ``07:00``, `datetime` or `timedelta` objects, or seconds; a deadline in seconds counts from the Unix epoch.

    Parameters
    ----------
    size : str, optional
        Board size (files x ranks), such as ``8x8``.
    variant : str or sequence of str, optional
        Rule options to change, such as ``early=none``.
    pieces : int, range or str, optional
        Number of pieces on the board, or a range such as ``range(2, 5)`` or ``"2-4"``.
    material : str or sequence of str, optional
        Set of pieces, such as ``RCvW``; by default, all sets that can occur in a game.
    data : str or Path, optional
        Folder that contains the tables; by default, the value of the environment variable TABLEBASE_DATA, or ``data``.
    catalog : str, optional
        URL of the PostgreSQL database for the catalog (the list of all tables); by default, an SQLite file in the folder.
    workers : int, optional
        Number of processes; by default, one for each processor. A game without pieces on squares is always built by one process.
    memory : int or str, optional
        Memory limit in bytes, or as text such as ``8G``; if necessary, fewer tables are solved at the same time.
    executor : str
        Solve tables on this machine (local) or on the workers of a Dask cluster (dask).
    scheduler : str, optional
        Address of the Dask scheduler, tcp://HOST:PORT; by default, a scheduler is started on this machine.
    solver : str
        Solver (planes, pursuit, groups, reference); auto selects the fastest suitable solver. All solvers write identical files.
    deadline : str, datetime or float, optional
        Stop at this time, such as 07:00 or 2030-01-31T07:00.
    duration : str, timedelta or float, optional
        Stop after this duration, such as 8h or 90min.
    grace : str, timedelta or float
        Extra time after the deadline, such as 10min, to finish tables in progress.
    log : str or Path, optional
        Append a line of text for each table to this file.
    json_log : str or Path, optional
        Append a JSON object for each table to this file, one per line.
    verbose : bool
        Print a line for each table.
    **limits
        Limits for the tables of a game with chance, such as ``carrots=60`` for states with at most 60 carrots.

    Returns
    -------
    BuildResult
        Result of the build; if the deadline was reached, `left` is the number of missing tables.
    """
    end = plain.end_of_work(as_optional(as_time, "deadline", deadline), as_optional(as_duration, "duration", duration))
    kind, wanted = _wanted(lib.game_arguments.as_rules(game, size, variant), pieces, material, limits, solver)
    kind.check_executor(executor)
    kind.check_solver(solver)
    folder, url, after = as_folder(data), as_catalog(catalog), as_duration("grace", grace)
    resources = lib.options.chosen_limits(workers, as_optional(plain.as_size, "memory", memory), executor, scheduler)
    texts, objects = (as_optional(plain.as_path, name, path) for name, path in (("log", log), ("json_log", json_log)))
    with lib.build_records.BuildLog(texts, objects, folder) as lines:
        where = executor, scheduler, workers is not None
        options = lib.options.BuildOptions(folder, resources, end, after, 0, lines, verbose, url, *where)
        summarized = end is not None or log is not None or json_log is not None
        return lib.build.build(kind, wanted, options, summarized=summarized)


def show_build(call: Call) -> None:
    """Without options, this command builds every table needed for games from the initial position. If the initial position has
    too many pieces for a table, nothing is built; select smaller tables with --pieces or --material. The command uses all
    processors and writes the tables to the folder 'data'.
    """
    if left := call().left:
        raise DeadlineError(left, program_call())


@brief
class Estimates(list["AnyEstimate"]):
    """List of cost estimates for a build, by number of pieces, by set of pieces or by table. Notebooks show the list as a table."""

    def __init__(self, lines: Iterable[AnyEstimate], workers: int = 1) -> None:
        super().__init__(lines)
        self.workers = workers

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The estimates as dicts with the fields of ``tablebase estimate --format json``."""
        return [asdict(line) for line in self]

    def _repr_html_(self) -> str:
        return lib.html.titled_table("estimate", [], self.rows)


@checked
def estimate(
    game: shared.GameName,
    *,
    size: shared.Size = None,
    variant: shared.Variant = None,
    pieces: shared.Pieces = None,
    material: shared.Materials = None,
    data: shared.Data = None,
    catalog: shared.CatalogUrl = None,
    workers: shared.Workers = None,
    memory: Memory = None,
    measure: bool = False,
    **limits: int | str,
) -> Estimates:
    """Predict the disk space, memory and time that a build needs.

    Parameters
    ----------
    game, size, variant, pieces, material, data, catalog, workers, memory, **limits : see `build`
    measure : bool
        First measure the speed of this machine by building a table in a temporary folder.

    Returns
    -------
    Estimates
        A list of `tablebase.building.estimate.SliceEstimate`, of `tablebase.building.layer_kind.LayerEstimate` (in games with
        chance), or of `tablebase.building.exact_kind.ExactEstimate` (in other games defined by functions).
    """
    kind, wanted = _wanted(lib.game_arguments.as_rules(game, size, variant), pieces, material, limits)
    folder = as_folder(data)
    resources = lib.executor.Limits(plain.usable_workers(workers), as_optional(plain.as_size, "memory", memory))
    options = lib.options.BuildOptions(folder, resources, workers_given=workers is not None)
    lines = kind.estimate(wanted, options, lib.catalog.read_known(kind.rules, folder, as_catalog(catalog)), measured=measure)
    return Estimates(lines, 1 if kind.in_process else options.limits.workers)


def show_estimate(call: Call) -> None:
    """Without options, this command estimates the disk space, memory and time of every table needed for games from the initial
    position. If the initial position has too many pieces for a table, an error is reported; select smaller tables with --pieces
    or --material. No tables are built.
    """
    lines = call()
    if call.style is not Format.TABLE:
        call.write(lines.rows)
        return
    rows, below = lib.kind.table_kind(call.rules).estimate_table(lines, lines.workers, as_folder(call.given.get("data")))
    call.write(rows)
    sys.stdout.write(f"\n{below}\n")


def _wanted(
    rules: Rules[Any], pieces: shared.Pieces, material: shared.Materials, limits: dict[str, Any], solver: str = "auto"
) -> tuple[TableKind[Any, Any], TableQuery]:
    counts, materials = as_counts(pieces), plain.as_texts("material", material)
    lib.game_arguments.refuse_given(rules, pieces=pieces, material=material)
    known = rules.limits
    if unknown := next((name for name in limits if name not in known), ""):
        there = f"{did_you_mean(unknown, known)}; known limits: {', '.join(known) or 'none'}"
        raise ArgumentTypeError(f"unknown argument {quoted(unknown)} for tables of {rules.name}{there}")
    read = {name: (plain.as_whole if isinstance(known[name], int) else plain.as_text)(name, one) for name, one in limits.items()}
    return lib.kind.table_kind(rules), lib.options.TableQuery(counts, materials, read, solver)
