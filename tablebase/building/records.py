"""Records of a build: how it began, each table, and how it ended; and the logs that they are written to."""

from __future__ import annotations

import json
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TextIO

from tablebase.system.compute.messages import in_bytes, in_time
from tablebase.system.files.outputs import appended

CLOCK = 1e-3  # seconds that a clock can tell from none
SHOWN = 10  # tables that a notebook shows, the slowest first

# The names of the fields are those of a JSON log. Seconds are by the clock, unless they are CPU-seconds.


@dataclass(frozen=True)
class Begun:
    """The beginning of a build."""

    game: str
    tables: int  # that are missing
    placements: int  # in the distinct slices of these tables
    expected_seconds: float
    workers: int
    memory: int | None  # bytes that all workers may need together; None for no limit
    deadline: str | None  # local time, in ISO 8601
    solvers: str = ""  # which of them will solve how many tables, and why


@dataclass(frozen=True)
class TableRecord:
    """Entry for a finished table in a build log."""

    game: str
    material: str
    engine: str | None  # the solver; None if there was a correct file already
    placements: int  # in the distinct slices of the table
    seconds: float  # to solve, write and verify it, or only to verify it
    cpu_seconds: float
    memory: int | None  # bytes at most; None where the system does not say
    bytes: int  # of the file
    rate: float = field(init=False)  # placements a second
    verified: bool = True  # always: what fails the check is not kept

    def __post_init__(self) -> None:
        object.__setattr__(self, "rate", self.placements / max(self.seconds, CLOCK))


@dataclass(frozen=True)
class Ended:
    """The end of a build."""

    game: str
    reason: str  # "done" or "deadline"
    done: int  # tables
    left: int
    dropped: list[str]  # materials of those tables that are left whose work was ended
    placements: int  # in the tables that are done
    seconds: float
    cpu_seconds: float  # that the tables took which are done
    expected_cpu_seconds: float
    slowest: str | None  # material of the table that took the most time
    largest: str | None  # material of the largest file


Record = Begun | TableRecord | Ended
EVENTS = {Begun: "begin", TableRecord: "table", Ended: "end"}


class BuildLog(ExitStack):
    """Adds lines to files, each of which is there at once; used as a context."""

    def __init__(self, text: Path | None = None, lines: Path | None = None, folder: Path | None = None) -> None:
        """Open a file for people, and one of JSON lines for programs; neither may be in the folder that is built."""
        super().__init__()
        self.built = 0  # tables
        self._text = self._opened(text, "choose another file for --log", folder)
        self._lines = self._opened(lines, "choose another file for --json-log", folder, text)

    def write(self, record: Record, unit: str) -> None:
        """Add a record to both files; `unit` is counted in tables."""
        self.built += isinstance(record, TableRecord) and record.engine is not None
        now = datetime.now().astimezone()
        if self._text:
            self._text.write(f"{now:%Y-%m-%d %H:%M:%S}  {describe(record, unit)}\n")
        if self._lines:
            fields = {name: round(value, 3) if isinstance(value, float) else value for name, value in asdict(record).items()}
            event = {"event": EVENTS[type(record)], "time": now.isoformat(timespec="seconds"), **fields}
            self._lines.write(json.dumps(event) + "\n")

    def _opened(self, path: Path | None, hint: str, folder: Path | None, other: Path | None = None) -> TextIO | None:
        if path is None:
            return None
        return self.enter_context(appended(path, hint, folder=folder, inputs=[other]))


def describe(record: Record, unit: str) -> str:
    """Describe a record in a line of text; `unit` is counted in tables."""
    if isinstance(record, Begun):
        until = f", until {record.deadline}" if record.deadline else ""
        time = in_time(record.expected_seconds)
        said = f"tables to build: {record.tables}, {unit}: {record.placements:,}, expected time: {time}{until}"
        return f"{record.game}  {said}{f'; {record.solvers}' if record.solvers else ''}"
    if isinstance(record, Ended):
        return f"{record.game}  {'; '.join(summary(record, unit))}"
    memory = "" if record.memory is None else f"  {in_bytes(record.memory)} of memory"
    times = f"{record.seconds:.1f} s  {record.rate / 1e6:.1f} M/s"
    name = f"{record.game} {record.material}  {record.engine or 'already built'}"
    return f"{name}  {record.placements:,} {unit}  {times}{memory}  {in_bytes(record.bytes)} on disk  verified"


def summary(ended: Ended, unit: str) -> list[str]:
    """Describe the end of a build, in parts of a sentence."""
    parts = [f"tables built: {ended.done}, {unit}: {ended.placements:,}, time: {in_time(ended.seconds)}"]
    if ended.left:
        parts.append(f"tables left at the deadline: {ended.left}")
    if ended.dropped:
        parts.append(f"stopped before completion: {', '.join(ended.dropped)}")
    if ended.done:
        parts.append(f"slowest: {ended.slowest}; largest: {ended.largest}")
        parts.append(f"CPU time: {in_time(ended.cpu_seconds)}, expected: {in_time(ended.expected_cpu_seconds)}")
    return parts


@dataclass(frozen=True, repr=False)
class BuildResult:
    """Result of a build."""

    game: str
    folder: Path
    tables: int  # that were asked for, with those that they depend on
    left: int = 0  # tables still missing at the deadline
    seconds: float = 0.0  # by the clock
    records: tuple[TableRecord, ...] = ()  # of the tables that were built or verified, in the order in which they were finished

    @property
    def built(self) -> int:
        """Number of solved tables."""
        return sum(record.engine is not None for record in self.records)

    @property
    def placements(self) -> int:
        """Number of placements (of pieces on squares) in all built or verified tables."""
        return sum(record.placements for record in self.records)

    def __repr__(self) -> str:
        left = f", {self.left} left" if self.left else ""
        counts = f"{self.built} of {self.tables} tables built{left}"
        return f"BuildResult({self.game}, {str(self.folder)!r}: {counts}, {self.placements:,} placements, {in_time(self.seconds)})"

    def _repr_html_(self) -> str:
        from tablebase.probe.html import titled_table

        rows = [
            {
                "table": record.material,
                "placements": f"{record.placements:,}",
                "engine": record.engine,
                "time": in_time(record.seconds),
                "on disk": in_bytes(record.bytes),
            }
            for record in sorted(self.records, key=lambda record: -record.seconds)[:SHOWN]
        ]
        return titled_table(repr(self), [], rows)
