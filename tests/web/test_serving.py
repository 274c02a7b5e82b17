"""A server in separate processes: addresses, signals, slow clients, several workers, behind nginx, and with PostgreSQL."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
import uvicorn
from starlette.types import Receive, Scope, Send
from support.html import parsed, said
from support.processes import wait_for
from support.program import Ask, assert_one_sentence, assert_refused
from support.servers import PASSWORD, Server
from support.tablebases import on_postgresql
from support.web import PROBLEM, ask_raw, assert_no_paths, connected, get_raw, in_thread, read_answer, served

from tablebase.web import limits
from tablebase.web.server import KEEP_ALIVE, listening
from tablebase.web.settings import ServerSettings

PAGE = Path(__file__).parents[2] / "docs" / "serve.md"
PROBE = "/api/v1/probe?game=doushouqi&position=7/7/7/7/3c3/7/7/R6/7%20w"
BODY = b'{"game": "doushouqi", "positions": ["7/7/7/7/3c3/7/7/R6/7 w"]}'


def post_head(length: int) -> bytes:
    lines = ["POST /api/v1/probe HTTP/1.1", "Host: localhost", "Content-Type: application/json", f"Content-Length: {length}"]
    return "\r\n".join([*lines, "Connection: close", "", ""]).encode()


def asked(address: str, target: str) -> tuple[int, dict[str, str], str]:
    """Status, headers and text of an answer to GET, which names neither a path nor the password of the database."""
    status, headers, body = ask_raw(address, f"GET {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
    assert_no_paths(body.decode())
    assert PASSWORD not in body.decode()
    return status, headers, body.decode()


@pytest.fixture(scope="module")
def address(two_pieces: Path) -> Iterator[str]:
    with served("--data", two_pieces, "--port", "0", "--workers", "2") as (_, found):
        yield found


def test_two_workers(address: str) -> None:
    """Their numbers for Prometheus are counted together."""
    for _ in range(20):
        assert get_raw(address, PROBE)[0]["distance"] == 8
    lines = [line for line in asked(address, "/metrics")[2].splitlines() if line.startswith("tablebase_requests_total")]
    (mine,) = [line for line in lines if 'route="/api/v1/probe"' in line and 'status="200"' in line]
    assert float(mine.rpartition(" ")[2]) >= 20


@pytest.mark.parametrize(
    "request_",
    [
        b"NONSENSE\r\n\r\n",
        b"GET \xff\xfe HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /api/v1/probe?game=%ff%fe&position=%00 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        b"GET /" + b"x" * 100_000 + b" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        b"POST /api/v1/probe HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        b"POST /api/v1/probe HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\nzz\r\n",
        b"GET /api/v1/../../etc/passwd HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
    ],
)
def test_what_is_no_request(address: str, request_: bytes) -> None:
    """Refused in a line, by the server or by the parser of requests."""
    status, _, body = ask_raw(address, request_)
    assert 400 <= status < 500
    assert_no_paths(body.decode())


def test_a_body_that_is_announced_too_large(address: str) -> None:
    status, headers, body = ask_raw(address, post_head(1 << 30))
    assert (status, headers["content-type"]) == (413, PROBLEM)
    assert b"larger than 1,048,576 bytes" in body


@pytest.mark.parametrize("part", ["path", "line", "lines"])
def test_the_documented_size_of_a_head(address: str, part: str) -> None:
    """Also if it arrives in one piece: 64 KiB are read, and 1 KiB more is not."""
    for size, expected in ((limits.HEAD_BYTES - 1024, {200, 404}), (limits.HEAD_BYTES + 1024, {431})):
        more = {"path": b"", "line": b"X: " + b"y" * size + b"\r\n", "lines": b"X: y\r\n" * (size // 6)}[part]
        path = b"/" + b"x" * size if part == "path" else b"/healthz"
        with connected(address) as connection:
            connection.sendall(b"GET " + path + b" HTTP/1.1\r\nHost: x\r\n" + more + b"Connection: close\r\n\r\n")
            status, headers, body = read_answer(connection)
        # The parser of requests has a limit of its own for addresses.
        assert status in (expected | {400} if part == "path" and 431 in expected else expected)
        assert (status != 431) or (headers["connection"], b"larger than 65,536 bytes" in body) == ("close", True)


def test_the_proxy_closes_unused_connections_first() -> None:
    """Otherwise it would send requests over connections that the server is about to close."""
    (seconds,) = re.findall(r"^ +keepalive_timeout (\d+)s;$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert int(seconds) < KEEP_ALIVE


def refuses(address: str) -> bool:
    try:
        connected(address).close()
    except ConnectionRefusedError:
        return True
    return False


@pytest.mark.parametrize(
    ("workers", "number"),
    [
        (1, signal.SIGTERM),
        pytest.param(2, signal.SIGTERM, marks=pytest.mark.full),
        pytest.param(1, signal.SIGINT, marks=pytest.mark.full),
    ],
)
def test_requests_are_answered_before_the_end(two_pieces: Path, workers: int, number: signal.Signals) -> None:
    """A request whose body arrives after the signal is answered; new connections are refused; the exit code is 0."""
    with served("--data", two_pieces, "--port", "0", "--workers", workers) as (process, address):
        assert get_raw(address, PROBE)
        with connected(address) as begun:
            begun.sendall(post_head(len(BODY)))
            time.sleep(0.3)
            process.send_signal(number)
            wait_for(lambda: refuses(address))
            begun.sendall(BODY)
            status, _, body = read_answer(begun)
        assert (status, b'"distance":8' in body) == (200, True)
        out, err = process.communicate(timeout=30)
        assert (process.returncode, out, err) == (0, "", "")


@pytest.mark.full
@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGQUIT, signal.SIGKILL])
@pytest.mark.parametrize("workers", [1, 2])
def test_a_server_ends_with_its_terminal(workers: int, number: signal.Signals, two_pieces: Path, tmp_path: Path) -> None:
    """With all workers, also if it is killed; else without anything left behind, and with the code of the signal."""
    place = {"TMPDIR": str(tmp_path)}
    words = ("--data", two_pieces, "--unix-socket", tmp_path / "s", "--workers", workers)
    with served(*words, environment=place) as (process, address):
        assert get_raw(address, PROBE)
        others = psutil.Process(process.pid).children(recursive=True)
        process.send_signal(number)
        _, err = process.communicate(timeout=15)
        _, alive = psutil.wait_procs(others, timeout=15)
        assert not alive
    if number != signal.SIGKILL:
        assert (process.returncode, err.count("error: ")) == (128 + number, 1)
        assert list(tmp_path.iterdir()) == []


@pytest.mark.full
def test_a_unix_socket(two_pieces: Path, tmp_path: Path, ask: Ask) -> None:
    """It is there while the server runs; one that a killed server has left is replaced, one in use is not.

    The access log has the client that the proxy names last; the one before may be an invention of that client.
    """
    words = ("--data", two_pieces, "--unix-socket", tmp_path / "s")
    with served(*words) as (process, address):
        assert address == f"unix:{tmp_path}/s"
        assert_refused(ask("serve", *words), 2, str(tmp_path / "s"), "Address already in use", "--unix-socket")
        assert get_raw(address, PROBE)[0]["distance"] == 8
        process.kill()
        process.wait()
    assert (tmp_path / "s").exists()
    with served(*words, "--access-log", "json") as (process, address):
        for more in ("", "X-Forwarded-For: 192.0.2.7, 198.51.100.9\r\n"):
            ask_raw(address, f"GET /healthz HTTP/1.1\r\nHost: x\r\n{more}Connection: close\r\n\r\n".encode())
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=30)
    assert [json.loads(line)["client"] for line in err.splitlines()] == ["unix", "198.51.100.9"]
    assert not (tmp_path / "s").exists()


def test_a_port_in_use(two_pieces: Path, ask: Ask) -> None:
    """One sentence, with code 2, and the environment is as it was; no file is taken for a socket either."""
    before, handler = dict(os.environ), signal.getsignal(signal.SIGTERM)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        answer = ask("serve", "--data", two_pieces, "--port", port)
    assert_one_sentence(answer, f"127.0.0.1:{port}", "Address already in use", "--port")
    assert (dict(os.environ), signal.getsignal(signal.SIGTERM)) == (before, handler)
    assert_one_sentence(ask("serve", "--data", two_pieces, "--unix-socket", two_pieces / "catalog.sqlite"))
    assert (two_pieces / "catalog.sqlite").is_file()


def test_without_the_extra(two_pieces: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tablebase.errors.find_spec", lambda _: None)
    assert_refused(ask("serve", "--data", two_pieces), 2, "[serve]")


def test_ipv6() -> None:
    if not socket.has_ipv6:
        pytest.skip("this machine has no IPv6")
    with listening(ServerSettings(Path(), host="::1", port=0)) as listener:
        assert listener.family == socket.AF_INET6


LENGTH = 1 << 25
"""Bytes of the answer, more than the system keeps for a client that does not read."""
WHOLE = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    del scope, receive
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % LENGTH)]})
    await send({"type": "http.response.body", "body": b" " * LENGTH})


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
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


@pytest.mark.parametrize("requests", [0, 1])
def test_heads_that_trickle_in(hasty: str, requests: int) -> None:
    """The connection is closed, also after a whole request, long before one on which nothing is sent would be."""
    with connected(hasty) as slow:
        for _ in range(requests):
            slow.sendall(WHOLE)
            read_all(slow, LENGTH - len(slow.recv(1 << 10).partition(b"\r\n\r\n")[2]))
        slow.sendall(b"GET / HT")
        status, headers, body = read_answer(slow)
    assert (status, headers["connection"]) == (408, "close")
    assert b"did not arrive within 0.5 s" in body


def test_answers_that_are_not_read(hasty: str) -> None:
    """The connection is ended; a client that reads slowly gets all of its answer."""
    with connected(hasty) as lazy, connected(hasty) as slow:
        for client in (lazy, slow):
            client.sendall(WHOLE)
        for _ in range(8):
            time.sleep(0.2)
            assert read_all(slow, LENGTH // 8) == LENGTH // 8
        assert read_all(lazy, LENGTH) < LENGTH


def test_connections_on_which_nothing_is_sent(hasty: str) -> None:
    """They are closed without an answer, which a client could take for that to its first request."""
    with connected(hasty) as idle:
        assert idle.recv(100) == b""


ANSWERS = ("/api/v1/stats?game=doushouqi", "/api/v1/material?game=doushouqi&material=RvC", PROBE)
PAGES = ("/", "/doushouqi/", "/doushouqi/material/RvC", "/doushouqi/records")


@pytest.mark.release
@on_postgresql
def test_a_catalog_in_postgresql(catalog_url: str, server: Server, two_pieces: Path, tmp_path: Path, ask: Ask) -> None:
    """Two workers; a table that is built meanwhile is shown; without the database answers from tables alone go on."""
    shutil.copytree(two_pieces / "doushouqi", tmp_path / "data" / "doushouqi")
    there = ("--data", tmp_path / "data", "--catalog", catalog_url)
    assert ask("reindex", *there).code == 0
    with served(*there, "--port", 0, "--workers", 2) as (_, address), served("--data", two_pieces, "--port", 0) as (_, other):
        for target in ANSWERS:
            assert asked(address, target)[::2] == (200, asked(other, target)[2])
        for target in PAGES:
            pages = [parsed(asked(one, target)[2]) for one in (address, other)]
            assert said(pages[0]) == said(pages[1])
        assert asked(address, "/api/v1/stats?game=hexapawn")[0] == 404
        assert ask("build", "hexapawn", *there).code == 0
        assert asked(address, "/api/v1/stats?game=hexapawn")[0] == 200
        server.kill()
        try:
            status, headers, text = asked(address, ANSWERS[0])
            assert (status, headers["content-type"]) == (503, PROBLEM)
            assert "the database of the catalog cannot be reached" in text
            assert asked(address, PAGES[0])[0] == 503
            assert asked(address, ANSWERS[-1])[0] == 200
        finally:
            server.start()
        assert [asked(address, target)[0] for target in ANSWERS] == [200] * len(ANSWERS)


@pytest.fixture(scope="module")
def front(two_pieces: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of nginx: the page's settings, but for its certificate and the places of both sockets."""
    program = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
    if program is None:
        assert not os.environ.get("CI"), "nginx must be installed here"
        pytest.skip("nginx is not installed")
    folder = tmp_path_factory.mktemp("nginx")
    (shown,) = re.findall(r"^```nginx\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    for place, other in {"unix:/run/tablebase/socket": f"unix:{folder}/socket", "443 ssl": f"unix:{folder}/front"}.items():
        assert place in shown
        shown = shown.replace(place, other)
    settings = folder / "nginx.conf"
    temporary = "\n".join(f"{name}_temp_path {folder}/{name};" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    user = "user root;" if os.geteuid() == 0 else ""
    settings.write_text(
        f"{user} pid {folder}/pid; error_log {folder}/errors; events {{}} http {{ access_log off; {temporary}\n{shown} }}\n",
        encoding="utf-8",
    )
    with served("--data", two_pieces, "--unix-socket", folder / "socket", "--workers", "2"):
        nginx = subprocess.Popen([program, "-p", str(folder), "-c", str(settings), "-g", "daemon off;"])
        try:
            wait_for((folder / "front").exists)
            yield f"unix:{folder}/front"
        finally:
            nginx.terminate()
            nginx.wait()


@pytest.mark.release
def test_nginx_as_the_page_sets_it_up(front: str) -> None:
    """Many answers in turn over connections that stay open; a large body is refused, and numbers for Prometheus stay inside."""
    for _ in range(50):
        assert get_raw(front, PROBE)[0]["distance"] == 8
    status, headers, _ = ask_raw(front, post_head((1 << 20) + 1))
    assert (status, headers["server"].partition("/")[0]) == (413, "nginx")
    assert asked(front, "/metrics")[0] == 403
