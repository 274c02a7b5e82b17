"""JSON for programs."""

from __future__ import annotations

from starlette.routing import BaseRoute

from tablebase.web.api import catalog, play, probe, work

ROUTERS = (probe.router, catalog.games_router, catalog.router, play.router, work.router)
ROUTES: list[BaseRoute] = [route for router in ROUTERS for route in router.routes]
"""In the order in which they are looked at; probes, which are asked for most, come first."""
