"""The page for statements over positions, on servers that answer them."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response

from tablebase.commands.descriptions import list_built
from tablebase.web.context import catalog_of, in_thread, settings_of
from tablebase.web.pages.rendering import page
from tablebase.web.problems import ProblemError, without_paths
from tablebase.web.worker_pool import mined

LONGEST = 20_000
"""Characters of a statement in an address; more is cut off."""
ROWS = 1000
"""Of a result, as many as the API answers with unless it is asked for more."""

router = APIRouter()


@router.get("/mine")
async def mine(request: Request, game: str = "", statement: str = "") -> Response:
    """Page with an SQL editor; runs the statement in the URL, if any."""
    settings = settings_of(request)
    if not settings.mine:
        raise ProblemError(404, "SQL statements are disabled on this server: start the server with 'tablebase serve --mine'")
    built = await in_thread(request, catalog_of(request).answer, "built", list_built)
    games = {row["game"]: row["least"] for row in built if row["tables"]}
    chosen = game if game in games else next(iter(games), "")
    status, error, answer = 200, "", None
    if chosen and statement:
        try:
            answer = await mined(request, chosen, statement[:LONGEST], ROWS)
        except ProblemError as refused:
            status, error = refused.status, without_paths(refused, settings)
    return page(
        request,
        "mine.html",
        status=status,
        section="mine",
        games=list(games),
        chosen=chosen,
        pieces=games.get(chosen, 2),
        statement=statement[:LONGEST],
        error=error,
        answer=answer,
    )
