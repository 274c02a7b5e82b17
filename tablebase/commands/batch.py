"""A night's work: everything in a batch file is checked, then its tables are built and its commands run."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from logging import INFO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

from tablebase.commands import batch_steps, lib
from tablebase.commands.arguments import as_catalog, as_folder, checked
from tablebase.commands.build import DEFAULT_GRACE
from tablebase.commands.calls import Call, program_call
from tablebase.commands.parameters import QUIET, CatalogUrl, Data, Shell, Verbose
from tablebase.errors import CapacityError, DeadlineError, TablebaseError
from tablebase.game.plain_arguments import end_of_work, parse_duration, parse_pieces
from tablebase.system.compute.messages import brief, in_bytes, in_time, logger, say

if TYPE_CHECKING:
    from tablebase.building.batch import Batch, BuildEntry
    from tablebase.building.batch_record import BatchRecord
    from tablebase.building.options import BuildOptions, Counted, Requirements
    from tablebase.building.records import BuildResult
    from tablebase.commands.batch_steps import Prepared

T = TypeVar("T")


@dataclass(frozen=True)
class BatchJob:
    """An entry of a batch file, ready to be done."""

    entry: BuildEntry
    game: str  # its full name
    # What it needs beside the tables that have been counted, or an error if it does not fit.
    needs: Callable[[BuildOptions, set[Counted]], Requirements]
    build: Callable[[BuildOptions], BuildResult]


@brief
@dataclass(frozen=True)
class BatchResult:
    """Result of a batch, with the numbers of built tables and executed commands."""

    built: int  # tables
    run: int  # commands
    unchanged: int  # commands whose output would have been the same again
    errors: tuple[TablebaseError, ...]  # of entries and commands, which do not end a batch
    left: int  # tables that are missing at the deadline
    waiting: int  # commands for which there was no time


@checked
def batch(
    file: Annotated[str | Path, Shell(metavar="FILE", argument=True)],
    *,
    dry_run: bool = False,
    data: Data = None,
    catalog: CatalogUrl = None,
    verbose: Verbose = False,
) -> BatchResult | None:
    """Run the builds and commands listed in a TOML file.

    Messages are written to standard error. A dry run writes estimates to standard output and returns None.

    Parameters
    ----------
    file : str or Path
        TOML file that lists the tables to build and the commands to run afterwards.
    dry_run : bool
        Only estimate the time, memory and disk space, without building tables or running commands.
    data, catalog, verbose : see `tablebase.build`; settings in the file override the data folder and the catalog

    Raises
    ------
    BatchError
        If the file contains an error; the whole file is checked before the first build.
    """
    path = Path(file)
    work = lib.batch.read_batch(path)
    jobs = [_job(work, entry) for entry in work.builds]
    with work.at("memory" if work.scheduler is None else "scheduler"):
        limits = lib.options.chosen_limits(work.workers, work.memory, work.executor, work.scheduler)
    options = lib.options.BuildOptions(
        work.data or as_folder(data),
        limits,
        end_of_work(work.deadline, work.duration),
        parse_duration(DEFAULT_GRACE) if work.grace is None else work.grace,
        work.disk,
        verbose=verbose,
        catalog=work.catalog or as_catalog(catalog),
        where=work.executor,
        scheduler=work.scheduler,
        workers_given=work.workers is not None,
    )
    built = {options.data.resolve(): {job.game for job in jobs}}
    steps = []
    for step in work.steps:
        with work.at(step.line):
            steps.append(batch_steps.prepared(step, options.data, options.catalog, built))
    record = lib.batch_record.BatchRecord(path)
    _check_places(work, steps, record, options)
    if dry_run:
        _write_needs(jobs, _needs(work, jobs, options), steps, record, options)
        return None
    with record.lock(), lib.build_records.BuildLog(work.log, work.json_log, options.data) as log:
        options = replace(options, log=log)
        lib.reindex.prepare_catalog(options.data, options.catalog)
        _needs(work, jobs, options)
        return _run(work, jobs, steps, record, options)


def show_batch(call: Call) -> int | None:
    """Without options, this command checks the TOML file, builds the missing tables, and then runs the listed commands. Each
    [[build]] section of the file specifies a game and options for 'build'. Each [[then]] section specifies a command, such as
    'stats doushouqi'. Tables are written to the folder 'data' unless the file specifies another folder.
    """
    result = call()
    if result and result.errors:
        return int(result.errors[0].exit_code)
    if result and (result.left or result.waiting):
        raise DeadlineError(result.left or result.waiting, program_call(), "table" if result.left else "command")
    return None


def _job(work: Batch, entry: BuildEntry) -> BatchJob:
    with work.at(entry.line):
        rules = lib.installed.load_rules(entry.game)
        kind = lib.kind.table_kind(rules)
        lib.game_arguments.refuse_given(rules, pieces=entry.pieces, material=entry.materials or None)
        kind.check_executor(work.executor)
        kind.check_solver(entry.solver)
        words = [word for name, value in entry.limits.items() for word in (f"--{name}", str(value))]
        limits = kind.limits_from(words, lambda: TablebaseError(f"tables of {rules.name} do not support limits: remove 'limits'"))
        pieces = None if entry.pieces is None else parse_pieces(entry.pieces)
        asked = lib.options.TableQuery(pieces, entry.materials, limits, entry.solver)
        kind.check(asked)
        needs, build = partial(lib.table_plan.requirements, kind, asked), partial(lib.build.build, kind, asked, summarized=True)
        return BatchJob(entry, rules.name, needs, build)


def _check_places(work: Batch, steps: Sequence[Prepared], record: BatchRecord, options: BuildOptions) -> None:
    with work.at("data"):
        lib.folder.check_folder(options.data)
        lib.outputs.check_writable(options.data, "set 'data' to another folder")
    logs = {"log": work.log, "json-log": work.json_log}
    for (key, path), other in zip(logs.items(), reversed(logs.values()), strict=True):
        if path is not None:
            with work.at(key):
                inputs = [work.path, record.path, other]
                lib.outputs.check_output(path, f"set '{key}' to another file", inputs=inputs, folder=options.data)
    reserved = [work.path, *logs.values()]
    for one in steps:
        with work.at(one.step.line):
            batch_steps.check_outputs(one, record, reserved, options.data)
        reserved += one.outputs


def _needs(work: Batch, jobs: Sequence[BatchJob], options: BuildOptions) -> list[Requirements]:
    """List the needs of the entries; raise `BatchError` if one, or all together, do not fit."""
    needs = []
    counted: set[Counted] = set()
    for job in jobs:
        with work.at(job.entry.line):
            needs.append(job.needs(options, counted))
    needed, free = sum(need.disk for need in needs), max(0, lib.folder.free_space(options.data) - options.keep_free)
    if needed > free:
        unit = f"bytes on the disk of {options.data}"
        raise CapacityError(str(work.path), "build fewer tables, or choose another disk", needed=needed, allowed=free, unit=unit)
    return needs


def _write_needs(
    jobs: Sequence[BatchJob], needs: Sequence[Requirements], steps: Sequence[Prepared], record: BatchRecord, options: BuildOptions
) -> None:
    now, passed, unknown = time.time(), 0.0, 0
    columns = ["build", "tables", "placements", "memory", "disk", "CPU time", "time", "done by"]
    rows: list[list[object]] = []

    def add(seconds: float | None, *cells: object) -> None:
        nonlocal passed, unknown
        passed, unknown = passed + (seconds or 0), unknown + (seconds is None)
        rows.append([*cells, time.strftime("%Y-%m-%d %H:%M", time.localtime(now + passed))])

    for job, need in zip(jobs, needs, strict=True):
        sizes = need.tables, need.placements, in_bytes(need.memory), in_bytes(need.disk)
        add(need.seconds, str(job.entry), *sizes, in_time(need.cpu_seconds), in_time(need.seconds))
    for one in steps:
        same = not any(need.tables for need in needs) and one.unchanged_since(record, one.tables()) is not None
        seconds = 0.0 if same else record.seconds(one.words)
        took = "unchanged" if same else None if seconds is None else in_time(seconds)
        add(seconds, f"then {one}", *[None] * 5, took)
    lib.output.write_table([dict(zip(columns, row, strict=True)) for row in rows], columns)
    more = f", plus commands that have not run before: {unknown}" if unknown else ""
    sys.stdout.write(f"\ntotal: {in_time(passed)}{more}\n")
    if options.end is not None:
        late = " (too early to finish everything)" if now + passed > options.end else ""
        sys.stdout.write(f"deadline: {options.deadline}{late}\n")
    free, memory = in_bytes(lib.folder.free_space(options.data)), in_bytes(lib.machine.memory())
    sys.stdout.write(f"available: {free} of disk space, {memory} of memory\n")


def _run(
    work: Batch, jobs: Sequence[BatchJob], steps: Sequence[Prepared], record: BatchRecord, options: BuildOptions
) -> BatchResult:
    begin, errors, left = time.monotonic(), list[TablebaseError](), 0
    done = {"commands run": 0, "unchanged": 0, "failed": 0}

    def at(line: int, action: Callable[[], T], default: T) -> T:
        try:
            with work.at(line):
                return action()
        except TablebaseError as error:
            logger.error("error: %s", error)
            errors.append(error)
            done["failed"] += 1
            return default

    for job in jobs:
        say(f"build {job.entry}")
        result = at(job.entry.line, partial(job.build, options), None)
        left += 0 if result is None else result.left
    # Not every command has the option, and its password must not be shown.
    environment = {} if options.catalog is None else {"TABLEBASE_CATALOG": options.catalog}
    environment |= {QUIET: str(int(not logger.isEnabledFor(INFO)))}
    waiting = list(steps) if not errors and not left else []
    while waiting and (options.end is None or time.time() <= options.end):
        one = waiting.pop(0)
        has_run = at(one.step.line, partial(batch_steps.run, one, record, environment), None)
        if has_run is not None:
            done["commands run" if has_run else "unchanged"] += 1
    counts = "".join(f", {what}: {count}" for what, count in done.items() if count)
    say(f"{work.path}: tables built: {options.log.built}{counts}, time: {in_time(time.monotonic() - begin)}")
    return BatchResult(options.log.built, done["commands run"], done["unchanged"], tuple(errors), left, len(waiting))
