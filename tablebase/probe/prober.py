"""Values of positions, their moves, best first, and lines to the end, from the tables of a folder."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tablebase.errors import MissingTableError
from tablebase.game import Game, Outcome
from tablebase.game.moves import Position, legal_moves, play, wins_at_once
from tablebase.probe.answers import Probe, RatedMove
from tablebase.probe.mixed import Slices, by_code
from tablebase.slices.indexing import Squares
from tablebase.slices.location import Address, Location, locate
from tablebase.slices.material import Material, material_of
from tablebase.tables.choice import missing_table
from tablebase.tables.format import slice_folder, table_path
from tablebase.tables.store import Store
from tablebase.tables.values import Coding, Value

WIN_NOW = Value(Outcome.WIN, 1)


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
