"""Games without chance, solved from their definition, without the package: graphs of texts, values by repeated sweeps.

A graph says of each position, by its text, who moves, what each move leads to, and who has won if the game is over.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

DRAW = -1


class Place(NamedTuple):
    """A position in which player 0 or 1 moves, or (without a mover) the game is over, won by a player or drawn."""

    mover: int | None
    moves: Mapping[str, str]
    winner: int = DRAW


Graph = dict[str, Place]


def explored(start: str, look: Callable[[str], Place]) -> Graph:
    """All positions that can be reached from a start."""
    graph: Graph = {}
    waiting = [start]
    while waiting:
        text = waiting.pop()
        if text not in graph:
            graph[text] = look(text)
            waiting.extend(graph[text].moves.values())
    return graph


def values(graph: Graph) -> dict[str, tuple[int, int | None]]:
    """Who wins each position, in how many plies; `DRAW` and None for one in which neither can force a win.

    Sweep number n finds what is decided in n plies: by a move to a position that the mover wins, or since every move leads to
    one that the other wins, the last of them in n - 1. Wins and losses of a sweep do not depend on one another.
    """
    found: dict[str, tuple[int, int | None]] = {text: (place.winner, 0) for text, place in graph.items() if place.mover is None}
    drawn = {text for text, value in found.items() if value[0] == DRAW}
    plies, more = 0, True
    while more:
        plies += 1
        decided: dict[str, tuple[int, int | None]] = {}
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


def games(graph: Graph, start: str) -> dict[int, int]:
    """How many games there are from a start, by their winner, if all of them must end; longest paths first."""
    totals: dict[str, dict[int, int]] = {}

    def count(text: str) -> dict[int, int]:
        if text not in totals:
            place = graph[text]
            below = [count(after) for after in place.moves.values()]
            totals[text] = (
                {winner: sum(one.get(winner, 0) for one in below) for winner in (0, 1, DRAW)} if below else {place.winner: 1}
            )
        return totals[text]

    return count(start)
