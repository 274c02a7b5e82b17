"""Work for executors to do, in a module that workers, which import it, load at once."""

import multiprocessing
import os
import signal
import threading
import time
from pathlib import Path
from typing import Any, NamedTuple

from tablebase.errors import TablebaseError
from tablebase.system.compute import messages, threads
from tablebase.system.executors.executor import Obstacle

PATIENCE = 60
"""Seconds for which a key waits for another; far more than a worker takes to start."""


class Span(NamedTuple):
    """When a key was worked on, by which process."""

    key: str
    begin: float
    end: float
    process: int


def record(key: str) -> Span:
    """Work that takes a moment and says when it was done; the clock is the same for all processes."""
    begin = time.monotonic()
    time.sleep(0.01)
    return Span(key, begin, time.monotonic(), os.getpid())


def meet(folder: Path, key: str) -> str:
    """Work that, but for the root, ends only while another key is being worked on."""
    (folder / key).touch()
    others = {"left": "right", "right": "left"}
    if key in others:
        _await(folder / others[key], f"{key} was left alone")
    return key


def _await(path: Path, error: str) -> None:
    end = time.monotonic() + PATIENCE
    while not path.exists():
        if time.monotonic() > end:
            raise TablebaseError(error)
        time.sleep(0.01)


def outlast(folder: Path, key: str) -> Span:
    """Work that takes a moment; the slow key goes on for longer than the quick one took."""
    span = record(key)
    if key == "slow":
        _await(folder / "quick", "the quick key never ended")
    (folder / key).touch()
    time.sleep(0.5 * (key == "slow"))
    return span._replace(end=time.monotonic())


def advance(key: str) -> str:
    messages.reach("starting")
    messages.reach("ending", 1, 2)
    return key


def linger(key: float) -> float:
    """Work that takes as long as its key says, and goes wrong if that is a moment."""
    time.sleep(key)
    if key == 0.1:
        raise TablebaseError("no way to do this")
    return key


class OddError(Exception):
    """An exception that cannot be made again from its arguments."""

    def __init__(self, one: int, other: int) -> None:
        super().__init__(one + other)


def do(key: str) -> Any:
    if key == "fail":
        raise ZeroDivisionError("by nothing")
    if key == "fail oddly":
        raise OddError(1, 2)
    if key == "fail with a lock":
        error = ValueError("locked")
        error.lock = multiprocessing.Lock()  # type: ignore[attr-defined]
        raise error
    if key == "exit":
        raise SystemExit(5)
    return (lambda: key) if key == "a function" else key


class Work(NamedTuple):
    """A range, and where it was done."""

    begin: int
    end: int
    thread: int


def note(begin: int, end: int) -> Work:
    return Work(begin, end, threading.get_ident())


class Done(NamedTuple):
    """Which key was done by which process, and in how many ranges its work would be divided."""

    key: str
    process: int
    ranges: int


def divide(key: str) -> Done:
    return Done(key, os.getpid(), len(threads.spread(note, 1000, 1)))


def lose(folder: Path, times: int, victim: str, key: str) -> str:
    """Work that kills its process, or the Dask worker that this belongs to, the first times that one of these keys is done."""
    with (folder / key).open("a") as tries:
        tries.write("x")
    if key == "lost" and (folder / key).stat().st_size <= times:
        os.kill(os.getpid() if victim == "process" else os.getppid(), signal.SIGKILL)
        time.sleep(PATIENCE)
    return key


def hold(folder: Path, key: str) -> int:
    """Work that says that it has begun, and ends when a file lets it; the process that started this one."""
    (folder / f"{key} begun").touch()
    _await(folder / key, f"{key} was never let go")
    (folder / f"{key} done").touch()
    return os.getppid()


def parent(_key: object) -> int:
    return os.getppid()


def unless_marked() -> Obstacle | None:
    """A check that finds fault with workers which have a variable."""
    return Obstacle("is marked", "take another one") if "MARKED" in os.environ else None
