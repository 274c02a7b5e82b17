"""The page for statements over positions, on servers that answer them."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response

from tablebase.commands.descriptions import list_built
from tablebase.web.context import catalog_of, in_thread, settings_of
from tablebase.web.pages.addresses import addresses_of
from tablebase.web.pages.rendering import page
from tablebase.web.problems import ProblemError, without_paths
from tablebase.web.worker_pool import mined

EXAMPLES = (
    ("Outcomes", "SELECT outcome, count(*) AS positions FROM positions WHERE pieces = {pieces} GROUP BY outcome ORDER BY outcome"),
    (
        "Distances of wins",
        "SELECT distance, count(*) AS positions FROM positions\nWHERE pieces = {pieces} AND outcome = 'win'\n"
        "GROUP BY distance ORDER BY distance",
    ),
    (
        "Longest wins",
        "SELECT material, position, distance FROM positions\nWHERE pieces = {pieces} AND outcome = 'win'\n"
        "ORDER BY distance DESC LIMIT 20",
    ),
    (
        "Share of draws by material",
        "SELECT material, 100.0 * count(*) FILTER (outcome = 'draw') / count(*) AS draws\nFROM positions WHERE pieces = {pieces}\n"
        "GROUP BY material ORDER BY draws DESC, material",
    ),
)
"""Titles and statements."""
LONGEST = 20_000
"""Characters of a statement in an address; more is cut off."""
ROWS = 1000
"""Of a result, as many as the API answers with unless it is asked for more."""

router = APIRouter()


@router.get("/mine")
async def mine(request: Request, game: str = "", statement: str = "") -> Response:
    """An editor for statements; one in the address stands in it already, with its result."""
    settings = settings_of(request)
    if not settings.mine:
        raise ProblemError(404, "This server answers no statements over positions: start it with --mine")
    built = await in_thread(request, catalog_of(request).answer, "built", list_built)
    games = {row["game"]: row["least"] for row in built if row["tables"]}
    chosen = game if game in games else next(iter(games), "")
    examples = [(title, text.format(pieces=games.get(chosen, 2))) for title, text in EXAMPLES]
    to = addresses_of(request)
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
        statement=statement[:LONGEST] or examples[0][1],
        examples=[(title, text, to.page("mine", game=chosen, statement=text)) for title, text in examples],
        error=error,
        answer=answer,
    )
