"""Load on a server on this machine: probes of random positions, with all moves.

Connections are kept alive, and each sends its next request as soon as it has its answer. The generator of the load shares the
processors with the server.
"""

from __future__ import annotations

import asyncio
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

from scripts.measure.clock import family, memory_of_family
from tablebase.errors import TablebaseError
from tablebase.game import load_game
from tablebase.game.moves import Position, legal_moves
from tablebase.game.notation import render
from tablebase.positions.location import stored_materials

GAME = "doushouqi"
WORKERS = 2
CONNECTIONS = 16
POSITIONS = 50_000
WARM_UP, ROUNDS = 5.0, 20
"""Seconds of load before measuring, so many times until the memory hardly grows any more."""
STEADY = 1.01


def measure_serving(data: Path, pieces: int, seconds: float) -> dict[str, list[dict[str, Any]]]:
    """Requests a second, milliseconds of a request, and the memory of all processes of the server."""
    targets = [f"/api/v1/probe?game={GAME}&position={quote(text)}" for text in _random_positions(pieces)]
    requests = [f"GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode() for target in targets]
    with _served(data) as (pid, port):
        _warm_up(pid, port, requests)
        before, cpu, own = memory_of_family(pid), _cpu_seconds(pid), time.process_time()
        times = 1000 * np.array(asyncio.run(_load(port, requests, seconds)))
        row = {
            "a_second": round(len(times) / seconds),
            "p50_ms": round(float(np.percentile(times, 50)), 2),
            "p99_ms": round(float(np.percentile(times, 99)), 2),
            "server_us": round((_cpu_seconds(pid) - cpu) / len(times) * 1e6),
            "generator_us": round((time.process_time() - own) / len(times) * 1e6),
            "memory_before": before,
            "memory_after": memory_of_family(pid),
        }
    return {"requests": [row]}


def _random_positions(pieces: int) -> Iterator[str]:
    """Positions of random materials with this many pieces; each material is as likely as any other."""
    game, source = load_game(GAME), random.Random(0)
    materials, found = stored_materials(game, pieces), 0
    while found < POSITIONS:
        material = source.choice(materials)
        squares = [source.choice(game.kinds[kind].squares) for kind in material.kinds]
        position = Position(tuple(sorted(zip(material.kinds, squares, strict=True))), source.randrange(2))
        if len(set(squares)) == pieces and legal_moves(game, position):
            found += 1
            yield render(game, position)


@contextmanager
def _served(data: Path) -> Iterator[tuple[int, int]]:
    """A server of a folder: its process and its port."""
    words = [sys.executable, "-m", "tablebase", "serve", "--data", str(data), "--workers", str(WORKERS), "--port", "0"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            yield process.pid, int(process.stderr.readline().rpartition(":")[2])
        finally:
            process.send_signal(signal.SIGTERM)


def _warm_up(pid: int, port: int, requests: list[bytes]) -> None:
    """Put load on a server until its tables are open and its memory is full."""
    for _ in range(ROUNDS):
        before = memory_of_family(pid)
        asyncio.run(_load(port, requests, WARM_UP))
        if memory_of_family(pid) < STEADY * before:
            return


async def _load(port: int, requests: list[bytes], seconds: float) -> list[float]:
    """Send requests on all connections until the time is over; the seconds that each took."""
    end = time.perf_counter() + seconds
    shuffled = random.Random().sample(requests, len(requests))
    connections = [_send(port, shuffled[number::CONNECTIONS], end) for number in range(CONNECTIONS)]
    return [taken for times in await asyncio.gather(*connections) for taken in times]


async def _send(port: int, requests: list[bytes], end: float) -> list[float]:
    """Send one request after another on a connection; anything but a success is an error."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    times: list[float] = []
    while (begin := time.perf_counter()) < end:
        writer.write(requests[len(times) % len(requests)])
        head = await reader.readuntil(b"\r\n\r\n")
        body = await reader.readexactly(int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0]))
        if not head.startswith(b"HTTP/1.1 200"):
            raise TablebaseError(f"a probe was not answered: {body.decode()}")
        times.append(time.perf_counter() - begin)
    writer.close()
    return times


def _cpu_seconds(pid: int) -> float:
    """Seconds that a process and all that it has started have used."""
    return sum(sum(process.cpu_times()[:2]) for process in family(pid))
