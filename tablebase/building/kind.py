"""The interface of a kind of tables: what build, estimate, verify, reindex, prune, copy and pack need to know of it.

Each kind of game has its own kind of tables; `table_kind` chooses it, so no command asks for the kind.
A kind delivers jobs, what they cost and how to make them; `tablebase.building.build` plans, builds, logs and registers them all.
"""

from __future__ import annotations

import math
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar, cast

from tablebase.building.estimate import compiling, start_seconds
from tablebase.building.jobs import CostModel, Job, Key, Made
from tablebase.building.options import LOCAL, BuildOptions, TableQuery
from tablebase.catalog.entries import Entry
from tablebase.catalog.known import Known
from tablebase.checking.checksums import Checks
from tablebase.errors import ArgumentError, CapacityError, CorruptTableError, TablebaseError, quoted
from tablebase.game.capabilities import part
from tablebase.system.compute import machine
from tablebase.system.compute.messages import in_bytes, in_time
from tablebase.tables.folder import check_seal, free_space
from tablebase.tables.header import Form

# ruff: noqa: ARG002 (kinds may need what the defaults do not)

G = TypeVar("G")
"""The kind of game."""
F = TypeVar("F", bound=Any)
"""An open file: a subclass of `tablebase.tables.reader.SealedFile`."""


