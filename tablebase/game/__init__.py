"""Games as data: the types of rules modules, and positions and moves in plain Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablebase.system.compute.modules import lazy

if TYPE_CHECKING:
    from tablebase.game.game import Game
    from tablebase.game.installed import game_names, load_game
    from tablebase.game.types import SQUARE_LIMIT, Board, Duel, Escape, Evaluation, Kind, Outcome, Side, Step, Terrain

__all__ = [
    "SQUARE_LIMIT",
    "Board",
    "Duel",
    "Escape",
    "Evaluation",
    "Game",
    "Kind",
    "Outcome",
    "Side",
    "Step",
    "Terrain",
    "game_names",
    "load_game",
]

__getattr__ = lazy(__name__)
