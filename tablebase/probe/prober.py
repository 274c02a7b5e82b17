"""Values of positions, one at a time or many at once, their moves, and lines to the end, from the tables of a folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.errors import MissingTableError, NotationError, TablebaseError
from tablebase.game import Game, Outcome
from tablebase.game.moves import Position, legal_moves, play, wins_at_once
from tablebase.game.notation import check_kinds
from tablebase.probe.answers import Probe, RatedMove
from tablebase.slices.indexing import Squares
from tablebase.slices.location import Address, Location, locate
from tablebase.slices.material import Material, material_of
from tablebase.slices.mixed import NO_PIECE, SQUARES, Int8, Mixed, Rows
from tablebase.tables.choice import missing_table
from tablebase.tables.folder import slice_folder, table_path
from tablebase.tables.store import Store
from tablebase.tables.values import Coding, Value

SIGNS = {Outcome.WIN: 1, Outcome.DRAW: 0, Outcome.LOSS: -1}
OUTCOMES = {sign: outcome for outcome, sign in SIGNS.items()}
KNOWN = -1
"""The place of the reason why a value is unknown, if it is known."""
LARGEST = 1 << 62
"""Slices of more combinations than this are numbered anew, so that a number fits into an int64."""
Int16 = NDArray[np.int16]
WIN_NOW = Value(Outcome.WIN, 1)


class Values(NamedTuple):
    """Values of positions; arrays of shape (positions,)."""

    outcomes: Int8  # 1, 0 or -1 for a win, draw or loss of the side to move; 0 where it is unknown
    distances: Int16  # plies; -1 for a draw, and where it is unknown
    faults: NDArray[np.int32]  # the place in `errors` of the reason why a value is unknown; `KNOWN` where there is none
    errors: list[TablebaseError]

    def take(self, places: Rows | slice) -> Values:
        """The values at these places."""
        return Values(self.outcomes[places], self.distances[places], self.faults[places], self.errors)


@lru_cache(maxsize=8)
def by_code(coding: Coding) -> tuple[Int8, Int16]:
    """Outcome (1, 0, -1) and distance (-1 for a draw) of each code."""
    values = [coding.value(code) for code in range(coding.void)]
    outcomes = np.array([SIGNS[value.outcome] for value in values], dtype=np.int8)
    return outcomes, np.array([-1 if value.distance is None else value.distance for value in values], dtype=np.int16)


class Slices:
    """Which slices of a game positions belong to, and where these are stored."""

    def __init__(self, store: Store, game: Game, address: Callable[[Material, int], Address]) -> None:
        """`address` finds where a slice is stored; its `MissingTableError` names the slice's own material."""
        self.store, self.game, self._address = store, game, address
        self._homes = np.zeros((SQUARES, SQUARES), dtype=bool)
        self._homes[NO_PIECE, NO_PIECE] = True
        self._levels = np.zeros((SQUARES, SQUARES), dtype=np.int64)
        self._tiered = [number for number, kind in enumerate(game.kinds) if kind.tiered]
        for number, kind in enumerate(game.kinds):
            self._homes[number, list(kind.homes)] = True
            for square, level in (kind.levels or {}).items() if kind.tiered else ():
                self._levels[number, square] = level

    def proper(self, positions: Mixed) -> NDArray[np.bool_]:
        """Whether each is a position in which the game is not over, given that no two of its pieces share a square."""
        first, numbers = self._numbered(positions)
        allowed = np.array([self._is_allowed(positions.position(row)) for row in first.tolist()], dtype=bool)
        proper: NDArray[np.bool_] = allowed[numbers]
        for kinds, squares in zip(positions.kinds.T, positions.squares.T, strict=True):
            proper &= self._homes[kinds, squares]
        return proper

    def _is_allowed(self, position: Position) -> bool:
        """Whether a game can have these pieces, wherever they stand."""
        try:
            check_kinds(self.game, [kind for kind, _ in position.pieces])
        except NotationError:
            return False
        return True

    def values(self, positions: Mixed) -> Values:
        """Values of positions in which the game is not over."""
        count, width = positions.kinds.shape
        values = Values(np.zeros(count, np.int8), np.full(count, -1, np.int16), np.full(count, KNOWN, np.int32), [])
        first, numbers = self._numbered(positions)
        pieces = np.zeros((len(first), width), dtype=np.int64)
        images = np.tile(np.arange(SQUARES, dtype=np.int8), (len(first), 1))
        faults, tables = np.full((2, len(first)), KNOWN)
        found: dict[tuple[Material, int], int] = {}
        for number, row in enumerate(first.tolist()):
            try:
                position = positions.position(row)
                address = self._address(material_of(self.game, position), position.side)
            except TablebaseError as error:
                faults[number] = len(values.errors)
                values.errors.append(error)
                continue
            tables[number] = found.setdefault((address.material, address.side), len(found))
            pieces[number, : len(address.pieces)] = address.pieces
            images[number, : len(address.image)] = address.image
        values.faults[:] = faults[numbers]
        # The squares of each position in the order of the table that has it.
        slots = np.take_along_axis(positions.squares, pieces[numbers], axis=1)
        slots = images[numbers[:, None], slots]
        for (material, side), rows in zip([(None, 0), *found], _grouped(tables[numbers] + 1, len(found) + 1), strict=True):
            if material is not None:
                self._look_up(material, side, rows, slots, values)
        return values

    def _look_up(self, material: Material, side: int, rows: Rows, slots: Int8, values: Values) -> None:
        """Set the values of the positions of one table and side to move."""
        try:
            table = self.store.table(self.game, material)
            codes = self.store.codes(table, side, table.layout.index_many(slots[rows, : material.pieces]))
        except TablebaseError as error:
            values.faults[rows] = len(values.errors)
            values.errors.append(error)
            return
        outcomes, distances = by_code(table.coding)
        values.outcomes[rows], values.distances[rows] = outcomes[codes], distances[codes]

    def _numbered(self, positions: Mixed) -> tuple[Rows, Rows]:
        """The first position of each slice among these, and the place there of the slice of each position."""
        columns = [positions.sides, *positions.kinds.T, *self._advances(positions)]
        numbers, most = np.zeros(len(positions.sides), dtype=np.int64), 1
        for column in columns:
            base = int(column.max(initial=0)) + 1
            if most * base > LARGEST:
                numbers, most = np.unique(numbers, return_inverse=True)[1], len(numbers)
            numbers, most = numbers * base + column, most * base
        _, first, places = np.unique(numbers, return_index=True, return_inverse=True)
        return first, places

    def _advances(self, positions: Mixed) -> Iterator[Rows]:
        """For each tiered kind how far its pieces have come together."""
        if self._tiered:
            levels = self._levels[positions.kinds, positions.squares]
            for kind in self._tiered:
                yield np.where(positions.kinds == kind, levels, 0).sum(axis=1)


