"""Graphs of the positions of a game that must end, stage by stage.

If the pieces of at least one side never return to a square, no position can occur twice in a game. The positions can
then be ordered so that every move leads ahead: by number of pieces, by how far the one-way pieces have advanced, and by
side to move. A *stage* holds the positions that are equal in all of these; nodes are numbered stage by stage.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tablebase.game import Game
from tablebase.game.moves import Position
from tablebase.positions.indexing import Layout, Squares
from tablebase.positions.material import Material, levels_of, make_material, material_of, tiered_kinds
from tablebase.positions.position_arrays import Positions

ONGOING, DRAWN = -2, -1
"""Results of positions; other results are the side that has won."""
NOWHERE = -1
"""The node of a position that a graph does not have."""

Nodes = NDArray[np.int32]
Indices = NDArray[np.int64]
Flags = NDArray[np.bool_]
Number = TypeVar("Number", bound=np.number[Any])


@dataclass(frozen=True)
class Edges:
    """Moves from different positions of a stage to positions of one other stage."""

    rows: Nodes  # the positions of the stage that have a move, without repetition
    nodes: Nodes  # the nodes that the moves lead to


@dataclass(frozen=True)
class GraphStage:
    """Positions of one material, advance and side to move."""

    layout: Layout  # of the game as `unfolded` returns it or, for a final stage, as `with_goals` does
    side: int  # the side to move
    final: bool  # whether a move that wins led here: to a goal, or by capturing the last piece
    index: Indices  # the positions, ascending
    first: int  # node of the first position; the others follow
    result: NDArray[np.int8]  # the side that has won, `DRAWN`, or `ONGOING`
    edges: list[Edges] = field(default_factory=list)  # all moves; positions in which the game is over have no moves

    def __len__(self) -> int:
        return len(self.index)

    @property
    def nodes(self) -> slice:
        """Its nodes."""
        return slice(self.first, self.first + len(self))

    def squares(self) -> Squares:
        """The square of each slot of the layout, shape (positions, slots)."""
        return self.layout.squares_many(self.index)[0]

    def best_after(self, values: NDArray[Number], larger: bool) -> NDArray[Number]:
        """The largest, or else the smallest, of the values of the nodes that each position leads to.

        Without a move, the least or the largest number of this type.
        """
        kind: Any = np.iinfo(values.dtype) if values.dtype.kind == "i" else np.finfo(values.dtype)
        best, worst = (np.maximum, kind.min) if larger else (np.minimum, kind.max)
        found = np.full(len(self), worst, dtype=values.dtype)
        for edges in self.edges:
            found[edges.rows] = best(found[edges.rows], values[edges.nodes])
        return found


@dataclass(frozen=True)
class Graph:
    """All positions reachable from a start; every move leads to a later stage."""

    game: Game
    stages: list[GraphStage]  # the first stage of what is reachable from a start holds only the start

    def __len__(self) -> int:
        return sum(map(len, self.stages))

    def results(self) -> NDArray[np.int8]:
        """The side that has won at each node, `DRAWN`, or `ONGOING`."""
        return np.concatenate([stage.result for stage in self.stages])

    def node(self, position: Position, *, final: bool = False) -> int:
        """The node of a reachable position; `final` for one that a winning move leads to. `KeyError` if there is none."""
        material = material_of(with_goals(self.game) if final else unfolded(self.game), position)
        for stage in self.stages:
            if (stage.layout.material, stage.side, stage.final) == (material, position.side, final):
                # Players look up the children of a position one by one, for which arrays take seven times as long.
                index = stage.layout.index([position.pieces[piece][1] for piece in stage.layout.slots])
                row = int(np.searchsorted(stage.index, index))
                if row < len(stage) and stage.index[row] == index:
                    return stage.first + row
        raise KeyError(position)

    def nodes(self, positions: Positions) -> Nodes:
        """The node of each position; `NOWHERE` if it cannot be reached."""
        found = np.full(len(positions), NOWHERE, dtype=np.int32)
        for material, rows in _by_material(unfolded(self.game), positions):
            for stage in self.stages:
                if (stage.layout.material, stage.side, stage.final) == (material, positions.side, False):
                    of_slots = positions.squares[rows][:, list(stage.layout.slots)]
                    near = np.minimum(np.searchsorted(stage.index, stage.layout.index_many(of_slots)), len(stage) - 1)
                    # A square on which a piece cannot stand has the index of another position.
                    is_there = (stage.layout.squares_many(stage.index[near])[0] == of_slots).all(axis=1)
                    found[rows] = np.where(is_there, stage.first + near, NOWHERE)
        return found

    def children(self, position: Position) -> dict[str, int]:
        """The node that each move of a position leads to, sorted by move; `KeyError` if the position cannot be reached."""
        return {move: self.node(child, final=bool(child.won)) for move, child in self.game.moves(position).items()}

    def position(self, node: int) -> Position:
        """The position of a node."""
        stage = next(stage for stage in self.stages if stage.first <= node < stage.first + len(stage))
        position = stage.layout.position(int(stage.index[node - stage.first]), stage.side)
        assert position is not None
        return position


@cache
def unfolded(game: Game) -> Game:
    """The rules without symmetries and with all one-way kinds tiered, so that each position stands only for itself."""
    kinds = tuple(replace(kind, tiered=kind.levels is not None) for kind in game.kinds)
    return replace(game, kinds=kinds, mirror=None, swap=None)


@cache
def with_goals(game: Game) -> Game:
    """The rules with goals as squares, so that positions after a winning step can be numbered."""
    kinds = []
    for kind in game.kinds:
        goals = {step.target for step in kind.steps if step.wins}
        kinds.append(replace(kind, squares=tuple(sorted({*kind.squares, *goals})), tiered=False))
    return replace(game, kinds=tuple(kinds), mirror=None, swap=None, escape=None)


def _by_material(game: Game, positions: Positions) -> Iterator[tuple[Material, Indices]]:
    """The materials of positions under rules that tier all one-way kinds, and the rows that have each."""
    kinds = np.array(positions.kinds)
    advances = np.zeros((len(positions), 0), dtype=np.int64)
    for kind in tiered_kinds(game, positions.kinds):
        levels = np.array([levels_of(game, kind).get(square, 0) for square in range(len(game.board))])
        advances = np.column_stack([advances, levels[positions.squares[:, kinds == kind]].sum(axis=1)])
    each, rows = np.unique(advances, axis=0, return_inverse=True)
    for number, advance in enumerate(each.tolist()):
        yield make_material(game, positions.kinds, tuple(advance)), np.flatnonzero(rows.ravel() == number)
