"""Servers for tests: an application in this process, and a server in one of its own."""

import json
import os
import signal
import socket
import subprocess
import time
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any, Literal

import pytest
import uvicorn

from tablebase.web.app import create_app
from tablebase.web.settings import RequestLimits, ServerSettings

with warnings.catch_warnings():
    # It would rather have another version of its client, which comes with no package that we need.
    warnings.simplefilter("ignore")
    from starlette.testclient import TestClient

from support.program import start_fresh

PROBLEM = "application/problem+json"
SMALL = RequestLimits(body=10_000, body_seconds=0.5, batch=5, plies=50, seconds=30.0, apart=1, rows=50, answer=100_000)
"""Limits that a test can reach."""

START, EMPTY = "/hexapawn/position/ppp/3/PPP_w", "/doushouqi/position/7/7/7/7/7/7/7/7/7_w"
PAGES = (
    "/",
    "/nowhere",
    "/doushouqi/",
    "/doushouqi/?pieces=2",
    "/foxhounds-4x4/",
    "/hasenspiel/",
    "/doushouqi/records",
    "/doushouqi/material/RvE",
    "/foxhounds-4x4/material/FvHH@0",
    START,
    EMPTY,
    "/doushouqi/position/7/7/7/7/3e3/7/7/R6/7_w",
    "/doushouqi/position/7/7/7/7/3c3/7/7/R5C/7_w",
    "/hexapawn/position/1pp/P2/1P1_b",
    "/hexapawn/position/P2/3/3_b",
    "/hexapawn/play",
    "/hexapawn/play?seat=person&seat=tables&moves=a1a2+b3a2",
    "/hexapawn/play?seat=person&seat=matchboxes&moves=b1b2+a3a2+b2c3",
    "/pig/",
    "/pig/replay",
    "/pig/replay?seat=a&seat=b&moves=1+6+0&at=1",
    "/pig/position/0,0_1_0",
    "/pig/play?seat=person&seat=random&moves=1+6+0+1+1",
    "/harehedgehog/",
    "/harehedgehog-players=6/play",
    "/harehedgehog/play?seat=person&seat=person&seat=person&moves=1",
    "/harehedgehog/play?seat=person&seat=person&moves=1+miss+5",
    "/harehedgehog/replay?seat=computer&seat=random&moves=1+miss+5&at=2",
    "/mine",
)
"""Addresses of pages of every kind: with and without tables, of games in progress, and of errors."""


@contextmanager
def client_of(folder: Path, **settings: Any) -> Iterator[TestClient]:
    """A client of an application in this process, which raises nothing of what the server answers with 500."""
    app = create_app(ServerSettings(folder, **settings))
    with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as client:
        yield client


def client_fixture(folder: str, scope: Literal["module", "session"] = "module", **settings: Any) -> Any:
    """A fixture that is a client of an application with the tables of another fixture."""

    @pytest.fixture(scope=scope)
    def client(request: pytest.FixtureRequest) -> Iterator[TestClient]:
        with client_of(request.getfixturevalue(folder), **settings) as opened:
            yield opened

    return client


def sentence_of(answer: Any, status: int) -> str:
    """The sentence of an error, which must be a problem with this status, and name no path of this machine."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == PROBLEM
    assert answer.headers["cache-control"] == "no-store"
    told = answer.json()
    assert told["status"] == status
    assert told["title"]
    assert_no_paths(answer.text)
    sentence = str(told["detail"])
    assert "\n" not in sentence
    assert not sentence.endswith(".")
    return sentence


def assert_no_paths(text: str) -> None:
    for word in ("/tmp", "/root", "/home", "/usr/lib", str(Path(__file__).parents[2]), "Traceback", '.py"', "site-packages"):
        assert word not in text, text


@contextmanager
def in_thread(config: uvicorn.Config) -> Iterator[str]:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        server = uvicorn.Server(config)
        thread = Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        while not server.started and thread.is_alive():
            time.sleep(0.01)
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


@contextmanager
def served(*words: object, environment: Mapping[str, str] | None = None) -> Iterator[tuple[subprocess.Popen[str], str]]:
    with start_fresh("serve", *words, environment=environment) as process:
        try:
            assert process.stderr is not None
            line = process.stderr.readline()
            assert " at " in line, line + process.stderr.read()
            yield process, line.rpartition(" at ")[2].strip()
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def connected(address: str) -> socket.socket:
    if address.startswith("unix:"):
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(30)
        connection.connect(address.removeprefix("unix:"))
        return connection
    host, port = address.removeprefix("http://").rsplit(":", 1)
    return socket.create_connection((host, int(port)), timeout=30)


def ask_raw(address: str, request: bytes) -> tuple[int, dict[str, str], bytes]:
    with connected(address) as connection:
        connection.sendall(request)
        return read_answer(connection)


def read_answer(connection: socket.socket) -> tuple[int, dict[str, str], bytes]:
    received = b""
    while part := connection.recv(65536):
        received += part
    head, _, body = received.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
    return int(first.split()[1]), headers, body


def get_raw(address: str, target: str) -> Any:
    status, _, body = ask_raw(address, f"GET {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
    assert status == 200, body
    return json.loads(body)
