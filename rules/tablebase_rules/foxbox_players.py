"""The computer player of Joe Leslie-Hurd's article *Fox & Hounds*, which makes a game as long or as hard as possible.

Both sides keep the best result they can attain. If the fox wins, both then take the longest way; if the hounds win, both
take the largest B that the fox can still force and, of equal ones, the soonest. Simple hounds, a strategy of the same article,
return to a FoxBox as soon as they can. All moves that are equal in this are kept. `tablebase_rules.foxhounds_boxes` defines B.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

import numpy as np

from tablebase.game.moves import Position
from tablebase.graph.forcing import Later, Measures, NodeValues, Plies, solve
from tablebase.graph.policies import result_first
from tablebase.graph.stages import Graph
from tablebase.play.fallible import check_fair
from tablebase.play.graph_player import GraphPlayer, graph_of
from tablebase.play.match import Match
from tablebase.play.player import Seat
from tablebase.play.player_records import read_yes
from tablebase.play.strategy import Strategy
from tablebase.system.compute.messages import count_plies
from tablebase_rules.foxhounds_boxes import FOX, HOUNDS, forced_boxes


@dataclass(frozen=True)
class FoxBoxes(Strategy):
    """What the player knows of the positions of a graph."""

    plies: Plies  # B
    later: Later  # max B, and the plies until then
    simple: bool = False  # whether hounds that win go by B alone: to stay in a FoxBox, or to be in one again as soon as can be

    def scores(self, side: int) -> Measures:
        """How good it is for a side to have moved to each node."""
        winner, hard = self.values.winner, self.later.merit
        if self.simple and side == HOUNDS:
            hard = -self.plies.astype(np.int64)
        return result_first(side, winner, np.where(winner == FOX, self.values.distance, hard))

    def said(self, node: int) -> str:
        """What the player goes by in a position, in words."""
        if self.values.winner[node] == FOX:
            return f"the fox wins in {count_plies(int(self.values.distance[node]))}"
        most, later = int(self.later.value[node]), int(self.later.plies[node])
        return f"B is {self.plies[node]}, and the largest B that the fox can bring about is {most}, in {count_plies(later)}"


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
    return FoxBoxes(graph, values, *forced_boxes(graph, values))


class FoxBoxPlayer(GraphPlayer):
    """Says after each move what it is for: how long the fox takes to win, or what the hounds still have to do for a FoxBox."""

    def __init__(self, boxes: FoxBoxes, fuzz: float = 0.0) -> None:
        super().__init__("the FoxBox player", boxes, fuzz)
        self._boxes = boxes

    def choose(self, match: Match[Position], random: Random) -> str:
        """A move drawn by its weight."""
        kept = self.kept_moves(match.position)
        move = super().choose(match, random)
        said = self._boxes.said(self.graph.children(match.position)[move])
        self.remark = said if move in kept else f"an error: {said}"
        return move

    def hint(self, match: Match[Position]) -> str:
        """What it goes by in the position, and the chance against its errors."""
        best = self.kept_moves(match.position)[0]
        said = f"{self._boxes.said(self.graph.node(match.position))}; it would play {best}"
        return "\n".join(filter(None, [said, super().hint(match)]))


def make(seat: Seat, fuzz: float | str = 0.0, simple: str = "no") -> FoxBoxPlayer:
    """The player ``foxbox``; with the fuzz ``fair``, a perfect opponent has an even chance."""
    check_fair(fuzz)
    easy = read_yes("simple", simple)
    graph = graph_of(seat)
    boxes = replace(fox_boxes(graph, solve(graph)), simple=easy)
    return FoxBoxPlayer(boxes, boxes.fuzz(fuzz))
