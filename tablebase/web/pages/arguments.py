"""What addresses name: positions and numbers."""

from __future__ import annotations

from tablebase.errors import NotationError, TablebaseError, quoted
from tablebase.game import Game
from tablebase.game.moves import Position
from tablebase.game.notation import read, whole_number
from tablebase.web.pages.addresses import from_path

LONGEST = 500
"""Characters of a position, far more than any has."""


def named_placement(game: Game, text: str) -> Position:
    """The pieces that a text places, even if the game is over; `NotationError` if it is not such a text."""
    return read(game, from_path(bounded(text, f"write rows and the side to move, as in {game.start!r}")))


def bounded(text: str, form: str) -> str:
    """A text of a position, if it is not too long; `NotationError` with the form of a position if it is."""
    if len(text) > LONGEST:
        raise NotationError(f"the position is longer than {LONGEST} characters: {form}")
    return text


def read_start(game: Game) -> Position:
    """The initial position."""
    return read(game, game.start)


def whole(text: str, what: str) -> int:
    """A whole number of an address; `TablebaseError` if it is none."""
    number = whole_number(text)
    if number is None:
        raise TablebaseError(f"{what} must be a whole number, not {quoted(text)}")
    return number
