"""The plan of a build: its tables, which of them are missing or damaged, and what these require."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tablebase.building.estimate import compiling, start_seconds
from tablebase.building.jobs import CostModel, Job, Key, error_of
from tablebase.building.kind import TableKind
from tablebase.building.options import BuildOptions, Counted, Requirements, TableQuery
from tablebase.catalog.catalog import read_known
from tablebase.catalog.known import Known
from tablebase.errors import CapacityError
from tablebase.tables.folder import check_seal, file_sha256, free_space

SEALED_BYTES = 1_000_000_000
"""Up to this size of all tables together, a build reads every byte of them, and not only of those that it uses."""
STARTED: Counted = ("", "start")
"""Stands for the start of the program among what has been counted."""


State = tuple[int, int, int, int]
"""Size, identity and time of change of a file, to notice changes."""


@dataclass(frozen=True)
class Examined:
    """The state of a plan."""

    missing: tuple[Job, ...]  # tables to be built, or at least verified and registered; also damaged ones
    damaged: Mapping[Key, str]  # the predicate of a sentence about a file
    whole: bool  # whether every byte of the other tables was read


@dataclass(frozen=True)
class BuildPlan:
    """Tables to build, closed under dependencies, each after those that it depends on."""

    kind: TableKind[Any, Any]
    query: TableQuery
    options: BuildOptions
    jobs: Sequence[Job]
    known: Known
    examined: Examined

    @property
    def missing(self) -> Sequence[Job]:
        """The tables to be built, or at least verified and registered."""
        return self.examined.missing

    def costs(self, jobs: Sequence[Job] | None = None) -> CostModel:
        """Predict what the missing tables need, or other ones."""
        return self.kind.costs(self.missing if jobs is None else jobs, self.query, self.options, self.known)

    def check_capacity(self, jobs: Sequence[Job], costs: CostModel) -> None:
        """Raise `CapacityError` if a table would not fit into memory, or all of them onto the disk."""
        self.kind.check_memory(jobs, costs, self.options)
        folder = self.options.data
        needed, free = sum(costs.cost(job.key).disk for job in jobs), max(0, free_space(folder) - self.options.keep_free)
        if needed > free:
            unit = f"bytes on the disk of {folder}"
            raise CapacityError("the build", "choose a folder on another disk with --data", needed=needed, allowed=free, unit=unit)


def plan_tables(
    kind: TableKind[Any, Any],
    query: TableQuery,
    options: BuildOptions,
    jobs: Sequence[Job] | None = None,
    known: Known | None = None,
) -> BuildPlan:
    """Plan the tables of a query, or some jobs, and examine their files; the catalog is read unless it is `known`."""
    planned = kind.jobs(query, options) if jobs is None else jobs
    known = read_known(kind.rules, options.data, options.catalog) if known is None else known
    return BuildPlan(kind, query, options, planned, known, examine(kind, planned, options.data, known))


def requirements(kind: TableKind[Any, Any], query: TableQuery, options: BuildOptions, counted: set[Counted]) -> Requirements:
    """Predict what the missing tables require, without those that have been `counted`, which are added to these.

    Raise `CapacityError` if one of them does not fit into memory, or all of them do not fit onto the disk.
    """
    plan = plan_tables(kind, query, options)
    # Layers of several regions may have the same name.
    named = {job.key: (kind.rules.name, job.path.relative_to(options.data).as_posix()) for job in plan.jobs}
    missing = [job for job in plan.missing if named[job.key] not in counted]
    if not missing:
        return Requirements()
    counted.update(named[job.key] for job in missing)
    costs = plan.costs(missing)
    plan.check_capacity(missing, costs)
    each = [costs.cost(job.key) for job in missing]
    before = preparation(kind.rules.name, costs.kernels, counted)
    return Requirements(
        len(missing),
        sum(costs.placements(job.key) for job in missing),
        max(cost.memory for cost in each),
        sum(cost.disk for cost in each),
        before + sum(cost.cpu_seconds for cost in each),
        before + costs.wall([job.key for job in missing]),
    )


def preparation(game: str, kernels: frozenset[str], counted: set[Counted]) -> float:
    """CPU-seconds before the first table: to start, and to compile kernels, as far as that has not been counted."""
    new = {name for name in kernels if (game, name) not in counted}
    start = 0.0 if STARTED in counted else start_seconds()
    counted.update({STARTED, *((game, name) for name in new)})
    return start + compiling(game, new)


def examine(kind: TableKind[Any, Any], jobs: Sequence[Job], folder: Path, known: Known) -> Examined:
    """Check size and header of all tables of a plan, and the seals of those that missing ones need, or of all if they are small.

    The plan has every table after those that it depends on. Raise `StaleTableError` if a table was built under other rules, or
    in another format.
    """
    stats = {job.key: job.path.stat() for job in jobs if job.path.exists()}
    states = {key: (stat.st_size, stat.st_dev, stat.st_ino, stat.st_ctime_ns) for key, stat in stats.items()}
    whole = sum(size for size, *_ in states.values()) < SEALED_BYTES
    missing: list[Job] = []
    damaged: dict[Key, str] = {}
    needed: set[Key] = set()
    for job in reversed(jobs):
        registered, state = known.files.get(job.path.relative_to(folder).as_posix()), states.get(job.key)
        error, is_sound = None, False
        if state is not None:
            error = _error(kind, job.path, state)
            is_sound = error is None and registered is not None and registered.row["bytes"] == state[0]
            if is_sound and (whole or job.key in needed):
                is_sound = registered is not None and _sha256(job.path, state) == registered.sha256
            if error is None and not is_sound:
                # It may be another file of the same table, which is only to be verified and registered.
                error = _error(kind, job.path, state, of_seal=True)
        if error is not None:
            damaged[job.key] = error
        if not is_sound:
            missing.append(job)
            needed.update(job.after)
    return Examined(tuple(reversed(missing)), damaged, whole)


# Files are examined for the plan and again when the folder is locked: those that have not changed are not read again.


@cache
def _error(kind: TableKind[Any, Any], path: Path, _state: State, *, of_seal: bool = False) -> str | None:
    return error_of(lambda: check_seal(path, kind.title_at(path)) if of_seal else kind.opened_at(path).close())


@cache
def _sha256(path: Path, _state: State) -> str:
    return file_sha256(path)
