"""Values of games by compiled functions: exact ones from the file of a position's tier."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tablebase.errors import MissingTableError
from tablebase.functions.exact.tier_files import PLACE, TierFile, tier_path
from tablebase.functions.exact.tiers import tiers_of
from tablebase.game.capabilities import refuse
from tablebase.game.compiled import CompiledGame
from tablebase.game.values import Value
from tablebase.probe.from_codes import ExactAnswers, ExactSource
from tablebase.probe.stored import Stored
from tablebase.tables.folder import SUFFIX, check_folder
from tablebase.tables.missing import missing_game
from tablebase.tables.store import Store


class TierSource(ExactSource[int]):
    """The tables of a game by compiled functions; a tier that has not been built is a `MissingTableError`."""

    takes_numbers = True

    def __init__(self, store: Store, game: CompiledGame) -> None:
        super().__init__(game)
        self.game, self._store = game, store
        self.chunks = store.chunks
        self._files: dict[int, TierFile] = {}

    def require(self) -> None:
        """Raise `MissingTableError` if no tier has been built."""
        self._store.require_open()
        check_folder(self._store.folder, built=True)
        if not any((self._store.folder / self.game.name / PLACE).glob(f"*{SUFFIX}")):
            raise missing_game(self.game, self._store.folder)

    def file(self, tier: int) -> TierFile:
        """Open the table of a tier; `MissingTableError` without one."""
        found = self._files.get(tier)
        if found is None:
            self.require()
            path, name = tier_path(self._store.folder, self.game, tier), self.game.tier_name(tier)
            if not path.exists():
                raise MissingTableError(self.game.name, self._store.folder, material=name, options=f"--tiers {name}")
            found = self._files[tier] = TierFile(path, self.game, name)
        return found

    def many(self, asked: Sequence[Any], *, strict: bool = False, turns: int | None = None) -> ExactAnswers:
        """See `Source.many`; `RulesError` if there are `turns`."""
        # Numba is slow to load.
        from tablebase.probe.tier_answers import TierAnswers

        refuse(self.rules, "chance", turns=turns)
        return TierAnswers(self, asked, strict=strict)

    def stored(self) -> Stored[int]:
        """See `Source.stored`: the positions of all tiers that have been built."""
        # Numba is slow to load.
        from tablebase.probe.tier_rows import TierRows

        self.require()
        opened = {file.name for file in self._files.values()}
        for path in (self._store.folder / self.game.name / PLACE).glob(f"*{SUFFIX}"):
            if path.stem not in opened:
                file = TierFile(path, self.game, path.stem)
                self._files[file.tier] = file
        return TierRows(self, self.game, [self._files[tier] for tier in sorted(self._files)], self.chunks)

    def close(self) -> None:
        """Close all files."""
        while self._files:
            self._files.popitem()[1].close()

    def find(self, position: int) -> Value | None:
        """See `ExactSource.find`; not every tier is one that the game can come to."""
        tier = self.game.place(position)[0]
        is_known = not self.game.is_ranked or tier in tiers_of(self.game).sizes
        return self.file(tier).value_of(position, self.chunks) if is_known else None
