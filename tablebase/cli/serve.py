"""The command that serves tables over HTTP: serve."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from tablebase.cli import options


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
    root_path: Annotated[
        str, typer.Option("--root-path", metavar="PATH", help="Path below which a reverse proxy shows the pages, such as /tables.")
    ] = "",
    data: options.Data = options.DEFAULT_DATA,
    catalog: options.CatalogUrl = None,
) -> None:
    """Serve the tables over HTTP: JSON under /api/v1/, and pages."""
    from tablebase.web import serving

    serving.serve(
        host=host,
        port=port,
        unix_socket=unix_socket,
        workers=workers,
        mine=mine,
        origin=origin or (),
        cache=cache,
        access_log=access_log,
        root_path=root_path,
        data=data,
        catalog=catalog,
    )
