"""Records of a build: how it began, each table, and how it ended. The field names are those of a JSON log."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from tablebase.compute.messages import in_bytes, in_time
from tablebase.probe.html import titled_table

SHOWN = 10
"""Tables that a notebook shows, the slowest first."""
CLOCK = 1e-3
"""Seconds that a clock can tell from none."""


@dataclass(frozen=True)
class Begun:
    """The beginning of a build.

    Parameters
    ----------
    game : str
    tables : int
        Those that are missing.
    placements : int
        In the distinct slices of these tables.
    expected_seconds : float
        By the clock.
    workers : int
    memory : int or None
        Bytes that all workers may need together; None for no limit.
    deadline : str or None
        Local time, in ISO 8601.
    solvers : str
        Which of them will solve how many tables, and why.
    """

    game: str
    tables: int
    placements: int
    expected_seconds: float
    workers: int
    memory: int | None
    deadline: str | None
    solvers: str = ""


@dataclass(frozen=True)
class TableRecord:
    """A finished table.

    Parameters
    ----------
    game, material : str
    engine : str or None
        The solver; None if there was a correct file already.
    placements : int
        In the distinct slices of the table.
    seconds : float
        By the clock: to solve, write and verify it, or only to verify it.
    cpu_seconds : float
    memory : int or None
        Bytes of memory at most; None where the system does not say.
    bytes : int
        Of the file.
    rate : float
        Placements a second, by the clock.
    verified : bool
        Always true: what fails the check is not kept.
    """

    game: str
    material: str
    engine: str | None
    placements: int
    seconds: float
    cpu_seconds: float
    memory: int | None
    bytes: int
    rate: float = field(init=False)
    verified: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "rate", self.placements / max(self.seconds, CLOCK))


@dataclass(frozen=True)
class Ended:
    """The end of a build.

    Parameters
    ----------
    game : str
    reason : str
        ``done`` or ``deadline``.
    done, left : int
        Tables.
    dropped : list of str
        Materials of those tables that are left whose work was ended.
    placements : int
        In the tables that are done.
    seconds : float
        By the clock.
    cpu_seconds, expected_cpu_seconds : float
        What the tables took that are done, and what they had been expected to take.
    slowest, largest : str or None
        Materials: of the table that took the most time, and of the largest file.
    """

    game: str
    reason: str
    done: int
    left: int
    dropped: list[str]
    placements: int
    seconds: float
    cpu_seconds: float
    expected_cpu_seconds: float
    slowest: str | None
    largest: str | None


@dataclass
class Report:
    """What has come of a build so far.

    Parameters
    ----------
    begun : Begun
    tables : list of TableRecord
        In the order in which they were finished.
    dropped : list of str
        Materials whose work was ended at a deadline.
    expected_cpu_seconds : float
        What these tables had been expected to take.
    again : int
        Tables that were found damaged after the build had begun, and are built again.
    """

    begun: Begun
    tables: list[TableRecord] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)
    expected_cpu_seconds: float = 0.0
    again: int = 0

    def add(self, table: TableRecord, expected_cpu_seconds: float) -> None:
        """Count a finished table."""
        self.tables.append(table)
        self.expected_cpu_seconds += expected_cpu_seconds

    @property
    def left(self) -> int:
        """Number of tables that are still missing."""
        return max(0, self.begun.tables + self.again - len(self.tables))

    @property
    def slowest(self) -> TableRecord | None:
        """The table that took the most time."""
        return max(self.tables, key=lambda table: table.seconds, default=None)

    @property
    def largest(self) -> TableRecord | None:
        """The table with the largest file."""
        return max(self.tables, key=lambda table: table.bytes, default=None)

    def ended(self, seconds: float) -> Ended:
        """The last record, of a build that took this many seconds by the clock."""
        return Ended(
            game=self.begun.game,
            reason="deadline" if self.left else "done",
            done=len(self.tables),
            left=self.left,
            dropped=self.dropped,
            placements=sum(table.placements for table in self.tables),
            seconds=seconds,
            cpu_seconds=sum(table.cpu_seconds for table in self.tables),
            expected_cpu_seconds=self.expected_cpu_seconds,
            slowest=self.slowest.material if self.slowest else None,
            largest=self.largest.material if self.largest else None,
        )


@dataclass(frozen=True, repr=False)
class BuildResult:
    """The outcome of a build; `repr` and notebooks show it in short.

    Parameters
    ----------
    game : str
    folder : Path
    tables : int
        Tables that were asked for, with those that they depend on.
    left : int
        Tables still missing at the deadline.
    seconds : float
        By the clock.
    records : tuple of TableRecord
        One for each table that was built or verified, in the order in which they were finished.
    """

    game: str
    folder: Path
    tables: int
    left: int = 0
    seconds: float = 0.0
    records: tuple[TableRecord, ...] = ()

    @property
    def built(self) -> int:
        """Number of tables that were solved."""
        return sum(record.engine is not None for record in self.records)

    @property
    def placements(self) -> int:
        """Placements in the tables that were built or verified."""
        return sum(record.placements for record in self.records)

    def __repr__(self) -> str:
        left = f", {self.left} left" if self.left else ""
        counts = f"{self.built} of {self.tables} tables built{left}"
        return f"BuildResult({self.game}, {str(self.folder)!r}: {counts}, {self.placements:,} placements, {in_time(self.seconds)})"

    def _repr_html_(self) -> str:
        slowest = sorted(self.records, key=lambda record: -record.seconds)[:SHOWN]
        return titled_table(repr(self), [], [_shown(record) for record in slowest])


def _shown(record: TableRecord) -> dict[str, object]:
    """A row about a table for people."""
    return {
        "table": record.material,
        "placements": f"{record.placements:,}",
        "engine": record.engine,
        "time": in_time(record.seconds),
        "on disk": in_bytes(record.bytes),
    }
