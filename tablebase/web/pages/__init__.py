"""Pages for people, rendered by the server: addresses to copy, plain HTML, and a little JavaScript that can be missing."""

from __future__ import annotations

from fastapi import APIRouter

from tablebase.web.pages import game, home, material, mine, pictures, play, position, race
from tablebase.web.pages.rendering import problem_page, reason, static

__all__ = ["problem_page", "reason", "router", "static"]

router = APIRouter(include_in_schema=False)
# What has a name of its own comes before what has the name of a game.
for part in (home, mine, pictures, position, material, race, play, game):
    router.include_router(part.router)
