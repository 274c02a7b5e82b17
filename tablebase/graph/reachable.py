"""The graph of all positions that are reachable from a start, or from all placements of some pieces, for games that must end."""

from __future__ import annotations

import heapq
from math import ceil, log2
from typing import NamedTuple

import numpy as np

from tablebase.errors import CapacityError, TablebaseError
from tablebase.game import Game, Outcome
from tablebase.game.moves import Position
from tablebase.game.notation import check_pieces, parse
from tablebase.graph.stages import DRAWN, ONGOING, Edges, Graph, GraphStage, Indices, Nodes, unfolded, with_goals
from tablebase.positions.conversions import ENDS, STAYS, slot_conversions
from tablebase.positions.indexing import Layout, layout_of
from tablebase.positions.material import Material, advances_of, make_material, material_of
from tablebase.positions.movegen import MoveBatch, MoveGenerator

BLOCK = 1 << 17
NODE_LIMIT = 1 << 31
INDEX_LIMIT = 1 << 63


def one_way_sides(game: Game) -> tuple[int, ...]:
    """The sides whose pieces can never return to a square."""
    return tuple(side for side in (0, 1) if all(kind.levels is not None for kind in game.kinds if kind.side == side))


def check_finite(game: Game) -> None:
    """Raise `TablebaseError` unless the steps of a game show that it must end and that its games can be counted."""
    if not one_way_sides(game):
        raise TablebaseError(f"games of {game.name} may never end, because pieces of both sides can move back: choose another game")
    for kind in game.kinds:
        moves = [(step.origin, step.target) for step in kind.steps]
        if len(set(moves)) < len(moves):
            raise TablebaseError(
                f"cannot count the games of {game.name}, because the {kind.name} has two ways to move between the same squares"
            )


def game_bits(game: Game, start: Position) -> int:
    """An upper bound of the number of bits in the number of games from a position."""
    check_finite(game)
    most_steps = [0, 0]
    for kind, _ in start.pieces:
        most_steps[game.side_of(kind)] += max((len(steps) for steps in game.kinds[kind].steps_from.values()), default=0)
    steps_left = []
    for side in one_way_sides(game):
        levels = [(game.kinds[kind].levels or {}, square) for kind, square in start.pieces if game.side_of(kind) == side]
        steps_left.append(sum(max(of_square.values()) - of_square[square] for of_square, square in levels))
    # A side moves at most once more than the other, and wins with one more step than there are levels.
    return ceil((min(steps_left) + 1) * sum(log2(max(2, steps)) for steps in most_steps))


class _Key(NamedTuple):
    """Key common to the positions of a stage; every move leads to a larger one."""

    final: bool
    captured: int  # minus the number of pieces
    advance: int
    runner_moved: bool
    material: Material
    side: int


class _Arrival(NamedTuple):
    source: int  # number of the stage; -1 for the start
    rows: Nodes
    indices: Indices


