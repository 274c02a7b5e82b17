"""What a side can force: analyses of all positions that are reachable from a start.

They process the graph of `tablebase.graph.reachable` stage by stage from the end. The positions wanted and the measures
are arrays with an entry for each node, so they can be anything; see `tablebase_rules.foxhounds.foxbox` for an example.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tablebase.graph.reachable import ONGOING, Flags, Graph

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
            best, start = (np.minimum, UNFORCEABLE) if stage.side == side else (np.maximum, -1)
            reached = np.full(len(stage), start, dtype=np.int32)
            for edges in stage.edges:
                reached[edges.rows] = best(reached[edges.rows], plies[edges.nodes])
            # Without a move, `reached` keeps its start value: nothing can be forced once the game is over.
            plies[stage.nodes] = np.where((reached == UNFORCEABLE) | (reached < 0), UNFORCEABLE, reached + 1)
        plies[stage.nodes][wanted[stage.nodes]] = 0
    return plies


@dataclass(frozen=True)
class Later:
    """The best value of a measure that a side can still reach, and the plies until then, for each node.

    Parameters
    ----------
    merit : ndarray of int64, shape (nodes,)
        Grows with how good the pair is: a larger value, or the same value sooner.
    """

    merit: Measures

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

    Parameters
    ----------
    graph : Graph
    side : int
        The side that maximises.
    measure : ndarray of int, shape (nodes,)
        Not negative.
    """
    merit = measure.astype(np.int64) << PLIES_BITS
    for stage in reversed(graph.stages):
        if stage.edges:
            best, start = (np.maximum, -1) if stage.side == side else (np.minimum, np.iinfo(np.int64).max)
            reached = np.full(len(stage), start, dtype=np.int64)
            for edges in stage.edges:
                reached[edges.rows] = best(reached[edges.rows], merit[edges.nodes])
            ongoing = stage.result == ONGOING
            stage_merit = merit[stage.nodes]
            # One ply later is slightly worse.
            stage_merit[ongoing] = np.maximum(stage_merit[ongoing], reached[ongoing] - 1)
    return Later(merit)
