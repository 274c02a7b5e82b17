"""Makes the tables of games by compiled functions: solves groups of tiers, writes them and checks each."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from pathlib import Path

from tablebase.building.estimate import kernels_of
from tablebase.building.jobs import Made, Measured
from tablebase.building.options import BuildOptions
from tablebase.errors import CorruptTableError
from tablebase.functions.exact.tier_files import TierFile, tier_path, write_tier
from tablebase.functions.exact.tiers import TierGroup, Tiers
from tablebase.game.compiled import CompiledGame
from tablebase.game.guards import advice
from tablebase.tables.checkpoints import TableCheckpoint, discard
from tablebase.tables.folder import check_seal

ENGINE = "tiers"
"""Name of the solver, in logs."""


class TierMaker:
    """Makes missing tables: a group is solved with its first missing tier, and the others are drafts until their turn.

    Parameters
    ----------
    game : CompiledGame
    tiers : Tiers
    missing : mapping
        The place of each table.
    options : BuildOptions
    title_at : function
        See `TableKind.title_at`.
    """

    def __init__(
        self,
        game: CompiledGame,
        tiers: Tiers,
        missing: Mapping[int, Path],
        options: BuildOptions,
        title_at: Callable[[Path], str],
    ) -> None:
        self._game, self._tiers, self._missing, self._options, self._title_at = game, tiers, dict(missing), options, title_at
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
                check_seal(path, self._title_at(path))
            self._files[tier] = TierFile(path, self._game, self._game.tier_name(tier))
        return self._files[tier]

    def _solve(self, group: TierGroup) -> None:
        """Solve a group, and write drafts of its missing tiers."""
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
            said = f"what has been solved of {self._game.name} {error.error}{advice(self._game)}"
            raise CorruptTableError(f"{said}, and if it finds nothing, report a fault of this program") from error
