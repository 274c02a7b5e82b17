"""The tables of games by compiled functions: each holds the exact values of a tier."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from tablebase.building.estimate import kernels_of, machine_factor
from tablebase.building.flat_kind import PATIENCE, FlatTables
from tablebase.building.jobs import CostModel, FixedCosts, Job, JobCost, Key, Made, Measured
from tablebase.building.options import BuildOptions, TableQuery
from tablebase.catalog.known import Known
from tablebase.checking.checksums import Checks, sentence_of
from tablebase.errors import CapacityError, CorruptTableError, TablebaseError
from tablebase.functions.exact.tier_files import PLACE, TierFile, tier_path, write_tier
from tablebase.functions.exact.tiers import TierGroup, Tiers, tiers_of
from tablebase.game.compiled import ALL, CompiledGame
from tablebase.system.compute import machine
from tablebase.system.compute.threads import use
from tablebase.tables.checkpoints import TableCheckpoint, discard
from tablebase.tables.folder import check_seal

# ruff: noqa: D102 (other methods are those of `TableKind`)

ENGINE = "tiers"  # name of the solver, in logs
BYTES_A_RANK, BYTES_AFTER = 2, 1
"""Memory for each rank of a group of tiers, and of the tiers that its moves lead to, while distances fit into a byte."""
BYTES_LISTED = 11  # without ranks, for each position of these tiers: a copy of it, with a directory
SAMPLED = 1 << 20  # groups with more ranks are sampled to estimate the time they take
BYTES_BESIDE = 1 << 28  # the program itself, with its compiled kernels
BYTES_ON_DISK = 1  # at most; most tables take a small part of it
FIXED = 1 << 13  # bytes of a file without its codes, at most
SPEED = 1_000_000
"""Ranks that are solved, written and verified in a CPU-second, on the reference machine of `tablebase.building.estimate`."""


@dataclass(frozen=True)
class TierEstimate:
    """Resources that a tier needs; its fields are named as in ``estimate --format json``."""

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
    line = TierEstimate
    _patience = math.inf
    _options = BuildOptions(Path())
    resumes_after = 60.0

    @cached_property
    def _tiers(self) -> Tiers:
        """All tiers of the game; without ranks its positions are listed first."""
        game: CompiledGame = self.rules
        if game.is_ranked:
            return tiers_of(game)
        # Numba is slow to load.
        from tablebase.functions.exact.tier_listing import list_tiers

        def late(subject: str) -> CapacityError:
            return CapacityError(subject, "allow more time with --for, or choose a smaller variant")

        with self.listing(self._options, self._patience, late, compiles=True) as tick, use(self._options.limits.workers):
            return list_tiers(game, self._options.allowed_memory, tick)

    def estimate(self, query: TableQuery, options: BuildOptions, known: Known, *, measured: bool) -> list[Any]:
        """See `TableKind.estimate`; positions without ranks are listed for a limited time."""
        self._patience = PATIENCE
        return super().estimate(query, options, known, measured=measured)

    def _groups(self, query: TableQuery) -> tuple[TierGroup, ...]:
        names = str(query.limits.get("tiers", ALL)).split(",")
        return self._tiers.groups if names == [ALL] else self._tiers.needed({self._tiers.numbered(name) for name in names})

    def jobs(self, query: TableQuery, options: BuildOptions) -> tuple[Job, ...]:
        """See `TableKind.jobs`; a tier is made after all before it, since a group may need all memory."""
        self._options = options
        tiers = [tier for group in self._groups(query) for tier in group.tiers]
        return tuple(
            Job(tier, self._tiers.names[tier], tier_path(options.data, self.rules, tier), tiers[:number])
            for number, tier in enumerate(tiers)
        )

    def costs(self, jobs: Sequence[Job], query: TableQuery, options: BuildOptions, known: Known) -> CostModel:
        del jobs, known
        costs, sizes, groups = {}, self._tiers.sizes, self._groups(query)
        memory = {group: self._memory(group) for group in groups}
        # What does not fit is refused before any work.
        is_sampled = self.rules.is_ranked and max(memory.values()) <= options.allowed_memory
        for group in groups:
            inside = sum(sizes[tier] for tier in group.tiers)
            seconds = machine_factor() * inside / SPEED
            if is_sampled and inside > SAMPLED:
                # Numba is slow to load.
                from tablebase.functions.exact.tier_solver import sampled_seconds

                seconds = sampled_seconds(self.rules, group, sizes)
            for tier in group.tiers:
                size = sizes[tier]
                costs[tier] = JobCost(size, memory[group], FIXED + BYTES_ON_DISK * size, seconds * size / inside)
        return FixedCosts(costs, min(options.limits.workers, machine.cores()), frozenset({ENGINE}))

    def _memory(self, group: TierGroup) -> int:
        sizes = self._tiers.sizes
        inside, outside = (sum(sizes[tier] for tier in tiers) for tiers in (group.tiers, group.after))
        listed = BYTES_LISTED * (inside + outside) + 8 * sum(sizes.values()) if self._tiers.keys else 0
        return BYTES_A_RANK * inside + BYTES_AFTER * outside + listed + BYTES_BESIDE + 8 * len(self.rules.rules)

    def check_memory(self, jobs: Sequence[Job], costs: CostModel, options: BuildOptions) -> None:
        largest = max(jobs, key=lambda job: costs.cost(job.key).memory)
        needed, allowed = costs.cost(largest.key).memory, options.allowed_memory
        if needed > allowed:
            group = ", ".join(self._tiers.names[tier] for tier in self._tiers.group_of(largest.key).tiers)
            hint = "choose smaller tiers with --tiers" + (", or a larger --memory" if allowed < machine.memory() else "")
            raise CapacityError(f"solving {group} of {self.rules.name}", hint, needed=needed, allowed=allowed)

    def maker(self, jobs: Sequence[Job], query: TableQuery, options: BuildOptions, costs: CostModel) -> Callable[[Key], Made]:
        del query, costs
        return TierMaker(self, self._tiers, jobs, options)

    def verified(self, folder: Path, errors: Mapping[str, str | None], threads: int) -> Checks:
        """See `FlatTables.verified`; each tier is checked with those that its moves lead to."""
        with use(threads):
            for name, error in errors.items():
                yield name, error or sentence_of(partial(self._verify_with, folder, name, errors))

    def _verify_with(self, folder: Path, name: str, errors: Mapping[str, str | None]) -> None:
        """Check a file, unless one that it needs is damaged or missing."""
        # Numba is slow to load.
        from tablebase.checking.tiers import verify_tier

        with ExitStack() as stack:

            def opened(path: Path) -> TierFile:
                return stack.enter_context(closing(TierFile(path, self.rules, path.stem)))

            file, others = opened(folder / name), []
            for tier in file.after:
                other = tier_path(folder, self.rules, tier)
                if errors.get(other.relative_to(folder).as_posix()) or not other.exists():
                    raise TablebaseError(f"cannot check {file.path} without {other}: rebuild {other} first")
                if tier != file.tier:
                    check_seal(other, self.title_at(other))
                    others.append(opened(other))
            verify_tier(file, others)

    def opened(self, path: Path, row: Mapping[str, Any]) -> TierFile:
        return TierFile(path, self.rules, row["tier"])

    def row_of(self, file: TierFile) -> dict[str, Any]:
        return {"tier": file.name, "ranks": file.size, **vars(file.counts)}


class TierMaker:
    """Makes missing tables: a group is solved with its first missing tier, and the others are drafts until their turn."""

    def __init__(self, kind: TierTables, tiers: Tiers, jobs: Sequence[Job], options: BuildOptions) -> None:
        self._kind, self._game, self._tiers, self._options = kind, kind.rules, tiers, options
        self._missing = {job.key: job.path for job in jobs}
        self._drafts: dict[int, Path] = {}
        self._files: dict[int, TierFile] = {}  # of the group and the tiers after it, open

    def __call__(self, tier: int) -> Made:
        """Make a table; see `TableKind.maker`."""
        # Numba is slow to load.
        from tablebase.system.compute.compiling import note_compiled

        measured, path, group = Measured(tier), self._missing[tier], self._tiers.group_of(tier)
        used: Collection[int] = ()
        try:
            self._close_others((*group.tiers, *group.after))
            if not path.exists() and tier not in self._drafts:
                self._solve(group)
            self._check(self._file(tier))
            draft = self._drafts.pop(tier, None)
            self._files[tier].path = path
            del self._missing[tier]
            used = self._files if self._missing else ()
        finally:
            self._close_others(used)
        note_compiled(kernels_of(ENGINE, self._game.name))
        return measured.made(None if draft is None else ENGINE, draft or path, draft)

    def _close_others(self, used: Collection[int]) -> None:
        for tier in self._files.keys() - used:
            self._files.pop(tier).close()

    def _file(self, tier: int) -> TierFile:
        """Open a table, perhaps a draft; the seal of another one is checked."""
        if tier not in self._files:
            path = self._drafts.get(tier) or tier_path(self._options.data, self._game, tier)
            if tier not in self._drafts:
                check_seal(path, self._kind.title_at(path))
            self._files[tier] = TierFile(path, self._game, self._game.tier_name(tier))
        return self._files[tier]

    def _solve(self, group: TierGroup) -> None:
        from tablebase.functions.exact.tier_solver import GroupSolver, coding_for, new_shelf
        from tablebase.game.key_lists import with_lists
        from tablebase.game.native import rules_of
        from tablebase.system.compute.compiling import KERNELS

        tiers, game, options = self._tiers, self._game, self._options
        members, after = (*group.tiers, *group.after), [self._file(tier) for tier in group.after]
        missing = {tier: self._missing[tier] for tier in group.tiers if tier in self._missing}
        rules = with_lists(game.rules, {tier: tiers.keys[tier] for tier in members}) if tiers.keys else rules_of(game)
        shelf = new_shelf([(tier, tiers.sizes[tier]) for tier in members], coding_for([file.longest for file in after]), rules)
        for file in after:
            file.fill(shelf.of(file.tier))
        names = (tiers.names[tier] for tier in group.tiers)
        # A checkpoint is removed with the first table.
        place = next(iter(missing.values()))
        checkpoint = TableCheckpoint(place, game.digest, KERNELS, *names, *(file.values_sha256 for file in after))
        GroupSolver(game, group, shelf, options.check_time, checkpoint, options.allowed_memory).solve()
        for tier, path in missing.items():
            if not path.exists():
                leads_to = tuple(game.after(tier)) if game.is_ranked else members
                self._drafts[tier] = write_tier(path, game, tier, leads_to, shelf.of(tier), shelf.coding, tiers.keys.get(tier))

    def _check(self, file: TierFile) -> None:
        """Check a file; if a new one is wrong, it is not the file that is damaged."""
        from tablebase.checking.tiers import verify_tier

        others = [self._file(tier) for tier in file.after if tier != file.tier]
        try:
            verify_tier(file, others, self._options.check_time, self._tiers.keys)
        except CorruptTableError as error:
            if file.tier not in self._drafts or error.path != file.path:
                raise
            # The checkpoint may be wrong as well.
            discard(self._missing[file.tier])
            raise self._kind.solver_error(error) from error
