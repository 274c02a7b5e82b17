"""Connections to the server, with limits for slow clients: uvicorn limits neither heads of requests nor unread answers."""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol

from tablebase.web.limits import CLOSE
from tablebase.web.problems import problem

HEAD_SECONDS = 10.0
"""Seconds until the head of a request has arrived: its first line and its headers."""
HEAD_BYTES = 1 << 16
"""Largest size of a head."""
READ_SECONDS = 30.0
"""Seconds that a client may pause while it reads an answer."""


class Connection(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
    """Closes a connection whose client sends a head too slowly, or does not read its answers."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._head = 0
        self._waiting: asyncio.TimerHandle | None = None
        self._unread: asyncio.TimerHandle | None = None
        self._left = 0

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
            self._refuse(431, f"the head of the request is larger than {HEAD_BYTES:,} bytes: send less")
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
        self._wait_for_reader()

    def resume_writing(self) -> None:
        """Go on with an answer."""
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None
        super().resume_writing()

    def _wait_for_reader(self) -> None:
        self._left = self.transport.get_write_buffer_size()
        self._unread = self.loop.call_later(READ_SECONDS, self._check_reader)

    def _check_reader(self) -> None:
        """End the connection if the client has read nothing since the last look."""
        if self.transport.get_write_buffer_size() < self._left:
            self._wait_for_reader()
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
            self._refuse(408, f"the head of the request did not arrive within {HEAD_SECONDS:g} s: send it at once")
        else:
            self.transport.close()

    def _refuse(self, status: int, sentence: str) -> None:
        self._stop_waiting()
        answer = problem(status, sentence, CLOSE)
        lines = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}", *(f"{name}: {text}" for name, text in answer.headers.items())]
        self.transport.write("\r\n".join([*lines, "", ""]).encode() + bytes(answer.body))
        self.transport.close()
