"""Settings of a server, and its limits on requests."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

MEBIBYTE = 1 << 20


@dataclass(frozen=True)
class RequestLimits:
    """Limits on a request."""

    body: int = MEBIBYTE  # bytes of its body
    body_seconds: float = 10.0  # until its body has arrived
    batch: int = 1000  # positions
    plies: int = 1000  # positions of a line, and moves of a game that it repeats
    materials: int = 10_000  # with at most as many pieces as an estimate asks for
    seconds: float = 30.0  # until it is answered
    # Requests of each process that are answered at a time in processes of their own: statements, counts, and slow players.
    apart: int = 2
    rows: int = 10_000  # of a statement's result
    answer: int = 16 * MEBIBYTE  # bytes of a statement's result
    memory: int = 2560 * MEBIBYTE  # bytes that a process of its own may occupy


@dataclass(frozen=True)
class ServerSettings:
    """Settings of a server."""

    folder: Path
    catalog: str | None = None  # URL of the PostgreSQL database that holds it; by default it is a file in the folder
    mine: bool = False  # whether statements over positions are answered
    origins: tuple[str, ...] = ()  # of pages of others that may ask
    cache: int | None = None  # bytes of decompressed chunks of tables that each process keeps; by default 256 MiB
    access_log: bool = False  # whether each request is logged, as an object of JSON on a line of standard error
    limits: RequestLimits = field(default_factory=RequestLimits)
    host: str = "127.0.0.1"  # where it listens
    port: int = 8000  # 0 for any that is free
    unix_socket: Path | None = None  # instead of host and port
    root: str = ""  # the path below which a reverse proxy shows the pages; by default the one that the proxy names
