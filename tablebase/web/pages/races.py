"""The old addresses of races of Hare & Hedgehog."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import RedirectResponse, Response

from tablebase.web.pages.addresses import addresses_of

GAME = "harehedgehog"
router = APIRouter()


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
