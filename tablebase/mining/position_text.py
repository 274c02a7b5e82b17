"""Positions as text in questions: written out only for the rows that are left of a scan."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from duckdb.func import PythonUDFType
from numpy.typing import NDArray

from tablebase.game import Game
from tablebase.mining.columns import POSITION, Column, position_texts
from tablebase.mining.scan import Scan
from tablebase.slices.material import Material, material_name
from tablebase.slices.positions import Positions

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
        self.pieces = max(material.pieces for material in self.materials.values())
        names = ["material", "side", *(f"p{number}_square" for number in range(1, self.pieces + 1))]
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
        """Texts of rows, those of one slice at once."""
        slices = pc.binary_join_element_wise(_whole(materials), _whole(sides), " ").dictionary_encode()
        numbers = pc.index_in(_whole(squares).flatten(), value_set=pa.array(self.game.board.names))
        there = numbers.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int8).reshape(-1, self.pieces)
        which = slices.indices.to_numpy()
        order = np.argsort(which, kind="stable")
        rows = np.split(order, np.cumsum(np.bincount(which))[:-1])
        texts = [self._of_slice(name, there[some]) for name, some in zip(slices.dictionary.to_pylist(), rows, strict=True)]
        return pa.concat_arrays(texts).take(pa.array(np.argsort(order)))

    def _of_slice(self, name: str, squares: NDArray[np.int8]) -> pa.Array:
        material, side = name.split(" ")
        kinds = self.materials[material]
        return position_texts(Positions(self.game, kinds, self.sides[side], squares[:, : kinds.pieces]))


def _whole(values: pa.Array | pa.ChunkedArray) -> pa.Array:
    """An array in one piece."""
    return values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
