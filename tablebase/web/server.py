"""The processes of a server: they share a socket, and end in order."""

from __future__ import annotations

import errno
import os
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from shutil import rmtree
from stat import S_ISSOCK
from tempfile import mkdtemp

import uvicorn
from fastapi import FastAPI
from uvicorn.supervisors.multiprocess import SIGNALS, Multiprocess

from tablebase.errors import TablebaseError, system_error
from tablebase.system.compute.child_process import end_with_parent
from tablebase.system.compute.processes import cleanup_on_exit
from tablebase.tables.folder import check_folder
from tablebase.web.app import create_app
from tablebase.web.limits import Connection
from tablebase.web.monitoring import SHARED
from tablebase.web.settings import ServerSettings

KEEP_ALIVE = 30
"""Seconds for which a connection stays open without a request; those of a reverse proxy are reused."""
GRACE = 5.0
"""Seconds beyond the time of a request after which the server ends in any case."""
BACKLOG = 2048


def serve(settings: ServerSettings, workers: int, started: Callable[[str], object]) -> None:
    """Serve from some processes until a signal asks to stop; requests that have begun are answered before.

    `started` is called with the server's address as text as soon as it accepts connections.
    """
    check_folder(settings.folder, built=True)
    with listening(settings) as listener, _shared_numbers(workers), _signals_ignored():
        where = f"unix:{settings.unix_socket}"
        if settings.unix_socket is None:
            host, port = listener.getsockname()[:2]
            where = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
        started(where)
        config = uvicorn.Config(
            partial(application, settings),
            factory=True,
            http=Connection,
            workers=workers,
            backlog=BACKLOG,
            log_level="warning",
            access_log=False,
            lifespan="on",
            ws="none",
            server_header=False,
            # `Proxied` does more of it.
            proxy_headers=False,
            timeout_keep_alive=KEEP_ALIVE,
            timeout_graceful_shutdown=int(settings.limits.seconds + GRACE),
        )
        if workers == 1:
            uvicorn.Server(config).run([listener])
        else:
            _Workers(config, [listener]).run()


class _Workers(Multiprocess):
    """Processes that share a socket; only signals that ask one process to stop are dealt with, all others do what they did."""

    def __init__(self, config: uvicorn.Config, sockets: list[socket.socket]) -> None:
        before = {number: signal.getsignal(number) for number in SIGNALS}
        super().__init__(config, sockets)
        for number in before.keys() - {signal.SIGINT, signal.SIGTERM}:
            signal.signal(number, before[number] or signal.SIG_DFL)

    def terminate_all(self) -> None:
        """End all processes; meanwhile nobody else shall wait for a connection that nobody will accept."""
        for listener in self.sockets:
            listener.close()
        super().terminate_all()


def application(settings: ServerSettings) -> FastAPI:
    """The application of one process of a server."""
    # Requests that have begun are answered.
    end_with_parent(settings.limits.seconds + GRACE)
    return create_app(settings)


@contextmanager
def listening(settings: ServerSettings) -> Iterator[socket.socket]:
    """A socket that is bound to an address and accepts connections; `TablebaseError` if the address cannot be used.

    A socket in the file system is removed at the end, and one that a killed server has left is replaced.
    """
    path, place = settings.unix_socket, (settings.host, settings.port)
    with ExitStack() as stack:
        try:
            family = socket.AF_UNIX if path is not None else socket.getaddrinfo(*place, type=socket.SOCK_STREAM)[0][0]
            listener = stack.enter_context(closing(socket.socket(family)))
            if path is None:
                listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                # An answer is sent in two parts, the second of which must not wait until the first has been acknowledged.
                listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            elif path.exists() and S_ISSOCK(path.stat().st_mode) and not _is_answered(path):
                path.unlink()
            listener.bind(place if path is None else str(path))
            listener.listen(BACKLOG)
        except (OSError, UnicodeError, OverflowError) as error:
            name = ":".join(map(str, place)) if path is None else str(path)
            hint = f"stop the other program, or choose another {'--host or --port' if path is None else '--unix-socket'}"
            if isinstance(error, socket.gaierror) or not isinstance(error, OSError):
                raise TablebaseError(f"the address {name} is not available on this machine: choose another --host") from error
            raise system_error(error, name, hint) from error
        if path is not None:
            stack.enter_context(cleanup_on_exit(partial(_remove, path, path.stat().st_ino)))
        yield listener


def _remove(path: Path, number: int) -> None:
    """Remove a socket, unless another server has replaced it."""
    with suppress(OSError):
        if path.stat().st_ino == number:
            path.unlink()


def _is_answered(path: Path) -> bool:
    with closing(socket.socket(socket.AF_UNIX)) as client:
        return client.connect_ex(str(path)) != errno.ECONNREFUSED


@contextmanager
def _shared_numbers(workers: int) -> Iterator[None]:
    """A folder for the numbers of processes that are started in the block, if there are several."""
    if workers == 1 or SHARED in os.environ:
        yield
        return
    folder = mkdtemp(prefix="tablebase-")
    with cleanup_on_exit(partial(rmtree, folder, ignore_errors=True)):
        os.environ[SHARED] = folder
        try:
            yield
        finally:
            del os.environ[SHARED]


@contextmanager
def _signals_ignored() -> Iterator[None]:
    """In the block, signals that ask to stop do nothing but what the server does about them: it would raise them once more."""
    before = {number: signal.signal(number, lambda *_: None) for number in (signal.SIGINT, signal.SIGTERM)}
    # The server would stop at one that was ignored when the program started.
    ignored = [number for number, handler in before.items() if handler is signal.SIG_IGN]
    if ignored:
        signal.pthread_sigmask(signal.SIG_BLOCK, ignored)
    woken = signal.set_wakeup_fd(-1)
    try:
        yield
    finally:
        signal.set_wakeup_fd(woken)
        for number, handler in before.items():
            signal.signal(number, handler)
        if ignored:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, ignored)
