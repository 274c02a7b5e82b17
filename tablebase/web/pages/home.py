"""The first page: all games, and what has been built of each."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from tablebase.errors import RulesError
from tablebase.game import Game
from tablebase.game.registry import game_names, load_rules
from tablebase.game.stochastic import StochasticGame
from tablebase.web.catalog import built_rows
from tablebase.web.context import catalog_of
from tablebase.web.pages.faults import PageRoute
from tablebase.web.pages.race import GAME
from tablebase.web.pages.rendering import page

router = APIRouter(route_class=PageRoute)


@router.get("/", response_class=HTMLResponse)
def home(request: Request) -> HTMLResponse:
    """All games that are installed, and variants of which there are tables."""
    built = {row["game"]: row for row in built_rows(catalog_of(request))}
    games = [_entry(name, built.get(name)) for name in dict.fromkeys([*built, *game_names()])]
    known = [entry for entry in games if entry is not None]
    return page(request, "home.html", games=known)


def _entry(name: str, built: dict[str, Any] | None) -> dict[str, Any] | None:
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
        "built": built if built and built["tables"] else None,
        "layers": built["layers"] if built else 0,
    }
