"""Games without chance, solved from their definition, without the package: graphs of positions, values by repeated sweeps.

A graph says of each position, such as a text, who moves, what each move leads to, and who has won if the game is over.
"""

from collections.abc import Callable, Mapping
from typing import Any, Generic, NamedTuple, TypeVar

P = TypeVar("P")
DRAW = -1


class Place(NamedTuple, Generic[P]):
    """A position in which player 0 or 1 moves, or (without a mover) the game is over, won by a player or drawn."""

    mover: int | None
    moves: Mapping[Any, P]
    winner: int = DRAW


Graph = dict[P, Place[P]]


def explored(start: P, look: Callable[[P], Place[P]]) -> Graph[P]:
    graph: Graph[P] = {}
    waiting = [start]
    while waiting:
        text = waiting.pop()
        if text not in graph:
            graph[text] = look(text)
            waiting.extend(graph[text].moves.values())
    return graph


def values(graph: Graph[P]) -> dict[P, tuple[int, int | None]]:
    """Who wins each position, in how many plies; `DRAW` and None for one in which neither can force a win.

    Sweep number n finds what is decided in n plies: by a move to a position that the mover wins, or since every move leads to
    one that the other wins, the last of them in n - 1. Wins and losses of a sweep do not depend on one another.
    """
    found: dict[P, tuple[int, int | None]] = {text: (place.winner, 0) for text, place in graph.items() if place.mover is None}
    drawn = {text for text, value in found.items() if value[0] == DRAW}
    plies, more = 0, True
    while more:
        plies += 1
        decided: dict[P, tuple[int, int | None]] = {}
        for text, place in graph.items():
            if text in found or place.mover is None:
                continue
            winners = [found[after][0] if after in found else None for after in place.moves.values()]
            if place.mover in winners:
                decided[text] = place.mover, plies
            elif all(winner == 1 - place.mover for winner in winners):
                decided[text] = 1 - place.mover, plies
        found.update(decided)
        more = bool(decided)
    undecided = {text: (DRAW, None) for text in graph if text not in found}
    return found | undecided | dict.fromkeys(drawn, (DRAW, None))


def games(graph: Graph[P], start: P) -> dict[int, int]:
    """How many games there are from a start, by their winner, if all of them must end; longest paths first."""
    totals: dict[P, dict[int, int]] = {}

    def count(text: P) -> dict[int, int]:
        if text not in totals:
            place = graph[text]
            below = [count(after) for after in place.moves.values()]
            totals[text] = (
                {winner: sum(one.get(winner, 0) for one in below) for winner in (0, 1, DRAW)} if below else {place.winner: 1}
            )
        return totals[text]

    return count(start)
