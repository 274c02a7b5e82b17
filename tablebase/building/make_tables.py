"""The loop of every build: make the missing tables of a plan, publish them, and register them in the catalog."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any

from tablebase.building.jobs import CostModel, Job, Key, LateError, Made, graph_of
from tablebase.building.kind import TableKind
from tablebase.building.options import BuildOptions
from tablebase.building.table_plan import BuildPlan, examine
from tablebase.catalog.catalog import Catalog
from tablebase.catalog.database import Patience
from tablebase.catalog.entries import Entry, enter, strike
from tablebase.catalog.known import Known
from tablebase.errors import CatalogBusyError, CorruptTableError
from tablebase.system.compute.messages import Stage
from tablebase.system.compute.processes import cleanup_on_exit
from tablebase.system.executors.local import LocalExecutor
from tablebase.system.executors.scheduler import DROPPED, Deadline, run_graph
from tablebase.system.files.outputs import publish
from tablebase.tables.checkpoints import discard, remove_drafts
from tablebase.tables.folder import TOKEN, await_file, free_name, lock, make_folder

INTERVAL = 5.0
"""Seconds between two changes of the catalog, at least."""
BRIEF = 0.2
"""Seconds that an attempt waits for a locked catalog: while it waits to commit, no other program can begin to read."""
AT_LEAST = 2.0
"""Seconds of attempts at the end, also after the deadline."""
DAMAGED = Stage("damaged")
"""The stage of a table that was found damaged after the build had begun, and is built again."""


class Observer:
    """Hears of a build; by default it ignores everything."""

    def started(self) -> None:
        """The folder is locked, and work begins."""

    def watch(self, key: Key, stage: Stage) -> None:
        """A table has reached a stage."""

    def say(self, sentence: str) -> None:
        """A sentence about a damaged file."""

    def made(self, made: Made, entry: Entry) -> None:
        """A table is published; `entry` is what the catalog will say of it."""


def make_tables(plan: BuildPlan, observer: Observer | None = None, costs: CostModel | None = None) -> Generator[Made, None, None]:
    """Make the missing tables of a plan, publish them, and register them in the catalog.

    A damaged file is renamed, and its table built again, whether it is found before or by a worker. Each table is yielded once it
    is published; the plan may not be finished at the deadline.
    """
    observer = observer or Observer()
    folder, kind = plan.options.data, plan.kind
    if plan.missing and plan.known.refusal is not None:
        raise plan.known.refusal
    make_folder(folder)
    with ExitStack() as stack:
        stack.enter_context(lock(folder))
        observer.started()
        # Killed builds on a cluster have left them.
        for token in folder.glob(f"{TOKEN}*"):
            token.unlink(missing_ok=True)
        stack.enter_context(cleanup_on_exit(partial(remove_drafts, folder / kind.rules.name)))
        loop = _Loop(plan, observer, costs)
        if loop.executor.ordered:
            from tablebase.building.shared_folder import site

            loop.executor.require(stack.enter_context(site(folder, kind.rules)))
        stack.enter_context(loop.registrar)
        yield from loop.run()


class _Loop:
    def __init__(self, plan: BuildPlan, observer: Observer, costs: CostModel | None) -> None:
        self._plan, self._observer, self._costs = plan, observer, costs
        options = plan.options
        self.registrar = Registrar(plan.kind, options, plan.known)
        self.executor = LocalExecutor(options.limits) if plan.kind.in_process else options.executor()
        self._jobs = {job.key: job for job in plan.jobs}
        self._places = {job.path.resolve(): job for job in plan.jobs}

    def run(self) -> Generator[Made, None, None]:
        """Make all tables, those that turn out to be damaged as well."""
        plan = self._plan
        again: set[Key] = set()
        while True:
            examined = examine(plan.kind, plan.jobs, plan.options.data, self.registrar.known)
            for job in plan.jobs:
                if job.key in examined.damaged:
                    self._set_aside(job, examined.damaged[job.key])
            try:
                yield from self._pass(examined.missing)
                return
            except CorruptTableError as error:
                damaged = None if error.path is None else self._places.get(Path(error.path).resolve())
                # A table that is damaged twice would be damaged again.
                if damaged is None or damaged.key in again:
                    raise
                again.add(damaged.key)
                self._observer.watch(damaged.key, DAMAGED)
                self._set_aside(damaged, error.problem)

    def _pass(self, missing: Sequence[Job]) -> Generator[Made, None, None]:
        """Make tables until all are there, one is found damaged, or the deadline has come."""
        if not missing:
            return
        plan, options = self._plan, self._plan.options
        costs = self._costs or plan.costs(missing)
        make = plan.kind.maker(missing, plan.query, options, costs)
        deadline: Deadline[Key] | None = None
        if options.end is not None:
            deadline = Deadline(options.end, lambda key: min(costs.wall([key]), plan.kind.resumes_after), options.grace)
        if plan.kind.in_process:
            make, deadline = self._in_time(make, deadline), None
        needs = {job.key: costs.cost(job.key).memory for job in missing}
        work = run_graph(graph_of(missing), make, self.executor, needs.__getitem__, deadline, self._watch)
        with closing(work) as finished:
            try:
                for made in finished:
                    self._finish(made)
                    costs.learn(made)
                    yield made
            except LateError:
                return

    def _in_time(self, make: Callable[[Key], Made], deadline: Deadline[Key] | None) -> Callable[[Key], Made]:
        """Raise `LateError` instead of making a table in this process that would not be, or is not, done by the deadline."""

        def made(key: Key) -> Made:
            if deadline is not None and not deadline.admits(key):
                raise LateError("the deadline has passed")
            try:
                return make(key)
            except LateError:
                self._observer.watch(key, DROPPED)
                raise

        return made

    def _watch(self, key: Key, stage: Stage) -> None:
        self.registrar.enter_due()
        self._observer.watch(key, stage)

    def _finish(self, made: Made) -> None:
        kind, folder = self._plan.kind, self._plan.options.data
        job = self._jobs[made.key]
        # The lock holder publishes, so an orphaned worker never can; only on a cluster others must not wait for it.
        if made.draft is not None:
            publish(made.draft, job.path)
        discard(job.path)
        await_file(job.path)
        with closing(kind.opened_at(job.path)) as file:
            entry = kind.entry_of(folder, file).solved(made.engine, made.seconds if made.engine else None)
        self.registrar.add(entry)
        self.registrar.enter_due()
        self._observer.made(made, entry)

    def _set_aside(self, job: Job, error: str) -> None:
        """Rename a damaged file, strike it from the catalog, and say so; no file is overwritten."""
        # First, so that the catalog does not count it any more if this is interrupted.
        self.registrar.forget(job.path)
        aside = free_name(job.path)
        job.path.rename(aside)
        self._observer.say(f"{job.path} {error}: renamed to {aside.name}; the table will be rebuilt")


class Registrar:
    """Enters finished tables into the catalog, several at a time, so that no connection is open while a table is solved."""

    def __init__(self, kind: TableKind[Any, Any], options: BuildOptions, known: Known) -> None:
        self._kind, self._options, self._folder = kind, options, options.data
        self._catalog = Catalog(options.data, create=True, catalog=options.catalog, patience=BRIEF)
        self._files, self._costs = dict(known.files), known.costs
        self._gone: list[str] = []
        self._pending: list[Entry] = []
        self._next = time.monotonic() + INTERVAL

    def __enter__(self) -> Registrar:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Enter what is left: after an error or an interruption if the catalog is free, else as soon as it is."""
        if error is not None:
            self._attempt()
            return
        left = self._options.seconds_left
        patience = Patience(self._catalog.place, None if left is None else max(AT_LEAST, left))
        while not self._attempt():
            patience.wait()

    @property
    def known(self) -> Known:
        """Facts in the catalog, now or soon."""
        return Known(self._files, self._costs)

    def add(self, entry: Entry) -> None:
        """Enter a table soon."""
        self._pending.append(entry)
        self._files[entry.file] = entry

    def forget(self, path: Path) -> None:
        """Strike a file from the catalog: now, unless that is busy."""
        file = path.relative_to(self._folder).as_posix()
        self._files.pop(file, None)
        self._pending = [entry for entry in self._pending if entry.file != file]
        self._gone.append(file)
        self._attempt()

    def enter_due(self) -> None:
        """Enter finished tables, unless that was done or tried a moment ago."""
        if time.monotonic() >= self._next:
            self._attempt()

    def _attempt(self) -> bool:
        """Change the catalog as far as that is due; return False if another program has locked it, and nothing was changed."""
        if self._pending or self._gone:
            try:
                with self._catalog.writing() as connection:
                    if self._gone:
                        strike(connection, self._gone)
                    for entry in self._pending:
                        enter(connection, self._kind.rules, entry)
            except CatalogBusyError:
                return False
            finally:
                self._next = time.monotonic() + INTERVAL
        self._pending, self._gone = [], []
        return True
