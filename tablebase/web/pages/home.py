"""The first page: all games, and what has been built of each."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from tablebase.errors import RulesError
from tablebase.game import Game
from tablebase.game.registry import game_names, load_rules
from tablebase.game.stochastic import StochasticGame
from tablebase.web.pages.catalogs import catalog_of, rows_of
from tablebase.web.pages.faults import PageRoute
from tablebase.web.pages.race import GAME
from tablebase.web.pages.rendering import METHODS, page

BUILT = """
SELECT game, COUNT(*) AS tables, MIN(pieces) AS least, MAX(pieces) AS most, SUM(cells) AS cells
FROM tables GROUP BY game ORDER BY game
"""

LAYERS = "SELECT game, COUNT(*) AS layers FROM layers GROUP BY game ORDER BY game"

router = APIRouter(route_class=PageRoute)


@router.api_route("/", methods=METHODS, response_class=HTMLResponse)
def home(request: Request) -> HTMLResponse:
    """All games that are installed, and variants of which there are tables."""
    with catalog_of(request) as catalog:
        built = {row["game"]: row for row in rows_of(catalog, BUILT)}
        layers = {row["game"]: row["layers"] for row in rows_of(catalog, LAYERS)}
    games = [_entry(name, built.get(name), layers.get(name, 0)) for name in dict.fromkeys([*built, *layers, *game_names()])]
    known = [entry for entry in games if entry is not None]
    return page(request, "home.html", games=known)


def _entry(name: str, built: dict[str, Any] | None, layers: int) -> dict[str, Any] | None:
    """What is shown of a game; None if its rules are no longer installed, or fail."""
    try:
        rules = load_rules(name)
    except RulesError:
        return None
    return {
        "name": rules.name,
        "title": rules.title,
        "rules": rules if isinstance(rules, Game) else None,
        "race": isinstance(rules, StochasticGame) and name == GAME,
        "built": built,
        "layers": layers,
    }
