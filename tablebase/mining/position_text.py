"""Positions as text in queries, generated only for the rows that remain of a scan."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from duckdb.func import PythonUDFType
from numpy.typing import NDArray

from tablebase.game import Game
from tablebase.mining.arrow_arrays import array_of, array_of_words, numbers_of, whole
from tablebase.mining.board_text import MIRROR, TEXTS, TWIN, board_texts, child_texts
from tablebase.mining.column import Column, words_array
from tablebase.mining.move_columns import CHILD, ENDS, ORIGIN, TARGET
from tablebase.slices.material import Material, material_name
from tablebase.slices.mixed import Positions

SPACE = array_of_words([" "])[0]
Texts = Callable[..., pa.Array]


class PositionWriter:
    """Writes positions, and their images under the symmetries of the game, as text in statements.

    It needs all materials that can occur, and all columns that scans of positions, and of moves, can have.
    """

    def __init__(
        self, game: Game, materials: Iterable[Material], positions: Mapping[str, Column], moves: Mapping[str, Column]
    ) -> None:
        self.game = game
        self.materials = {material_name(game, material): material for material in materials}
        self.sides = {side.letter: number for number, side in enumerate(game.sides)}
        self.pieces = max(material.pieces for material in self.materials.values())
        names = ["material", "side", *(f"p{number}_square" for number in range(1, self.pieces + 1))]
        self._placement = [positions[name] for name in names]
        self._move = [moves[name] for name in (ORIGIN, TARGET, ENDS)]

    def sources(self, name: str) -> list[Column]:
        """The columns that a text is generated from."""
        return self._placement + (self._move if name == CHILD else [])

    def expression(self, name: str) -> str:
        """A text of a row of these columns, in SQL."""
        if (name == MIRROR and self.game.mirror is None) or (name == TWIN and self.game.swap is None):
            return "NULL::VARCHAR"
        material, side, *squares = (column.name for column in self._placement)
        placement = f"{material}, {side}, [{', '.join(squares)}]"
        if name == CHILD:
            return f"CASE WHEN {ENDS} THEN NULL ELSE write_{CHILD}({placement}, {ORIGIN}, {TARGET}) END"
        return f"write_{name}({placement})"

    def register(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Create the functions that the expressions call."""
        types: list[Any] = ["VARCHAR", "VARCHAR", "VARCHAR[]"]
        for name in TEXTS:
            function = self._function(partial(board_texts, name))
            connection.create_function(f"write_{name}", function, types, "VARCHAR", type=PythonUDFType.ARROW)

        def write_child(materials: pa.Array, sides: pa.Array, squares: pa.Array, origins: pa.Array, targets: pa.Array) -> pa.Array:
            return self._write(child_texts, materials, sides, squares, origins, targets)

        types += ["VARCHAR", "VARCHAR"]
        connection.create_function(f"write_{CHILD}", write_child, types, "VARCHAR", type=PythonUDFType.ARROW)

    def _function(self, text: Texts) -> Callable[[pa.Array, pa.Array, pa.Array], pa.Array]:
        """A function that DuckDB can call; it counts the parameters."""
        return lambda materials, sides, squares: self._write(text, materials, sides, squares)

    def _write(self, text: Texts, materials: pa.Array, sides: pa.Array, squares: pa.Array, *ways: pa.Array) -> pa.Array:
        """Texts of rows, computed slice by slice; `text` takes positions, and the squares between which pieces move."""
        slices = pc.binary_join_element_wise(whole(materials), whole(sides), SPACE).dictionary_encode()
        placements = self._numbers(whole(squares).flatten()).reshape(-1, self.pieces)
        moved = [self._numbers(whole(way)) for way in ways]
        slice_numbers = numbers_of(slices.indices)
        order = np.argsort(slice_numbers, kind="stable")
        groups = np.split(order, np.cumsum(np.bincount(slice_numbers))[:-1])
        names = slices.dictionary.to_pylist()
        texts = [
            text(self._positions(name, placements[rows]), *(way[rows] for way in moved))
            for name, rows in zip(names, groups, strict=True)
        ]
        return pa.concat_arrays(texts).take(array_of(np.argsort(order)))

    def _numbers(self, squares: pa.Array) -> NDArray[np.int8]:
        """Numbers of squares given by name; 0 for none."""
        numbers = pc.index_in(squares, value_set=words_array(tuple(self.game.board.names)))
        return numbers_of(numbers).astype(np.int8)

    def _positions(self, name: str, squares: NDArray[np.int8]) -> Positions:
        """Positions of a slice that is named by its material and side to move."""
        material_text, side = name.split(" ")
        material = self.materials[material_text]
        return Positions(self.game, material, self.sides[side], squares[:, : material.pieces])
