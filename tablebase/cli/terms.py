"""On which terms tables are built, and what that needs."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from tablebase.cli.log import Log
from tablebase.cli.options import Where, parse_size
from tablebase.cli.output import say
from tablebase.compute import machine
from tablebase.errors import TablebaseError
from tablebase.executors.executor import Executor, Limits
from tablebase.executors.local import LocalExecutor


@dataclass(frozen=True)
class Terms:
    """Where, when and with what to build.

    Parameters
    ----------
    data : Path
    limits : Limits
    end : float or None
        The deadline, in seconds since the epoch.
    grace : float
        Seconds after it for tables in work.
    keep_free : int
        Bytes of the disk.
    log : Log
    verbose : bool
    catalog : str or None
        URL of the PostgreSQL database with the catalog.
    where : Where
    scheduler : str or None
        Of a cluster; None for one that is started on this machine.
    """

    data: Path
    limits: Limits
    end: float | None = None
    grace: float = 0.0
    keep_free: int = 0
    log: Log = field(default_factory=Log)
    verbose: bool = False
    catalog: str | None = None
    where: Where = Where.LOCAL
    scheduler: str | None = None

    def executor(self) -> Executor:
        """What runs the solvers."""
        if self.where is Where.LOCAL:
            return LocalExecutor(self.limits)
        from tablebase.executors.dask import DaskExecutor

        return DaskExecutor(self.limits, self.scheduler, say)

    @property
    def deadline(self) -> str | None:
        """The deadline as local time, to the second."""
        return None if self.end is None else datetime.fromtimestamp(self.end).astimezone().isoformat(timespec="seconds")


@dataclass(frozen=True)
class Needs:
    """What a build needs that has not begun.

    Parameters
    ----------
    tables, placements : int
    memory, disk : int
        Bytes.
    cpu_seconds, seconds : float
        Of the processors, and by the clock.
    """

    tables: int = 0
    placements: int = 0
    memory: int = 0
    disk: int = 0
    cpu_seconds: float = 0.0
    seconds: float = 0.0


def chosen_limits(workers: int, memory: str | None, where: Where = Where.LOCAL, scheduler: str | None = None) -> Limits:
    """What a build may use at the same time.

    Raises
    ------
    TablebaseError
        If these options do not go together, or there is no such scheduler with workers.
    """
    if scheduler is not None:
        return _limits_at(scheduler, workers, memory, where)
    allowed = machine.memory() if memory is None else parse_size(memory)
    return Limits(workers, allowed) if where is Where.LOCAL else Limits(workers, allowed // workers, each=True)


def _limits_at(scheduler: str, workers: int, memory: str | None, where: Where) -> Limits:
    """What the workers of a scheduler offer, if nothing else was asked for."""
    if where is not Where.DASK:
        raise TablebaseError("a scheduler belongs to the executor dask: add --executor dask, or leave out --scheduler")
    if workers != 1 or memory is not None:
        raise TablebaseError("a scheduler has workers and memory of its own: leave out --workers and --memory, or --scheduler")
    from tablebase.executors.dask import limits_at

    return limits_at(scheduler, say)
