"""Tables in memory, solved when a test first asks for them."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from tablebase.game import Game
from tablebase.game.moves import Position
from tablebase.positions.indexing import layout_of
from tablebase.positions.location import locate, sides_stored
from tablebase.positions.material import Material, material_of
from tablebase.solvers.registry import find_solver, solve_material
from tablebase.tables.values import Codes, Coding, Value


class Tables:
    """All tables of a game by one engine; those that it cannot solve, by the reference engine."""

    def __init__(self, game: Game, engine: str) -> None:
        self.game = game
        self.engine = engine
        self.done: dict[Material, tuple[list[Codes], Coding]] = {}

    def table(self, material: Material) -> tuple[list[Codes], Coding]:
        """Codes of each stored side and their coding."""
        if material not in self.done:
            solver = find_solver(self.engine)
            able = solver is not None and solver.refuses(self.game, material) is None
            codes, coding, _ = solve_material(self.game, material, self.load, self.engine if able else "reference")
            self.done[material] = [np.asarray(source) for source in codes], coding
        return self.done[material]

    def load(self, material: Material, side: int) -> tuple[Codes, Coding]:
        """Codes of one side to move, as engines ask for them."""
        codes, coding = self.table(material)
        return codes[sides_stored(self.game, material).index(side)], coding

    def value(self, position: Position) -> Value:
        """The value of a position, wherever it is stored."""
        way = locate(self.game, material_of(self.game, position), position.side)
        squares = [position.pieces[piece][1] for piece in way.pairing]
        if way.swapped:
            assert self.game.swap is not None
            squares = [self.game.swap[square] for square in squares]
        home = layout_of(self.game, way.material)
        codes, coding = self.load(way.material, way.side)
        return coding.value(int(codes[home.index([squares[piece] for piece in home.slots])]))

    def counts(self, material: Material, side: int) -> NDArray[np.int64]:
        """How many placements of a material have each code, mirror images counted."""
        way = locate(self.game, material, side)
        home = layout_of(self.game, way.material)
        codes, coding = self.load(way.material, way.side)
        weights = home.weights_many(np.arange(home.size))
        return np.bincount(codes, weights=weights, minlength=coding.void + 1).astype(np.int64)


Solved = Callable[..., Tables]
