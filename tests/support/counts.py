"""Counts of games by the walk in plain Python."""

from functools import cache

from twins.walk import games, walk

from tablebase.game import Game
from tablebase.game.moves import Position
from tablebase.states.paths import GameCounts

walked_through = cache(walk)
"""The walk in plain Python from the start of a game, which several tests compare with."""


@cache
def naive_count(game: Game, start: Position | None = None) -> GameCounts:
    """All numbers by the walk in plain Python."""
    walked = walked_through(game) if start is None else walk(game, start)
    return GameCounts(len(walked.children), len(walked.results), *games(walked))
