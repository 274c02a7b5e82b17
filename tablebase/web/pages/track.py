"""The track of Hare & Hedgehog, which its rules do not draw, and the old addresses of its races."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import RedirectResponse, Response

from tablebase.game.rules import Rules
from tablebase.web.pages.addresses import addresses_of

GAME = "harehedgehog"
TRACK = "SHCH3CHLI42I3CHIF24I3CL2IHC432IHFCH23ICHC2LI34H2FCIH324CILHC2HLHZ"
"""The squares from start to finish, as on the document's board."""
SQUARES = {
    "S": "start",
    "L": "lettuce",
    "I": "hedgehog",
    "C": "carrots",
    "H": "hare",
    "F": "first, fifth and sixth",
    "2": "second",
    "3": "third",
    "4": "fourth",
    "Z": "finish",
}
router = APIRouter()


def has_track(rules: Rules[Any]) -> bool:
    """Whether a game is played on the track."""
    return rules.name.partition("-")[0] == GAME


def track(rules: Any, position: Any) -> dict[str, Any]:
    """The `hares` of a position, and the `squares`, each with its number, what it is, and the numbers of the hares on it."""
    hares = rules.describe(position)["hares"]
    squares = [
        {
            "number": number,
            "kind": SQUARES[letter],
            "letter": letter,
            "hares": [place for place, hare in enumerate(hares) if hare["square"] == number],
        }
        for number, letter in enumerate(TRACK)
    ]
    return {"hares": hares, "squares": squares}


@router.get(f"/{GAME}/race")
def race(
    request: Request,
    seat: Annotated[list[str] | None, Query()] = None,
    depth: str | None = None,
    position: str | None = None,
    made: str | None = None,
    cards: str | None = None,
) -> Response:
    """Leads to the page on which every game is played; what had happened before the position is left out."""
    del made, cards
    name = f"{GAME}-players={len(seat)}" if seat else GAME
    return RedirectResponse(addresses_of(request).game(name, "play", seat=seat, depth=depth, start=position), 307)
