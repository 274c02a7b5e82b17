"""Values of all positions of a graph, from tables; positions that satisfy a predicate."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.graph.forcing import Plies
from tablebase.graph.reachable import Flags, Graph, Stage
from tablebase.probe.prober import Tablebase
from tablebase.slices.indexing import Squares
from tablebase.slices.material import material_name, material_of


class Values(NamedTuple):
    """Outcomes and distances of all nodes.

    Parameters
    ----------
    winner : ndarray of int8
        The side that wins, -1 for a draw.
    distance : ndarray of int32
        Plies to the result, -1 for a draw.
    """

    winner: NDArray[np.int8]
    distance: Plies


def values(graph: Graph, tables: Tablebase) -> Values:
    """Look all positions of a graph up.

    Raises
    ------
    MissingTableError
        If a table has not been built.
    """
    winner = np.full(len(graph), -1, dtype=np.int8)
    distance = np.full(len(graph), -1, dtype=np.int32)
    for stage in graph.stages:
        if stage.final:
            # The move that led here has won.
            winner[stage.nodes], distance[stage.nodes] = 1 - stage.side, 0
        else:
            outcomes, plies = _look_up(graph, stage, tables)
            winner[stage.nodes] = np.choose(outcomes + 1, [1 - stage.side, -1, stage.side])
            distance[stage.nodes] = plies
    return Values(winner, distance)


def _look_up(graph: Graph, stage: Stage, tables: Tablebase) -> tuple[NDArray[np.int8], NDArray[np.int16]]:
    """Outcomes and distances of a stage's positions."""
    squares = stage.squares()
    by_piece = np.empty_like(squares)
    by_piece[:, list(stage.layout.slots)] = squares
    name = material_name(graph.game, material_of(graph.game, graph.position(stage.first)))
    return tables.probe_squares(graph.game, name, stage.side, by_piece)


def mark(graph: Graph, predicate: Callable[[Squares], Flags]) -> Flags:
    """The nodes of which a predicate holds.

    Parameters
    ----------
    graph : Graph
    predicate : callable
        Of an array of squares, shape (positions, pieces), the pieces in the order of `Material.kinds`; called
        once for each stage.
    """
    found = np.zeros(len(graph), dtype=bool)
    for stage in graph.stages:
        squares = stage.squares()
        by_piece = np.empty_like(squares)
        by_piece[:, list(stage.layout.slots)] = squares
        found[stage.nodes] = predicate(by_piece)
    return found
