"""Requests no larger and no slower than the server allows; uvicorn limits neither bodies, nor heads, nor unread answers."""

from __future__ import annotations

import asyncio
import sys
from http import HTTPStatus
from typing import Any

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from tablebase.web.answered_errors import is_of_api, problem
from tablebase.web.problems import ProblemError
from tablebase.web.settings import RequestLimits

CLOSE = {"connection": "close"}
"""Header to leave a body's rest unread."""
HEAD_SECONDS = 10.0
"""Seconds until the head of a request has arrived: its first line and its headers."""
HEAD_BYTES = 1 << 16
"""Largest size of a head."""
LARGE_HEAD = f"the request head is larger than {HEAD_BYTES:,} bytes: send a shorter address or fewer headers"
READ_SECONDS = 30.0
"""Seconds that a client may pause while it reads an answer."""


class Bounded:
    """Reads the body before the request is answered, and refuses what is too large, too slow or no JSON."""

    def __init__(self, app: ASGIApp, limits: RequestLimits) -> None:
        self.app, self.limits = app, limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request with a head and a body that are allowed."""
        try:
            body = await self._body(scope, receive)
        except ProblemError as refused:
            await problem(refused)(scope, receive, send)
            return
        pending: list[Message] = [] if body is None else [{"type": "http.request", "body": body, "more_body": False}]

        async def again() -> Message:
            return pending.pop() if pending else await receive()

        await self.app(scope, again, send)

    async def _body(self, scope: Scope, receive: Receive) -> bytes | None:
        if scope["type"] != "http":
            return None
        # No parser of requests limits a head that has arrived in one piece.
        lines = sum(len(name) + len(value) + len(": \r\n") for name, value in scope["headers"])
        if lines + len(scope.get("raw_path", b"")) + len(scope["query_string"]) > HEAD_BYTES:
            raise ProblemError(431, LARGE_HEAD, CLOSE)
        if scope["method"] in ("GET", "OPTIONS"):
            return None
        headers = Headers(scope=scope)
        length = headers.get("content-length", "")
        # What reads the request checks its digits.
        if length.isdigit() and (len(length) > 15 or int(length) > self.limits.body):
            raise self._too_large()
        if scope["method"] == "POST" and is_of_api(scope):
            if headers.get("content-encoding", "identity").lower() != "identity":
                raise ProblemError(415, "the request body is compressed: send an uncompressed body without Content-Encoding", CLOSE)
            kind, _, parameters = headers.get("content-type", "").lower().partition(";")
            charset = parameters.replace(" ", "").replace('"', "")
            if kind.strip() != "application/json" or (charset and charset not in ("charset=utf-8", "charset=utf8")):
                sentence = "the request body is not JSON: send JSON in UTF-8, with 'Content-Type: application/json'"
                raise ProblemError(415, sentence, CLOSE)
        body = bytearray()
        try:
            async with asyncio.timeout(self.limits.body_seconds):
                async for part in Request(scope, receive).stream():
                    body += part
                    if len(body) > self.limits.body:
                        raise self._too_large()
        except ClientDisconnect:
            return b""
        except TimeoutError:
            sentence = f"the request body did not arrive within {self.limits.body_seconds:g} s: send the body faster"
            raise ProblemError(408, sentence, CLOSE) from None
        return bytes(body)

    def _too_large(self) -> ProblemError:
        return ProblemError(413, f"the request body is larger than {self.limits.body:,} bytes: send a smaller request", CLOSE)


class Connection(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
    """Closes a connection whose client sends a head too slowly, or does not read its answers."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._head = 0
        self._waiting: asyncio.TimerHandle | None = None
        self._unread: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Wait for the first request."""
        super().connection_made(transport)
        self._wait_for_head()

    def data_received(self, data: bytes) -> None:
        """Read on; the time for a head begins with its first byte, or with the connection."""
        super().data_received(data)
        if self.transport.is_closing() or (self.cycle is not None and not self.cycle.response_complete):
            self._stop_waiting()
            return
        self._head += len(data)
        if self._head > HEAD_BYTES:
            self._refuse(431, LARGE_HEAD)
        elif self._waiting is None:
            self._wait_for_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._stop_waiting()
        self.resume_writing()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """Wait for the client, which leaves an answer unread."""
        super().pause_writing()
        self._wait_for_reader(sys.maxsize)

    def resume_writing(self) -> None:
        """Continue an answer."""
        if self._unread is not None:
            self._unread.cancel()
        super().resume_writing()

    def _wait_for_reader(self, before: int) -> None:
        """End the connection if the client has read nothing since there were so many bytes before it."""
        left = self.transport.get_write_buffer_size()
        if left < before:
            self._unread = self.loop.call_later(READ_SECONDS, self._wait_for_reader, left)
        else:
            self.transport.abort()

    def timeout_keep_alive_handler(self) -> None:
        """End a connection that is not used any more, even if the end of an answer is still unread."""
        self.transport.abort()

    def _wait_for_head(self) -> None:
        self._waiting = self.loop.call_later(HEAD_SECONDS, self._end_waiting)

    def _stop_waiting(self) -> None:
        self._head = 0
        if self._waiting is not None:
            self._waiting.cancel()
        self._waiting = None

    def _end_waiting(self) -> None:
        """Refuse a head that is incomplete; a browser's spare connection, on which nothing was sent, is just closed."""
        if self._head:
            self._refuse(408, f"the request head did not arrive within {HEAD_SECONDS:g} s: send the request faster")
        else:
            self.transport.close()

    def _refuse(self, status: int, sentence: str) -> None:
        self._stop_waiting()
        answer = problem(ProblemError(status, sentence, CLOSE))
        lines = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}", *(f"{name}: {text}" for name, text in answer.headers.items())]
        self.transport.write("\r\n".join([*lines, "", ""]).encode() + bytes(answer.body))
        self.transport.close()
