"""Addresses of pages, and what they name. That of a position is the position: ``/hexapawn/position/ppp/3/PPP_w``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote, urlencode

from fastapi import Request

from tablebase.errors import NotationError, TablebaseError, quoted
from tablebase.game import Game
from tablebase.game.moves import Position
from tablebase.game.notation import read, render, whole_number

LONGEST = 500
"""Characters of a position, far more than any has."""


@dataclass(frozen=True)
class Addresses:
    """Addresses of pages and pictures."""

    root: str = ""  # what a reverse proxy puts before all of them, without a slash at its end

    def home(self) -> str:
        """The list of games."""
        return f"{self.root}/"

    def static(self, name: str) -> str:
        """A style sheet, a script or an icon."""
        return f"{self.root}/static/{name}"

    def game(self, game: str, page: str = "", **query: object) -> str:
        """A page of a game; fields of the query that are None are left out."""
        return self.page(f"{quote(game, safe='=')}/{page}", **query)

    def page(self, path: str, **query: object) -> str:
        """Any page, by the path after the root."""
        chosen = {name: value for name, value in query.items() if value is not None}
        return f"{self.root}/{path}{'?' if chosen else ''}{urlencode(chosen, safe='/,')}"

    def material(self, game: str, name: str) -> str:
        """The page of a material."""
        return self.game(game, f"material/{quote(name, safe='@,')}")

    def position(self, game: Game, position: str | Position) -> str:
        """The page of a position, which need not be one in which the game goes on."""
        return self.game(game.name, f"position/{in_path(game, position)}")

    def board(self, game: Game, position: str | Position, theme: str, last: str | None = None, arrows: Sequence[str] = ()) -> str:
        """The picture of a position."""
        page = f"board/{in_path(game, position)}.svg"
        return self.game(game.name, page, theme=theme, last=last, arrows=",".join(arrows) or None)

    def piece(self, game: str, symbol: str, theme: str) -> str:
        """The picture of a piece."""
        return self.game(game, f"piece/{quote(symbol)}.svg", theme=theme)


def addresses_of(request: Request) -> Addresses:
    """Addresses as the client of a request sees them."""
    # Below a mounted folder, ``root_path`` includes the folder.
    root: str = request.scope.get("app_root_path", request.scope.get("root_path", ""))
    return Addresses(root.rstrip("/"))


def in_path(game: Game, position: str | Position) -> str:
    """A position as it stands in an address: with an underscore instead of the space, which copies badly."""
    text = position if isinstance(position, str) else render(game, position)
    return quote(text.replace(" ", "_"), safe="/")


def from_path(path: str) -> str:
    """The text of a position in an address; spaces are understood, too."""
    return path.replace("_", " ").strip("/ ")


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
