"""The player of the article *Hasenspiel - Escape the White Rabbit*, for any game that must end.

It ranks moves by what they force, as the tables do: the result, and its length. Of moves that are equal in this, it
prefers those after which it wins the larger share of all possible games.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.game.moves import Position
from tablebase.graph.counting import games_from
from tablebase.graph.forcing import Measures, NodeValues, solve
from tablebase.graph.stages import DRAWN, ONGOING, Graph
from tablebase.play.fallible import check_fair
from tablebase.play.graph_player import GraphPlayer, graph_of
from tablebase.play.match import Match
from tablebase.play.player import Seat
from tablebase.play.strategy import Shortest

Integers = NDArray[np.object_]
RANKS = {"win": 3, "draw": 2, None: 1, "loss": 0}


class RankedMove(NamedTuple):
    """A move, rated for the side that makes it."""

    move: str
    outcome: str | None  # that it forces; None if that is not known
    distance: int | None  # plies to the end, the move included; None for a draw
    games: int  # possible games after it
    won: tuple[int, int]  # how many of them each side wins
    mover: int  # the side that makes it

    @property
    def share(self) -> Fraction:
        """The share of the games that the side wins."""
        return Fraction(self.won[self.mover], self.games)

    @property
    def rank(self) -> tuple[int, int, Fraction]:
        """Larger for a better move, as the player sees it: by outcome, a soon win or a late loss, and the share of won games."""
        plies = self.distance or 0
        return RANKS[self.outcome], -plies if self.outcome == "win" else plies, self.share


def by_rank(moves: Iterable[RankedMove]) -> list[RankedMove]:
    """The moves, the best one first."""
    return sorted(moves, key=lambda one: one.rank, reverse=True)


@dataclass(frozen=True)
class Ranking(Shortest):
    """Ratings of a graph's positions by the player."""

    @cached_property
    def games(self) -> Integers:
        """The number of possible games from each node on."""
        return games_from(self.graph, self.graph.results() != ONGOING)

    @cached_property
    def won(self) -> tuple[Integers, Integers]:
        """Number of each side's wins in them."""
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

    def moves(self, position: Position) -> list[RankedMove]:
        """The moves of a position, best first, with the games after each; `KeyError` if it is not in the graph."""
        found = []
        for move, node in self.graph.children(position).items():
            winner, plies = int(self.values.winner[node]), int(self.values.distance[node])
            outcome, distance = ("draw", None) if winner == DRAWN else ("win" if winner == position.side else "loss", plies + 1)
            won = (int(self.won[0][node]), int(self.won[1][node]))
            found.append(RankedMove(move, outcome, distance, int(self.games[node]), won, position.side))
        return by_rank(found)


def ranking(graph: Graph, values: NodeValues | None = None) -> Ranking:
    """The ranking of all moves in a graph."""
    return Ranking(graph, solve(graph) if values is None else values)


class RankingPlayer(GraphPlayer):
    """Its hint has what it ranks by, for every move."""

    strategy: Ranking

    def hint(self, match: Match[Position]) -> str:
        """Every move with what it forces, the number of possible games after it, and the share of them that are won."""
        moves = self.strategy.moves(match.position)
        texts = [("move", "best outcome", "possible games", "won")]
        for one in moves:
            plies = "" if one.distance is None else f" in {one.distance}"
            texts.append((one.move, f"{one.outcome}{plies}", f"{one.games:,}", f"{float(100 * one.share):.2f} %"))
        widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
        lines = [
            f"{move:<{widths[0]}}  {outcome:<{widths[1]}}  {games:>{widths[2]}}  {share:>{widths[3]}}"
            for move, outcome, games, share in texts
        ]
        return "\n".join(filter(None, ["\n".join(lines), super().hint(match)]))


def make(seat: Seat, fuzz: float | str = 0.0) -> RankingPlayer:
    """The player ``ranking``; with the fuzz ``fair``, a perfect opponent has an even chance."""
    check_fair(fuzz)
    found = ranking(graph_of(seat))
    return RankingPlayer("the ranking", found, found.fuzz(fuzz))
