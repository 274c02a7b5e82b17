"""Which games there are: the entry points of the group ``tablebase.rules``."""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points

from tablebase.errors import RulesError
from tablebase.game import Game

GROUP = "tablebase.rules"


@cache
def _installed() -> dict[str, EntryPoint]:
    return {point.name: point for point in sorted(entry_points(group=GROUP), key=lambda point: point.name)}


def game_names() -> tuple[str, ...]:
    """Names of all installed games, sorted."""
    return tuple(_installed())


@cache
def load_game(name: str) -> Game:
    """The game of that name.

    Raises
    ------
    RulesError
        If no such game is installed, or its rules module does not give a `Game`.
    """
    point = _installed().get(name)
    if point is None:
        raise RulesError(f"there is no game {name!r}: installed are {', '.join(game_names()) or 'none'}")
    game = point.load()()
    if not isinstance(game, Game):
        raise RulesError(f"the entry point {point.value!r} of {name} must be a function that returns a Game")
    if game.name != name:
        raise RulesError(f"the entry point {point.value!r} calls its game {game.name!r}, not {name!r}")
    return game
