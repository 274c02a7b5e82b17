"""JSON for programs."""

from __future__ import annotations

from starlette.routing import BaseRoute

from tablebase.web.api import games, play, probe, stats, work

ROUTES: list[BaseRoute] = [route for module in (probe, games, stats, play, work) for route in module.router.routes]
"""In the order in which they are looked at; probes, which are asked for most, come first."""
