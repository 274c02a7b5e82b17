"""The command that serves tables over HTTP: serve."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from tablebase.cli import options
from tablebase.cli.options import parse_size
from tablebase.compute.machine import usable_workers


class AccessLog(StrEnum):
    """Values of --access-log."""

    NONE = "none"
    JSON = "json"


def serve(
    host: Annotated[str, typer.Option("--host", metavar="ADDRESS", help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", metavar="N", min=0, max=65535, help="Port; 0 for any that is free.")] = 8000,
    unix_socket: Annotated[
        Path | None, typer.Option("--unix-socket", metavar="FILE", help="Listen on this socket instead of a port.")
    ] = None,
    workers: Annotated[int, typer.Option("--workers", metavar="N", min=1, help="Number of processes.")] = 1,
    mine: Annotated[bool, typer.Option("--mine", help="Also answer statements over positions, within limits.")] = False,
    origin: Annotated[
        list[str] | None,
        typer.Option("--origin", metavar="URL", help="Let pages of this origin ask, or of any with '*'; may be repeated."),
    ] = None,
    cache: Annotated[
        str | None, typer.Option("--cache", metavar="SIZE", help="Memory of each process for parts of tables; by default 256M.")
    ] = None,
    access_log: Annotated[
        AccessLog, typer.Option("--access-log", help="Whether to write a line about each request to standard error.")
    ] = AccessLog.NONE,
    data: options.Data = options.DEFAULT_DATA,
    catalog: options.CatalogUrl = None,
) -> None:
    """Serve the tables over HTTP: JSON under /api/v1/, and pages."""
    from tablebase.cli.output import say
    from tablebase.errors import check_extra

    check_extra("servers", "serve")
    from tablebase.web.server import Address, serve
    from tablebase.web.settings import Settings

    size = None if cache is None else parse_size(cache)
    settings = Settings(data, catalog, mine, tuple(origin or ()), size, access_log is AccessLog.JSON)
    serve(settings, Address(host, port, unix_socket), usable_workers(workers), lambda address: say(f"serving {data} at {address}"))
