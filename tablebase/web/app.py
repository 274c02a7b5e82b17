"""The server as an ASGI application, and its description (OpenAPI): complete, and with the errors that there really are."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI
from fastapi.middleware.cors import CORSMiddleware
from prometheus_client import CollectorRegistry
from pydantic.json_schema import models_json_schema

from tablebase.commands.tablebase import Tablebase
from tablebase.game.companions import companions
from tablebase.version import VERSION
from tablebase.web import pages
from tablebase.web.answered_errors import handle_errors
from tablebase.web.api import catalog, play, probe, work
from tablebase.web.api.schemas import MissingTable, Problem
from tablebase.web.known_catalog import KnownCatalog
from tablebase.web.limits import Bounded
from tablebase.web.monitoring import Observed
from tablebase.web.monitoring import router as monitoring
from tablebase.web.proxied import Proxied
from tablebase.web.settings import ServerSettings
from tablebase.web.worker_pool import WorkerPool

ABOUT = """Endgame tablebases for small board games: the value of every position.

Responses are the JSON output of the command line. They have an `ETag` for revalidation; responses from tables can be cached.
Errors are `application/problem+json` (RFC 9457), with one sentence as `detail`.
Unknown values are explicit: a missing table is an error, or the move has no outcome and names the table.
"""
TAGS = [
    {"name": "games", "description": "The installed games."},
    {"name": "positions", "description": "Values of positions, and lines of best play."},
    {"name": "catalog", "description": "Tables and statistics."},
    {"name": "play", "description": "Moves of the built-in players."},
    {"name": "work", "description": "Long-running requests: counts, estimates and SQL."},
]


def create_app(settings: ServerSettings) -> FastAPI:
    """An application that has the tables of a folder open while it runs; `TablebaseError` when it starts without such a folder."""

    @asynccontextmanager
    async def opened(app: FastAPI) -> AsyncIterator[None]:
        with Tablebase(settings.folder, settings.catalog, settings.cache) as tables:
            app.state.tables, app.state.apart = tables, WorkerPool(settings)
            try:
                yield
            finally:
                await app.state.apart.close()
                app.state.catalog.close()

    # Modules ``NAME_routes`` next to rules have a `router` for their game.
    of_games = companions("_routes", "routes")
    more = "".join(f", and {one.ABOUT}" for one in of_games)
    # The framework's own pages of documentation load programs from elsewhere.
    app = _Described(
        title="tablebase",
        version=VERSION,
        summary="Endgame tablebases over HTTP",
        description=ABOUT,
        openapi_tags=[{**tag, "description": f"{tag['description'][:-1]}{more * (tag['name'] == 'play')}."} for tag in TAGS],
        license_info={"name": "MIT", "identifier": "MIT"},
        lifespan=opened,
        openapi_url="/api/v1/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.settings = settings
    app.state.catalog = KnownCatalog(settings.folder, settings.catalog)
    app.state.registry = CollectorRegistry()
    # Not as routers within the router, in which to find a route takes twice as long; the most frequent come first.
    routers = (probe.router, catalog.games_router, catalog.router, play.router, *(one.router for one in of_games), work.router)
    routes = [route for router in routers for route in router.routes]
    app.router.routes += [*routes, *work.more_routes({getattr(route, "path", "") for route in routes}).routes, *monitoring.routes]
    app.mount("/static", pages.static)
    app.include_router(pages.router)
    handle_errors(app)
    # The last one is the outermost.
    app.add_middleware(Bounded, limits=settings.limits)
    if settings.origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=settings.origins,
            allow_methods=["GET", "POST"],
            allow_headers=["content-type", "if-none-match"],
            expose_headers=["etag"],
            max_age=86400,
        )
    app.add_middleware(Observed, registry=app.state.registry, log=settings.access_log)
    app.add_middleware(Proxied, root=settings.root)
    return app


class _Described(FastAPI):
    """Describes itself, with the errors that there really are."""

    def openapi(self) -> dict[str, Any]:
        if self.openapi_schema is None:
            described = self.openapi_schema = super().openapi()
            if not self.state.settings.mine:
                del described["paths"]["/api/v1/mine"]
            for item in described["paths"].values():
                for operation in item.values():
                    operation["responses"].pop("422", None)
            schemas = described.setdefault("components", {}).setdefault("schemas", {})
            _, known = models_json_schema(
                [(Problem, "serialization"), (MissingTable, "serialization")], ref_template="#/components/schemas/{model}"
            )
            schemas |= known["$defs"]
            for name in ("HTTPValidationError", "ValidationError"):
                schemas.pop(name, None)
        return self.openapi_schema