class _Builder:
    def __init__(self, game: Game, limit: int) -> None:
        check_finite(game)
        self.limit = limit
        self.game, self.unfolded, self.with_goals = game, unfolded(game), with_goals(game)
        self.runner_side = 1 - one_way_sides(game)[0]
        self.arrivals: dict[_Key, list[_Arrival]] = {}
        self.heap: list[_Key] = []
        self.stages: list[GraphStage] = []

    def begin(self, material: Material, side: int, indices: Indices) -> None:
        """Add positions to begin with."""
        self.arrive(self.key(material, side, False), _Arrival(-1, np.zeros(len(indices), dtype=np.int32), indices))

    def graph(self) -> Graph:
        """The graph of what is reachable from the positions to begin with."""
        while self.heap:
            stage = self.add_stage(heapq.heappop(self.heap))
            if not stage.final:
                self.expand(stage)
        return Graph(self.game, self.stages)

    def key(self, material: Material, side: int, final: bool) -> _Key:
        """The key of the stage that these positions belong to."""
        return _Key(final, -material.pieces, sum(material.advance), side != self.runner_side, material, side)

    def arrive(self, key: _Key, arrival: _Arrival) -> None:
        """Add moves to positions of the stage with this key."""
        if key not in self.arrivals:
            self.arrivals[key] = []
            heapq.heappush(self.heap, key)
        self.arrivals[key].append(arrival)

    def check_room(self, positions: int) -> None:
        """Refuse more positions than the graph may have."""
        if positions > self.limit:
            raise CapacityError(f"the graph of {self.game.name}", "choose a smaller board", allowed=self.limit, unit="positions")

    def add_stage(self, key: _Key) -> GraphStage:
        """Make the stage of all arrivals with a key; there will be no later ones."""
        arrivals = self.arrivals.pop(key)
        first = self.stages[-1].first + len(self.stages[-1]) if self.stages else 0
        index, inverse = np.unique(np.concatenate([arrival.indices for arrival in arrivals]), return_inverse=True)
        self.check_room(first + len(index))
        result = np.full(len(index), 1 - key.side if key.final else ONGOING, dtype=np.int8)
        layout = layout_of(self.with_goals if key.final else self.unfolded, key.material)
        stage = GraphStage(layout, key.side, key.final, index, first, result)
        begin = 0
        for arrival in arrivals:
            end = begin + len(arrival.indices)
            if arrival.source >= 0:
                nodes = (first + inverse[begin:end]).astype(np.int32)
                self.stages[arrival.source].edges.append(Edges(arrival.rows, nodes))
            begin = end
        self.stages.append(stage)
        return stage

    def expand(self, stage: GraphStage) -> None:
        """Follow all moves of the newest stage, and set its results."""
        number = len(self.stages) - 1
        generator = MoveGenerator(stage.layout, stage.side)
        for begin in range(0, len(stage), BLOCK):
            squares = stage.layout.squares_many(stage.index[begin : begin + BLOCK])[0]
            ongoing = ~generator.escaped(squares)
            stuck = np.ones(len(squares), dtype=bool)
            for batch in generator.moves(squares):
                stuck[batch.rows] = False
                legal = ongoing[batch.rows]
                if legal.any():
                    rows = (begin + batch.rows[legal]).astype(np.int32)
                    key, indices = self.child(stage, batch._replace(squares=batch.squares[legal]))
                    self.arrive(key, _Arrival(number, rows, indices))
            result = stage.result[begin : begin + BLOCK]
            if self.game.runner_side is not None:
                result[~ongoing] = self.game.runner_side
            result[stuck] = 1 - stage.side if self.game.no_move is Outcome.LOSS else DRAWN

    def child(self, stage: GraphStage, batch: MoveBatch) -> tuple[_Key, Indices]:
        """The key of the stage that a batch of moves leads to, and the indices of the positions there."""
        material = stage.layout.material
        if batch.destination == ENDS:
            rest = [slot for slot in range(material.pieces) if slot != batch.victim]
            kinds = [material.kinds[stage.layout.slots[slot]] for slot in rest]
            child = make_material(self.with_goals, tuple(kinds))
            order = [rest[i] for i in np.argsort(kinds, kind="stable")]
            layout = _small_layout(self.with_goals, child)
            return self.key(child, 1 - stage.side, True), layout.index_many(batch.squares[:, order][:, layout.slots])
        if batch.destination == STAYS:
            return self.key(material, 1 - stage.side, False), stage.layout.index_many(batch.squares)
        conversion = slot_conversions(self.unfolded, material)[batch.destination - 1]
        layout = _small_layout(self.unfolded, conversion.child)
        squares = batch.squares[:, conversion.rest][:, layout.slots]
        return self.key(conversion.child, conversion.side, False), layout.index_many(squares)


def reachable(game: Game, start: Position | None = None, limit: int = NODE_LIMIT) -> Graph:
    """The graph of all positions that are reachable from a start, by default the initial position.

    Raise `TablebaseError` if the game may never end, `NotationError` if the start is not a position of the game, or `CapacityError`
    if the graph has more positions than `limit`, which is at most `NODE_LIMIT`.
    """
    start = parse(game, game.start) if start is None else start
    check_pieces(game, start)
    builder = _Builder(game, limit)
    material = material_of(builder.unfolded, start)
    layout = _small_layout(builder.unfolded, material)
    builder.begin(material, start.side, np.array([layout.index([start.pieces[piece][1] for piece in layout.slots])]))
    return builder.graph()


def reachable_from_all(game: Game, kinds: tuple[int, ...], limit: int = NODE_LIMIT) -> Graph:
    """The graph of all placements of these pieces with either side to move, and of what is reachable from them.

    `kinds` has the kind of each piece, ascending; the limit and the errors are those of `reachable`.
    """
    builder = _Builder(game, limit)
    for advance in advances_of(builder.unfolded, kinds):
        material = make_material(builder.unfolded, kinds, advance)
        layout = _small_layout(builder.unfolded, material)
        builder.check_room(layout.size)
        index = np.arange(layout.size, dtype=np.int64)
        placed = index[layout.squares_many(index)[1]]
        for side in (0, 1):
            if len(placed):
                builder.begin(material, side, placed)
    return builder.graph()


def _small_layout(game: Game, material: Material) -> Layout:
    """The layout of a material; `CapacityError` if its indices exceed 64-bit integers."""
    layout = layout_of(game, material)
    if layout.size >= INDEX_LIMIT:
        raise CapacityError(
            f"the graph of {game.name}",
            "choose a smaller board",
            needed=layout.size,
            allowed=INDEX_LIMIT - 1,
            unit="indices in one slice",
        )
    return layout
