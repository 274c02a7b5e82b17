"""The command for a night's work: batch."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tablebase.cli.migrate import prepare_catalog
from tablebase.cli.options import (
    DEFAULT_DATA,
    DEFAULT_GRACE,
    CatalogUrl,
    Data,
    UsageError,
    Verbose,
    Where,
    chosen_materials,
    end_of_work,
    parse_duration,
    parse_pieces,
    parse_size,
    parse_time,
    program_call,
    usage_sentence,
    without_passwords,
)
from tablebase.compute.cleanup import ensured
from tablebase.errors import CapacityError, CommandError, DeadlineError, TablebaseError, system_error

if TYPE_CHECKING:
    from tablebase.build.batch import Batch, Entry, Step
    from tablebase.cli.log import Log
    from tablebase.cli.terms import Needs, Terms

DRAFT = ".tmp"


@dataclass(frozen=True)
class Job:
    """An entry of a batch file, ready to be done.

    Parameters
    ----------
    entry : Entry
    needs : callable
        What it needs, or an error if it does not fit.
    build : callable
        Builds it, and returns how many tables are left at the deadline.
    """

    entry: Entry
    needs: Callable[[Terms], Needs]
    build: Callable[[Terms], int]


def batch(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What to build and to do afterwards, in TOML.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what it would take, and start nothing.")] = False,
    data: Data = DEFAULT_DATA,
    catalog: CatalogUrl = None,
    verbose: Verbose = False,
) -> None:
    """Build what a file lists, a night's work."""
    from tablebase.build.batch import read_batch
    from tablebase.cli.log import Log

    work = read_batch(file)
    jobs = [_job(work, entry) for entry in work.builds]
    for step in work.steps:
        with work.at(step.line):
            _check(context, step)
    with Log(None if dry_run else work.log, None if dry_run else work.json_log) as log:
        terms = _terms(work, data, catalog, log, verbose)
        if not dry_run:
            prepare_catalog(terms.data, terms.catalog)
        needs = _needs(work, jobs, terms)
        if dry_run:
            _write_needs(jobs, needs, terms)
        else:
            _run(work, jobs, terms, program_call(context))


# Before anything starts


def _job(work: Batch, entry: Entry) -> Job:
    """An entry whose game and tables are known."""
    from tablebase.cli import build_layers, chances
    from tablebase.cli.build_tables import Wanted, build_tables, needs_of
    from tablebase.game.registry import load_rules
    from tablebase.game.stochastic import StochasticGame
    from tablebase.solvers.registry import find_solver

    with work.at(entry.line):
        rules = load_rules(entry.game)
        if isinstance(rules, StochasticGame):
            chances.refuse_given(rules, pieces=entry.pieces, material=entry.materials or None)
            chances.refuse_cluster(rules, Where(work.executor))
            limits = chances.limits_from(
                rules, [word for name, value in entry.limits.items() for word in (f"--{name}", str(value))]
            )
            return Job(entry, partial(build_layers.needs_of, rules, limits), partial(chances.build, rules, limits, summarized=True))
        if entry.limits:
            raise TablebaseError(f"tables of {rules.name} have no limits: leave them out")
        find_solver(entry.engine)
        pieces = None if entry.pieces is None else parse_pieces(entry.pieces)
        wanted = Wanted(rules, pieces, chosen_materials(rules, pieces, entry.materials), entry.engine)
        wanted.planned()
        return Job(entry, partial(needs_of, wanted), partial(build_tables, wanted, summarized=True))


def _check(context: typer.Context, step: Step) -> None:
    """Refuse a command whose options are wrong, before the night is over."""
    name, *words = step.command
    root = context.find_root()
    command: Any = root.command.get_command(root, name)  # type: ignore[attr-defined]
    try:
        command.make_context(name, words, parent=root).close()
    except UsageError as fault:
        raise TablebaseError(usage_sentence(fault)) from fault


