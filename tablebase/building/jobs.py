"""A table as one piece of work: what it needs, and what has come of it."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tablebase.errors import CorruptTableError, TablebaseError
from tablebase.system.compute.machine import forget_peak, peak_memory

Key = Any
"""Names a table of a game for executors: hashable and picklable."""


class LateError(TablebaseError):
    """The deadline has come."""


@dataclass(frozen=True)
class Job:
    """A table to be made."""

    key: Key
    name: str  # in logs, messages and the catalog
    path: Path  # of its file
    after: Sequence[Hashable] = ()  # keys of the tables that it depends on


@dataclass(frozen=True)
class JobCost:
    """Needs of a table."""

    size: int  # distinct placements, states or positions
    memory: int  # bytes
    disk: int  # bytes
    cpu_seconds: float  # to solve, write and verify it


class CostModel(ABC):
    """Predicts what the tables of a build need."""

    kernels: frozenset[str] = frozenset()  # names of what may have to be compiled first

    @abstractmethod
    def cost(self, key: Key) -> JobCost:
        """Predict what a table needs."""

    def placements(self, key: Key) -> int:
        """Number of placements in a table, in aliases as well."""
        return self.cost(key).size

    @abstractmethod
    def wall(self, keys: Sequence[Key]) -> float:
        """Predict the seconds by the clock that tables take, made within the limits of the build."""

    def learn(self, made: Made) -> None:  # noqa: B027 (nothing to do where costs are fixed)
        """Take into account what a table took; by default ignore it."""


class FixedCosts(CostModel):
    """Costs that are known from the beginning, of tables made one after the other."""

    def __init__(self, costs: Mapping[Key, JobCost], threads: int = 1, kernels: frozenset[str] = frozenset()) -> None:
        self._costs, self._threads, self.kernels = costs, threads, kernels

    def cost(self, key: Key) -> JobCost:  # noqa: D102 (that of `CostModel`)
        return self._costs[key]

    def wall(self, keys: Sequence[Key]) -> float:  # noqa: D102
        return sum(self._costs[key].cpu_seconds for key in keys) / self._threads


@dataclass(frozen=True)
class Made:
    """A finished table."""

    key: Key
    engine: str | None  # the solver; None if the file already existed and was only verified
    seconds: float  # CPU-seconds to solve, write and verify, or only to verify
    elapsed: float  # the same by the clock
    memory: int | None  # bytes that this took at most; None where the system does not say
    bytes: int  # of the file
    draft: Path | None = None  # to be published; None if the file is in its place


class Measured:
    """Time and memory that a table takes, from now on."""

    def __init__(self, key: Key, before: float = 0.0) -> None:
        """CPU-seconds `before` count as well."""
        forget_peak()
        self._key, self._clock, self._begin = key, time.monotonic(), time.process_time() - before

    def made(self, engine: str | None, file: Path, draft: Path | None = None) -> Made:
        """Return the finished table with what it has taken."""
        seconds, elapsed = time.process_time() - self._begin, time.monotonic() - self._clock
        return Made(self._key, engine, seconds, elapsed, peak_memory(), file.stat().st_size, draft)


def graph_of(jobs: Sequence[Job]) -> dict[Key, tuple[Key, ...]]:
    """Return for each job those among them that it depends on."""
    among = {job.key for job in jobs}
    return {job.key: tuple(key for key in job.after if key in among) for job in jobs}


def error_of(check: Callable[[], object]) -> str | None:
    """The error that a check of a file finds, as the predicate of a sentence."""
    try:
        check()
    except CorruptTableError as error:
        return error.problem
    return None
