"""Players that know every position that can be reached from the start, and so need no tables."""

from __future__ import annotations

from abc import abstractmethod
from random import Random
from typing import Any

from tablebase.errors import TablebaseError
from tablebase.game.moves import Position
from tablebase.game.notation import render
from tablebase.graph.reachable import Graph, reachable
from tablebase.play.fallible import draw
from tablebase.play.match import Match
from tablebase.play.player import Player, Seat

LIMIT = 1 << 22
"""The most positions of a graph to play from, which take about a gigabyte and 20 seconds."""


def graph_of(seat: Seat) -> Graph:
    """The graph of what can be reached; `CapacityError` if it is too large to play from."""
    return reachable(seat.pieces, seat.start, LIMIT)


class GraphPlayer(Player):
    """Keeps the moves to positions of the highest merit; with a fuzz, it makes other moves, too."""

    def __init__(self, subject: str, graph: Graph, fuzz: float) -> None:
        super().__init__(subject)
        self.graph, self.fuzz = graph, fuzz

    @abstractmethod
    def merit(self, node: int, side: int) -> Any:
        """How good it is for a side to have moved to a node; only to be compared with others."""

    def kept_moves(self, position: Position) -> list[str]:
        """The legal moves to the highest merit, all of them if several are equal, sorted.

        `TablebaseError` if the position cannot be reached from the start of the graph.
        """
        after = self.graph.game.moves(position)
        merits = {move: self.merit(self._node(child, position), position.side) for move, child in after.items()}
        best = max(merits.values(), default=None)
        return [move for move, merit in merits.items() if merit == best]

    def choose(self, match: Match[Position], random: Random) -> str:
        """A move drawn by its weight."""
        kept = self.kept_moves(match.position)
        others = [move for move in match.legal() if move not in kept]
        return draw([*kept, *others], len(kept), self.fuzz, random)

    def _node(self, child: Position, position: Position) -> int:
        """The node of what a move from a position leads to."""
        game = self.graph.game
        try:
            return self.graph.node(child, final=bool(child.won))
        except KeyError:
            start = render(game, self.graph.position(0))
            raise TablebaseError(f"{render(game, position)} cannot be reached from {start}: make a player for it") from None
