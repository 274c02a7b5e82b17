"""Values of many positions at once, from the tables of their slices."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.errors import NotationError, TablebaseError
from tablebase.game import Game, Outcome
from tablebase.game.moves import Position
from tablebase.game.notation import check_kinds
from tablebase.game.values import Value
from tablebase.positions.location import Address
from tablebase.positions.material import Material, material_of
from tablebase.positions.position_arrays import NO_PIECE, SQUARES, Int8, Mixed, Rows
from tablebase.tables.store import Store
from tablebase.tables.values import Coding

SIGNS = {Outcome.WIN: 1, Outcome.DRAW: 0, Outcome.LOSS: -1}
OUTCOMES = {sign: outcome for outcome, sign in SIGNS.items()}
KNOWN = -1
"""The place of the reason why a value is unknown, if it is known."""
LARGEST = 1 << 62
"""Slices of more combinations than this are numbered anew, so that a number fits into an int64."""
Int16 = NDArray[np.int16]


class Values(NamedTuple):
    """Values of positions; arrays of shape (positions,)."""

    outcomes: Int8  # 1, 0 or -1 for a win, draw or loss of the side to move; 0 where it is unknown
    distances: Int16  # plies; -1 for a draw, and where it is unknown
    reasons: NDArray[np.int32]  # the place in `errors` of the reason why a value is unknown; `KNOWN` where there is none
    errors: list[TablebaseError]

    def take(self, places: Rows | slice) -> Values:
        """The values at these places."""
        return Values(self.outcomes[places], self.distances[places], self.reasons[places], self.errors)


@lru_cache(maxsize=8)
def by_code(coding: Coding) -> tuple[Int8, Int16]:
    """Outcome (1, 0, -1) and distance (-1 for a draw) of each code."""
    values = [coding.value(code) for code in range(coding.void)]
    outcomes = np.array([SIGNS[value.outcome] for value in values], dtype=np.int8)
    return outcomes, np.array([-1 if value.distance is None else value.distance for value in values], dtype=np.int16)


@cache
def value_of(outcome: int, distance: int) -> Value:
    """The value of an outcome and a distance of `by_code`."""
    return Value(OUTCOMES[outcome], distance if outcome else None)


class Slices:
    """Values of many positions of a game, read from the tables of their slices (sets of pieces with one side to move)."""

    def __init__(self, store: Store, game: Game, address: Callable[[Material, int], Address]) -> None:
        """`address` finds the stored table of a slice; its `MissingTableError` contains the material of the slice itself."""
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
        """Return an array that is True for legal positions of unfinished games; two pieces must not share a square."""
        first, numbers = self._numbered(positions)
        allowed = np.array([self._is_allowed(positions.position(row)) for row in first.tolist()], dtype=bool)
        proper: NDArray[np.bool_] = allowed[numbers]
        for kinds, squares in zip(positions.kinds.T, positions.squares.T, strict=True):
            proper &= self._homes[kinds, squares]
        return proper

    def _is_allowed(self, position: Position) -> bool:
        try:
            check_kinds(self.game, [kind for kind, _ in position.pieces])
        except NotationError:
            return False
        return True

    def values(self, positions: Mixed) -> Values:
        """Return the values of positions in which the game is not over."""
        count, width = positions.kinds.shape
        values = Values(np.zeros(count, np.int8), np.full(count, -1, np.int16), np.full(count, KNOWN, np.int32), [])
        first, numbers = self._numbered(positions)
        pieces = np.zeros((len(first), width), dtype=np.int64)
        images = np.tile(np.arange(SQUARES, dtype=np.int8), (len(first), 1))
        reasons, tables = np.full((2, len(first)), KNOWN)
        found: dict[tuple[Material, int], int] = {}
        for number, row in enumerate(first.tolist()):
            try:
                position = positions.position(row)
                address = self._address(material_of(self.game, position), position.side)
            except TablebaseError as error:
                reasons[number] = len(values.errors)
                values.errors.append(error)
                continue
            tables[number] = found.setdefault((address.material, address.side), len(found))
            pieces[number, : len(address.pieces)] = address.pieces
            images[number, : len(address.image)] = address.image
        values.reasons[:] = reasons[numbers]
        # The squares of each position in the order of the table that has it.
        slots = np.take_along_axis(positions.squares, pieces[numbers], axis=1)
        slots = images[numbers[:, None], slots]
        of_rows = tables[numbers].astype(np.int32)
        order = np.argsort(of_rows, kind="stable")
        _, *groups = np.split(order, np.searchsorted(of_rows[order], range(len(found))))
        for (material, side), rows in zip(found, groups, strict=True):
            self._look_up(material, side, rows, slots, values)
        return values

    def _look_up(self, material: Material, side: int, rows: Rows, slots: Int8, values: Values) -> None:
        try:
            table = self.store.table(self.game, material)
            codes = self.store.codes(table, side, table.layout.index_many(slots[rows, : material.pieces]))
        except TablebaseError as error:
            values.reasons[rows] = len(values.errors)
            values.errors.append(error)
            return
        outcomes, distances = by_code(table.coding)
        values.outcomes[rows], values.distances[rows] = outcomes[codes], distances[codes]

    def _numbered(self, positions: Mixed) -> tuple[Rows, Rows]:
        """The first position of each slice among these, and the place there of the slice of each position."""
        columns = [positions.sides, *positions.kinds.T]
        if self._tiered:
            levels = self._levels[positions.kinds, positions.squares]
            columns += [np.where(positions.kinds == kind, levels, 0).sum(axis=1) for kind in self._tiered]
        numbers, most = np.zeros(len(positions.sides), dtype=np.int64), 1
        for column in columns:
            base = int(column.max(initial=0)) + 1
            if most * base > LARGEST:
                numbers, most = np.unique(numbers, return_inverse=True)[1], len(numbers)
            numbers, most = numbers * base + column, most * base
        _, first, places = np.unique(numbers, return_index=True, return_inverse=True)
        return first, places
