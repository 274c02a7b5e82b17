"""What can be forced, and how a fallible player fares: analyses of all positions that a start leads to.

They work on the graph of `tablebase.graph.reachable`, stage by stage from the end, with values taken from tables. A measure or
a policy is an array with an entry for each node, so any question that can be put as one is open to them. Of their
uses, Fox & Hounds' FoxBox is in `rules.foxhounds`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tablebase.graph.reachable import GOES_ON, Flags, Graph

UNFORCEABLE = np.iinfo(np.int32).max
"""Plies to what cannot be forced."""
PLIES_BITS = 16
"""Of a measure and the plies until then in one number."""

Plies = NDArray[np.int32]
Measures = NDArray[np.int64]


def plies_to_force(graph: Graph, side: int, wanted: Flags) -> Plies:
    """In how many plies a side can force a position that is wanted; `UNFORCEABLE` where it cannot.

    The side hurries and the other delays. A position that is wanted counts as soon as it is reached.
    """
    found = np.full(len(graph), UNFORCEABLE, dtype=np.int32)
    for stage in reversed(graph.stages):
        if stage.moves:
            best, start = (np.minimum, UNFORCEABLE) if stage.side == side else (np.maximum, -1)
            plies = np.full(len(stage), start, dtype=np.int32)
            for some in stage.moves:
                plies[some.rows] = best(plies[some.rows], found[some.nodes])
            # No moves, no plies: a position that is over forces nothing.
            found[stage.nodes] = np.where((plies == UNFORCEABLE) | (plies < 0), UNFORCEABLE, plies + 1)
        found[stage.nodes][wanted[stage.nodes]] = 0
    return found


@dataclass(frozen=True)
class Later:
    """The best of a measure that a side can still reach, and in how many plies, for each node.

    Parameters
    ----------
    merit : ndarray of int64
        Grows with how good the pair is: a larger value, or as large a one sooner.
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
    """The larger of a measure here and what a side can still reach, the other side playing against it.

    Parameters
    ----------
    graph : Graph
    side : int
        Who maximises.
    measure : ndarray of int, shape (nodes,)
        None negative.
    """
    merit = measure.astype(np.int64) << PLIES_BITS
    for stage in reversed(graph.stages):
        if stage.moves:
            best, start = (np.maximum, -1) if stage.side == side else (np.minimum, np.iinfo(np.int64).max)
            reached = np.full(len(stage), start, dtype=np.int64)
            for some in stage.moves:
                reached[some.rows] = best(reached[some.rows], merit[some.nodes])
            going = stage.result == GOES_ON
            own = merit[stage.nodes]
            # A ply later is a little worse.
            own[going] = np.maximum(own[going], reached[going] - 1)
    return Later(merit)
