"""How soon the hounds of Fox & Hounds can force a FoxBox, and what the fox can still do about it.

B of a position is the number of plies in which the hounds can force a FoxBox that is won for them. The largest B that the
fox can still bring about, and the plies until then, are what Joe Leslie-Hurd's article *Fox & Hounds* calls max B and k.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from tablebase.features import Positions, Values
from tablebase.game import Game
from tablebase.graph.forcing import Later, NodeValues, Plies, best_later, mark, plies_to_force, solve
from tablebase.graph.reachable import reachable_from_all
from tablebase.graph.stages import NOWHERE, Graph
from tablebase_rules._foxboxes import foxbox

FOX, HOUNDS = 0, 1
LOST = -1
"""B, max B and k where the fox wins."""


class ForcedBoxes(NamedTuple):
    """B of all positions of a graph, and what becomes of it."""

    plies: Plies  # (nodes,) B; `UNFORCEABLE` where the fox wins
    later: Later  # the largest B that the fox can still bring about, and the plies until then


def forced_boxes(graph: Graph, values: NodeValues) -> ForcedBoxes:
    """Find FoxBoxes in a graph of Fox & Hounds, and what can be forced about them."""
    boxed = mark(graph, lambda squares: foxbox(graph.game, squares)) & (values.winner == HOUNDS)
    plies = plies_to_force(graph, HOUNDS, boxed)
    return ForcedBoxes(plies, best_later(graph, FOX, plies))


@lru_cache(maxsize=8)
def _known(game: Game, kinds: tuple[int, ...]) -> tuple[Graph, Values]:
    """All positions of these pieces, and B, max B and k of each node."""
    graph = reachable_from_all(game, kinds)
    values = solve(graph)
    boxes = forced_boxes(graph, values)
    columns = np.stack([boxes.plies, boxes.later.value, boxes.later.plies], axis=1)
    columns[values.winner != HOUNDS] = LOST
    # Moves are most of a graph, and not needed any more.
    return Graph(game, [replace(stage, edges=[]) for stage in graph.stages]), columns.astype(np.int16)


_asked: WeakKeyDictionary[Positions, Values] = WeakKeyDictionary()


def measures(positions: Positions) -> Values:
    """B, max B and k of each position, shape (positions, 3)."""
    if positions not in _asked:
        graph, columns = _known(positions.game, positions.kinds)
        nodes = graph.nodes(positions)
        _asked[positions] = np.where((nodes == NOWHERE)[:, None], LOST, columns[nodes])
    return _asked[positions]
