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

from tablebase.commands.arguments import as_catalog, as_folder, checked
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
    """Result of a batch."""

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
    """Run the builds and other commands that a TOML file lists.

    Messages are written to standard error, and the estimates of a dry run, which returns None, to standard output.

    Parameters
    ----------
    file : str or Path
        TOML file that lists the tables to build and the commands to run afterwards.
    dry_run : bool
        Only estimate the time, memory and disk space; build nothing and run no commands.
    data, catalog, verbose : see `tablebase.build`; the file may name the folder and the catalog

    Raises
    ------
    BatchError
        If anything in the file is wrong; nothing has been started then.
    """
    from tablebase.building.batch import read_batch
    from tablebase.building.batch_record import BatchRecord
    from tablebase.building.options import BuildOptions, chosen_limits
    from tablebase.building.records import BuildLog
    from tablebase.building.reindex import prepare_catalog
    from tablebase.commands.batch_steps import prepared
    from tablebase.commands.build import DEFAULT_GRACE

    path = Path(file)
    work = read_batch(path)
    jobs = [_job(work, entry) for entry in work.builds]
    with work.at("memory" if work.scheduler is None else "scheduler"):
        limits = chosen_limits(work.workers, work.memory, work.executor, work.scheduler)
    terms = BuildOptions(
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
    built = {terms.data.resolve(): {job.game for job in jobs}}
    steps = []
    for step in work.steps:
        with work.at(step.line):
            steps.append(prepared(step, terms.data, terms.catalog, built))
    record = BatchRecord(path)
    _check_places(work, steps, record, terms)
    if dry_run:
        _write_needs(jobs, _needs(work, jobs, terms), steps, record, terms)
        return None
    with record.lock(), BuildLog(work.log, work.json_log, terms.data) as log:
        terms = replace(terms, log=log)
        prepare_catalog(terms.data, terms.catalog)
        _needs(work, jobs, terms)
        return _run(work, jobs, steps, record, terms)


def show_batch(call: Call) -> int | None:
    """Exit with the code of the first error, or with that of a deadline if something is left.

    Without options, this command checks the TOML file, builds the tables that do not exist yet, and then runs the commands
    listed in it. Each [[build]] in the file has a game and options of 'build'; each [[then]] has a command, such as
    'stats doushouqi'. If the file does not name a folder for the tables, it uses the folder 'data'.
    """
    result = call()
    if result is None:
        return None
    if result.errors:
        code: int = result.errors[0].exit_code
        return code
    left, what = (result.left, "table") if result.left else (result.waiting, "command")
    if left:
        raise DeadlineError(left, program_call(), what)
    return None


# Before anything starts


def _job(work: Batch, entry: BuildEntry) -> BatchJob:
    """An entry whose game and tables are known."""
    from tablebase.building.build import build
    from tablebase.building.kind import table_kind
    from tablebase.building.options import TableQuery
    from tablebase.building.table_plan import requirements
    from tablebase.game.game_arguments import refuse_given
    from tablebase.game.installed import load_rules

    with work.at(entry.line):
        rules = load_rules(entry.game)
        kind = table_kind(rules)
        refuse_given(rules, pieces=entry.pieces, material=entry.materials or None)
        kind.check_executor(work.executor)
        kind.check_solver(entry.solver)
        words = [word for name, value in entry.limits.items() for word in (f"--{name}", str(value))]
        limits = kind.limits_from(words, lambda: TablebaseError(f"tables of {rules.name} have no limits: leave them out"))
        pieces = None if entry.pieces is None else parse_pieces(entry.pieces)
        asked = TableQuery(pieces, entry.materials, limits, entry.solver)
        kind.check(asked)
        return BatchJob(entry, rules.name, partial(requirements, kind, asked), partial(build, kind, asked, summarized=True))


def _check_places(work: Batch, steps: Sequence[Prepared], record: BatchRecord, terms: BuildOptions) -> None:
    """Refuse what cannot be written: the folder of the tables, the record, logs and outputs."""
    from tablebase.commands.batch_steps import check_outputs
    from tablebase.system.files.outputs import check_output, check_writable
    from tablebase.tables.folder import check_folder

    with work.at("data"):
        check_folder(terms.data)
        check_writable(terms.data, "name another folder as data")
    logs = {"log": work.log, "json-log": work.json_log}
    for key, path in logs.items():
        if path is not None:
            others = [other for name, other in logs.items() if name != key]
            with work.at(key):
                check_output(path, f"name another file as {key}", inputs=[work.path, record.path, *others], folder=terms.data)
    reserved = [work.path, *logs.values()]
    for one in steps:
        with work.at(one.step.line):
            check_outputs(one, record, reserved, terms.data)
        reserved += one.outputs


def _needs(work: Batch, jobs: Sequence[BatchJob], terms: BuildOptions) -> list[Requirements]:
    """List the needs of the entries; raise `BatchError` if one, or all together, do not fit."""
    from tablebase.tables.folder import free_space

    needs = []
    counted: set[Counted] = set()
    for job in jobs:
        with work.at(job.entry.line):
            needs.append(job.needs(terms, counted))
    needed, free = sum(need.disk for need in needs), max(0, free_space(terms.data) - terms.keep_free)
    if needed > free:
        unit = f"bytes on the disk of {terms.data}"
        raise CapacityError(str(work.path), "build less, or name another folder as data", needed=needed, allowed=free, unit=unit)
    return needs


def _write_needs(
    jobs: Sequence[BatchJob], needs: Sequence[Requirements], steps: Sequence[Prepared], record: BatchRecord, terms: BuildOptions
) -> None:
    """Write a line about each entry, and all together."""
    from tablebase.commands.output import write_table
    from tablebase.system.compute import machine
    from tablebase.tables.folder import free_space

    now = time.time()
    rows: list[dict[str, object]] = []
    passed, unknown = 0.0, 0

    def at(seconds: float) -> str:
        return time.strftime("%Y-%m-%d %H:%M", time.localtime(now + seconds))

    for job, need in zip(jobs, needs, strict=True):
        passed += need.seconds
        rows.append(
            {
                "build": str(job.entry),
                "tables": need.tables,
                "placements": need.placements,
                "memory": in_bytes(need.memory),
                "disk": in_bytes(need.disk),
                "CPU time": in_time(need.cpu_seconds),
                "time": in_time(need.seconds),
                "done by": at(passed),
            }
        )
    for one in steps:
        tables = one.tables()
        same = all(not need.tables for need in needs) and one.unchanged_since(record, tables) is not None
        seconds = 0.0 if same else record.seconds(one.words)
        passed += seconds or 0.0
        unknown += seconds is None
        took = "unchanged" if same else None if seconds is None else in_time(seconds)
        rows.append({**dict.fromkeys(rows[0]), "build": f"then {one}", "time": took, "done by": at(passed)})
    write_table(rows, list(rows[0]))
    more = f", and commands that have not run before: {unknown}" if unknown else ""
    sys.stdout.write(f"\nin all: {in_time(passed)}{more}\n")
    if terms.end is not None:
        late = ", too early for all of it" if now + passed > terms.end else ""
        sys.stdout.write(f"deadline: {terms.deadline}{late}\n")
    sys.stdout.write(f"there is: {in_bytes(free_space(terms.data))} of disk free, {in_bytes(machine.memory())} of memory\n")


# The night


def _run(work: Batch, jobs: Sequence[BatchJob], steps: Sequence[Prepared], record: BatchRecord, terms: BuildOptions) -> BatchResult:
    """Build all entries, go on after errors, and run the commands if everything is there."""
    from tablebase.commands.batch_steps import run

    begin, errors, left = time.monotonic(), list[TablebaseError](), 0
    done = {"commands run": 0, "unchanged": 0, "failed": 0}

    def at(line: int, action: Callable[[], T], default: T) -> T:
        """Do something; an error is said at once, and counted."""
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
        result = at(job.entry.line, partial(job.build, terms), None)
        left += 0 if result is None else result.left
    # Not every command has the option, and its password must not be shown.
    environment = {} if terms.catalog is None else {"TABLEBASE_CATALOG": terms.catalog}
    environment |= {QUIET: str(int(not logger.isEnabledFor(INFO)))}
    waiting = list(steps) if not errors and not left else []
    while waiting and (terms.end is None or time.time() <= terms.end):
        one = waiting.pop(0)
        has_run = at(one.step.line, partial(run, one, record, environment), None)
        if has_run is not None:
            done["commands run" if has_run else "unchanged"] += 1
    counts = "".join(f", {what}: {count}" for what, count in done.items() if count)
    say(f"{work.path}: tables built: {terms.log.built}{counts}, time: {in_time(time.monotonic() - begin)}")
    return BatchResult(terms.log.built, done["commands run"], done["unchanged"], tuple(errors), left, len(waiting))
