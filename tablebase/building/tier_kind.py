"""The tables of games by compiled functions: each holds the exact values of a tier."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from tablebase.building.estimate import kernels_of, machine_factor
from tablebase.building.flat_kind import FlatTables
from tablebase.building.jobs import Cost, CostModel, FixedCosts, Job, Key, Made, Measured
from tablebase.building.options import BuildOptions, TableQuery
from tablebase.catalog.known import Known
from tablebase.checking.checksums import Checks, sentence_of
from tablebase.compute import machine
from tablebase.compute.progress import progress
from tablebase.compute.threads import use
from tablebase.errors import CapacityError, CorruptTableError, TablebaseError
from tablebase.game.compiled import ALL, CompiledGame
from tablebase.game.guards import advice
from tablebase.states.tier_files import PLACE, TierFile, tier_path, write_tier
from tablebase.states.tiers import Group, Tiers, tiers_of
from tablebase.tables.folder import check_seal

# ruff: noqa: D102 (other methods are those of `TableKind`)

ENGINE = "tiers"
"""Name of the solver, in logs."""
BYTES_A_RANK, BYTES_AFTER = 2, 1
"""Memory for each rank of a group of tiers, and of the tiers that its moves lead to, while distances fit into a byte."""
BYTES_BESIDE = 1 << 28
"""The program itself, with its compiled kernels."""
BYTES_ON_DISK = 1
"""At most; most tables take a small part of it."""
FIXED = 1 << 13
"""Bytes of a file without its codes, at most."""
PATIENCE = 60.0
"""CPU-seconds for which `estimate` lists positions."""
SPEED = 1_000_000
"""Ranks that are solved, written and verified in a CPU-second, on the reference machine of `tablebase.building.estimate`."""


@dataclass(frozen=True)
class Estimate:
    """Resources that a tier needs; the field names are those of ``estimate --format json``."""

    tier: str
    ranks: int  # those without a position included
    memory: int  # bytes, for the tiers that are solved with it, and those that their moves lead to
    disk: int  # bytes, at most
    cpu_seconds: float  # to solve, write and verify it
    start_seconds: float = 0.0  # in the first line of a list: to start the program and to compile kernels that are not cached


class TierTables(FlatTables[CompiledGame, TierFile]):
    """See `TableKind`."""

    pattern = f"{PLACE}/*"
    title = "{game} {place} {stem}"
    solver = ENGINE
    table = "tiers"
    line = Estimate
    _patience = math.inf

    @cached_property
    def _tiers(self) -> Tiers:
        """All tiers of the game; without ranks its positions are listed first."""
        game: CompiledGame = self.rules
        if game.is_ranked:
            return tiers_of(game)
        # Numba is slow to load.
        from tablebase.states.tier_listing import list_tiers

        begin = time.process_time()
        with progress(f"list {game.name}", "positions", compiles=True) as shown:

            def tick(positions: int) -> None:
                shown.reach(positions)
                if time.process_time() - begin > self._patience:
                    subject = f"{game.name} has more than {positions:,} positions, listed in {self._patience:.0f} s"
                    raise CapacityError(subject, "build it with --for 1h, or choose a smaller variant")

            return list_tiers(game, machine.memory(), tick)

    def estimate(self, query: TableQuery, options: BuildOptions, known: Known, *, measured: bool) -> list[Any]:
        """See `TableKind.estimate`; positions without ranks are listed for a limited time."""
        self._patience = PATIENCE
        return super().estimate(query, options, known, measured=measured)

    def _groups(self, query: TableQuery) -> tuple[Group, ...]:
        """Return the groups of the tiers of a query, with all that they depend on."""
        names = str(query.limits.get("tiers", ALL)).split(",")
        return self._tiers.groups if names == [ALL] else self._tiers.needed({self._tiers.numbered(name) for name in names})

    def jobs(self, query: TableQuery, folder: Path) -> tuple[Job, ...]:
        """See `TableKind.jobs`; a tier is made after all before it, since a group may need all memory."""
        tiers = [tier for group in self._groups(query) for tier in group.tiers]
        return tuple(
            Job(tier, self._tiers.names[tier], tier_path(folder, self.rules, tier), tiers[:number])
            for number, tier in enumerate(tiers)
        )

    def costs(self, jobs: Sequence[Job], query: TableQuery, options: BuildOptions, known: Known) -> CostModel:
        del jobs, known
        costs, factor = {}, machine_factor()
        for group in self._groups(query):
            inside, outside = (sum(map(self._tiers.sizes.__getitem__, tiers)) for tiers in (group.tiers, group.after))
            memory = BYTES_A_RANK * inside + BYTES_AFTER * outside + BYTES_BESIDE + 8 * len(self.rules.rules)
            for tier in group.tiers:
                size = self._tiers.sizes[tier]
                costs[tier] = Cost(size, memory, FIXED + BYTES_ON_DISK * size, factor * size / SPEED)
        return FixedCosts(costs, min(options.limits.workers, machine.cores()), frozenset({ENGINE}))

    def check_memory(self, jobs: Sequence[Job], costs: CostModel, options: BuildOptions) -> None:
        largest = max(jobs, key=lambda job: costs.cost(job.key).memory)
        needed, allowed = costs.cost(largest.key).memory, options.allowed_memory
        if needed > allowed:
            group = ", ".join(self._tiers.names[tier] for tier in self._tiers.group_of(largest.key).tiers)
            cure = "choose smaller tiers with --tiers" + (", or allow more with --memory" if allowed < machine.memory() else "")
            raise CapacityError(f"solving {group} of {self.rules.name}", cure, needed=needed, allowed=allowed)

    def maker(self, jobs: Sequence[Job], query: TableQuery, options: BuildOptions, costs: CostModel) -> Callable[[Key], Made]:
        """See `TableKind.maker`; a group is solved with its first missing tier, and the others are drafts until their turn."""
        del query, costs
        # Imported here because Numba is slow to load.
        from tablebase.compute.compiling import note_compiled

        missing = {job.key: job for job in jobs}
        drafts: dict[int, Path] = {}

        def make(key: Key) -> Made:
            measured, path = Measured(key), missing[key].path
            if not path.exists() and key not in drafts:
                group = self._tiers.group_of(key)
                drafts.update(self._drafts(group, [tier for tier in group.tiers if tier in missing], options))
            draft = drafts.pop(key, None)
            self._check(key, draft, drafts, options)
            note_compiled(kernels_of(ENGINE, self.rules.name))
            return measured.made(None if draft is None else ENGINE, draft or path, draft)

        return make

    def _drafts(self, group: Group, missing: Sequence[int], options: BuildOptions) -> dict[int, Path]:
        """Solve a group, and write drafts of its missing tiers."""
        from tablebase.game.key_lists import with_lists
        from tablebase.game.native import rules_of
        from tablebase.states.tier_solver import GroupSolver, coding_for, new_shelf

        tiers, game, folder = self._tiers, self.rules, options.data
        members = (*group.tiers, *group.after)
        with self._opened(group.after, folder, {}) as files:
            rules = with_lists(game.rules, {tier: tiers.keys[tier] for tier in members}) if tiers.keys else rules_of(game)
            shelf = new_shelf([(tier, tiers.sizes[tier]) for tier in members], coding_for([file.longest for file in files]), rules)
            for file in files:
                file.read(shelf.of(file.tier))
        GroupSolver(game, group, shelf, options.check_time).solve()
        drafts = {}
        for tier in missing:
            path = tier_path(folder, game, tier)
            if not path.exists():
                after = game.after(tier) if game.is_ranked else members
                drafts[tier] = write_tier(path, game, tier, after, shelf.of(tier), shelf.coding, tiers.keys.get(tier))
        return drafts

    @contextmanager
    def _opened(self, tiers: Sequence[int], folder: Path, drafts: Mapping[int, Path]) -> Iterator[list[TierFile]]:
        """Open the files of tiers, some of them drafts; the seals of the others are checked."""
        with ExitStack() as stack:
            files = []
            for tier in tiers:
                path = drafts.get(tier) or tier_path(folder, self.rules, tier)
                if tier not in drafts:
                    check_seal(path, self.title_at(path))
                files.append(stack.enter_context(closing(TierFile(path, self.rules, self.rules.tier_name(tier)))))
            yield files

    def _others(self, path: Path, name: str) -> list[int]:
        """Return the tiers other than that of a file that moves lead to."""
        with closing(TierFile(path, self.rules, name)) as file:
            return [tier for tier in file.after if tier != file.tier]

    def _check(self, tier: int, draft: Path | None, drafts: Mapping[int, Path], options: BuildOptions) -> None:
        """Check a file; if a new one is wrong, it is not the file that is damaged."""
        path = draft or tier_path(options.data, self.rules, tier)
        try:
            self._verify(path, self.rules.tier_name(tier), options.data, drafts, options.check_time)
        except CorruptTableError as fault:
            if draft is None or fault.path != draft:
                raise
            said = f"what has been solved of {self.rules.name} {fault.fault}{advice(self.rules)}"
            raise CorruptTableError(f"{said}, and if it finds nothing, report a fault of this program") from fault

    def _verify(
        self, path: Path, name: str, folder: Path, drafts: Mapping[int, Path], tick: Callable[[], object] = lambda: None
    ) -> None:
        # Numba is slow to load.
        from tablebase.checking.tiers import verify_tier

        with closing(TierFile(path, self.rules, name)) as file, self._opened(self._others(path, name), folder, drafts) as others:
            verify_tier(file, others, tick)

    def verified(self, folder: Path, faults: Mapping[str, str | None], threads: int) -> Checks:
        """See `FlatTables.verified`; each tier is checked with those that its moves lead to."""
        with use(threads):
            for name, fault in faults.items():
                yield name, fault or sentence_of(partial(self._verify_with, folder, name, faults))

    def _verify_with(self, folder: Path, name: str, faults: Mapping[str, str | None]) -> None:
        """Check a file, unless one that it needs is damaged or missing."""
        path = folder / name
        for tier in self._others(path, path.stem):
            other = tier_path(folder, self.rules, tier)
            if faults.get(other.relative_to(folder).as_posix()) or not other.exists():
                raise TablebaseError(f"{path} cannot be checked before {other} has been built again")
        self._verify(path, path.stem, folder, {})

    def opened(self, path: Path, row: Mapping[str, Any]) -> TierFile:
        return TierFile(path, self.rules, row["tier"])

    def row_of(self, file: TierFile) -> dict[str, Any]:
        return {"tier": file.name, "ranks": file.size, **vars(file.counts)}
