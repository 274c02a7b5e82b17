"""A build from the command line or a batch file: sentences, progress and logs around `tablebase.building.make_tables`."""

from __future__ import annotations

import time
from contextlib import closing, suppress
from typing import Any

from tablebase.building.jobs import CostModel, Key, LateError, Made
from tablebase.building.kind import TableKind
from tablebase.building.make_tables import DAMAGED, Observer, make_tables
from tablebase.building.options import BuildOptions, TableQuery
from tablebase.building.records import Begun, BuildResult, Ended, TableRecord, summary
from tablebase.building.reindex import with_usable
from tablebase.building.table_plan import BuildPlan, plan_tables, preparation
from tablebase.catalog.catalog import read_known
from tablebase.catalog.entries import Entry
from tablebase.system.compute.messages import Stage, say
from tablebase.system.compute.progress import Progress, progress
from tablebase.system.executors.scheduler import DROPPED


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
    costs: CostModel | None = None
    # The deadline may come before costs are known.
    with suppress(LateError):
        costs = plan.costs()
        plan.check_capacity(plan.missing, costs)
    sizes = {} if costs is None else {job.key: costs.cost(job.key).size for job in plan.jobs}
    total, left = sum(sizes.values()), sum(sizes.get(job.key, 0) for job in plan.missing)
    with progress(f"build {name}", kind.unit, total, total - left, verbose=options.verbose, compiles=True) as shown:
        report = _Report(plan, costs, shown)
        if costs is not None:
            # Closed in order after an interruption as well.
            with closing(make_tables(plan, report, costs)) as steps:
                for _ in steps:
                    pass
    ended = report.ended()
    say(f"built and verified in {folder}: {ended.done} of {tables} tables, {report.counted:,} {kind.counted}")
    for sentence in summary(ended, kind.unit)[1:] if summarized else ():
        say(sentence)
    return BuildResult(name, folder, tables, ended.left, ended.seconds, tuple(report.tables))


class _Report(Observer):
    def __init__(self, plan: BuildPlan, costs: CostModel | None, shown: Progress) -> None:
        self._plan, self._costs, self._shown, self._log = plan, costs, shown, plan.options.log
        self._names = {job.key: job.name for job in plan.jobs}
        self._expected = {} if costs is None else {job.key: costs.cost(job.key) for job in plan.missing}
        self._counted_in_bar = dict[Key, int]()
        self._begin, self._expected_seconds = time.monotonic(), 0.0
        self._to_build, self._dropped = len(plan.missing), list[str]()
        self.tables: list[TableRecord] = []  # in the order in which they were finished
        self.counted = 0  # positions, as `stats` counts them
        missing = [job.key for job in plan.missing]
        # Without costs the deadline came before they were known.
        expected = 0.0 if costs is None else preparation(plan.kind.rules.name, costs.kernels, set()) + costs.wall(missing)
        begun = Begun(
            game=plan.kind.rules.name,
            tables=len(missing),
            placements=sum(cost.size for cost in self._expected.values()),
            expected_seconds=expected,
            workers=min(plan.options.limits.workers, plan.kind.most_workers),
            memory=plan.options.limits.memory,
            deadline=plan.options.deadline,
            solvers=plan.kind.solvers(plan.missing, plan.query, plan.options),
        )
        self._log.write(begun, plan.kind.unit)

    def started(self) -> None:
        """Say how many tables there are to build, and how."""
        plan, limits = self._plan, self._plan.options.limits
        missing, planned = len(plan.missing), len(plan.jobs)
        wanted = plan.kind.number_wanted(plan.query, plan.jobs)
        if missing < planned:
            self.say(f"solving {missing} of {planned} tables; the others already exist")
        elif planned > wanted:
            self.say(f"solving {planned} tables: {wanted} requested, {planned - wanted} dependencies")
        elif planned > 1:
            self.say(f"solving {planned} tables")
        if plan.options.verbose and (solvers := plan.kind.solvers(plan.missing, plan.query, plan.options)):
            self.say(solvers)
        if limits.workers > 1 and (plan.options.workers_given or plan.options.verbose or limits.each):
            assert self._costs is not None
            if sharing := plan.kind.sharing(plan.missing, self._costs, plan.options):
                self.say(sharing)

    def watch(self, key: Key, stage: Stage) -> None:
        """Show how far a table has come."""
        name = self._names[key]
        if stage == DAMAGED:
            self._to_build += 1
        elif stage == DROPPED:
            self._dropped.append(name)
            self._shown.leave(name)
        else:
            self._shown.at(name, stage)
            if stage.name == "solving" and stage.total and key in self._expected:
                self._move_bar(key, self._expected[key].size * stage.done // stage.total)

    def _move_bar(self, key: Key, done: int) -> None:
        self._shown.update(done - self._counted_in_bar.get(key, 0))
        self._counted_in_bar[key] = done

    def say(self, sentence: str) -> None:
        """Write a line above the bar."""
        self._shown.write(sentence)

    def made(self, made: Made, entry: Entry) -> None:
        """Count, show and log a finished table."""
        assert self._costs is not None
        kind, name, size = self._plan.kind, self._names[made.key], self._plan.kind.size_of(entry)
        record = TableRecord(kind.rules.name, name, made.engine, size, made.elapsed, made.seconds, made.memory, made.bytes)
        self.tables.append(record)
        self.counted += kind.count_of(entry)
        # Not there if a damaged table, which was counted as done, has been built again.
        expected = self._expected.pop(made.key, None)
        self._expected_seconds += (expected or self._costs.cost(made.key)).cpu_seconds
        if expected is not None:
            self._move_bar(made.key, expected.size)
        self._log.write(record, kind.unit)
        self._shown.leave(name)
        solved = "already built, and correct" if made.engine is None else f"{made.engine}, {made.seconds:.1f} CPU-seconds"
        self._shown.note(f"{name}: {size:,} {kind.unit}, {solved}")

    def ended(self) -> Ended:
        """Log and return the last record."""
        left = max(0, self._to_build - len(self.tables))
        slowest = max(self.tables, key=lambda table: table.seconds, default=None)
        largest = max(self.tables, key=lambda table: table.bytes, default=None)
        ended = Ended(
            game=self._plan.kind.rules.name,
            reason="deadline" if left else "done",
            done=len(self.tables),
            left=left,
            dropped=self._dropped,
            placements=sum(table.placements for table in self.tables),
            seconds=time.monotonic() - self._begin,
            cpu_seconds=sum(table.cpu_seconds for table in self.tables),
            expected_cpu_seconds=self._expected_seconds,
            slowest=slowest.material if slowest else None,
            largest=largest.material if largest else None,
        )
        self._log.write(ended, self._plan.kind.unit)
        return ended
