"""Load on a server on this machine, for the benchmark: probes of random positions, and beside them an endpoint that does nothing.

    python scripts/serve_load.py --data data --seconds 60

Every probe is of another random position, with all moves. Connections are kept alive, and each sends its next request as soon as it
has its answer. The generator shares the processors with the server. Memory is what Linux counts as PSS of all processes together.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import psutil
from processes import PROGRAM

from tablebase.errors import NotationError
from tablebase.game import Game, load_game
from tablebase.game.moves import Position
from tablebase.game.notation import parse, render
from tablebase.slices.location import stored_materials

GAME = "doushouqi"
PIECES = 4
WORKERS = 2
CONNECTIONS = 16
POSITIONS = 50_000
SECONDS = 60.0
WARM_UP = 5.0
"""Seconds of load, again and again until the memory hardly grows any more."""
STEADY = 1.01
ROUNDS = 20
EMPTY = f"""
import socket
import uvicorn
from fastapi import FastAPI
from uvicorn.supervisors.multiprocess import Multiprocess
app = FastAPI()
@app.get("/")
async def empty():
    return {{}}
if __name__ == "__main__":
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        print(listener.getsockname()[1], flush=True)
        Multiprocess(uvicorn.Config("empty:app", workers={WORKERS}, log_level="warning", access_log=False), [listener]).run()
"""
"""A server with an endpoint that does nothing."""


def measure_serving(data: Path, seconds: float = SECONDS) -> list[dict[str, Any]]:
    """A row for the probes, and one for the endpoint that does nothing."""
    texts = random_positions(load_game(GAME), PIECES, POSITIONS)
    probes = [request(f"/api/v1/probe?game={GAME}&position={quote(text)}") for text in texts]
    with served(data) as (process, port):
        row = {"requests": f"probes of {PIECES} pieces", **measure(process, port, probes, seconds)}
    with empty_served() as (process, port):
        return [row, {"requests": "an empty endpoint", **measure(process, port, [request("/")], seconds)}]


def random_positions(game: Game, pieces: int, count: int) -> list[str]:
    """Positions of random materials; each material is as likely as any other."""
    source = random.Random(0)
    materials = stored_materials(game, pieces)
    texts: list[str] = []
    while len(texts) < count:
        material = source.choice(materials)
        squares = [source.choice(game.kinds[kind].squares) for kind in material.kinds]
        position = Position(tuple(sorted(zip(material.kinds, squares, strict=True))), source.randrange(2))
        text = render(game, position)
        try:
            parse(game, text)
        except NotationError:
            continue
        if len(set(squares)) == pieces:
            texts.append(text)
    return texts


def request(target: str) -> bytes:
    """A request as it is sent."""
    return f"GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()


@contextmanager
def served(data: Path) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A server of a folder, and its port."""
    words = [*PROGRAM, "serve", "--data", str(data), "--workers", str(WORKERS), "--port", "0"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            yield process, int(process.stderr.readline().rpartition(":")[2])
        finally:
            process.send_signal(signal.SIGTERM)


@contextmanager
def empty_served() -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A server that does nothing, and its port."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "empty.py").write_text(EMPTY, encoding="utf-8")
        with subprocess.Popen([sys.executable, "empty.py"], cwd=folder, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            try:
                yield process, int(process.stdout.readline())
            finally:
                process.send_signal(signal.SIGTERM)


def measure(process: subprocess.Popen[str], port: int, requests: list[bytes], seconds: float) -> dict[str, Any]:
    """What a server does under load for so long, after a warm-up."""
    warm_up(process, port, requests)
    before, cpu = memory(process.pid), cpu_seconds(process.pid)
    own = time.process_time()
    begin = time.perf_counter()
    times = np.array(asyncio.run(load(port, requests, seconds))) * 1000
    passed = time.perf_counter() - begin
    after = memory(process.pid)
    return {
        "a_second": round(len(times) / passed),
        "p50_ms": round(float(np.percentile(times, 50)), 2),
        "p99_ms": round(float(np.percentile(times, 99)), 2),
        "most_ms": round(float(times.max()), 1),
        "server_us": round((cpu_seconds(process.pid) - cpu) / len(times) * 1e6),
        "generator_us": round((time.process_time() - own) / len(times) * 1e6),
        "memory_before": before,
        "memory_after": after,
    }


def warm_up(process: subprocess.Popen[str], port: int, requests: list[bytes]) -> None:
    """Put load on a server until its tables are open and its memory is full."""
    for _ in range(ROUNDS):
        before = memory(process.pid)
        asyncio.run(load(port, requests, WARM_UP))
        if memory(process.pid) < STEADY * before:
            return


async def load(port: int, requests: list[bytes], seconds: float) -> list[float]:
    """Send requests on all connections until the time is over; the seconds that each took."""
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    shuffled = random.Random().sample(requests, len(requests))
    clients = []
    for number in range(CONNECTIONS):
        _, client = await loop.create_connection(partial(Client, shuffled, number, end), "127.0.0.1", port)
        clients.append(client)
    await asyncio.gather(*(client.done for client in clients))
    return [taken for client in clients for taken in client.times]


class Client(asyncio.Protocol):
    """A connection that sends one request after another, and refuses everything but a success."""

    def __init__(self, requests: list[bytes], number: int, end: float) -> None:
        self.requests, self.next, self.end = requests, number * len(requests) // CONNECTIONS, end
        self.times: list[float] = []
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.received = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin."""
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.send()

    def send(self) -> None:
        """Send the next request."""
        self.begin = time.perf_counter()
        self.transport.write(self.requests[self.next % len(self.requests)])
        self.next += 1

    def data_received(self, data: bytes) -> None:
        """Go on when the whole answer is there."""
        self.received += data
        head, found, body = self.received.partition(b"\r\n\r\n")
        if not found or len(body) < int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0]):
            return
        now = time.perf_counter()
        self.times.append(now - self.begin)
        if not self.received.startswith(b"HTTP/1.1 200"):
            self.finish(RuntimeError(self.received.decode()))
        elif asyncio.get_running_loop().time() >= self.end:
            self.finish(None)
        else:
            self.received = b""
            self.send()

    def finish(self, fault: Exception | None) -> None:
        """End, with or without success."""
        self.transport.close()
        if not self.done.done():
            self.done.set_result(None) if fault is None else self.done.set_exception(fault)

    def connection_lost(self, exc: Exception | None) -> None:
        """Say so, unless it was to be closed."""
        self.finish(exc or ConnectionError("the server has closed the connection"))


def family(pid: int) -> list[psutil.Process]:
    """A process and all that it has started."""
    process = psutil.Process(pid)
    return [process, *process.children(recursive=True)]


def memory(pid: int) -> int:
    """Bytes of PSS of a process and its children."""
    found = 0
    for process in family(pid):
        rows = Path(f"/proc/{process.pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
        found += next(int(row.split()[1]) for row in rows if row.startswith("Pss:")) * 1024
    return found


def cpu_seconds(pid: int) -> float:
    """Seconds that a process and its children have used."""
    return sum(sum(process.cpu_times()[:2]) for process in family(pid))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("TABLEBASE_DATA", "data")), help="folder of the tables")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="how long to measure")
    arguments = parser.parse_args()
    print(json.dumps(measure_serving(arguments.data, arguments.seconds), indent=2))
