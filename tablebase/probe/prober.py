"""Ask a tablebase: a position's outcome, its moves best first, the line to the end.

Every question comes as a pair: `probe_…` raises `MissingTableError` when the table is not there, `get_…`
gives a default instead. An unknown answer never looks like an answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tablebase.errors import MissingTableError, TablebaseError
from tablebase.game import Game, Outcome
from tablebase.game.moves import Position, legal_moves, play, wins_at_once
from tablebase.game.notation import check_pieces, parse
from tablebase.game.registry import load_game
from tablebase.probe.answers import Probe, RatedMove
from tablebase.slices.indexing import Layout, Squares
from tablebase.slices.location import route
from tablebase.slices.material import Material, material_of, parse_material
from tablebase.tables.format import slice_folder, table_path
from tablebase.tables.missing import missing_sentence
from tablebase.tables.store import Store
from tablebase.values import Value

Default = TypeVar("Default")

WIN_NOW = Value(Outcome.WIN, 1)
FEW = 16
"""Positions of one slice for which arrays are not worth while."""


@dataclass(frozen=True)
class _Home:
    """The way from the positions of one slice to their codes.

    Parameters
    ----------
    table : Material
        The one whose table holds them; the file itself may be closed and opened again.
    layout : Layout
    side : int
        The side to move there.
    image : tuple of int
        Where our squares lie there.
    order : tuple of int
        Which of our pieces stands for each slot.
    values : list of Value
        By code.
    """

    table: Material
    layout: Layout
    side: int
    image: tuple[int, ...]
    order: tuple[int, ...]
    values: list[Value]

    def index(self, position: Position) -> int:
        """Index of a position of the slice."""
        pieces, image = position.pieces, self.image
        return self.layout.index([image[pieces[piece][1]] for piece in self.order])

    def index_many(self, squares: Squares) -> NDArray[np.int64]:
        """Indices of positions given by the square of each piece, shape (positions, pieces)."""
        return self.layout.index_many(np.array(self.image, dtype=np.int8)[squares[:, self.order]])


class Tablebase:
    """A folder of tables, open for questions. Safe to use from several threads.

    Parameters
    ----------
    folder : str or Path

    Examples
    --------
    >>> import tablebase
    >>> with tablebase.open("data") as tables:  # doctest: +SKIP
    ...     answer = tables.probe("doushouqi", "7/7/7/7/3c3/7/7/R6/7 w")
    ...     print(answer.outcome, answer.distance, answer.best)
    """

    def __init__(self, folder: str | Path) -> None:
        self.store = Store(Path(folder))
        self._homes: dict[tuple[Game, Material, int], _Home] = {}
        if not self.store.folder.exists():
            raise TablebaseError(f"there is no tablebase in {folder}: build one with 'tablebase build GAME --data {folder}'")

    def __enter__(self) -> Tablebase:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close all files."""
        self.store.close()

    def probe_value(self, game: str | Game, position: str | Position) -> Value:
        """Outcome and distance for the side to move.

        Parameters
        ----------
        game : str or Game
        position : str or Position

        Raises
        ------
        MissingTableError
            If the table has not been built; the sentence names it and the command that builds it.
        NotationError
            If the text is no position of the game.
        """
        game, position = self._resolve(game, position)
        return self._value(game, position)

    def get_value(self, game: str | Game, position: str | Position, default: Default | None = None) -> Value | Default | None:
        """As `probe_value`, but `default` where the table is missing."""
        try:
            return self.probe_value(game, position)
        except MissingTableError:
            return default

    def probe(self, game: str | Game, position: str | Position) -> Probe:
        """Outcome, distance and all moves; parameters and errors are those of `probe_value`."""
        game, position = self._resolve(game, position)
        return Probe(game, position, self._value(game, position), self._rated_moves(game, position))

    def get(self, game: str | Game, position: str | Position, default: Default | None = None) -> Probe | Default | None:
        """As `probe`, but `default` where a table is missing."""
        try:
            return self.probe(game, position)
        except MissingTableError:
            return default

    def probe_values(self, game: str | Game, positions: Sequence[str | Position]) -> list[Value]:
        """Outcomes and distances of many positions, each chunk of a table read once.

        Parameters
        ----------
        game : str or Game
        positions : sequence of str or Position

        Raises
        ------
        MissingTableError, NotationError
            As `probe_value`, if any of the positions cannot be answered.
        """
        game = load_game(game) if isinstance(game, str) else game
        resolved = [self._resolve(game, position)[1] for position in positions]
        groups: dict[tuple[Material, int], list[int]] = {}
        for number, position in enumerate(resolved):
            groups.setdefault((material_of(game, position), position.side), []).append(number)
        values: list[Value] = [WIN_NOW] * len(resolved)
        for (material, side), numbers in groups.items():
            home = self._home(game, material, side)
            if len(numbers) < FEW:
                for number in numbers:
                    values[number] = self._value(game, resolved[number])
                continue
            squares = np.array([[square for _, square in resolved[number].pieces] for number in numbers], dtype=np.int8)
            codes = self.store.table(game, home.table).codes_at(home.side, home.index_many(squares))
            for number, code in zip(numbers, codes.tolist(), strict=True):
                values[number] = home.values[code]
        return values

    def probe_squares(
        self, game: str | Game, material: str, side: int, squares: Squares
    ) -> tuple[NDArray[np.int8], NDArray[np.int16]]:
        """Outcomes and distances of many positions of one material, as arrays.

        Parameters
        ----------
        game : str or Game
        material : str
            Such as ``RCvW``.
        side : int
            The side to move, 0 or 1.
        squares : ndarray of int8, shape (positions, pieces)
            The square of each piece, in the order of `Material.kinds`. They must be positions: this is not checked.

        Returns
        -------
        outcomes : ndarray of int8, shape (positions,)
            1 for a win of the side to move, 0 for a draw, -1 for a loss.
        distances : ndarray of int16, shape (positions,)
            Plies, -1 for a draw.

        Raises
        ------
        MissingTableError
            If the table has not been built.
        """
        game = load_game(game) if isinstance(game, str) else game
        home = self._home(game, parse_material(game, material), side)
        codes = self.store.table(game, home.table).codes_at(home.side, home.index_many(squares))
        signs = {Outcome.WIN: 1, Outcome.DRAW: 0, Outcome.LOSS: -1}
        outcomes = np.array([signs[value.outcome] for value in home.values], dtype=np.int8)
        distances = np.array([-1 if value.distance is None else value.distance for value in home.values], dtype=np.int16)
        return outcomes[codes], distances[codes]

    def line(self, game: str | Game, position: str | Position, plies: int | None = None) -> list[Probe]:
        """The optimal line: probes from the position on, each following the best move of the one before.

        It ends where the game does: at a win that the best move makes at once, without a legal move, or, for a
        draw, as soon as a position comes back; or after so many plies.
        """
        game, position = self._resolve(game, position)
        probes: list[Probe] = []
        seen = set()
        while position not in seen and (plies is None or len(probes) <= plies):
            seen.add(position)
            answer = self.probe(game, position)
            probes.append(answer)
            if not answer.moves or wins_at_once(game, position, answer.moves[0].step):
                break
            position = answer.moves[0].after
        return probes

    def _rated_moves(self, game: Game, position: Position) -> tuple[RatedMove, ...]:
        rated = []
        # Two ways from a square to another are one move to a person.
        for move in dict.fromkeys(legal_moves(game, position)):
            after = play(position, move)
            value = WIN_NOW if wins_at_once(game, position, move) else self._value(game, after).parent
            rated.append(RatedMove(game, move, after, value))
        rated.sort(key=lambda one: (-one.value.merit, one.move))
        return tuple(rated)

    def _resolve(self, game: str | Game, position: str | Position) -> tuple[Game, Position]:
        game = load_game(game) if isinstance(game, str) else game
        if isinstance(position, str):
            return game, parse(game, position)
        check_pieces(game, position)
        return game, position

    def _value(self, game: Game, position: Position) -> Value:
        home = self._home(game, material_of(game, position), position.side)
        return home.values[self.store.code(self.store.table(game, home.table), home.side, home.index(position))]

    def _home(self, game: Game, material: Material, side: int) -> _Home:
        """The way to a slice, or an error that names the material as it was asked for."""
        key = (game, material, side)
        home = self._homes.get(key)
        if home is None:
            home = self._homes[key] = self._find_home(game, material, side)
        return home

    def _find_home(self, game: Game, material: Material, side: int) -> _Home:
        # Routes of many pieces take long to find, and are not needed where there are no tables.
        if slice_folder(self.store.folder, game, material.pieces).exists():
            way = route(game, material, side)
            if table_path(self.store.folder, game, way.table).exists():
                table = self.store.table(game, way.table)
                image = game.swap if way.swapped and game.swap is not None else tuple(range(len(game.board)))
                values = [table.coding.value(code) for code in range(table.coding.void)]
                return _Home(
                    way.table, table.layout, way.side, image, tuple(way.order[piece] for piece in table.layout.slots), values
                )
        raise MissingTableError(missing_sentence(game, material, self.store.folder))
