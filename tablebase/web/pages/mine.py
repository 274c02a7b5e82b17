"""The page for statements over positions, on servers that answer them. The API runs them."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response

from tablebase.web.context import settings_of
from tablebase.web.pages.addresses import addresses_of
from tablebase.web.pages.catalogs import catalog_of, rows_of
from tablebase.web.pages.faults import PageRoute
from tablebase.web.pages.rendering import METHODS, page, problem_page

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
GAMES = "SELECT game, MIN(pieces) AS least FROM tables GROUP BY game ORDER BY game"

router = APIRouter(route_class=PageRoute)


@router.api_route("/mine", methods=METHODS)
def mine(request: Request, game: str = "", statement: str = "") -> Response:
    """An editor for statements; one in the address stands in it already."""
    if not settings_of(request).mine:
        return problem_page(request, 404, "This server answers no statements over positions: start it with --mine.")
    with catalog_of(request) as catalog:
        games = {row["game"]: row["least"] for row in rows_of(catalog, GAMES)}
    chosen = game if game in games else next(iter(games), "")
    examples = [(title, text.format(pieces=games.get(chosen, 2))) for title, text in EXAMPLES]
    shown = statement[:LONGEST] or examples[0][1]
    to = addresses_of(request)
    return page(
        request,
        "mine.html",
        section="mine",
        games=list(games),
        chosen=chosen,
        statement=shown,
        examples=[(title, text, to.page("mine", game=chosen, statement=text)) for title, text in examples],
    )
