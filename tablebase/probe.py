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

from tablebase.errors import MissingTableError, TablebaseError
from tablebase.game import Game, Outcome
from tablebase.indexing import layout
from tablebase.material import Material, Route, material_of, route
from tablebase.moves import Move, Position, legal_moves, play, wins_at_once
from tablebase.notation import check_pieces, parse, render, render_move
from tablebase.registry import load_game
from tablebase.store import Store, Table, missing_sentence, slice_folder, table_path
from tablebase.values import Value

Default = TypeVar("Default")

WIN_NOW = Value(Outcome.WIN, 1)


@dataclass(frozen=True)
class RatedMove:
    """A legal move and what it is worth to the side that makes it.

    Parameters
    ----------
    move : str
        Origin and target, ``a1a2``.
    position : str
        The position it leads to.
    value : Value
        The mover's outcome, and the plies to it counted from before the move.
    """

    move: str
    position: str
    value: Value


@dataclass(frozen=True)
class Probe:
    """The answer for one position.

    Parameters
    ----------
    game : str
    position : str
    side : str
        Letter of the side to move, whose outcome this is.
    value : Value
    moves : tuple of RatedMove
        All legal moves, best first: wins by growing distance, draws, losses by falling distance; equal ones by
        the text of the move.
    """

    game: str
    position: str
    side: str
    value: Value
    moves: tuple[RatedMove, ...]

    @property
    def outcome(self) -> Outcome:
        """Win, loss or draw for the side to move."""
        return self.value.outcome

    @property
    def distance(self) -> int | None:
        """Plies to the result under best play, None for a draw."""
        return self.value.distance

    @property
    def best(self) -> str | None:
        """The first of the moves, None if there is none."""
        return self.moves[0].move if self.moves else None


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
        value = self._value(game, position)
        moves = tuple(rated for rated, _ in self.rated_moves(game, position))
        return Probe(game.name, render(game, position), game.sides[position.side].letter, value, moves)

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
            As `probe_value`, for the first position that cannot be answered.
        """
        game = load_game(game) if isinstance(game, str) else game
        resolved = [self._resolve(game, position)[1] for position in positions]
        groups: dict[tuple[Material, int], list[int]] = {}
        for number, position in enumerate(resolved):
            groups.setdefault((material_of(game, position), position.side), []).append(number)
        values: list[Value] = [WIN_NOW] * len(resolved)
        for (material, side), numbers in groups.items():
            table, way = self._table(game, material, side)
            squares = np.array([[square for _, square in resolved[number].pieces] for number in numbers], dtype=np.int8)
            index = layout(game, way.table).index_many(routed_squares(game, way, squares))
            decode = {code: table.coding.value(code) for code in range(table.coding.void)}
            for number, code in zip(numbers, table.codes_at(way.side, index).tolist(), strict=True):
                values[number] = decode[code]
        return values

    def line(self, game: str | Game, position: str | Position) -> list[Probe]:
        """The optimal line: probes from the position on, each following the best move of the one before.

        It ends where the game does: at a win that the best move makes at once, without a legal move, or, for a
        draw, as soon as a position comes back.
        """
        game, position = self._resolve(game, position)
        probes: list[Probe] = []
        seen = set()
        while position not in seen:
            seen.add(position)
            probes.append(self.probe(game, position))
            rated = self.rated_moves(game, position)
            if not rated or wins_at_once(game, position, rated[0][1]):
                break
            position = play(position, rated[0][1])
        return probes

    def rated_moves(self, game: Game, position: Position) -> list[tuple[RatedMove, Move]]:
        """Legal moves with their values, in the order that `Probe.moves` describes."""
        rated = []
        for move in legal_moves(game, position):
            after = play(position, move)
            value = WIN_NOW if wins_at_once(game, position, move) else self._value(game, after).parent
            rated.append((RatedMove(render_move(game, move), render(game, after), value), move))
        rated.sort(key=lambda pair: (-pair[0].value.merit, pair[0].move))
        return rated

    def _resolve(self, game: str | Game, position: str | Position) -> tuple[Game, Position]:
        game = load_game(game) if isinstance(game, str) else game
        if isinstance(position, str):
            return game, parse(game, position)
        check_pieces(game, position)
        return game, position

    def _value(self, game: Game, position: Position) -> Value:
        table, way = self._table(game, material_of(game, position), position.side)
        squares = [position.pieces[piece][1] for piece in way.order]
        if way.swapped and game.swap is not None:
            squares = [game.swap[square] for square in squares]
        index = table.layout.index([squares[piece] for piece in table.layout.slots])
        return table.coding.value(self.store.code(table, way.side, index))

    def _table(self, game: Game, material: Material, side: int) -> tuple[Table, Route]:
        """The open table that holds a slice and the way there, or an error naming the material as asked for."""
        folder = slice_folder(self.store.folder, game, material.pieces)
        # Routes of many pieces take long to find, and are not needed where there are no tables.
        if folder.exists():
            way = route(game, material, side)
            if table_path(self.store.folder, game, way.table).exists():
                return self.store.table(game, way.table), way
        raise MissingTableError(missing_sentence(game, material, self.store.folder))


def routed_squares(
    game: Game, way: Route, squares: np.ndarray[tuple[int, int], np.dtype[np.int8]]
) -> np.ndarray[tuple[int, int], np.dtype[np.int8]]:
    """Squares by piece of a material, shape (positions, pieces), as squares by slot of the table of its route."""
    slots = layout(game, way.table).slots
    columns = squares[:, [way.order[piece] for piece in slots]]
    if way.swapped and game.swap is not None:
        columns = np.array(game.swap, dtype=np.int8)[columns]
    return columns
