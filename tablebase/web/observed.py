"""What is noted of every request: numbers for Prometheus and, by option, a line of the access log."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from time import perf_counter

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tablebase.web.metrics import Metrics

OTHER = "other"
"""The route of requests for which there is none; their addresses are without number."""
METHODS = frozenset({"GET", "HEAD", "POST", "OPTIONS", "PUT", "PATCH", "DELETE"})


class Observed:
    """Notes requests, and answers HEAD like GET without the body.

    Parameters
    ----------
    app : ASGI application
    metrics : Metrics
    log : bool
        Whether to write a line about each request to standard error, as an object of JSON.
    """

    def __init__(self, app: ASGIApp, metrics: Metrics, log: bool = False) -> None:
        self.app, self.metrics, self.log = app, metrics, log

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
            route = getattr(scope.get("route"), "path_format", OTHER)
            self.metrics.note(method if method in METHODS else OTHER, route, status, seconds)
            if self.log:
                _write_line(scope, method, status, size, seconds)


def _write_line(scope: Scope, method: str, status: int, size: int, seconds: float) -> None:
    """Write a line of the access log."""
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
