"""The files of a plan: which tables are missing or damaged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from tablebase.building.jobs import Job, Key, fault_of
from tablebase.building.kind import TableKind
from tablebase.catalog.known import Known
from tablebase.tables.folder import check_seal, file_sha256

SEALED_BYTES = 1_000_000_000
"""Up to this size of all tables together, a build reads every byte of them, and not only of those that it uses."""


class State(NamedTuple):
    """Identity, size and time of change of a file, to notice changes."""

    device: int
    inode: int
    bytes: int
    changed: int


@dataclass(frozen=True)
class Examined:
    """The state of a plan."""

    missing: tuple[Job, ...]  # tables to be built, or at least verified and registered; also damaged ones
    damaged: Mapping[Key, str]  # the predicate of a sentence about a file
    whole: bool  # whether every byte of the other tables was read


def examine(kind: TableKind[Any, Any], jobs: Sequence[Job], folder: Path, known: Known) -> Examined:
    """Check size and header of all tables of a plan, and the seals of those that missing ones need, or of all if they are small.

    The plan has every table after those that it depends on. Raise `StaleTableError` if a table was built under other rules, or
    in another format.
    """
    states = {job.key: _state(job.path) for job in jobs if job.path.exists()}
    whole = sum(state.bytes for state in states.values()) < SEALED_BYTES
    missing: list[Job] = []
    damaged: dict[Key, str] = {}
    needed: set[Key] = set()
    for job in reversed(jobs):
        registered, state = known.files.get(job.path.relative_to(folder).as_posix()), states.get(job.key)
        fault, is_sound = None, False
        if state is not None:
            fault = _header_fault(kind, job.path, state)
            is_sound = fault is None and registered is not None and registered.bytes == state.bytes
            if is_sound and (whole or job.key in needed):
                is_sound = registered is not None and _sha256(job.path, state) == registered.sha256
            if fault is None and not is_sound:
                # It may be another file of the same table, which is only to be verified and registered.
                fault = _seal_fault(job.path, state, kind.title_at(job.path))
        if fault is not None:
            damaged[job.key] = fault
        if not is_sound:
            missing.append(job)
            needed.update(job.after)
    return Examined(tuple(reversed(missing)), damaged, whole)


def _state(path: Path) -> State:
    stat = path.stat()
    return State(stat.st_dev, stat.st_ino, stat.st_size, stat.st_ctime_ns)


# Files are examined for the plan and again when the folder is locked: those that have not changed are not read again.


@cache
def _header_fault(kind: TableKind[Any, Any], path: Path, _state: State) -> str | None:
    """What is wrong with the metadata of a table file; None if nothing is."""
    return fault_of(lambda: kind.opened_at(path).close())


@cache
def _seal_fault(path: Path, _state: State, title: str) -> str | None:
    """What is wrong with the bytes of a file; None if every one is as it was written."""
    return fault_of(lambda: check_seal(path, title))


@cache
def _sha256(path: Path, _state: State) -> str:
    return file_sha256(path)
