"""Addresses of pages, and what they name. That of a position is the position: ``/hexapawn/position/ppp/3/PPP_w``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from fastapi import Request

from tablebase.errors import NotationError, TablebaseError, quoted
from tablebase.game.notation import WHOLE_NUMBER, whole_number
from tablebase.game.rules import Rules

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
        """A page of a game; fields of the query that are None are left out, and lists are fields given several times."""
        return self.page(f"{quote(game, safe='=')}/{page}", **query)

    def page(self, path: str, **query: object) -> str:
        """Any page, by the path after the root."""
        chosen = {name: value for name, value in query.items() if value is not None}
        return f"{self.root}/{path}{'?' if chosen else ''}{urlencode(chosen, doseq=True, safe='/,:')}"

    def material(self, game: str, name: str) -> str:
        """The page of a material."""
        return self.game(game, f"material/{quote(name, safe='@,')}")

    def position(self, game: str, text: str) -> str:
        """The page of a position, which need not be one in which the game goes on."""
        return self.game(game, f"position/{in_path(text)}")

    def board(self, game: str, text: str, theme: str | None = None, last: str | None = None, arrows: Sequence[str] = ()) -> str:
        """The picture of a position."""
        return self.game(game, f"board/{in_path(text)}.svg", theme=theme, last=last, arrows=",".join(arrows) or None)

    def piece(self, game: str, symbol: str, theme: str) -> str:
        """The picture of a piece."""
        return self.game(game, f"piece/{quote(symbol)}.svg", theme=theme)


def addresses_of(request: Request) -> Addresses:
    """Addresses as the client of a request sees them."""
    # Below a mounted folder, ``root_path`` includes the folder.
    root: str = request.scope.get("app_root_path", request.scope.get("root_path", ""))
    return Addresses(root.rstrip("/"))


def spelled(text: str) -> str:
    """A position as it is spelled in addresses: with underscores for spaces, which copy badly, unless it has some of its own."""
    return text if "_" in text else text.replace(" ", "_")


def game_fields(rules: Rules[Any], seats: Sequence[str], start: Any, happened: Sequence[str]) -> dict[str, Any]:
    """The fields of an address for a game: its players, the position in which it has begun, and its moves and draws."""
    begun = None if start == rules.initial else spelled(rules.format(start))
    return {"seat": list(seats) or None, "start": begun, "moves": " ".join(happened) or None}


def in_path(text: str) -> str:
    """A position as a part of an address."""
    found = spelled(text)
    # Browsers would go up in the address where a part of it is made of dots.
    climbs = any(part in (".", "..") for part in found.split("/"))
    return quote(found, safe=":," if climbs else "/:,")


def named_position(rules: Rules[Any], text: str) -> Any:
    """The position of an address or a form, even if the game is over; `NotationError` if there is none."""
    if len(text) > LONGEST:
        first = rules.format(rules.initial)
        raise NotationError(f"the position is longer than {LONGEST} characters: write a position such as {first!r}")
    try:
        return rules.parse(text)
    except NotationError:
        return rules.parse(text.replace("_", " ").strip("/ "))


def whole(text: str, what: str) -> int:
    """A whole number of an address; `TablebaseError` if it is none."""
    number = whole_number(text)
    if number is None:
        raise TablebaseError(f"{what} must be {WHOLE_NUMBER}, not {quoted(text)}")
    return number