def _grouped(numbers: Rows, count: int) -> list[Rows]:
    """The places of each number from 0 up to, but not including, `count`."""
    order = np.argsort(numbers.astype(np.int32), kind="stable")
    return np.split(order, np.searchsorted(numbers[order], np.arange(1, count)))


class _Address(Address):
    """Where and how a slice's positions are looked up, and the value of each code there."""

    def __init__(self, game: Game, location: Location, coding: Coding) -> None:
        super().__init__(game, location)
        self.values = [coding.value(code) for code in range(coding.void)]


class Prober:
    """Probes positions in the tables of a folder. Safe to use from several threads.

    `tablebase.open` does the same for names and texts.
    """

    def __init__(self, folder: Path, cache: int | None = None) -> None:
        """Keep so many bytes of decompressed chunks, by default 256 MiB."""
        self.store = Store(folder, cache)
        self._addresses: dict[tuple[Game, Material, int], _Address] = {}
        self._slices: dict[Game, Slices] = {}

    def close(self) -> None:
        """Close all files."""
        self.store.close()

    def value(self, game: Game, position: Position) -> Value:
        """Outcome and distance, for the side to move, of a position in which the game is not over.

        Raise `MissingTableError` if the table has not been built.
        """
        address = self._address(game, material_of(game, position), position.side)
        code = self.store.code(self.store.table(game, address.material), address.side, address.index(position))
        return address.values[code]

    def slices(self, game: Game) -> Slices:
        """Looks up many positions of a game at once."""
        if game not in self._slices:
            self._slices[game] = Slices(self.store, game, partial(self._address, game))
        return self._slices[game]

    def values_at(self, game: Game, material: Material, side: int, squares: Squares) -> tuple[NDArray[np.int8], NDArray[np.int16]]:
        """Outcomes (1, 0 or -1 for a win, draw or loss of the side to move) and distances (-1 for a draw) of many positions.

        The squares, which are not checked, have the shape (positions, pieces), in the order of `Material.kinds`. Errors are those
        of `value`.
        """
        address = self._address(game, material, side)
        table = self.store.table(game, address.material)
        codes = self.store.codes(table, address.side, address.index_many(squares))
        outcomes, distances = by_code(table.coding)
        return outcomes[codes], distances[codes]

    def probe(self, game: Game, position: Position, *, strict: bool = False) -> Probe:
        """Value and moves of a position in which the game is not over; errors are those of `value`.

        Moves whose tables have not been built are of unknown value; if `strict`, they are errors, too.
        """
        return Probe(game, position, self.value(game, position), self._rated_moves(game, position, strict))

    def line(self, game: Game, position: Position, plies: int | None = None) -> list[Probe]:
        """The optimal line: a probe of the position, and of each position that the best moves lead to.

        It ends when the best move wins at once, when there is no legal move, in a draw as soon as a position repeats, or
        after `plies` plies.
        """
        probes: list[Probe] = []
        seen = set()
        while position not in seen and (plies is None or len(probes) <= plies):
            seen.add(position)
            answer = self.probe(game, position)
            if answer.moves and answer.best is None:
                # The best move is one of unknown value: this names its table.
                self.probe(game, position, strict=True)
            probes.append(answer)
            if not answer.moves or wins_at_once(game, position, answer.moves[0].legal_move):
                break
            position = answer.moves[0].child
        return probes

    def _rated_moves(self, game: Game, position: Position, strict: bool) -> tuple[RatedMove, ...]:
        rated, missing = [], {}
        # Several steps between the same squares are shown as one move.
        for move in dict.fromkeys(legal_moves(game, position)):
            child = play(position, move)
            try:
                value = WIN_NOW if wins_at_once(game, position, move) else self.value(game, child).parent
            except MissingTableError as fault:
                one = RatedMove(game, move, child, None, fault.material)
                missing[one.move] = fault
            else:
                one = RatedMove(game, move, child, value)
            rated.append(one)
        if strict and missing:
            raise missing[min(missing)]
        rated.sort(key=lambda move: (move.value is None, 0 if move.value is None else -move.value.merit, move.move))
        return tuple(rated)

    def _address(self, game: Game, material: Material, side: int) -> _Address:
        """The address of a slice; `MissingTableError` names the material under its own name."""
        key = (game, material, side)
        address = self._addresses.get(key)
        if address is None:
            address = self._addresses[key] = self._find(game, material, side)
        return address

    def _find(self, game: Game, material: Material, side: int) -> _Address:
        # Locating slices of many pieces is slow, and pointless if there are no tables.
        if slice_folder(self.store.folder, game, material.pieces).exists():
            location = locate(game, material, side)
            if table_path(self.store.folder, game, location.material).exists():
                table = self.store.table(game, location.material)
                return _Address(game, location, table.coding)
        raise missing_table(game, material, self.store.folder)