def _terms(work: Batch, data: Path, catalog: str | None, log: Log, verbose: bool) -> Terms:
    """Where, when and with what to build."""
    from tablebase.cli.terms import Terms, chosen_limits

    where = Where(work.executor)
    with work.at("memory" if work.scheduler is None else "scheduler"):
        limits = chosen_limits(work.workers, work.memory, where, work.scheduler)
    with work.at("disk"):
        keep_free = parse_size(work.disk or "0")
    with work.at("grace"):
        grace = parse_duration(work.grace or DEFAULT_GRACE)
    with work.at("deadline"):
        deadline = None if work.deadline is None else parse_time(work.deadline)
    with work.at("for"):
        duration = None if work.duration is None else parse_duration(work.duration)
    end = end_of_work(deadline, duration)
    return Terms(work.data or data, limits, end, grace, keep_free, log, verbose, work.catalog or catalog, where, work.scheduler)


def _needs(work: Batch, jobs: Sequence[Job], terms: Terms) -> list[Needs]:
    """What the entries need; raises `BatchError` if one does not fit, or all together do not."""
    from tablebase.tables.folder import free_space

    needs = []
    for job in jobs:
        with work.at(job.entry.line):
            needs.append(job.needs(terms))
    needed, free = sum(need.disk for need in needs), max(0, free_space(terms.data) - terms.keep_free)
    if needed > free:
        unit = f"bytes on the disk of {terms.data}"
        raise CapacityError(str(work.path), "build less, or name another folder as data", needed=needed, allowed=free, unit=unit)
    return needs


def _write_needs(jobs: Sequence[Job], needs: Sequence[Needs], terms: Terms) -> None:
    """Write a line about each entry, and all together."""
    from tablebase.cli.output import in_bytes, in_time, write_table
    from tablebase.compute import machine
    from tablebase.tables.folder import free_space

    now = time.time()
    rows, passed = [], 0.0
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
                "done by": time.strftime("%Y-%m-%d %H:%M", time.localtime(now + passed)),
            }
        )
    write_table(rows, list(rows[0]))
    sys.stdout.write(f"\nin all: {in_time(passed)}\n")
    if terms.end is not None:
        late = ", too early for all of it" if now + passed > terms.end else ""
        sys.stdout.write(f"deadline: {terms.deadline}{late}\n")
    sys.stdout.write(f"there is: {in_bytes(free_space(terms.data))} of disk free, {in_bytes(machine.memory())} of memory\n")


# The night


def _run(work: Batch, jobs: Sequence[Job], terms: Terms, again: str) -> None:
    """Build all entries, go on after faults, and take the steps if everything is there."""
    from tablebase.cli.output import say

    faults: list[TablebaseError] = []
    left = 0
    for job in jobs:
        say(f"build {job.entry}")
        try:
            with work.at(job.entry.line):
                left += job.build(terms)
        except TablebaseError as fault:
            say(f"error: {fault}")
            faults.append(fault)
    if faults:
        raise faults[0]
    if left:
        raise DeadlineError(left, again)
    for number, step in enumerate(work.steps):
        if terms.end is not None and time.time() > terms.end:
            raise DeadlineError(len(work.steps) - number, again, "command")
        try:
            with work.at(step.line):
                _take(step, terms)
        except TablebaseError as fault:
            say(f"error: {fault}")
            faults.append(fault)
    if faults:
        raise faults[0]


def _take(step: Step, terms: Terms) -> None:
    """Run a command; a file for its output is there when all of it is."""
    from tablebase.cli.output import say

    words = [*step.command, *([] if "--data" in step.command else ["--data", str(terms.data)])]
    say(without_passwords(" ".join(words)))
    # Not every command has the option, and its password must not be shown.
    environment = os.environ if terms.catalog is None else {**os.environ, "TABLEBASE_CATALOG": terms.catalog}
    draft = None if step.output is None else step.output.with_name(step.output.name + DRAFT)
    with ExitStack() as stack:
        try:
            output = None if draft is None else stack.enter_context(draft.open("wb"))
        except OSError as fault:
            raise system_error(fault, draft, "name another file") from fault
        process = subprocess.Popen([sys.executable, "-m", "tablebase", *words], stdout=output, env=environment)
        with ensured(process.kill):
            code = process.wait()
    if code:
        if draft is not None:
            draft.unlink()
        raise CommandError(without_passwords(" ".join(step.command)), code)
    if draft is not None and step.output is not None:
        os.replace(draft, step.output)


COMMANDS = (batch,)
