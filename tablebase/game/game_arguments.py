"""What public functions take as a game or a position: its name or text, or the object itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tablebase.errors import NotationError, RulesError, quoted
from tablebase.game import Game, load_game
from tablebase.game.installed import full_name, load_rules
from tablebase.game.moves import Position, won_before
from tablebase.game.notation import check_pieces, check_placement, parse, read
from tablebase.game.rules import Rules
from tablebase.game.stochastic import StochasticGame


def as_game(game: str | Game) -> Game:
    """A game by its name, or the game itself; errors are those of `load_game`."""
    return game if isinstance(game, Game) else load_game(game)


def as_rules(game: str | Game | StochasticGame, size: str | None = None, variant: Sequence[str] = ()) -> Game | StochasticGame:
    """An installed game of either sort by its name, with size and variant, or from itself.

    Raises
    ------
    RulesError
        If it is not installed, or its rules are not those of the installed game: workers load it by name.
    """
    if isinstance(game, str):
        return load_rules(full_name(game, size, variant))
    if not isinstance(game, (Game, StochasticGame)):
        raise RulesError(f"the game is a name such as 'doushouqi' or a game object, not {quoted(game)}")
    if size or variant:
        raise RulesError(f"size and variant belong to the name of a game: replace the game object by {game.name!r}")
    installed = load_rules(game.name)
    if installed.digest != game.digest:
        raise RulesError(f"the rules of {game.name} differ from those of the installed game: give them a name of their own")
    return installed


def as_chance_game(game: str | Game | StochasticGame) -> StochasticGame | None:
    """A game of chance by its name, or the game itself; None for other games, and for what `as_game` refuses."""
    if isinstance(game, str):
        game = load_rules(game)
    return game if isinstance(game, StochasticGame) else None


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


def as_asked(game: Game, position: str | Position) -> tuple[Position, bool]:
    """A position, and whether the last move has won in it; errors are those of `parse`."""
    placement = as_placement(game, position)
    try:
        check_pieces(game, placement)
    except NotationError:
        if not won_before(game, placement):
            raise
        return placement, True
    return placement, False


def refuse_given(game: Rules[Any], **options: object) -> None:
    """Refuse options that mean nothing for games without pieces."""
    for name, value in options.items():
        if value is not None:
            raise RulesError(f"{game.name} has no pieces on squares: leave out --{name.replace('_', '-')}")
