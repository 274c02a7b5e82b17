"""Values of games by functions without chance: exact ones from the file of the game."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from functools import cached_property, partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tablebase.errors import NotationError, TablebaseError
from tablebase.functions.exact.files import ExactFile, exact_path
from tablebase.game.capabilities import refuse
from tablebase.game.functions import FunctionGame
from tablebase.game.rules import legal
from tablebase.game.values import DRAWN, LOST, WON, AnyValue, Value
from tablebase.probe.slice_values import SIGNS, by_code
from tablebase.probe.source import ProbeResults, Source, value_or_error, value_or_raise
from tablebase.probe.stored import Numbers, Stored, StoredTable
from tablebase.tables.cached_chunks import CachedChunks
from tablebase.tables.folder import check_folder
from tablebase.tables.missing import missing_game
from tablebase.tables.store import Store
from tablebase.tables.values import STALEMATE

P = TypeVar("P")
ENDED = {value.outcome: value for value in (DRAWN, WON, LOST)}
"""The values of a position in which the game is over."""


class ExactSource(Source[P]):
    """The tables of a game by functions without chance."""

    @abstractmethod
    def find(self, position: P) -> Value | None:
        """Return the value for the player to move before the end; None for a position that the game cannot come to."""

    def value(self, position: P, player: int) -> Value:
        """The exact value; `NotationError` for a position that the game cannot come to, which no table has."""
        ending = self.rules.result(position)
        return self.for_player(position, player, self.find(position)) if ending is None else ENDED[ending.outcome(player)]

    def for_player(self, position: P, player: int, found: Value | None) -> Value:
        """Return what `find` has found for a player; `NotationError` if that is nothing."""
        if found is None:
            text, name = self.rules.format(position), self.rules.name
            raise NotationError(f"{text} cannot be reached in games of {name}: choose another position")
        return found if self.rules.viewer(position) == player else found.reversed

    def moves(self, positions: Sequence[P]) -> list[list[tuple[str, AnyValue]]]:
        """The moves of positions, each with the value of the position that it leads to, a ply later."""
        after = [legal(self.rules, position) for position in positions]
        movers = [self.rules.viewer(position) for position, moves in zip(positions, after, strict=True) for _ in moves]
        children = [child for moves in after for child in moves.values()]
        found: Iterator[Any] = map(value_or_raise, self.values(children, movers))
        return [[(move, next(found).later) for move in moves] for moves in after]


class CodesSource(ExactSource[P]):
    """The table of a game by functions; every question about a game that goes on is a `MissingTableError` if there is none."""

    def __init__(self, store: Store, game: FunctionGame[P]) -> None:
        super().__init__(game)
        self.game, self._store = game, store

    @cached_property
    def _file(self) -> ExactFile:
        self._store.require_open()
        check_folder(self._store.folder, built=True)
        path = exact_path(self._store.folder, self.game.name)
        if not path.exists():
            raise missing_game(self.game, self._store.folder)
        return ExactFile(path, self.game)

    def require(self) -> None:
        """Raise `MissingTableError` if the table has not been built."""
        _ = self._file

    def close(self) -> None:
        """Close the file."""
        if "_file" in vars(self):
            self._file.close()

    def find(self, position: P) -> Value | None:
        """See `ExactSource.find`."""
        code = self._file.code_of(self._key(position), self._store.chunks)
        return None if code is None else self._by_code[code]

    def values(self, positions: Sequence[P], players: Sequence[int]) -> Sequence[Value | TablebaseError]:
        """The exact value of each position for a player; positions in which the game goes on are looked up together."""
        game, values = self.game, dict[int, Value | TablebaseError]()
        for place, (position, player) in enumerate(zip(positions, players, strict=True)):
            if (ending := game.result(position)) is not None:
                values[place] = ENDED[ending.outcome(player)]
        asked = [place for place in range(len(positions)) if place not in values]
        keys = np.array([self._key(positions[place]) for place in asked])
        found = self._file.places_of(keys, self._store.chunks) if asked else np.empty(0, np.int64)
        codes = self._file.codes_at(np.maximum(found, 0), self._store.chunks) if asked else found
        for place, at, code in zip(asked, found.tolist(), codes.tolist(), strict=True):
            value = None if at < 0 else self._by_code[code]
            values[place] = value_or_error(partial(self.for_player, positions[place], players[place], value))
        return [values[place] for place in range(len(positions))]

    def _key(self, position: P) -> bytes:
        return self.game.format(self.game.canonical(position)).encode()

    @cached_property
    def _by_code(self) -> list[Value]:
        return [self._file.coding.value(code) for code in range(self._file.coding.void)]

    def many(self, asked: Sequence[Any], *, strict: bool = False, turns: int | None = None) -> ExactAnswers:
        """All values are looked up at once; `RulesError` if there are `turns`."""
        refuse(self.rules, "chance", turns=turns)
        return ExactAnswers(self, asked, strict=strict)

    def stored(self) -> Stored[P]:
        """All positions of the table."""
        return _Positions(self, self._file, self._store.chunks)


class ExactAnswers(ProbeResults):
    """The answers for many positions of a game by functions without chance; see `ProbeResults`."""

    @cached_property
    def outcomes(self) -> NDArray[np.int8]:
        """1 for a win of the side to move, 0 for a draw, -1 for a loss, shape (positions,); 0 without an answer."""
        return np.array([0 if value is None else SIGNS[value.outcome] for value in self.values()], np.int8)

    @cached_property
    def distances(self) -> NDArray[np.int16]:
        """Plies, shape (positions,); -1 for a draw, and without an answer."""
        return np.array([-1 if value is None or value.distance is None else value.distance for value in self.values()], np.int16)


class _Positions(Stored[P]):
    def __init__(self, source: CodesSource[P], file: ExactFile, chunks: CachedChunks) -> None:
        self.rules, self.tables = source.rules, [StoredTable({}, 0, file.positions)]
        self._source, self._file, self._chunks = source, file, chunks

    def representative(self, position: P) -> P:
        return self._source.game.canonical(position)

    def values(self, numbers: Numbers) -> dict[str, NDArray[Any]]:
        codes = self._file.codes_at(numbers, self._chunks)
        outcomes, distances = by_code(self._file.coding)
        return {"final": (codes == STALEMATE) | (distances[codes] == 0), "outcome": outcomes[codes], "distance": distances[codes]}

    def texts(self, numbers: Numbers) -> list[str]:
        """As they stand in the table."""
        return [key.decode(errors="replace") for key in self._file.cached_at("keys", numbers, self._chunks).tolist()]

    def positions(self, numbers: Numbers) -> list[P]:
        """The positions, as the rules read their texts."""
        return [self.rules.parse(text) for text in self.texts(numbers)]

    def moves(self, numbers: Numbers) -> list[list[tuple[str, AnyValue]]]:
        return self._source.moves(self.positions(numbers))
