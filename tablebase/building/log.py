"""Logs of builds: a line for each table, for people and for programs."""

from __future__ import annotations

import json
from contextlib import ExitStack
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import TextIO

from tablebase.building.records import Begun, Ended, TableRecord
from tablebase.compute.messages import in_bytes, in_time, say
from tablebase.files.outputs import appended

Record = Begun | TableRecord | Ended
EVENTS = {Begun: "begin", TableRecord: "table", Ended: "end"}


class Log:
    """Adds lines to files, each of which is there at once.

    Parameters
    ----------
    text : Path, optional
        For people.
    lines : Path, optional
        For programs: a JSON object a line.
    folder : Path, optional
        The tablebase that is built.

    Attributes
    ----------
    built : int
        Tables that have been built.

    Raises
    ------
    TablebaseError
        If one of the files cannot be written.
    """

    def __init__(self, text: Path | None = None, lines: Path | None = None, folder: Path | None = None) -> None:
        self._open = ExitStack()
        self.built = 0
        self._text = self._opened(text, "name another file with --log", folder)
        self._lines = self._opened(lines, "name another file with --json-log", folder, text)

    def __enter__(self) -> Log:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def write(self, record: Record) -> None:
        """Add a record to both files."""
        self.built += isinstance(record, TableRecord) and record.engine is not None
        now = datetime.now().astimezone()
        if self._text:
            self._text.write(f"{now:%Y-%m-%d %H:%M:%S}  {describe(record)}\n")
        if self._lines:
            fields = {name: round(value, 3) if isinstance(value, float) else value for name, value in asdict(record).items()}
            event = {"event": EVENTS[type(record)], "time": now.isoformat(timespec="seconds"), **fields}
            self._lines.write(json.dumps(event) + "\n")

    def _opened(self, path: Path | None, cure: str, folder: Path | None, other: Path | None = None) -> TextIO | None:
        if path is None:
            return None
        return self._open.enter_context(appended(path, cure, folder=folder, inputs=[other]))


def describe(record: Record) -> str:
    """A record as a line for people."""
    if isinstance(record, Begun):
        until = f", until {record.deadline}" if record.deadline else ""
        time = in_time(record.expected_seconds)
        said = f"tables to build: {record.tables}, placements: {record.placements:,}, expected time: {time}{until}"
        return f"{record.game}  {said}{f'; {record.solvers}' if record.solvers else ''}"
    if isinstance(record, Ended):
        return f"{record.game}  {'; '.join(summary(record))}"
    memory = "" if record.memory is None else f"  {in_bytes(record.memory)} of memory"
    times = f"{record.seconds:.1f} s  {record.rate / 1e6:.1f} M/s"
    name = f"{record.game} {record.material}  {record.engine or 'already there'}"
    return f"{name}  {record.placements:,} placements  {times}{memory}  {in_bytes(record.bytes)} on disk  verified"


def summary(ended: Ended) -> list[str]:
    """What has come of a build, in parts of a sentence."""
    parts = [f"tables built: {ended.done}, placements: {ended.placements:,}, time: {in_time(ended.seconds)}"]
    if ended.left:
        parts.append(f"tables left, as the deadline came first: {ended.left}")
    if ended.dropped:
        parts.append(f"dropped at work: {', '.join(ended.dropped)}")
    if ended.done:
        parts.append(f"slowest: {ended.slowest}; largest: {ended.largest}")
        parts.append(f"CPU time: {in_time(ended.cpu_seconds)}, expected: {in_time(ended.expected_cpu_seconds)}")
    return parts


def say_summary(ended: Ended) -> None:
    """Say what has come of a build, but for what was done."""
    for sentence in summary(ended)[1:]:
        say(sentence)
