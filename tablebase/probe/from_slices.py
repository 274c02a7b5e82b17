"""Values of pieces on squares: from the tables of slices."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tablebase.game import Game
from tablebase.game.capabilities import refuse
from tablebase.game.moves import Position
from tablebase.game.values import LOST, AnyValue, Value
from tablebase.positions.indexing import Squares
from tablebase.positions.location import Address, Location, locate
from tablebase.positions.material import Material, material_of
from tablebase.probe.slice_values import Slices, by_code
from tablebase.probe.source import Source
from tablebase.tables.folder import check_folder, slice_folder, table_path
from tablebase.tables.missing import missing_table
from tablebase.tables.store import Store
from tablebase.tables.values import Coding

if TYPE_CHECKING:
    from tablebase.probe.batch import Answers


class _Address(Address):
    """Look-up of a slice's positions, and the value of each code there, and of a move that leads to it."""

    def __init__(self, game: Game, location: Location, coding: Coding) -> None:
        super().__init__(game, location)
        self.values = [coding.value(code) for code in range(coding.void)]
        self.reached = [value.reversed.later for value in self.values]


class SliceSource(Source[Position]):
    """The tables of a game of pieces on squares."""

    def __init__(self, store: Store, game: Game) -> None:
        super().__init__(game)
        self.game, self.store = game, store
        self._addresses: dict[tuple[Material, int], _Address] = {}

    def require(self) -> None:
        """Raise `TablebaseError` if the folder has no tables of any game."""
        check_folder(self.store.folder, built=True)

    def value(self, position: Position, player: int) -> AnyValue:
        """Outcome and distance for a player; `MissingTableError` names the table that has not been built."""
        value = LOST if position.won else self.look_up(position)
        return value if player == position.side else value.reversed

    def reached(self, child: Position, player: int, before: AnyValue) -> AnyValue:
        """The child's value for the mover, a ply later."""
        del player, before
        if child.won:
            return LOST.reversed.later
        address, code = self._found(child)
        return address.reached[code]

    def look_up(self, position: Position) -> Value:
        """Outcome and distance, for the side to move, of a position in which the game is not over; errors are those of `value`."""
        address, code = self._found(position)
        return address.values[code]

    def values_at(self, material: Material, side: int, squares: Squares) -> tuple[NDArray[np.int8], NDArray[np.int16]]:
        """Outcomes (1, 0 or -1 for a win, draw or loss of the side to move) and distances (-1 for a draw) of many positions.

        The squares, which are not checked, have the shape (positions, pieces), in the order of `Material.kinds`. Errors are those
        of `value`.
        """
        address = self._address(material, side)
        table = self.store.table(self.game, address.material)
        codes = self.store.codes(table, address.side, address.index_many(squares))
        outcomes, distances = by_code(table.coding)
        return outcomes[codes], distances[codes]

    def many(self, asked: Sequence[str | Position], *, strict: bool = False, turns: int | None = None) -> Answers:
        """All values are looked up at once; `RulesError` if there are `turns`."""
        # Those who ask for one position load nothing of this.
        from tablebase.probe.batch import Answers

        refuse(self.rules, "chance", turns=turns)
        return Answers(self, self.slices, asked, strict=strict)

    @cached_property
    def slices(self) -> Slices:
        """Looks up many positions at once."""
        return Slices(self.store, self.game, self._address)

    def _found(self, position: Position) -> tuple[_Address, int]:
        address = self._address(material_of(self.game, position), position.side)
        return address, self.store.code(self.store.table(self.game, address.material), address.side, address.index(position))

    def _address(self, material: Material, side: int) -> _Address:
        """The address of a slice; `MissingTableError` names the material under its own name."""
        address = self._addresses.get((material, side))
        if address is not None:
            return address
        # Locating slices of many pieces is slow, and pointless if there are no tables.
        if slice_folder(self.store.folder, self.game, material.pieces).exists():
            location = locate(self.game, material, side)
            if table_path(self.store.folder, self.game, location.material).exists():
                coding = self.store.table(self.game, location.material).coding
                return self._addresses.setdefault((material, side), _Address(self.game, location, coding))
        raise missing_table(self.game, material, self.store.folder)
