"""The computer player of Joe Leslie-Hurd's article *Fox & Hounds*, which makes a game as long or as hard as possible.

B of a position is the number of plies in which the hounds can force a FoxBox that is won for them. Both sides keep the
best result they can attain. If the fox wins, both then take the longest way; if the hounds win, both take the largest B
that the fox can still bring about and, of equal ones, the soonest. All moves that are equal in this are kept.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tablebase.graph.forcing import Later, Measures, NodeValues, Plies, best_later, mark, plies_to_force, solve
from tablebase.graph.policies import Policy, chance_against, even_chance, keep_best, result_first
from tablebase.graph.reachable import Graph
from tablebase.play.fallible import FAIR, parse_fuzz
from tablebase.play.graph_player import GraphPlayer, graph_of
from tablebase.play.player import Seat
from tablebase_rules.foxhounds import foxbox

FOX, HOUNDS = 0, 1


@dataclass(frozen=True)
class FoxBoxes:
    """What the player knows of the positions of a graph."""

    graph: Graph
    values: NodeValues
    plies: Plies  # (nodes,) B; `UNFORCEABLE` where the hounds cannot force a FoxBox that they have won
    later: Later  # the largest B that the fox can still bring about, and the plies until then

    def scores(self, side: int) -> Measures:
        """How good it is for a side to have moved to each node."""
        winner = self.values.winner
        return result_first(side, winner, np.where(winner == FOX, self.values.distance, self.later.merit))

    def policy(self, side: int) -> Policy:
        """The moves that the player keeps on a side."""
        return keep_best(self.graph, side, self.scores(side))

    def fair_fuzz(self) -> float:
        """The fuzz at which a perfect opponent has an even chance from the start, on the side that loses under perfect play."""
        policy = self.policy(int(self.values.winner[0]))
        return even_chance(lambda fuzz: float(chance_against(policy, fuzz)[0]))


def fox_boxes(graph: Graph, values: NodeValues) -> FoxBoxes:
    """Find FoxBoxes in a graph of Fox & Hounds, and what can be forced about them; the values are those of tables or of `solve`.

    Examples
    --------
    >>> from tablebase.game import load_game
    >>> from tablebase.graph.reachable import reachable
    >>> graph = reachable(load_game("foxhounds-4x4"))
    >>> round(fox_boxes(graph, solve(graph)).fair_fuzz(), 6)
    0.095558
    """
    boxed = mark(graph, lambda squares: foxbox(graph.game, squares)) & (values.winner == HOUNDS)
    plies = plies_to_force(graph, HOUNDS, boxed)
    return FoxBoxes(graph, values, plies, best_later(graph, FOX, plies))


class FoxBoxPlayer(GraphPlayer):
    """Keeps the moves to the highest scores of `FoxBoxes`."""

    def __init__(self, boxes: FoxBoxes, fuzz: float = 0.0) -> None:
        erring = f" with fuzz {fuzz:.6g}" if fuzz else ""
        super().__init__(f"the FoxBox player{erring} plays", boxes.graph, fuzz)
        self._scores = [boxes.scores(side) for side in (FOX, HOUNDS)]

    def merit(self, node: int, side: int) -> int:
        """The score of a node."""
        return int(self._scores[side][node])


def make(seat: Seat, fuzz: float | str = 0.0) -> FoxBoxPlayer:
    """The player ``foxbox``; with the fuzz ``fair``, a perfect opponent has an even chance."""
    number = None if fuzz == FAIR else parse_fuzz(fuzz)
    graph = graph_of(seat)
    boxes = fox_boxes(graph, solve(graph))
    return FoxBoxPlayer(boxes, boxes.fair_fuzz() if number is None else number)
