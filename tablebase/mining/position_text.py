"""Positions as text in queries, generated only for the rows that remain of a scan."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from duckdb.func import PythonUDFType
from numpy.typing import NDArray

from tablebase.game import Game
from tablebase.mining.board_text import MIRROR, TEXTS, TWIN, board_texts
from tablebase.mining.columns import Column
from tablebase.slices.material import Material, material_name
from tablebase.slices.positions import Positions


class PositionWriter:
    """Writes positions, and their images under the symmetries of the game, as text in statements.

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
        self.pieces = max(material.pieces for material in self.materials.values())
        names = ["material", "side", *(f"p{number}_square" for number in range(1, self.pieces + 1))]
        self.sources = [columns[name] for name in names]
        """The columns that a position is generated from."""

    def expression(self, name: str) -> str:
        """One of the columns `TEXTS` of a row of these columns, in SQL."""
        if (name == MIRROR and self.game.mirror is None) or (name == TWIN and self.game.swap is None):
            return "NULL::VARCHAR"
        material, side, *squares = (column.name for column in self.sources)
        return f"write_{name}({material}, {side}, [{', '.join(squares)}])"

    def register(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Create the functions that the expressions call."""
        types: list[Any] = ["VARCHAR", "VARCHAR", "VARCHAR[]"]
        for name in TEXTS:
            connection.create_function(f"write_{name}", partial(self._write, name), types, "VARCHAR", type=PythonUDFType.ARROW)

    def _write(self, text: str, materials: pa.Array, sides: pa.Array, squares: pa.Array) -> pa.Array:
        """Texts of rows, computed slice by slice."""
        slices = pc.binary_join_element_wise(_whole(materials), _whole(sides), " ").dictionary_encode()
        numbers = pc.index_in(_whole(squares).flatten(), value_set=pa.array(self.game.board.names))
        placements = numbers.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int8).reshape(-1, self.pieces)
        slice_numbers = slices.indices.to_numpy()
        order = np.argsort(slice_numbers, kind="stable")
        groups = np.split(order, np.cumsum(np.bincount(slice_numbers))[:-1])
        names = slices.dictionary.to_pylist()
        texts = [self._of_slice(text, name, placements[rows]) for name, rows in zip(names, groups, strict=True)]
        return pa.concat_arrays(texts).take(pa.array(np.argsort(order)))

    def _of_slice(self, text: str, name: str, squares: NDArray[np.int8]) -> pa.Array:
        material_text, side = name.split(" ")
        material = self.materials[material_text]
        return board_texts(text, Positions(self.game, material, self.sides[side], squares[:, : material.pieces]))


def _whole(values: pa.Array | pa.ChunkedArray) -> pa.Array:
    """An array in one piece."""
    return values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
