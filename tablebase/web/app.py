"""The server as an ASGI application."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from fastapi.middleware.cors import CORSMiddleware

import tablebase
from tablebase.api.tablebase import Tablebase
from tablebase.web import api, health, pages
from tablebase.web.apart import Apart
from tablebase.web.catalog import KnownCatalog
from tablebase.web.description import describe_as
from tablebase.web.limits import Bounded
from tablebase.web.metrics import Metrics
from tablebase.web.observed import Observed
from tablebase.web.problems import handle_errors
from tablebase.web.settings import Settings


def create_app(settings: Settings) -> FastAPI:
    """An application that has the tables of a folder open while it runs.

    Raises
    ------
    TablebaseError
        When it starts, if there is no such folder.
    """

    @asynccontextmanager
    async def opened(app: FastAPI) -> AsyncIterator[None]:
        with Tablebase(settings.folder, settings.catalog, settings.cache) as tables:
            app.state.tables, app.state.apart = tables, Apart(settings)
            try:
                yield
            finally:
                await app.state.apart.close()

    # The framework's own pages of documentation load programs from elsewhere.
    app = FastAPI(
        title="tablebase",
        version=tablebase.__version__,
        lifespan=opened,
        openapi_url="/api/v1/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.settings = settings
    app.state.catalog = KnownCatalog(settings.folder, settings.catalog)
    app.state.metrics = Metrics()
    app.state.pages = pages
    # Not as routers within the router, in which to find a route takes twice as long.
    app.router.routes += [*api.ROUTES, *health.router.routes]
    app.mount("/static", pages.static)
    app.include_router(pages.router)
    describe_as(app, settings)
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
    app.add_middleware(Observed, metrics=app.state.metrics, log=settings.access_log)
    return app
