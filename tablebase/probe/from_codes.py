"""Values of games by functions without chance: exact ones from the file of the game."""

from __future__ import annotations

from functools import cached_property
from typing import TypeVar

from tablebase.errors import NotationError
from tablebase.game.functions import FunctionGame
from tablebase.game.values import DRAWN, LOST, WON, AnyValue, Value
from tablebase.probe.source import Source
from tablebase.states.files import ExactFile, exact_path
from tablebase.tables.choice import missing_game
from tablebase.tables.folder import check_folder
from tablebase.tables.store import Store

P = TypeVar("P")


class CodesSource(Source[P]):
    """The table of a game by functions; every question about a game that goes on is a `MissingTableError` if there is none."""

    def __init__(self, store: Store, game: FunctionGame[P]) -> None:
        super().__init__(game)
        self._game, self._store = game, store

    @cached_property
    def _file(self) -> ExactFile:
        self._store.require_open()
        check_folder(self._store.folder, built=True)
        path = exact_path(self._store.folder, self._game.name)
        if not path.exists():
            raise missing_game(self._game, self._store.folder)
        return ExactFile(path, self._game)

    def require(self) -> None:
        """Raise `MissingTableError` if the table has not been built."""
        opened = self._file
        del opened

    def close(self) -> None:
        """Close the file."""
        if "_file" in vars(self):
            self._file.close()

    def value(self, position: P, player: int) -> Value:
        """The exact value; `NotationError` for a position that the game cannot come to, which no table has."""
        ending = self._game.result(position)
        if ending is not None:
            outcome = ending.outcome(player)
            return next(value for value in (DRAWN, WON, LOST) if value.outcome is outcome)
        text = self._game.format(self._game.canonical(position))
        found = self._file.value_of(text, self._store.chunks)
        if found is None:
            name = self._game.name
            raise NotationError(f"{self._game.format(position)} cannot come up in a game of {name} from its start: no table has it")
        return found if self._game.viewer(position) == player else found.reversed

    def reached(self, child: P, player: int, before: AnyValue) -> Value:
        """What a move into a position is worth to the player who makes it."""
        del before
        return self.value(child, player).later
