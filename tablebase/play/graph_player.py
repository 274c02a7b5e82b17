"""Players that know every position that can be reached from the start, and so need no tables."""

from __future__ import annotations

from functools import cache, cached_property
from random import Random

from tablebase.errors import TablebaseError
from tablebase.game.moves import Position
from tablebase.game.notation import render
from tablebase.game.values import chance_text
from tablebase.graph.reachable import reachable
from tablebase.graph.stages import Graph
from tablebase.play.fallible import draw
from tablebase.play.match import Match
from tablebase.play.player import Player, Seat
from tablebase.play.strategy import Exploit, Strategy, exploit

LIMIT = 1 << 22
"""The most positions of a graph to play from, which take about a gigabyte and 20 seconds."""


def graph_of(seat: Seat) -> Graph:
    """The graph of reachable positions; `CapacityError` if it is too large to play from."""
    return reachable(seat.rules, seat.start, LIMIT)


class GraphPlayer(Player):
    """Keeps the moves to positions of the highest score; with a fuzz, it makes other moves as well. The greeting has its name."""

    def __init__(self, name: str, strategy: Strategy, fuzz: float = 0.0) -> None:
        super().__init__(f"{name}{f' with fuzz {fuzz:.6g}' if fuzz else ''} plays")
        self.strategy, self.graph, self.fuzz = strategy, strategy.graph, fuzz
        self._scores = cache(strategy.scores)

    def merit(self, node: int, side: int) -> int:
        """Return how good it is for a side to have moved to a node."""
        return int(self._scores(side)[node])

    def kept_moves(self, position: Position) -> list[str]:
        """Return all legal moves of the highest merit, sorted; `TablebaseError` if the position cannot be reached."""
        try:
            children = self.graph.children(position)
        except KeyError:
            here, start = (render(self.graph.game, one) for one in (position, self.graph.position(0)))
            raise TablebaseError(f"{here} cannot be reached from the start {start}: start the player from {here}") from None
        merits = {move: self.merit(node, position.side) for move, node in children.items()}
        best = max(merits.values(), default=None)
        return [move for move, merit in merits.items() if merit == best]

    def choose(self, match: Match[Position], random: Random) -> str:
        """A move drawn by its weight."""
        kept = self.kept_moves(match.position)
        others = [move for move in match.legal() if move not in kept]
        return draw([*kept, *others], len(kept), self.fuzz, random)

    @cached_property
    def _exploit(self) -> Exploit:
        return exploit(self.strategy, self.fuzz)

    def hint(self, match: Match[Position]) -> str:
        """The chance against this player's errors, and the moves that exploit them best; empty if it does not err."""
        if not self.fuzz:
            return ""
        best = self._exploit.replies(match.position, match.player)[0]
        name, chance = self.graph.game.sides[match.player].name, chance_text(best.chance)
        return f"{name} to move: the chance to win against fuzz {self.fuzz:.6g} is {chance}, best move {best.move}"
