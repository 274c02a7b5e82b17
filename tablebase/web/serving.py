"""Serve tables over HTTP: `tablebase.serve`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

from tablebase.commands.arguments import as_catalog, as_folder, as_optional, checked
from tablebase.commands.parameters import CatalogUrl, Data, Shell
from tablebase.errors import ArgumentError, check_extra, quoted
from tablebase.game.plain_arguments import as_path, as_size, as_texts, parse_size, usable_workers
from tablebase.system.compute.messages import say


@checked
def serve(
    *,
    host: Annotated[str, Shell(metavar="ADDRESS")] = "127.0.0.1",
    port: Annotated[int, Shell(metavar="N", least=0)] = 8000,
    unix_socket: Annotated[str | Path | None, Shell(metavar="FILE")] = None,
    workers: Annotated[int, Shell(metavar="N", least=1)] = 1,
    mine: bool = False,
    origin: Annotated[str | Sequence[str], Shell(metavar="URL")] = (),
    cache: Annotated[int | str | None, Shell(metavar="SIZE", parse=parse_size)] = None,
    access_log: Literal["none", "json"] = "none",
    root_path: Annotated[str, Shell(metavar="PATH")] = "",
    data: Data = None,
    catalog: CatalogUrl = None,
) -> None:
    """Run an HTTP server with a JSON interface and web pages.

    By default, the tables in the folder 'data' are served at http://127.0.0.1:8000, which is accessible only from this computer.
    The web page of a position has the path /GAME/position/POSITION, with each space written as _. The JSON interface is described
    at /api/v1/openapi.json. Press Ctrl-C to stop the server.

    The function returns after a signal such as SIGINT (Ctrl-C). By default, the root path is read from the header
    ``X-Forwarded-Prefix`` of a trusted proxy.

    Parameters
    ----------
    host : str
        Address to listen on.
    port : int
        Port to listen on; 0 for any free port.
    unix_socket : str or Path, optional
        Listen on this Unix socket instead of a port.
    workers : int
        Number of processes.
    mine : bool
        Also accept SQL queries on positions, with limits on time, memory and result rows.
    origin : str or sequence of str
        Allow web pages from this origin to send requests (CORS); '*' allows every origin.
    cache : int or str, optional
        Size of the cache for table data in each process; by default, 256M.
    access_log : str
        Log each request as a line of JSON to standard error (json), or log nothing (none).
    root_path : str
        URL prefix under which a reverse proxy publishes the server, such as /tables.
    data, catalog : see `tablebase.build`

    Raises
    ------
    MissingExtraError
        If the packages for the server are not installed.
    """
    check_extra("servers", "serve")
    from tablebase.web.proxied import ROOT
    from tablebase.web.server import serve as run
    from tablebase.web.settings import ServerSettings

    if port > 0xFFFF:
        raise ArgumentError(f"port must be a whole number from 0 to 65535, not {port}")
    root = root_path.rstrip("/")
    if root and not ROOT.fullmatch(root):
        raise ArgumentError(f"root_path must be a path such as /tables, not {quoted(root_path)}")
    folder, size = as_folder(data), as_optional(as_size, "cache", cache)
    origins = tuple(as_texts("origin", origin))
    settings = ServerSettings(folder.absolute(), as_catalog(catalog), mine, origins, size, access_log == "json", root=root)
    settings = replace(settings, host=host, port=port, unix_socket=as_optional(as_path, "unix_socket", unix_socket))
    run(settings, usable_workers(workers), lambda where: say(f"serving {folder} at {where}"))
