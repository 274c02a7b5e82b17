"""Symmetries of games by functions: whether an author says which positions are alike, and whether they are."""

from __future__ import annotations

from typing import Any

from tablebase.game.functions import FunctionGame


def has_symmetries(game: FunctionGame[Any]) -> bool:
    """Return whether the author says which positions are alike."""
    return type(game).canonical is not FunctionGame.canonical


def canonical_error(game: FunctionGame[Any], position: Any) -> str | None:
    """A canonical position that is not alike: with another mover or result, or with moves to other positions."""
    alike = game.canonical(position)
    text, other = game.format(position), game.format(alike)
    if game.canonical(alike) != alike:
        return f"the canonical position of {text} is {other}, but that of {other} is {game.format(game.canonical(alike))}"
    if game.to_move(alike) != game.to_move(position):
        return f"{text} and its canonical position {other} have different players to move"
    ending, same = game.result(position), game.result(alike)
    if (ending and ending.places) != (same and same.places):
        return f"{text} and its canonical position {other} have different results"
    after, others = ({game.canonical(child) for child in game.moves(one).values()} for one in (position, alike))
    if after != others:
        child = game.format(next(iter(after ^ others)))
        return f"moves of {text} and of its canonical position {other} lead to different positions, such as {child}"
    return None
