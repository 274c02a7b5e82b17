"""The tables of games by functions without chance: each game has one, with the exact values of all its positions."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from tablebase.building.estimate import start_seconds
from tablebase.building.flat_kind import PATIENCE, FlatTables
from tablebase.building.jobs import CostModel, FixedCosts, Job, JobCost, Key, LateError, Made, Measured
from tablebase.building.options import BuildOptions, TableQuery
from tablebase.catalog.known import Known
from tablebase.checking.checksums import Checks, sentence_of
from tablebase.checking.exact import verify_exact
from tablebase.errors import CapacityError, CorruptTableError, RulesError
from tablebase.functions.exact.exact import solve
from tablebase.functions.exact.files import PLACE, ExactFile, exact_path, sorted_keys, write_exact
from tablebase.functions.exact.listed import Listed, list_positions
from tablebase.game.functions import FunctionGame
from tablebase.system.compute.messages import in_time, reach, say

# ruff: noqa: ARG002, D102 (other methods, with all their parameters, are those of `TableKind`)

ENGINE = "exact"  # name of the solver, in logs
FIXED = 1 << 13  # bytes of a file without its positions, at most
BYTES_A_CODE = 2  # at most
BESIDE_LISTING = 1.5  # time to solve, write and verify the positions, relative to the time to list them


@dataclass(frozen=True)
class ExactEstimate:
    """Estimated cost of a table in a game defined by functions, with the fields of ``tablebase estimate --format json``."""

    positions: int
    memory: int  # bytes
    disk: int  # bytes, at most
    cpu_seconds: float  # to list, solve, write and verify the positions
    start_seconds: float  # to start the program


class ExactTables(FlatTables[FunctionGame[Any], ExactFile]):
    """See `TableKind`."""

    pattern = f"{PLACE}/*"
    title = "{game} " + PLACE
    solver = ENGINE
    table = "exact"
    most_workers = 1
    _listed: Listed[Any] | None = None
    _seconds = 0.0  # CPU-seconds that it took to list the positions

    def check(self, query: TableQuery) -> None:
        if self.rules.players != 2:
            raise RulesError(
                f"{self.rules.name} has {self.rules.players} players, but tables need two players: choose a two-player variant"
            )

    def jobs(self, query: TableQuery, options: BuildOptions) -> tuple[Job, ...]:
        self.check(query)
        return (Job(PLACE, PLACE, exact_path(options.data, self.rules.name)),)

    def costs(self, jobs: Sequence[Job], query: TableQuery, options: BuildOptions, known: Known) -> FixedCosts:
        """See `TableKind.costs`; all positions are listed, unless they are in a file."""
        path = jobs[0].path
        if path.exists():
            self._listed, self._seconds = None, 0.0
            # If it is damaged, it will be set aside, and built again.
            with suppress(CorruptTableError), closing(ExactFile(path, self.rules)) as file:
                return FixedCosts({PLACE: JobCost(file.positions, 0, 0, 0.0)})
        return FixedCosts({PLACE: self._list(options)})

    def _list(self, options: BuildOptions, patience: float = math.inf) -> JobCost:
        """List all positions; raise `CapacityError` if that takes more CPU-seconds than `patience`."""
        begin = time.process_time()
        with self._within_memory(), self.listing(options, patience, LateError) as tick:
            self._listed = listed = list_positions(self.rules, options.allowed_memory, tick)
        self._seconds = time.process_time() - begin
        longest = max(len(self.rules.format(position).encode()) for position in listed.positions)
        size = len(listed.positions)
        return JobCost(size, listed.memory, FIXED + size * (longest + BYTES_A_CODE), self._seconds * (1 + BESIDE_LISTING))

    @contextmanager
    def _within_memory(self) -> Iterator[None]:
        try:
            yield
        except MemoryError as error:
            raise CapacityError(f"the table of {self.rules.name} does not fit into memory", "choose a smaller variant") from error

    def sharing(self, jobs: Sequence[Job], costs: CostModel, options: BuildOptions) -> str:
        return self._alone(options.limits.workers)

    def _alone(self, workers: int) -> str:
        return f"using 1 worker instead of {workers}, because one process builds and checks the table of {self.rules.name}"

    def maker(self, jobs: Sequence[Job], query: TableQuery, options: BuildOptions, costs: CostModel) -> Callable[[Key], Made]:
        path = jobs[0].path

        def make(key: Key) -> Made:
            measured = Measured(key, self._seconds)
            with self._within_memory():
                draft = None
                if not path.exists():
                    # A file that was found damaged when it was checked has not been listed.
                    if self._listed is None:
                        self._list(options)
                    assert self._listed is not None
                    reach("solving")
                    codes, _ = solve(self._listed)
                    keys, order = sorted_keys(self.rules, self._listed.positions)
                    draft = write_exact(path, self.rules, keys, codes[order])
                self._check(draft or path, options.check_time, is_new=draft is not None)
            return measured.made(None if draft is None else ENGINE, draft or path, draft)

        return make

    def _check(self, path: Path, tick: Callable[[], object] = lambda: None, *, is_new: bool = False) -> None:
        """Check a file; if a new one is wrong, it is not the file that is damaged."""
        try:
            with closing(ExactFile(path, self.rules)) as file:
                verify_exact(file, tick)
        except CorruptTableError as error:
            if not is_new:
                raise
            raise self.solver_error(error) from error

    def estimate(self, query: TableQuery, options: BuildOptions, known: Known, *, measured: bool) -> list[ExactEstimate]:
        """See `TableKind.estimate`; it is always measured."""
        self.check(query)
        if options.workers_given and options.limits.workers > 1:
            say(self._alone(options.limits.workers))
        say(f"listing all positions of {self.rules.name} for up to {in_time(PATIENCE)}")
        cost = self._list(options, PATIENCE)
        return [ExactEstimate(cost.size, cost.memory, cost.disk, cost.cpu_seconds, start_seconds())]

    def verify(
        self, query: TableQuery, folder: Path, workers: int | None, published: Mapping[str, str], catalog: str | None
    ) -> tuple[int, Checks]:
        if workers is not None and workers > 1:
            say(self._alone(workers))
        return super().verify(query, folder, workers, published, catalog)

    def verified(self, folder: Path, errors: Mapping[str, str | None], threads: int) -> Checks:
        for name, error in errors.items():
            yield name, error or sentence_of(partial(self._check, folder / name))

    def opened(self, path: Path, row: Mapping[str, Any]) -> ExactFile:
        """See `TableKind.opened`; there is one table."""
        return ExactFile(path, self.rules)

    def row_of(self, file: ExactFile) -> dict[str, Any]:
        return vars(file.counts())
