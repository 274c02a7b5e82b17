"""All pages and pictures, in the order in which addresses are looked up."""

from __future__ import annotations

from fastapi import APIRouter

from tablebase.web.pages import game, home, material, mine, pictures, play, position, race, records

router = APIRouter(include_in_schema=False)
# What has a name of its own comes before what has the name of a game.
for part in (home, mine, pictures, position, material, records, race, play, game):
    router.include_router(part.router)
