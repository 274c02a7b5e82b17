"""What those ask who run the server: whether it works, and what it has done."""

from __future__ import annotations

from typing import cast

from fastapi import APIRouter, Request, Response

from tablebase.errors import TablebaseError
from tablebase.tables.folder import check_folder
from tablebase.web.caching import PRIVATE, answered
from tablebase.web.context import settings_of
from tablebase.web.metrics import Metrics
from tablebase.web.problems import ProblemError

router = APIRouter(include_in_schema=False)


@router.get("/healthz")
async def healthz(request: Request) -> Response:
    """Whether the tables are where they should be."""
    try:
        check_folder(settings_of(request).folder, built=True)
    except TablebaseError as fault:
        raise ProblemError(503, str(fault)) from fault
    return answered(request, {"status": "ok"}, PRIVATE)


@router.get("/metrics")
async def metrics(request: Request) -> Response:
    """Numbers of requests and their durations, of all processes of the server, as Prometheus reads them."""
    body, media_type = cast(Metrics, request.app.state.metrics).shown()
    return Response(body, headers={"cache-control": PRIVATE}, media_type=media_type)
