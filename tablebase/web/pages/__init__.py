"""Pages for people, rendered by the server: addresses to copy, plain HTML, and a little JavaScript that can be missing."""

from __future__ import annotations

from fastapi import APIRouter, Depends

from tablebase.web.pages import game, material, mine, pictures, play, position, replay
from tablebase.web.pages.rendering import check_parameters, error_page, static

__all__ = ["error_page", "router", "static"]

router = APIRouter(include_in_schema=False, dependencies=[Depends(check_parameters)])
# What has a name of its own comes before what has the name of a game.
for part in (mine, pictures, position, material, replay, play, game):
    router.include_router(part.router)
