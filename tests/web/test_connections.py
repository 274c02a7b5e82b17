"""Connections whose clients are too slow, with limits that a test can reach."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator

import pytest
import uvicorn
from starlette.types import Receive, Scope, Send
from support.web import connected, in_thread, read_answer

from tablebase.web import limits

LENGTH = 1 << 25
"""Bytes of the answer, more than the system keeps for a client that does not read."""
WHOLE = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    """Answers with many bytes."""
    del scope, receive
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % LENGTH)]})
    await send({"type": "http.response.body", "body": b" " * LENGTH})


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a server that waits for half a second."""
    monkeypatch.setattr(limits, "HEAD_SECONDS", 0.5)
    monkeypatch.setattr(limits, "READ_SECONDS", 0.5)
    with in_thread(uvicorn.Config(application, http=limits.Connection, lifespan="off", log_level="warning")) as address:
        yield address


def read_all(connection: socket.socket, length: int) -> int:
    """The number of bytes that arrive, at most this many."""
    found = 0
    while found < length and (part := connection.recv(min(1 << 20, length - found))):
        found += len(part)
    return found


def test_heads_that_trickle_in(server: str) -> None:
    """They are refused."""
    with connected(server) as slow:
        slow.sendall(b"GET / HT")
        status, headers, body = read_answer(slow)
    assert (status, headers["connection"]) == (408, "close")
    assert b"did not arrive within 0.5 s" in body


def test_a_second_head_that_trickles_in(server: str) -> None:
    """The connection is closed, too, long before one on which nothing is sent would be."""
    with connected(server) as slow:
        slow.sendall(WHOLE)
        head = slow.recv(1 << 10).partition(b"\r\n\r\n")
        read_all(slow, LENGTH - len(head[2]))
        slow.sendall(b"GET / HT")
        assert read_answer(slow)[0] == 408


def test_answers_that_are_not_read(server: str) -> None:
    """The connection is ended; a client that reads slowly gets all of its answer."""
    with connected(server) as lazy, connected(server) as slow:
        for client in (lazy, slow):
            client.sendall(WHOLE)
        for _ in range(8):
            time.sleep(0.2)
            assert read_all(slow, LENGTH // 8) == LENGTH // 8
        assert read_all(lazy, LENGTH) < LENGTH
