"""Positions as text in questions: written out only for the rows that are left of a scan."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import duckdb
import pyarrow as pa
from duckdb.func import PythonUDFType

from tablebase.game import Game
from tablebase.material import Material, material_name
from tablebase.mining.columns import POSITION, Column, position_text
from tablebase.mining.scan import Scan

FUNCTION = "write_position"


class Writer:
    """Gives tables a column with the position as text.

    Parameters
    ----------
    game : Game
    materials : iterable of Material
        All that can occur.
    columns : dict of str to Column
        All columns that scans can have.
    """

    def __init__(self, game: Game, materials: Iterable[Material], columns: dict[str, Column]) -> None:
        self.game = game
        self.materials = {material_name(game, material): material for material in materials}
        self.sides = {side.letter: number for number, side in enumerate(game.sides)}
        self.squares = {name: number for number, name in enumerate(game.board.names)}
        pieces = max(material.pieces for material in self.materials.values())
        names = ["material", "side", *(f"p{number}_square" for number in range(1, pieces + 1))]
        self.sources = [columns[name] for name in names]
        """The columns of which a position is made up."""

    def register(self, connection: duckdb.DuckDBPyConnection, scans: dict[str, Scan]) -> None:
        """Make tables of scans, with the position."""
        material, side, *squares = (column.name for column in self.sources)
        types: list[Any] = ["VARCHAR", "VARCHAR", "VARCHAR[]"]
        connection.create_function(FUNCTION, self._texts, types, "VARCHAR", type=PythonUDFType.ARROW)
        written = f"{FUNCTION}({material}, {side}, [{', '.join(squares)}]) AS {POSITION}"
        for name, scan in scans.items():
            connection.register(f"scanned_{name}", scan)
            connection.execute(f"CREATE VIEW {name} AS SELECT *, {written} FROM scanned_{name}")

    def _texts(self, materials: pa.Array, sides: pa.Array, squares: pa.Array) -> pa.Array:
        rows = zip(materials.to_pylist(), sides.to_pylist(), squares.to_pylist(), strict=True)
        return pa.array([self._text(*row) for row in rows], type=pa.string())

    def _text(self, material: str, side: str, squares: list[str]) -> str:
        kinds = self.materials[material].kinds
        numbers = [self.squares[name] for name in squares[: len(kinds)]]
        return position_text(self.game, kinds, self.sides[side], numbers)
