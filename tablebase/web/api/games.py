"""The installed games."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request, Response

from tablebase.api.games import list_games
from tablebase.web.api.routes import get, query_of
from tablebase.web.api.schemas import GameRow, Given
from tablebase.web.caching import CHANGING, answered
from tablebase.web.context import in_thread

router = APIRouter(tags=["games"])


@get(router, "/games", list[GameRow])
async def games(request: Request) -> Response:
    """List the installed games."""
    query_of(request, Given)
    return answered(request, await in_thread(request, _rows), CHANGING)


def _rows() -> list[dict[str, Any]]:
    rows, _ = list_games()
    return rows
