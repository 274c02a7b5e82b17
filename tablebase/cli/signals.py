"""Signals that end the program: nothing goes on, one sentence says why, and the exit code says which signal it was."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from tablebase.compute.processes import STOPPING, clean_up, when_undisturbed

REASONS = {"SIGINT": "interrupted", "SIGTERM": "terminated", "SIGHUP": "hung up", "SIGQUIT": "quit"}
INTERRUPTED = 128 + signal.SIGINT
GRACE = 0.5
"""Seconds that the main thread has to notice a signal."""

_ending = threading.RLock()


def sentence(number: int) -> str:
    """Why the program has ended, and what to do."""
    return f"{REASONS[signal.Signals(number).name]}; a build, an export or a copy resumes when it is started again"


def listen(*, parent: bool = False) -> None:
    """From now on, end the program in order when a signal asks for it.

    A `parent` is another process of the program that has started this one: it ends this one with SIGTERM, and says why itself.
    """
    reader, writer = socket.socketpair()
    writer.setblocking(False)
    signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
    end = partial(_end, silent=parent)
    threading.Thread(target=_watch, args=(reader, writer, end), daemon=True).start()
    for number in (signal.SIGTERM,) if parent else STOPPING:
        # A program started by nohup goes on after a hang-up.
        if number == signal.SIGINT or signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda number, _: when_undisturbed(partial(end, number)))


def _watch(reader: socket.socket, _writer: socket.socket, end: Callable[[int], object]) -> None:
    """End the program in the main thread's place if that is busy outside Python, as in a kernel or a database."""
    number = reader.recv(1)[0]
    time.sleep(GRACE)
    end(number)


def _end(number: int, *, silent: bool) -> None:
    """Exit at once: Python may ignore an exception raised by a signal, and no table is ever half written under its name."""
    _ending.acquire()
    clean_up()
    if not silent:
        with suppress(OSError):
            os.write(2, f"\nerror: {sentence(number)}\n".encode())
    os._exit(128 + number)
