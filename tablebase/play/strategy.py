"""Move ratings of players that know every position of a game, and the exact chances against them if they err.

The model of a player that errs, here and in `tablebase.play.fallible`: with fuzz p, each of its n legal moves has weight p, and
each of the k moves that it keeps has an additional weight of 1 - p. The weights add up to n p + k (1 - p).

Chances are computed backwards from the ends of games, since no position of a graph comes up twice in a game.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tablebase.errors import TablebaseError
from tablebase.game.moves import Position
from tablebase.game.notation import render
from tablebase.graph.forcing import Measures, NodeValues
from tablebase.graph.policies import Chances, Policy, chance_against, even_chance, keep_best
from tablebase.graph.stages import DRAWN, Graph
from tablebase.play.fallible import FAIR, parse_fuzz, weights

LONGEST = 1 << 16
"""More plies than any game of a graph takes."""
EVEN = 0.5


@dataclass(frozen=True)
class Strategy(ABC):
    """Ratings of a graph's positions by a player."""

    graph: Graph
    values: NodeValues

    @abstractmethod
    def scores(self, side: int) -> Measures:
        """Rate each node for a side that has moved to it; moves to the highest score are kept, all of them if equal."""

    def policy(self, side: int) -> Policy:
        """The moves that the player keeps on a side."""
        return keep_best(self.graph, side, self.scores(side))

    def loser(self) -> int:
        """The side that loses from the start under perfect play; `TablebaseError` for a draw."""
        winner = int(self.values.winner[0])
        if winner == DRAWN:
            start = render(self.graph.game, self.graph.position(0))
            raise TablebaseError(f"{start} is a draw under perfect play: choose a --side, and set --fuzz to a number")
        return 1 - winner

    def even_fuzz(self, side: int) -> float | None:
        """The fuzz at which a side has an even chance from the start; None if its chance is larger or smaller with every fuzz."""
        policy = self.policy(1 - side)

        def chance(fuzz: float) -> float:
            return float(chance_against(policy, fuzz)[0])

        return even_chance(chance) if chance(0.0) < EVEN <= chance(1.0) else None

    def fair_fuzz(self) -> float:
        """The fuzz that gives the side that loses under perfect play an even chance from the start."""
        fuzz = self.even_fuzz(self.loser())
        if fuzz is None:
            start = render(self.graph.game, self.graph.position(0))
            raise TablebaseError(
                f"cannot use --fuzz fair from {start}, because no fuzz gives both sides equal chances: set --fuzz to a number"
            )
        return fuzz

    def fuzz(self, text: float | str) -> float:
        """Read a fuzz, which may be ``fair``; `TablebaseError` if it is invalid."""
        return self.fair_fuzz() if text == FAIR else parse_fuzz(text)


@dataclass(frozen=True)
class Shortest(Strategy):
    """The strategy of the tables: the best result, a win as soon and a loss as late as possible."""

    def scores(self, side: int) -> Measures:
        """Positive for a win, 0 for a draw, negative for a loss; absolute values are at most `LONGEST`."""
        distance = self.values.distance.astype(np.int64)
        lost = np.where(self.values.winner == DRAWN, 0, distance - LONGEST)
        return np.where(self.values.winner == side, LONGEST - distance, lost)


class Reply(NamedTuple):
    """A move, seen by the side that exploits."""

    move: str
    chance: float  # to win after it
    probability: float | None  # with which the player that errs makes it; None for a move of the side that exploits


@dataclass(frozen=True)
class Exploit(Strategy):
    """The best strategy against a player that errs."""

    model: Strategy  # of the player
    error: float  # its fuzz
    chances_of: tuple[Chances, Chances]  # to win at each node, for either side that exploits

    def scores(self, side: int) -> Measures:
        """By the chance to win; of equal ones, as the tables do."""
        _, ranks = np.unique(self.chances_of[side], return_inverse=True)
        scores: Measures = ranks.astype(np.int64) * (4 * LONGEST) + Shortest(self.graph, self.values).scores(side)
        return scores

    def replies(self, position: Position, side: int) -> list[Reply]:
        """The moves of a position, the best one for the side that exploits first; `KeyError` if it is not in the graph."""
        after, chances = self.graph.children(position), self.chances_of[side]
        probability: dict[str, float] = {}
        if position.side == side:
            scores = self.scores(side)
            moves = sorted(after, key=lambda move: -int(scores[after[move]]))
        else:
            scores = self.model.scores(position.side)
            best = max(int(scores[node]) for node in after.values())
            kept = [move for move, node in after.items() if scores[node] == best]
            drawn = [*kept, *(move for move in after if move not in kept)]
            probability = dict(zip(drawn, weights(len(drawn), len(kept), self.error), strict=True))
            moves = sorted(after, key=lambda move: -float(chances[after[move]]))
        return [Reply(move, float(chances[after[move]]), probability.get(move)) for move in moves]


def exploit(model: Strategy, fuzz: float) -> Exploit:
    """The best strategy against a player with this strategy and fuzz."""
    chances = chance_against(model.policy(1), fuzz), chance_against(model.policy(0), fuzz)
    return Exploit(model.graph, model.values, model, fuzz, chances)
