"""A build from the command line or a batch file: sentences, progress and logs around `tablebase.building.make_tables`."""

from __future__ import annotations

from contextlib import closing
from typing import Any

from tablebase.building.jobs import CostModel, Key, LateError, Made
from tablebase.building.kind import TableKind
from tablebase.building.make_tables import DAMAGED, Observer, make_tables
from tablebase.building.options import BuildOptions, TableQuery
from tablebase.building.records import Begun, BuildResult, Report, TableRecord, say_summary
from tablebase.building.reindex import with_usable
from tablebase.building.table_plan import Plan, plan_tables, preparation
from tablebase.catalog.catalog import read_known
from tablebase.catalog.entries import Entry
from tablebase.compute.messages import Stage, say
from tablebase.compute.progress import Progress, progress
from tablebase.executors.scheduler import DROPPED


def build(kind: TableKind[Any, Any], query: TableQuery, options: BuildOptions, *, summarized: bool = False) -> BuildResult:
    """Solve, verify and store the missing tables, and say so; if `summarized`, in more than a line in the end."""
    # Workers that wait cost nothing, so that a build waits for the catalog as long as it may.
    known = with_usable(
        options.data, options.catalog, lambda: read_known(kind.rules, options.data, options.catalog, options.seconds_left)
    )
    plan = plan_tables(kind, query, options, known=known)
    name, folder, tables = kind.rules.name, options.data, len(plan.jobs)
    if not plan.missing:
        checked = "" if plan.examined.whole else f"; only their sizes and headers were checked: run 'tablebase verify {name}'"
        say(f"nothing to do: all {tables} tables are in {folder}, built and verified{checked}")
        return BuildResult(name, folder, tables)
    try:
        costs: CostModel | None = plan.costs()
    except LateError:
        costs = None
    if costs is None:
        report = Report(_begun(plan, None), options.log, kind.unit)
        counted = 0
    else:
        plan.check_capacity(plan.missing, costs)
        report, counted = _run(plan, costs)
    ended = report.ended()
    say(f"built and verified in {folder}: {ended.done} of {tables} tables, {counted:,} {kind.counted}")
    if summarized:
        say_summary(ended, kind.unit)
    return BuildResult(name, folder, tables, ended.left, ended.seconds, tuple(report.tables))


def _begun(plan: Plan, costs: CostModel | None) -> Begun:
    """The first record; without costs the deadline came before they were known."""
    missing, options, name = [job.key for job in plan.missing], plan.options, plan.kind.rules.name
    size = 0 if costs is None else sum(costs.cost(key).size for key in missing)
    expected = 0.0 if costs is None else preparation(name, costs.kernels, set()) + costs.wall(missing)
    return Begun(
        game=name,
        tables=len(missing),
        placements=size,
        expected_seconds=expected,
        workers=min(options.limits.workers, plan.kind.most_workers),
        memory=options.limits.memory,
        deadline=options.deadline,
        solvers=plan.kind.solvers(plan.missing, plan.query, options),
    )


def _run(plan: Plan, costs: CostModel) -> tuple[Report, int]:
    """Build the missing tables until the deadline; return the report, and how many positions they have."""
    kind, options = plan.kind, plan.options
    report = Report(_begun(plan, costs), options.log, kind.unit)
    present = {job.key for job in plan.jobs} - {job.key for job in plan.missing}
    done = sum(costs.cost(key).size for key in present)
    total = done + sum(costs.cost(job.key).size for job in plan.missing)
    with progress(f"build {kind.rules.name}", kind.unit, total, done, verbose=options.verbose, compiles=True) as shown:
        observer = _Reporter(plan, costs, report, shown)
        # Closed in order after an interruption as well.
        with closing(make_tables(plan, observer, costs)) as steps:
            for _ in steps:
                pass
    return report, observer.counted


class _Reporter(Observer):
    """Shows, counts and logs what becomes of a build."""

    def __init__(self, plan: Plan, costs: CostModel, report: Report, shown: Progress) -> None:
        self._plan, self._costs, self._report, self._shown = plan, costs, report, shown
        self._names = {job.key: job.name for job in plan.jobs}
        self._expected = {job.key: costs.cost(job.key) for job in plan.missing}
        self._ticked = dict[Key, int]()
        self.counted = 0  # positions, as `stats` counts them

    def started(self) -> None:
        """Say how many tables there are to build, and how."""
        plan, limits = self._plan, self._plan.options.limits
        missing, planned = len(plan.missing), len(plan.jobs)
        wanted = plan.kind.number_wanted(plan.query, plan.jobs)
        if missing < planned:
            self._shown.write(f"solving {missing} of {planned} tables; the others are there already")
        elif planned > wanted:
            self._shown.write(f"solving {planned} tables: {wanted} asked for and {planned - wanted} they depend on")
        elif planned > 1:
            self._shown.write(f"solving {planned} tables")
        if plan.options.verbose and (solvers := plan.kind.solvers(plan.missing, plan.query, plan.options)):
            self._shown.write(solvers)
        if limits.workers > 1 and (plan.options.workers_given or plan.options.verbose or limits.each):
            sharing = plan.kind.sharing(plan.missing, self._costs, plan.options)
            if sharing:
                self._shown.write(sharing)

    def watch(self, key: Key, stage: Stage) -> None:
        """Show how far a table has come."""
        name = self._names[key]
        if stage == DAMAGED:
            self._report.again += 1
        elif stage == DROPPED:
            self._report.dropped.append(name)
            self._shown.leave(name)
        else:
            self._shown.at(name, stage)

    def tick(self, key: Key, done: int) -> None:
        """Show how much of a table has been done."""
        self._shown.update(done - self._ticked.get(key, 0))
        self._ticked[key] = done

    def say(self, sentence: str) -> None:
        """Write a line above the bar."""
        self._shown.write(sentence)

    def made(self, made: Made, entry: Entry) -> None:
        """Count, show and log a finished table."""
        kind, name, size = self._plan.kind, self._names[made.key], self._plan.kind.size_of(entry)
        record = TableRecord(
            game=kind.rules.name,
            material=name,
            engine=made.engine,
            placements=size,
            seconds=made.elapsed,
            cpu_seconds=made.seconds,
            memory=made.memory,
            bytes=made.bytes,
        )
        # Not there if a damaged table, which was counted as done, has been built again.
        expected = self._expected.pop(made.key, None)
        self._report.add(record, (expected or self._costs.cost(made.key)).cpu_seconds)
        self._shown.leave(name)
        if expected is not None:
            self.tick(made.key, expected.size)
        self.counted += kind.count_of(entry)
        self._shown.note(_note(record, kind.unit))


def _note(record: TableRecord, unit: str) -> str:
    """A line about a finished table."""
    if record.engine is None:
        return f"{record.material}: {record.placements:,} {unit}, already there and correct"
    return f"{record.material}: {record.placements:,} {unit}, {record.engine}, {record.cpu_seconds:.1f} CPU-seconds"