class TableKind(ABC, Generic[G, F]):
    """The tables of a game, which is from `load_rules`, since workers load it by name."""

    pattern: ClassVar[str]  # where its files and their drafts are in the game's folder
    title: ClassVar[str]  # in a file's first bytes, from `game`, the folder `place` of the file, and its `stem`
    unit: ClassVar[str] = "positions"  # counted in logs and progress
    counted: ClassVar[str] = "positions"  # counted when a build has finished, as ``stats`` counts
    solver: ClassVar[str] = ""  # name of the only solver, as in logs; a kind with several overrides `check_solver`
    in_process: ClassVar[bool] = True  # whether tables are made in this process, one after the other, since they share memory
    # Seconds of work on a table after which it can be stopped, and resumed later; a table is started if so many are left.
    resumes_after: ClassVar[float] = math.inf
    most_workers: ClassVar[int] = sys.maxsize  # workers or threads that can be of use
    bounds: ClassVar[str] = "disk"  # columns of an estimate that are upper bounds
    line: ClassVar[Callable[..., Any]]  # of an estimate, for the default of that: a table's name, and then the fields of `JobCost`

    def __init__(self, rules: G) -> None:
        self.rules: Any = rules

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.rules.digest == other.rules.digest and self.rules.name == other.rules.name

    def __hash__(self) -> int:
        return hash((self.rules.name, self.rules.digest))

    # What every kind has

    @abstractmethod
    def jobs(self, query: TableQuery, options: BuildOptions) -> tuple[Job, ...]:
        """Plan the tables of a query with all that they depend on, each after its dependencies.

        Raise `TablebaseError` if they cannot be planned.
        """

    @abstractmethod
    def costs(self, jobs: Sequence[Job], query: TableQuery, options: BuildOptions, known: Known) -> CostModel:
        """Predict what tables need."""

    @abstractmethod
    def maker(self, jobs: Sequence[Job], query: TableQuery, options: BuildOptions, costs: CostModel) -> Callable[[Key], Made]:
        """Return a function that solves a table, writes its draft and checks every position in it; or checks an existing file.

        It reports stages with `tablebase.system.compute.messages.reach`: "solving" with a total moves the progress bar. If tables
        are made `in_process`, it calls `BuildOptions.check_time` now and then; otherwise it must be picklable.
        """

    @abstractmethod
    def verify(
        self, query: TableQuery, folder: Path, workers: int | None, published: Mapping[str, str], catalog: str | None
    ) -> tuple[int, Checks]:
        """Check every byte and every value of registered tables, or of all; return their number, and the checks.

        `published` are digests of values by material. Raise `TablebaseError` if there is nothing to check.
        """

    @abstractmethod
    def opened(self, path: Path, row: Mapping[str, Any]) -> F:
        """Open the file of the table that a row of a catalog is about, at any path, after checks that need no decompression."""

    @abstractmethod
    def entry_of(self, folder: Path, file: F) -> Entry:
        """Describe an open file in a folder, as the catalog does."""

    # What a command asks for

    def limits_from(self, words: Sequence[str], refusal: Callable[[], TablebaseError]) -> dict[str, int | str]:
        """Read limits from further options such as ``--carrots 60``; raise `refusal` if such tables cannot have any."""
        if words:
            raise refusal()
        return {}

    def check_materials(self, texts: Sequence[str]) -> None:
        """Raise `TablebaseError` if the game does not have one of these materials; commands without materials refuse all."""

    def check_executor(self, where: str) -> None:
        """Raise `TablebaseError` if an executor cannot build such tables."""
        if where != LOCAL and self.in_process:
            raise TablebaseError(f"cannot build tables of {self.rules.name} with the executor {where}: use --executor local")

    def check_solver(self, name: str) -> None:
        """Raise `TablebaseError` if no solver of such tables has this name."""
        if name not in (TableQuery.solver, self.solver):
            known = f"{TableQuery.solver} or {self.solver}"
            raise ArgumentError(f"unknown solver {quoted(name)} for {self.rules.name}: choose {known}")

    def check(self, query: TableQuery) -> None:
        """Raise `TablebaseError` if such tables cannot be planned."""

    def chosen(
        self, registered: Sequence[Entry], query: TableQuery, folder: Path, *, with_dependencies: bool = False
    ) -> list[Entry]:
        """Choose among all registered tables of the game, perhaps with those that they depend on; by default take all."""
        return list(registered)

    def number_wanted(self, query: TableQuery, jobs: Sequence[Job]) -> int:
        """Number of tables that a query names, without those that they depend on."""
        return len(jobs)

    # What it takes to build

    def check_memory(self, jobs: Sequence[Job], costs: CostModel, options: BuildOptions) -> None:
        """Raise `CapacityError` if a table does not fit into memory."""
        largest = max(jobs, key=lambda job: costs.cost(job.key).memory)
        needed, allowed, present = costs.cost(largest.key).memory, options.allowed_memory, machine.memory()
        if needed > allowed:
            hint = "choose a larger --memory" if needed <= present else "use a machine with more memory"
            if options.limits.each:
                hint = "use fewer workers, or workers with more memory"
            raise CapacityError(largest.name, hint, needed=needed, allowed=allowed)

    def solvers(self, jobs: Sequence[Job], query: TableQuery, options: BuildOptions) -> str:
        """Describe which solver will solve how many tables, and why; empty where there is one solver."""
        return ""

    def sharing(self, jobs: Sequence[Job], costs: CostModel, options: BuildOptions) -> str:
        """Describe how several workers share the work; empty if there is nothing to say."""
        return ""

    def estimate(self, query: TableQuery, options: BuildOptions, known: Known, *, measured: bool) -> list[Any]:
        """Predict what tables need, built already or not, as dataclasses.

        If `measured`, a table is built first to measure this machine.
        """
        jobs = self.jobs(query, options)
        costs = self.costs(jobs, query, options, known)
        if options.limits.memory is not None:
            self.check_memory(jobs, costs, options)
        lines = [self.line(job.name, *vars(costs.cost(job.key)).values()) for job in jobs]
        before = start_seconds() + compiling(self.rules.name, costs.kernels)
        return [replace(lines[0], start_seconds=before), *lines[1:]]

    def estimate_table(self, lines: Sequence[Any], workers: int, folder: Path) -> tuple[list[dict[str, object]], str]:
        """Write an estimate for a terminal: the rows of a table, and the lines below it."""
        units = {"memory": in_bytes, "disk": in_bytes, "cpu_seconds": in_time, "start_seconds": in_time}
        rows: list[dict[str, object]] = [
            {name: units[name](value) if name in units else value for name, value in vars(line).items()} for line in lines
        ]
        return rows, f"upper bounds: {self.bounds}\n{self.there(folder)}"

    def there(self, folder: Path) -> str:
        """The disk space and the memory that a build can use."""
        return f"available: {in_bytes(free_space(folder))} of disk space, {in_bytes(machine.memory())} of memory"

    # Their files

    def title_at(self, path: Path) -> str:
        """The title, in a file's first bytes, of the table that belongs at a path."""
        return self.title.format(game=self.rules.name, place=path.parent.name, stem=path.stem)

    def opened_at(self, path: Path) -> F:
        """Open the file of the table that belongs at a path; see `opened`."""
        return self.opened(path, dict.fromkeys(("material", "layer", "tier"), path.stem))

    def read(self, folder: Path, path: Path) -> Entry:
        """Check a file's place, seal and content, and describe it as the catalog does."""
        with closing(self.opened_at(path)) as file:
            check_seal(path, self.title_at(path))
            file.check_values()
            entry = self.entry_of(folder, file)
        if entry.file != entry.place or not self.is_in_place(entry):
            raise CorruptTableError(f"has the wrong path for a table of {self.rules.name}", path)
        return entry

    def rewrite(self, path: Path, file: F, form: Form) -> Path:
        """Write a table again in another form, as a draft next to a path; return the draft."""
        draft: Path = file.rewrite(path, form)
        return draft

    # Their rows in a catalog

    def is_in_place(self, entry: Entry) -> bool:
        """Return whether a reader would look for such a table where an entry's own columns place it."""
        return self.counted in entry.row

    def size_of(self, entry: Entry) -> int:
        """Number of units that a table holds."""
        return int(entry.row[self.counted])

    def count_of(self, entry: Entry) -> int:
        """Number of positions that ``stats`` counts in a table."""
        return self.size_of(entry)


def table_kind(rules: Any) -> TableKind[Any, Any]:
    """The tables of a game, as its kind delivers them."""
    return cast("TableKind[Any, Any]", part(rules, "tables")(rules))
