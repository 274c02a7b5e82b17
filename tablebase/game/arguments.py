"""What public functions take as a game or a position: its name or text, or the object itself."""

from __future__ import annotations

from tablebase.game import Game, load_game
from tablebase.game.moves import Position
from tablebase.game.notation import check_pieces, check_placement, parse, read


def as_game(game: str | Game) -> Game:
    """A game by its name, or the game itself; errors are those of `load_game`."""
    return game if isinstance(game, Game) else load_game(game)


def as_position(game: Game, position: str | Position) -> Position:
    """A position in which the game is not over, from its text or itself; errors are those of `parse`."""
    if not isinstance(position, Position):
        return parse(game, position)
    check_pieces(game, position)
    return position


def as_placement(game: Game, position: str | Position) -> Position:
    """A position even if the game is over in it, from its text or itself; errors are those of `parse`."""
    if not isinstance(position, Position):
        return read(game, position)
    check_placement(game, position)
    return position
