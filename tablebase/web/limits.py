"""Bodies of requests: no larger, no slower and of no other sort than the server allows."""

from __future__ import annotations

import asyncio

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tablebase.web.problems import API, problem
from tablebase.web.settings import Limits

CLOSE = {"connection": "close"}
"""What is left of a body need not be read."""


class Bounded:
    """Reads the body before the request is answered, and refuses it if it is too large, too slow or no JSON.

    Parameters
    ----------
    app : ASGI application
    limits : Limits
    """

    def __init__(self, app: ASGIApp, limits: Limits) -> None:
        self.app, self.limits = app, limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request with a body that is allowed."""
        if scope["type"] != "http" or scope["method"] in ("GET", "OPTIONS"):
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        refused = self._objection(scope, headers)
        if refused is None:
            try:
                async with asyncio.timeout(self.limits.body_seconds):
                    body = await self._read(receive)
            except TimeoutError:
                refused = 408, f"the body did not arrive within {self.limits.body_seconds:g} s: send it at once"
            else:
                if body is not None:
                    await self.app(scope, _replayed(body, receive), send)
                    return
                refused = self._too_large()
        status, sentence = refused
        await problem(status, sentence, CLOSE)(scope, receive, send)

    def _objection(self, scope: Scope, headers: Headers) -> tuple[int, str] | None:
        """Why a body is refused before it is read: a status and a sentence."""
        length = headers.get("content-length", "")
        # What reads the request checks its digits.
        if length.isdigit() and (len(length) > 15 or int(length) > self.limits.body):
            return self._too_large()
        if scope["method"] != "POST" or not scope["path"].startswith(API):
            return None
        if headers.get("content-encoding", "identity").lower() != "identity":
            return 415, "the body is compressed: send it without Content-Encoding"
        kind, _, parameters = headers.get("content-type", "").lower().partition(";")
        charset = parameters.replace(" ", "").replace('"', "")
        if kind.strip() != "application/json" or (charset and charset not in ("charset=utf-8", "charset=utf8")):
            return 415, "the body is not JSON: send it with 'Content-Type: application/json', in UTF-8"
        return None

    def _too_large(self) -> tuple[int, str]:
        return 413, f"the body is larger than {self.limits.body:,} bytes: send less at a time"

    async def _read(self, receive: Receive) -> bytes | None:
        """The whole body; None if it is too large."""
        parts, size = [], 0
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                return b""
            part = message.get("body", b"")
            size += len(part)
            if size > self.limits.body:
                return None
            parts.append(part)
            if not message.get("more_body", False):
                return b"".join(parts)


def _replayed(body: bytes, receive: Receive) -> Receive:
    """What a request receives whose body has been read."""
    pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Message:
        return pending.pop() if pending else await receive()

    return again
