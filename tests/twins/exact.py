"""Exact values of games by functions in the slow, obvious way: over and over, all positions are looked at, each for itself."""

from itertools import count
from typing import Any

from tablebase.game.functions import FunctionGame

Decided = tuple[int | None, int | None]
"""Who wins and in how many plies; nobody, and None, in a draw."""


def values(rules: FunctionGame[Any]) -> dict[Any, Decided]:
    """The value of each position that can be reached; symmetries mean nothing here."""
    moves: dict[Any, list[Any]] = {}
    waiting = [rules.initial]
    while waiting:
        position = waiting.pop()
        if position not in moves:
            moves[position] = [] if rules.result(position) else list(rules.moves(position).values())
            waiting += moves[position]
    ended = {position: rules.result(position) for position in moves}
    found: dict[Any, Decided] = {
        position: (ending.winner, None if ending.winner is None else 0) for position, ending in ended.items() if ending
    }
    for plies in count(1):
        more: dict[Any, Decided] = {}
        for position, children in moves.items():
            if position in found:
                continue
            mover = rules.to_move(position)
            winners = [found[child][0] if child in found else None for child in children]
            if mover in winners:
                more[position] = mover, plies
            elif None not in winners:
                more[position] = 1 - mover, plies
        if not more:
            return {position: found.get(position, (None, None)) for position in moves}
        found |= more
    raise AssertionError


def games(rules: FunctionGame[Any], position: Any) -> list[int | None]:
    """The winner of each game from a position, one after the other."""
    ending = rules.result(position)
    if ending is not None:
        return [ending.winner]
    return [winner for child in rules.moves(position).values() for winner in games(rules, child)]
