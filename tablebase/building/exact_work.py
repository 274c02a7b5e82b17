"""Build the table of a game by functions without chance: list, solve, write, verify and register its positions."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from tablebase.building.estimate import allowed_memory, start_seconds
from tablebase.building.plan import fault_of, set_aside
from tablebase.building.records import Begun, BuildResult, Report, TableRecord, say_summary
from tablebase.building.tables import lock, remove_drafts
from tablebase.building.terms import Terms
from tablebase.catalog.catalog import Catalog, has_catalog
from tablebase.checking.checksums import Checks
from tablebase.checking.exact import verify_exact
from tablebase.compute.machine import forget_peak, peak_memory
from tablebase.compute.messages import reach, say, watched
from tablebase.compute.processes import ensured
from tablebase.compute.progress import Progress, progress
from tablebase.errors import CapacityError, CorruptTableError, RulesError, TablebaseError
from tablebase.files.outputs import publish
from tablebase.game.functions import FunctionGame
from tablebase.game.guards import advice
from tablebase.states.exact import solve
from tablebase.states.files import PLACE, ExactFile, Keys, exact_path, exact_title, sorted_keys, write_exact
from tablebase.states.listed import Listed, list_positions
from tablebase.tables.choice import nothing_registered
from tablebase.tables.folder import check_bytes, check_seal, file_sha256
from tablebase.tables.values import Codes

ENGINE = "exact"
"""Name of the solver, in logs."""
FIXED = 1 << 13
"""Bytes of a file without its positions, at most."""
BYTES_A_CODE = 2
"""At most."""
PATIENCE = 60.0
"""CPU-seconds for which `tablebase estimate` lists positions."""
BESIDE_LISTING = 1.5
"""Time to solve, write and verify the positions, relative to that of listing them."""


@dataclass(frozen=True)
class Estimate:
    """What the table of a game by functions needs; the field names are those of ``estimate --format json``."""

    positions: int
    memory: int  # bytes
    disk: int  # bytes, at most
    cpu_seconds: float  # to list, solve, write and verify the positions
    start_seconds: float  # to start the program


class _LateError(TablebaseError):
    """The deadline has come."""


class _Work(NamedTuple):
    keys: Keys
    codes: Codes
    seconds: float  # CPU-seconds


def check_players(rules: FunctionGame[Any]) -> None:
    """Raise `RulesError` unless there are two players."""
    if rules.players != 2:
        raise RulesError(f"{rules.name} has {rules.players} players, but tables are for two players: play it without tables")


@contextmanager
def _within_memory(rules: FunctionGame[Any]) -> Iterator[None]:
    """Raise `CapacityError` where the system has no more memory."""
    try:
        yield
    except MemoryError as fault:
        raise CapacityError(f"the table of {rules.name} does not fit into memory", "choose a smaller variant") from fault


def tell_alone(rules: FunctionGame[Any], workers: int | None) -> None:
    """Say that one process does the work, if more were asked for."""
    if workers is not None and workers > 1:
        say(f"workers: 1 instead of {workers}, since one process builds and checks the table of {rules.name}")


def estimate(rules: FunctionGame[Any], allowed: int, patience: float = math.inf) -> Estimate:
    """Predict what the table needs, by listing all positions; errors are those of `list_positions`.

    Raise `CapacityError` if that takes more CPU-seconds than `patience`.
    """
    check_players(rules)
    begin = time.process_time()
    with _within_memory(rules), progress(f"estimate {rules.name}", "positions") as shown:

        def tick(positions: int) -> None:
            shown.reach(positions)
            if time.process_time() - begin > patience:
                subject = f"the table of {rules.name} has more than {positions:,} positions, listed in {patience:.0f} s"
                raise CapacityError(subject, "build it with --for 1h, or choose a smaller variant")

        listed = list_positions(rules, allowed, tick)
    seconds = (time.process_time() - begin) * (1 + BESIDE_LISTING)
    longest = max(len(rules.format(position).encode()) for position in listed.positions)
    size = len(listed.positions)
    return Estimate(size, listed.memory, FIXED + size * (longest + BYTES_A_CODE), seconds, start_seconds())


def is_built(rules: FunctionGame[Any], folder: Path, catalog: str | None) -> bool:
    """Whether the file is on disk as it was registered."""
    path = exact_path(folder, rules.name)
    if not (path.exists() and has_catalog(folder, catalog)):
        return False
    with closing(Catalog(folder, catalog=catalog)) as registry:
        return [row["file_sha256"] for row in registry.exact(rules)] == [file_sha256(path)]


def build_exact(rules: FunctionGame[Any], terms: Terms, *, summarized: bool = False) -> BuildResult:
    """Build the table if it is missing, and say so; see `tablebase.building.table_work.build_tables`."""
    check_players(rules)
    tell_alone(rules, terms.limits.workers if terms.workers_given else None)
    if is_built(rules, terms.data, terms.catalog):
        say(f"nothing to do: all 1 tables are in {terms.data}, built and verified")
        return BuildResult(rules.name, terms.data, 1)
    with progress(f"build {rules.name}", "positions", verbose=terms.verbose) as shown:
        work = _Building(rules, terms, shown)
        with _within_memory(rules), watched(lambda stage: shown.at(PLACE, stage)):
            work.run()
    ended = work.report.ended()
    if not ended.left:
        say(f"built and verified in {terms.data}: 1 of 1 tables, {ended.placements:,} positions")
    if summarized:
        say_summary(ended)
    return BuildResult(rules.name, terms.data, 1, ended.left, ended.seconds, tuple(work.report.tables))


class _Building:
    """The table of a game while it is built."""

    def __init__(self, rules: FunctionGame[Any], terms: Terms, shown: Progress) -> None:
        self._rules, self._terms, self._shown = rules, terms, shown
        self._path = exact_path(terms.data, rules.name)
        self._positions = 0
        self._expected = 0.0  # CPU-seconds
        self.report: Report

    def _begin(self, positions: int, seconds: float) -> None:
        """Say in logs what is to be done, as soon as that is known."""
        self._positions, self._expected, terms = positions, seconds, self._terms
        self._shown.reach(positions)
        begun = Begun(self._rules.name, 1, positions, seconds, 1, terms.limits.memory, terms.deadline)
        self.report = Report(begun, terms.log)

    def run(self) -> None:
        """Build the table, or verify and register a sound file; without either at the deadline."""
        forget_peak()
        clock, begin = time.monotonic(), time.process_time()
        fault = fault_of(self._check) if self._path.exists() else None
        is_new = fault is not None or not self._path.exists()
        try:
            # First, since nothing must be left of a game that is too large.
            work = self._solved() if is_new else None
            self._finish(work, fault)
        except _LateError:
            if not hasattr(self, "report"):
                self._begin(self._positions, 0.0)
            return
        times = time.monotonic() - clock, time.process_time() - begin
        engine, size = ENGINE if is_new else None, self._path.stat().st_size
        record = TableRecord(self._rules.name, PLACE, engine, self._positions, *times, peak_memory(), size)
        self.report.add(record, self._expected)
        self._shown.note(f"{PLACE}: {self._positions:,} positions, {times[1]:.1f} CPU-seconds")

    def _check(self) -> None:
        check_seal(self._path, exact_title(self._rules.name))
        with closing(ExactFile(self._path, self._rules)) as file:
            file.check_values()
            self._begin(file.positions, 0.0)

    def _tick(self, positions: int | None = None) -> None:
        """Show how many positions have been found, and end at the deadline."""
        if positions is not None:
            self._positions = positions
            self._shown.reach(positions)
        end = self._terms.end
        if end is not None and time.time() > end + self._terms.grace:
            raise _LateError

    def _solved(self) -> _Work:
        begin = time.process_time()
        reach("listing")
        listed: Listed[Any] = list_positions(self._rules, allowed_memory(self._terms.limits), self._tick)
        self._begin(len(listed.positions), (1 + BESIDE_LISTING) * (time.process_time() - begin))
        codes, _ = solve(listed)
        keys, order = sorted_keys(self._rules, listed.positions)
        return _Work(keys, codes[order], time.process_time() - begin)

    def _finish(self, work: _Work | None, fault: str | None) -> None:
        """Write what was solved, verify it, and register it; or verify and register the file that is there."""
        rules, path, folder = self._rules, self._path, self._terms.data
        with (
            closing(Catalog(folder, create=True, catalog=self._terms.catalog)) as registry,
            lock(folder),
            ensured(partial(remove_drafts, folder / rules.name)),
        ):
            if fault is not None and path.exists():
                set_aside(path, fault, folder, registry, self._shown.write)
            begin = time.process_time()
            draft = path if work is None else write_exact(path, rules, work.keys, work.codes)
            with closing(ExactFile(draft, rules)) as file:
                self._verify(file, is_new=work is not None)
            if work is not None:
                publish(draft, path)
            seconds = None if work is None else work.seconds + time.process_time() - begin
            with closing(ExactFile(path, rules)) as file:
                registry.register_exact(file, seconds)

    def _verify(self, file: ExactFile, *, is_new: bool) -> None:
        """Check a file; if a new one is wrong, it is not the file that is damaged."""
        try:
            verify_exact(file, self._tick)
        except CorruptTableError as fault:
            if not is_new:
                raise
            said = f"what has been solved of {self._rules.name} {fault.fault}{advice(self._rules)}"
            raise CorruptTableError(f"{said}, and if it finds nothing, report a fault of this program") from fault


def verify(rules: FunctionGame[Any], folder: Path, catalog: str | None) -> Checks:
    """Check every byte and every value of the registered table; `TablebaseError` if there is none."""
    with closing(Catalog(folder, catalog=catalog)) as registry:
        rows = registry.exact(rules)
    if not rows:
        raise nothing_registered(rules, folder)
    return (_checked(rules, folder, row["file"], row["file_sha256"]) for row in rows)


def _checked(rules: FunctionGame[Any], folder: Path, file: str, sha256: str) -> tuple[str, str | None]:
    """The name of a file, and what is wrong with it."""
    try:
        check_bytes(folder / file, exact_title(rules.name), sha256)
        with closing(ExactFile(folder / file, rules)) as opened:
            verify_exact(opened)
    except TablebaseError as fault:
        return file, str(fault)
    return file, None
