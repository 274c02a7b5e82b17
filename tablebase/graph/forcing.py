"""Values of all positions of a graph, and what a side can force in it.

Analyses process the graph of `tablebase.graph.reachable` stage by stage from the end. The positions wanted and the measures
are arrays with an entry for each node, so they can be anything; see `tablebase_rules.foxhounds.foxbox` for an example.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.graph.stages import DRAWN, ONGOING, Flags, Graph, GraphStage
from tablebase.positions.indexing import Squares
from tablebase.positions.material import material_of
from tablebase.probe.prober import Prober

UNFORCEABLE = np.iinfo(np.int32).max
"""The number of plies if a position cannot be forced."""
PLIES_BITS = 16
"""The bits for plies when a measure and the plies until it are packed into one number."""

Plies = NDArray[np.int32]
Measures = NDArray[np.int64]


def plies_to_force(graph: Graph, side: int, wanted: Flags) -> Plies:
    """The number of plies in which a side can force a wanted position, for each node; `UNFORCEABLE` where it cannot.

    The side hurries and the other side delays. A wanted position counts as soon as it is reached.
    """
    plies = np.full(len(graph), UNFORCEABLE, dtype=np.int32)
    for stage in reversed(graph.stages):
        if stage.edges:
            reached = stage.best_after(plies, larger=stage.side != side)
            # Without a move, `reached` is negative or `UNFORCEABLE`: nothing can be forced once the game is over.
            plies[stage.nodes] = np.where((reached == UNFORCEABLE) | (reached < 0), UNFORCEABLE, reached + 1)
        plies[stage.nodes][wanted[stage.nodes]] = 0
    return plies


@dataclass(frozen=True)
class Later:
    """The best value of a measure that a side can still reach, and the plies until then, for each node."""

    merit: Measures  # (nodes,) grows with how good the pair is: a larger value, or the same value sooner

    @property
    def value(self) -> Measures:
        """The values."""
        return -(-self.merit >> PLIES_BITS)

    @property
    def plies(self) -> Measures:
        """Plies until then."""
        return (self.value << PLIES_BITS) - self.merit


def best_later(graph: Graph, side: int, measure: NDArray[np.integer]) -> Later:
    """For each node, the largest value of a measure that a side can reach there or later, against the other side's best play.

    The measure has the shape (nodes,), and is not negative.
    """
    merit = measure.astype(np.int64) << PLIES_BITS
    for stage in reversed(graph.stages):
        if stage.edges:
            reached = stage.best_after(merit, larger=stage.side == side)
            ongoing = stage.result == ONGOING
            stage_merit = merit[stage.nodes]
            # One ply later is slightly worse.
            stage_merit[ongoing] = np.maximum(stage_merit[ongoing], reached[ongoing] - 1)
    return Later(merit)


class NodeValues(NamedTuple):
    """Outcomes and distances of all nodes."""

    winner: NDArray[np.int8]  # (nodes,) the side that wins, -1 for a draw
    distance: NDArray[np.int32]  # (nodes,) plies to the result, -1 for a draw


def values(graph: Graph, prober: Prober) -> NodeValues:
    """The values of all positions of a graph, from tables; `MissingTableError` if one has not been built."""
    winner = np.full(len(graph), -1, dtype=np.int8)
    distance = np.full(len(graph), -1, dtype=np.int32)
    for stage in graph.stages:
        if stage.final:
            # The move that led here won.
            winner[stage.nodes], distance[stage.nodes] = 1 - stage.side, 0
        else:
            material = material_of(graph.game, graph.position(stage.first))
            outcomes, plies = prober.slices(graph.game).values_at(material, stage.side, _squares_by_piece(stage))
            winner[stage.nodes] = np.choose(outcomes + 1, [1 - stage.side, -1, stage.side])
            distance[stage.nodes] = plies
    return NodeValues(winner, distance)


def solve(graph: Graph) -> NodeValues:
    """The values of all positions of a graph, without tables: a side wins where it can force a position that it has won."""
    winner = np.full(len(graph), DRAWN, dtype=np.int8)
    distance = np.full(len(graph), -1, dtype=np.int32)
    results = graph.results()
    for side in (0, 1):
        plies = plies_to_force(graph, side, results == side)
        won = plies != UNFORCEABLE
        winner[won], distance[won] = side, plies[won]
    return NodeValues(winner, distance)


def mark(graph: Graph, predicate: Callable[[Squares], Flags]) -> Flags:
    """The nodes that satisfy a predicate, as a flag for each node.

    The predicate is called once for each stage, with an array of squares, shape (positions, pieces), with pieces in the order of
    `Material.kinds`.
    """
    marked = np.zeros(len(graph), dtype=bool)
    for stage in graph.stages:
        marked[stage.nodes] = predicate(_squares_by_piece(stage))
    return marked


def _squares_by_piece(stage: GraphStage) -> Squares:
    """The squares of a stage's positions, with a column for each piece instead of each slot."""
    squares = stage.squares()
    by_piece = np.empty_like(squares)
    by_piece[:, list(stage.layout.slots)] = squares
    return by_piece
