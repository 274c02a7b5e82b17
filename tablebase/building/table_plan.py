"""The plan of a build: its tables, which of them are missing, and what these require."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tablebase.building.estimate import compiling, start_seconds
from tablebase.building.examined import Examined, examine
from tablebase.building.jobs import CostModel, Job
from tablebase.building.kind import TableKind
from tablebase.building.options import BuildOptions, Counted, Requirements, TableQuery
from tablebase.catalog.catalog import read_known
from tablebase.catalog.known import Known
from tablebase.errors import CapacityError
from tablebase.tables.folder import free_space

STARTED: Counted = ("", "start")
"""Stands for the start of the program among what has been counted."""


@dataclass(frozen=True)
class Plan:
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
            raise CapacityError("the build", "name another folder with --data", needed=needed, allowed=free, unit=unit)


def plan_tables(
    kind: TableKind[Any, Any],
    query: TableQuery,
    options: BuildOptions,
    jobs: Sequence[Job] | None = None,
    known: Known | None = None,
) -> Plan:
    """Plan the tables of a query, or some jobs, and examine their files; the catalog is read unless it is `known`."""
    planned = kind.jobs(query, options.data) if jobs is None else jobs
    known = read_known(kind.rules, options.data, options.catalog) if known is None else known
    return Plan(kind, query, options, planned, known, examine(kind, planned, options.data, known))


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
