"""The player of the article *Hasenspiel - Escape the White Rabbit*, for any game that must end.

It ranks moves by what they force, as the tables do: the result, and its length. Of moves that are equal in this, it
prefers those after which it wins the larger share of all possible games.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from tablebase.graph.counting import games_from
from tablebase.graph.forcing import solve
from tablebase.graph.reachable import DRAWN, ONGOING, Graph
from tablebase.play.fallible import parse_fuzz
from tablebase.play.graph_player import GraphPlayer, graph_of
from tablebase.play.player import Seat


class Rank(NamedTuple):
    """What moves are compared by, first by the first field."""

    result: int  # 1 for a win that can be forced, 0 for a draw, -1 for a loss
    length: int  # plies to the end of the game, negative for a win; 0 for a draw
    share: Fraction  # the share of the possible games from there on that are won


class RankingPlayer(GraphPlayer):
    """Keeps the moves of the highest `Rank`.

    Examples
    --------
    >>> from tablebase.game import load_game
    >>> from tablebase.graph.reachable import reachable
    >>> game = load_game("hexapawn")
    >>> player = RankingPlayer(reachable(game))
    >>> player.kept_moves(game.initial)
    ['b1b2']
    """

    def __init__(self, graph: Graph, fuzz: float = 0.0) -> None:
        super().__init__("the ranking plays", graph, fuzz)
        self.values = solve(graph)
        results = graph.results()
        self.games = games_from(graph, results != ONGOING)
        self.won = [games_from(graph, results == side) for side in (0, 1)]

    def merit(self, node: int, side: int) -> Rank:
        """The rank of a position for a side."""
        winner, plies = int(self.values.winner[node]), int(self.values.distance[node])
        share = Fraction(self.won[side][node], self.games[node])
        if winner == DRAWN:
            return Rank(0, 0, share)
        return Rank(1, -plies, share) if winner == side else Rank(-1, plies, share)


def make(seat: Seat, fuzz: float | str = 0.0) -> RankingPlayer:
    """The player ``ranking``."""
    number = parse_fuzz(fuzz)
    return RankingPlayer(graph_of(seat), number)
