"""Data of a reverse proxy: the address of the client, and the path below which the pages are reached."""

from __future__ import annotations

import os
import re

from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

ROOT = re.compile(r"(/[A-Za-z0-9._~-]+)+")
"""A root path; other characters could lead links to another server."""
LOCAL = "unix"
"""The client of a Unix socket, which only programs with the right to write to the socket can reach."""
TRUSTED = "127.0.0.1,::1"
"""Addresses of proxies, unless the environment variable FORWARDED_ALLOW_IPS lists others."""


class Proxied(ProxyHeadersMiddleware):
    """Takes ``X-Forwarded-For``, ``-Proto`` and, without a `root`, ``-Prefix`` from trusted proxies.

    The path of the request begins with the root path from here on, also if the proxy has removed it.
    """

    def __init__(self, app: ASGIApp, root: str) -> None:
        trusted = os.environ.get("FORWARDED_ALLOW_IPS", TRUSTED)
        super().__init__(app, trusted if trusted == "*" else f"{trusted},{LOCAL}")  # type: ignore[arg-type]
        self.root = root

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # type: ignore[override]
        """Answer a request as its client has sent it to the proxy."""
        if scope["type"] == "http":
            scope["client"] = scope.get("client") or (LOCAL, 0)
            root = self.root
            if not root and scope["client"][0] in self.trusted_hosts:
                named = dict(scope["headers"]).get(b"x-forwarded-prefix", b"").decode("latin-1").rstrip("/")
                root = named if ROOT.fullmatch(named) else ""
            if root:
                path = scope["path"]
                below = path if path.startswith(f"{root}/") else root + ("/" if path == root else path)
                scope.update(root_path=root, path=below)
        await super().__call__(scope, receive, send)  # type: ignore[arg-type]
