"""Options of a build, and what a build requires."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from tablebase.building.jobs import LateError
from tablebase.building.records import BuildLog
from tablebase.errors import ArgumentError
from tablebase.game.plain_arguments import as_size, usable_workers
from tablebase.system.compute import machine
from tablebase.system.compute.messages import say
from tablebase.system.executors.executor import Executor, Limits
from tablebase.system.executors.local import LocalExecutor

LOCAL, DASK = "local", "dask"
"""Executors: processes of this machine, or workers of a cluster."""
AHEAD = 3.0
"""Seconds of work before workers start by default."""


def local_executor(workers: int | None) -> LocalExecutor:
    """Processes of this machine, as many as were asked for, that share its memory."""
    return LocalExecutor(Limits(usable_workers(workers), machine.memory()), AHEAD if workers is None else 0.0)


@dataclass(frozen=True)
class TableQuery:
    """Tables as the options of a command name them; a kind reads the options that it supports."""

    pieces: range | None = None
    materials: Sequence[str] = ()
    limits: Mapping[str, int | str] = field(default_factory=dict)
    solver: str = "auto"


@dataclass(frozen=True)
class BuildOptions:
    """Where, when and with what to build."""

    data: Path
    limits: Limits = field(default_factory=Limits)
    end: float | None = None  # the deadline, in seconds since the epoch
    grace: float = 0.0  # seconds after it for tables in work
    keep_free: int = 0  # bytes of the disk
    log: BuildLog = field(default_factory=BuildLog)
    verbose: bool = False
    catalog: str | None = None  # URL of the PostgreSQL database with the catalog
    where: str = LOCAL
    scheduler: str | None = None  # of a cluster; None for one that is started on this machine
    workers_given: bool = False  # whether the number of workers was chosen, so that messages say how they share the tables

    def executor(self) -> Executor:
        """Return what runs the solvers."""
        if self.where == LOCAL:
            return LocalExecutor(self.limits, 0.0 if self.workers_given else AHEAD)
        from tablebase.system.executors.dask import DaskExecutor

        return DaskExecutor(self.limits, self.scheduler, say)

    @property
    def deadline(self) -> str | None:
        """The deadline as local time, to the second."""
        return None if self.end is None else datetime.fromtimestamp(self.end).astimezone().isoformat(timespec="seconds")

    @property
    def seconds_left(self) -> float | None:
        """Seconds until the deadline and its grace are over; None without a deadline."""
        return None if self.end is None else max(0.0, self.end + self.grace - time.time())

    def check_time(self) -> None:
        """Raise `LateError` after the deadline and its grace."""
        if self.seconds_left == 0:
            raise LateError("the deadline has passed")

    @property
    def allowed_memory(self) -> int:
        """Bytes of memory that a build may use: the limit or, without one, the memory of this machine."""
        return machine.memory() if self.limits.memory is None else self.limits.memory


Counted = tuple[str, str]
"""A game and one of its tables."""


@dataclass(frozen=True)
class Requirements:
    """Needs of the missing tables of a build."""

    tables: int = 0
    placements: int = 0  # with those of aliases
    memory: int = 0  # bytes
    disk: int = 0  # bytes
    cpu_seconds: float = 0.0
    seconds: float = 0.0  # by the clock


def chosen_limits(workers: int | None, memory: int | str | None, where: str = LOCAL, scheduler: str | None = None) -> Limits:
    """Return a build's workers and memory; options that do not go together, or a scheduler without workers, are refused."""
    if scheduler is None:
        allowed, count = machine.memory() if memory is None else as_size("memory", memory), usable_workers(workers)
        return Limits(count, allowed) if where == LOCAL else Limits(count, allowed // count, each=True)
    if where != DASK:
        raise ArgumentError("cannot use --scheduler without --executor dask: add --executor dask, or leave out --scheduler")
    if workers is not None or memory is not None:
        raise ArgumentError("cannot use --workers or --memory with --scheduler, which sets both: leave out --workers and --memory")
    from tablebase.system.executors.dask import limits_at

    return limits_at(scheduler, say)
