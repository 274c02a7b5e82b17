"""Values of all positions of a graph, from tables or without, and the positions that satisfy a predicate."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.graph.forcing import UNFORCEABLE, plies_to_force
from tablebase.graph.reachable import DRAWN, Flags, Graph, Stage
from tablebase.probe.prober import Prober
from tablebase.slices.indexing import Squares
from tablebase.slices.material import material_of


class NodeValues(NamedTuple):
    """Outcomes and distances of all nodes.

    Parameters
    ----------
    winner : ndarray of int8, shape (nodes,)
        The side that wins, -1 for a draw.
    distance : ndarray of int32, shape (nodes,)
        Plies to the result, -1 for a draw.
    """

    winner: NDArray[np.int8]
    distance: NDArray[np.int32]


def values(graph: Graph, prober: Prober) -> NodeValues:
    """The values of all positions of a graph, from tables.

    Raises
    ------
    MissingTableError
        If a table has not been built.
    """
    winner = np.full(len(graph), -1, dtype=np.int8)
    distance = np.full(len(graph), -1, dtype=np.int32)
    for stage in graph.stages:
        if stage.final:
            # The move that led here won.
            winner[stage.nodes], distance[stage.nodes] = 1 - stage.side, 0
        else:
            material = material_of(graph.game, graph.position(stage.first))
            outcomes, plies = prober.values_at(graph.game, material, stage.side, _squares_by_piece(stage))
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

    Parameters
    ----------
    graph : Graph
    predicate : callable
        Takes an array of squares, shape (positions, pieces), with pieces in the order of `Material.kinds`; called once
        for each stage.
    """
    marked = np.zeros(len(graph), dtype=bool)
    for stage in graph.stages:
        marked[stage.nodes] = predicate(_squares_by_piece(stage))
    return marked


def _squares_by_piece(stage: Stage) -> Squares:
    """The squares of a stage's positions, with a column for each piece instead of each slot."""
    squares = stage.squares()
    by_piece = np.empty_like(squares)
    by_piece[:, list(stage.layout.slots)] = squares
    return by_piece
