"""The server as an ASGI application."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI, Request, Response
from starlette.exceptions import HTTPException

import tablebase
from tablebase.api.tablebase import Tablebase
from tablebase.web import api, pages
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
        with Tablebase(settings.folder, settings.catalog) as tables:
            app.state.tables = tables
            yield

    app = FastAPI(title="tablebase", version=tablebase.__version__, lifespan=opened)
    app.state.settings = settings
    app.mount("/static", pages.static)
    app.include_router(api.router)
    app.include_router(pages.router)

    @app.exception_handler(HTTPException)
    def refuse(request: Request, fault: HTTPException) -> Response:
        return pages.problem_page(request, fault.status_code, pages.reason(fault.status_code))

    return app
