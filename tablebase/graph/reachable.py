"""The positions that can be reached from one, as an explicit graph, for games that end.

Where the pieces of one side at least never come back, no position can occur twice in a game. Then the positions can
be put in an order in which every move leads ahead: by pieces, by how far the one-way pieces have come, and by
the side to move. A *stage* holds the positions that are equal in this; nodes are numbered stage by stage.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field, replace
from functools import cache
from math import ceil, log2

import numpy as np
from numpy.typing import NDArray

from tablebase.errors import CapacityError, TablebaseError
from tablebase.game import Game, Kind, Outcome
from tablebase.game.moves import Position
from tablebase.game.notation import check_pieces, parse
from tablebase.slices.conversions import ENDS, STAYS, slot_conversions
from tablebase.slices.indexing import Layout, Squares, layout_of
from tablebase.slices.material import Material, make_material, material_of
from tablebase.slices.movegen import Landing, MoveGenerator

BLOCK = 1 << 17
NODE_LIMIT = 1 << 31
INDEX_LIMIT = 1 << 63
GOES_ON, DRAWN = -2, -1
"""Results of positions; others are the side that has won."""

Nodes = NDArray[np.int32]
Numbers = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Moves:
    """Moves of different positions of a stage to positions of one other stage.

    Parameters
    ----------
    rows : ndarray of int32
        Which positions of the stage move, none twice.
    nodes : ndarray of int32
        Where to.
    """

    rows: Nodes
    nodes: Nodes


@dataclass(frozen=True)
class Stage:
    """Positions of one material, advance and side to move.

    Parameters
    ----------
    layout : Layout
        Of the game as `walked` or, for a final stage, `finished` sees it.
    side : int
        The side to move.
    final : bool
        Whether a move that ends the game led here: to a goal, or by taking the last piece.
    index : ndarray of int64
        The positions, ascending.
    first : int
        Node of the first of them; the others follow.
    result : ndarray of int8
        The side that has won, `DRAWN`, or `GOES_ON`.
    moves : list of Moves
        None of positions that are over.
    """

    layout: Layout
    side: int
    final: bool
    index: Numbers
    first: int
    result: NDArray[np.int8]
    moves: list[Moves] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.index)

    @property
    def nodes(self) -> slice:
        """Its nodes."""
        return slice(self.first, self.first + len(self))

    def squares(self) -> Squares:
        """The square of each slot of the layout, shape (positions, slots)."""
        return self.layout.squares_many(self.index)[0]


@dataclass(frozen=True)
class Graph:
    """All positions reachable from a start; every move leads to a later stage.

    Parameters
    ----------
    game : Game
    stages : list of Stage
        The first holds the start alone.
    """

    game: Game
    stages: list[Stage]

    def __len__(self) -> int:
        return sum(map(len, self.stages))

    def sides(self) -> NDArray[np.int8]:
        """The side to move at each node."""
        return np.concatenate([np.full(len(stage), stage.side, dtype=np.int8) for stage in self.stages])

    def results(self) -> NDArray[np.int8]:
        """At each node the side that has won, `DRAWN`, or `GOES_ON`."""
        return np.concatenate([stage.result for stage in self.stages])

    def node(self, position: Position) -> int:
        """The node of a position that can be reached and is not behind a move that has won.

        Raises
        ------
        KeyError
            If there is none.
        """
        material = material_of(walked(self.game), position)
        for stage in self.stages:
            if (stage.layout.material, stage.side, stage.final) == (material, position.side, False):
                index = stage.layout.index([position.pieces[piece][1] for piece in stage.layout.slots])
                row = int(np.searchsorted(stage.index, index))
                if row < len(stage) and stage.index[row] == index:
                    return stage.first + row
        raise KeyError(position)

    def position(self, node: int) -> Position:
        """The position of a node."""
        stage = next(one for one in self.stages if one.first <= node < one.first + len(one))
        found = stage.layout.position(int(stage.index[node - stage.first]), stage.side)
        assert found is not None
        return found


def one_way_sides(game: Game) -> tuple[int, ...]:
    """The sides of which no piece can come back to where it was."""
    return tuple(side for side in (0, 1) if all(kind.levels is not None for kind in game.kinds if kind.side == side))


def check_finite(game: Game) -> None:
    """Raise `TablebaseError` if a game may go on for ever, for all that can be told from its steps."""
    if not one_way_sides(game):
        raise TablebaseError(
            f"{game.name} can go on for ever, for both sides have pieces that can come back: its games cannot be counted"
        )
    for kind in game.kinds:
        ways = [(step.origin, step.target) for step in kind.steps]
        if len(set(ways)) < len(ways):
            raise TablebaseError(f"{game.name}: {kind.name} has two ways from a square to another, so its games cannot be counted")


def game_bits(game: Game, start: Position) -> int:
    """A number of bits that the number of games from a position cannot exceed."""
    check_finite(game)
    steps = [0, 0]
    for kind, _ in start.pieces:
        steps[game.side_of(kind)] += max((len(some) for some in game.kinds[kind].steps_from.values()), default=0)
    lasting = []
    for side in one_way_sides(game):
        own = [(game.kinds[kind], square) for kind, square in start.pieces if game.side_of(kind) == side]
        lasting.append(sum(_steps_left(kind, square) for kind, square in own))
    # A side moves at most once more than the other, and wins with one more step than there are levels.
    return ceil((min(lasting) + 1) * sum(log2(max(2, one)) for one in steps))


def _steps_left(kind: Kind, square: int) -> int:
    """More steps than a piece of a one-way kind can still take, or as many."""
    levels = kind.levels
    assert levels is not None
    return max(levels.values()) - levels[square]


@cache
def walked(game: Game) -> Game:
    """The rules without symmetries and with all one-way kinds tiered: each position stands for itself, in order."""
    kinds = tuple(replace(kind, tiered=kind.levels is not None) for kind in game.kinds)
    return replace(game, kinds=kinds, mirror=None, swap=None)


@cache
def finished(game: Game) -> Game:
    """The rules with goals as squares, to number positions in which the game has ended there."""
    kinds = []
    for kind in game.kinds:
        goals = {step.target for step in kind.steps if step.wins}
        kinds.append(replace(kind, squares=tuple(sorted({*kind.squares, *goals})), tiered=False))
    return replace(game, kinds=tuple(kinds), mirror=None, swap=None, escape=None)


_Key = tuple[bool, int, int, bool, Material, int]
"""Final or not, pieces taken, advance, the second side to move, material, side: in this order every move leads ahead."""


class _Walk:
    """A graph in the making."""

    def __init__(self, game: Game) -> None:
        check_finite(game)
        self.game, self.rules, self.ends = game, walked(game), finished(game)
        self.runs = 1 - one_way_sides(game)[0]
        self.arrivals: dict[_Key, list[tuple[int, Nodes, Numbers]]] = {}
        self.heap: list[_Key] = []
        self.stages: list[Stage] = []

    def key(self, material: Material, side: int, final: bool) -> _Key:
        return final, -material.pieces, sum(material.advance), side != self.runs, material, side

    def arrive(self, key: _Key, source: int, rows: Nodes, numbers: Numbers) -> None:
        """Note moves of a stage to positions behind a key."""
        if key not in self.arrivals:
            self.arrivals[key] = []
            heapq.heappush(self.heap, key)
        self.arrivals[key].append((source, rows, numbers))

    def open(self, key: _Key) -> Stage:
        """Make a stage of all that arrived there; nothing arrives later."""
        final, material, side = key[0], key[-2], key[-1]
        came = self.arrivals.pop(key)
        first = self.stages[-1].first + len(self.stages[-1]) if self.stages else 0
        index, inverse = np.unique(np.concatenate([numbers for _, _, numbers in came]), return_inverse=True)
        if first + len(index) > NODE_LIMIT:
            raise CapacityError(f"the graph of {self.game.name}", "take a smaller board", allowed=NODE_LIMIT, unit="positions")
        result = np.full(len(index), 1 - side if final else GOES_ON, dtype=np.int8)
        stage = Stage(layout_of(self.ends if final else self.rules, material), side, final, index, first, result)
        begin = 0
        for source, rows, numbers in came:
            if source >= 0:
                nodes = (first + inverse[begin : begin + len(numbers)]).astype(np.int32)
                self.stages[source].moves.append(Moves(rows, nodes))
            begin += len(numbers)
        self.stages.append(stage)
        return stage

    def expand(self, stage: Stage) -> None:
        """Follow all moves of a stage."""
        number = len(self.stages) - 1
        generator = MoveGenerator(stage.layout, stage.side)
        for begin in range(0, len(stage), BLOCK):
            squares = stage.layout.squares_many(stage.index[begin : begin + BLOCK])[0]
            going = ~generator.escaped(squares)
            stuck = np.ones(len(squares), dtype=bool)
            for landing in generator.landings(squares):
                stuck[landing.rows] = False
                stays = going[landing.rows]
                if stays.any():
                    rows = (begin + landing.rows[stays]).astype(np.int32)
                    key, numbers = self.child(stage, landing._replace(squares=landing.squares[stays]))
                    self.arrive(key, number, rows, numbers)
            self.end(stage.result[begin : begin + BLOCK], stage.side, stuck, ~going)

    def end(self, result: NDArray[np.int8], side: int, stuck: Flags, escaped: Flags) -> None:
        """Say who has won where the game is over."""
        if self.game.escape is not None:
            result[escaped] = self.game.side_of(self.game.by_symbol[self.game.escape.runner])
        result[stuck] = 1 - side if self.game.no_move is Outcome.LOSS else DRAWN

    def child(self, stage: Stage, landing: Landing) -> tuple[_Key, Numbers]:
        """Where a landing leads: the key of the stage, and indices."""
        material = stage.layout.material
        if landing.way == ENDS:
            rest = [slot for slot in range(material.pieces) if slot != landing.victim]
            kinds = [material.kinds[stage.layout.slots[slot]] for slot in rest]
            child = make_material(self.ends, tuple(kinds))
            order = [rest[i] for i in np.argsort(kinds, kind="stable")]
            there = _numbered(self.ends, child)
            return self.key(child, 1 - stage.side, True), there.index_many(landing.squares[:, order][:, there.slots])
        if landing.way == STAYS:
            return self.key(material, 1 - stage.side, False), stage.layout.index_many(landing.squares)
        way = slot_conversions(self.rules, material)[landing.way - 1]
        there = _numbered(self.rules, way.child)
        return self.key(way.child, way.side, False), there.index_many(landing.squares[:, way.rest][:, there.slots])


def _numbered(game: Game, material: Material) -> Layout:
    """The layout of a material, if its indices are not too large for arrays of integers."""
    found = layout_of(game, material)
    if found.size >= INDEX_LIMIT:
        raise CapacityError(
            f"the graph of {game.name}",
            "take a smaller board",
            needed=found.size,
            allowed=INDEX_LIMIT - 1,
            unit="indices in one slice",
        )
    return found


def reachable(game: Game, start: Position | None = None) -> Graph:
    """The graph of all positions that can be reached.

    Parameters
    ----------
    game : Game
    start : Position, optional
        By default the initial position.

    Raises
    ------
    TablebaseError
        If the game may go on for ever.
    NotationError
        If the start is no position.
    CapacityError
        If there are too many positions for a graph.
    """
    start = parse(game, game.start) if start is None else start
    check_pieces(game, start)
    walk = _Walk(game)
    material = material_of(walk.rules, start)
    own = _numbered(walk.rules, material)
    index = own.index([start.pieces[piece][1] for piece in own.slots])
    walk.arrive(walk.key(material, start.side, False), -1, np.zeros(1, dtype=np.int32), np.array([index]))
    while walk.heap:
        key = heapq.heappop(walk.heap)
        stage = walk.open(key)
        if not stage.final:
            walk.expand(stage)
    return Graph(game, walk.stages)
