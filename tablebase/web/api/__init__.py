"""JSON for programs."""

from __future__ import annotations

from typing import Any

from starlette.routing import BaseRoute, Route

from tablebase.game.companions import companions
from tablebase.web.api import catalog, play, probe, work


def of_games() -> tuple[Any, ...]:
    """The modules ``NAME_routes`` next to rules: each has a `router` with routes for its game, and `ABOUT` says what they are."""
    return companions("_routes", "routes")


def routes() -> list[BaseRoute]:
    """All routes, in the order in which they are looked at; probes, which are asked for most, come first."""
    routers = (probe.router, catalog.games_router, catalog.router, play.router, *(one.router for one in of_games()), work.router)
    found = [route for router in routers for route in router.routes]
    return [*found, *work.more_routes({route.path for route in found if isinstance(route, Route)}).routes]
