"""The player of the article *Hasenspiel - Escape the White Rabbit*, for any game that must end.

It ranks moves by what they force, as the tables do: the result, and its length. Of moves that are equal in this, it
prefers those after which it wins the larger share of all possible games.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tablebase.graph.counting import games_from
from tablebase.graph.forcing import Measures, NodeValues, solve
from tablebase.graph.reachable import ONGOING, Graph
from tablebase.play.fallible import check_fair
from tablebase.play.graph_player import GraphPlayer, graph_of
from tablebase.play.player import Seat
from tablebase.play.strategy import Shortest

Integers = NDArray[np.object_]


@dataclass(frozen=True)
class Ranking(Shortest):
    """What the player knows of the positions of a graph."""

    @cached_property
    def games(self) -> Integers:
        """The number of possible games from each node on."""
        return games_from(self.graph, self.graph.results() != ONGOING)

    @cached_property
    def won(self) -> tuple[Integers, Integers]:
        """How many of them each side wins."""
        results = self.graph.results()
        return games_from(self.graph, results == 0), games_from(self.graph, results == 1)

    def scores(self, side: int) -> Measures:
        """By result and its length, then by the exact share of games won."""
        # Different fractions of numbers below 2^b differ by more than 2^-2b, so that these whole numbers compare as they do.
        bits = 2 * int(self.games[0]).bit_length()
        shares = (self.won[side] << bits) // self.games
        _, ranks = np.unique(shares, return_inverse=True)
        scores: Measures = super().scores(side) * (1 << 32) + ranks
        return scores


def ranking(graph: Graph, values: NodeValues | None = None) -> Ranking:
    """The ranking of all moves in a graph."""
    return Ranking(graph, solve(graph) if values is None else values)


def make(seat: Seat, fuzz: float | str = 0.0) -> GraphPlayer:
    """The player ``ranking``; with the fuzz ``fair``, a perfect opponent has an even chance."""
    check_fair(fuzz)
    found = ranking(graph_of(seat))
    return GraphPlayer("the ranking", found, found.fuzz(fuzz))
