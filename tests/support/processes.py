"""Which processes there are, and waiting for others."""

import os
import time
from collections.abc import Callable
from contextlib import suppress

import psutil

PATIENCE = 60
"""Seconds for a process to start or to end; far more than it takes."""


def wait_for(condition: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "this took too long"
        time.sleep(0.01)


def group(number: int) -> list[int]:
    alive = []
    for process in psutil.process_iter(["status"]):
        try:
            if os.getpgid(process.pid) == number and process.info["status"] != psutil.STATUS_ZOMBIE:
                alive.append(process.pid)
        except ProcessLookupError:
            continue
    return alive


def session(leader: int) -> list[psutil.Process]:
    members = []
    for process in psutil.process_iter():
        with suppress(ProcessLookupError, psutil.Error):
            if os.getsid(process.pid) == leader and process.status() != psutil.STATUS_ZOMBIE:
                members.append(process)
    return members


def end_session(leader: int) -> None:
    for process in session(leader):
        with suppress(psutil.Error):
            process.kill()
