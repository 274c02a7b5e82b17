"""Exact values of games by functions in the slow, obvious way: their graph, and sweeps over all of it."""

from typing import Any

from tablebase.game.functions import FunctionGame
from twins.graphs import DRAW, Graph, Place, explored
from twins.graphs import values as values_of

Decided = tuple[int | None, int | None]
"""Who wins and in how many plies; nobody, and None, in a draw."""


def graph(rules: FunctionGame[Any]) -> Graph[Any]:
    """All positions that can be reached; symmetries mean nothing here."""

    def look(position: Any) -> Place[Any]:
        ending = rules.result(position)
        if ending is None:
            return Place(rules.to_move(position), rules.moves(position))
        return Place(None, {}, DRAW if ending.winner is None else ending.winner)

    return explored(rules.initial, look)


def values(rules: FunctionGame[Any]) -> dict[Any, Decided]:
    found = values_of(graph(rules))
    return {position: (None if winner == DRAW else winner, plies) for position, (winner, plies) in found.items()}
