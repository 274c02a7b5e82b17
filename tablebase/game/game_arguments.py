"""Games and positions as arguments of public functions: name or text, or the object itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tablebase.errors import ArgumentTypeError, RulesError, quoted
from tablebase.game import Game
from tablebase.game.capabilities import refuse
from tablebase.game.installed import full_name, game_names, load_rules
from tablebase.game.moves import Position
from tablebase.game.notation import check_pieces, parse
from tablebase.game.plain_arguments import as_text, as_texts
from tablebase.game.rules import Rules

AnyGame = str | Rules[Any]
"""A game of any sort, or its name."""


def as_any_game(game: AnyGame) -> Rules[Any]:
    """A game of any sort by its name, or the game itself; errors are those of `load_rules`."""
    if isinstance(game, str):
        return load_rules(game)
    if not isinstance(game, Rules):
        raise ArgumentTypeError(f"invalid game of type {type(game).__name__}: expected a name or a game object")
    return game


def as_rules(
    game: AnyGame, size: str | None = None, variant: str | Sequence[str] | None = None, players: int | None = None
) -> Rules[Any]:
    """Return a game by its name or rules file, with size, variant and number of players, or the game itself.

    `RulesError` if it is not installed, or has other rules than the installed game: workers load it by name.
    """
    size, variant = None if size is None else as_text("size", size), as_texts("variant", variant)
    if players is not None:
        variant.append(f"players={players}")
    if isinstance(game, str):
        return load_rules(full_name(game, size, variant))
    if not isinstance(game, Rules):
        such = "".join(f" such as {name!r}" for name in game_names()[:1])
        raise ArgumentTypeError(f"invalid game {quoted(game)}: expected a name{such}, or a game object")
    if size or variant:
        raise RulesError(f"cannot use size or variant with a game object: pass the name {game.name!r} instead of the object")
    installed = load_rules(game.name)
    if installed is not game and installed.digest != game.digest:
        raise RulesError(f"the game object {game.name} has different rules from the installed game {game.name}: rename the object")
    return installed


def as_position(game: Game, position: str | Position) -> Position:
    """A position in which the game is not over, from its text or itself; errors are those of `parse`."""
    if not isinstance(position, Position):
        return parse(game, position)
    check_pieces(game, position)
    return position


def as_asked(rules: Rules[Any], position: Any) -> Any:
    """A position that a table can have, or in which the last move has won, from its text or itself; else a `NotationError`."""
    asked = rules.parse(position) if isinstance(position, str) else rules.given(position)
    rules.check(asked)
    return asked


def refuse_given(game: Rules[Any], needed: str = "materials", **options: object) -> None:
    """Refuse options of the shell that mean nothing to a game without a capability."""
    refuse(game, needed, **{f"--{name.replace('_', '-')}": value for name, value in options.items()})
