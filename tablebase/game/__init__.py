"""Games as data: the vocabulary of rules modules, and positions and moves in plain Python."""

from tablebase.game.game import SQUARE_LIMIT, Board, Escape, Game, Kind, Outcome, Side, Step

__all__ = ["SQUARE_LIMIT", "Board", "Escape", "Game", "Kind", "Outcome", "Side", "Step"]
