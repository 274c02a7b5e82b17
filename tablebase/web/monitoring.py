"""Monitoring for those who run the server: its health, and its work, in numbers for Prometheus and in an access log."""

from __future__ import annotations

import json
import os
import sys
from datetime import UTC, datetime
from functools import cache
from time import perf_counter

from fastapi import APIRouter, Request, Response
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.multiprocess import MultiProcessCollector
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tablebase.errors import TablebaseError
from tablebase.tables.folder import check_folder
from tablebase.web.caching import PRIVATE, answered
from tablebase.web.context import settings_of
from tablebase.web.problems import unusable

SHARED = "PROMETHEUS_MULTIPROC_DIR"
"""Names the folder in which several processes keep their numbers; it must be set before the client library is loaded."""
SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Upper bounds of durations that are counted together."""
OTHER = "other"
"""The route of requests for which there is none; their addresses are without number."""
METHODS = frozenset({"GET", "HEAD", "POST", "OPTIONS", "PUT", "PATCH", "DELETE"})

router = APIRouter(include_in_schema=False)


class Observed:
    """Counts requests in a registry, with `log` also writes each as a line of JSON to standard error; answers HEAD without body."""

    def __init__(self, app: ASGIApp, registry: CollectorRegistry, log: bool = False) -> None:
        self.app, self.log = app, log
        labels = ("method", "route", "status")
        requests = Counter("tablebase_requests", "Requests answered.", labels, registry=registry)
        seconds = Histogram(
            "tablebase_request_seconds", "Seconds to answer a request.", ("route",), registry=registry, buckets=SECONDS
        )
        # Looking up a child by its labels takes longer than counting.
        self.requests = cache(lambda *values: requests.labels(*values))
        self.seconds = cache(lambda route: seconds.labels(route))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, and note it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begin = perf_counter()
        method = scope["method"]
        status, size = 500, 0

        async def noting(message: Message) -> None:
            nonlocal status, size
            if message["type"] == "http.response.start":
                status = message["status"]
            elif message["type"] == "http.response.body":
                if method == "HEAD":
                    message = {**message, "body": b""}
                size += len(message.get("body", b""))
            await send(message)

        if method == "HEAD":
            scope["method"] = "GET"
        try:
            await self.app(scope, receive, noting)
        finally:
            seconds = perf_counter() - begin
            # The template of the address, of which there are few.
            route = getattr(scope.get("route"), "path_format", OTHER)
            self.requests(method if method in METHODS else OTHER, route, str(status)).inc()
            self.seconds(route).observe(seconds)
            if self.log:
                client = scope.get("client")
                line = {
                    "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
                    "client": client[0] if client else None,
                    "method": method,
                    "path": scope["path"],
                    "query": scope["query_string"].decode("latin-1"),
                    "status": status,
                    "bytes": size,
                    "seconds": round(seconds, 6),
                }
                sys.stderr.write(json.dumps(line) + "\n")


@router.get("/healthz")
async def healthz(request: Request) -> Response:
    """Return whether the tables are where they should be."""
    try:
        check_folder(settings_of(request).folder, built=True)
    except TablebaseError as error:
        raise unusable(error) from error
    return answered(request, {"status": "ok"}, PRIVATE)


@router.get("/metrics")
async def metrics(request: Request) -> Response:
    """Numbers of requests and their durations, of all processes if they share a folder, as Prometheus reads them."""
    registry = request.app.state.registry
    if os.environ.get(SHARED):
        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return Response(generate_latest(registry), headers={"cache-control": PRIVATE}, media_type=CONTENT_TYPE_LATEST)
