"""Work that ends when it takes too long or needs too much memory."""

from __future__ import annotations

import multiprocessing
import os
import select
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from multiprocessing.connection import Connection
from threading import Event, Thread, Timer
from time import monotonic
from typing import Any, TextIO

from tablebase.compute.cleanup import ensured
from tablebase.compute.heap import keep_freed_memory
from tablebase.errors import CapacityError, TablebaseError, TimeLimitError
from tablebase.executors.workers import blocked_signals

INTERVAL = 0.02
"""Seconds between two looks at a process."""
CURE = "ask for fewer groups or rows"


@contextmanager
def deadline(seconds: float | None, interrupt: Callable[[], object]) -> Iterator[None]:
    """Interrupt a block that takes too long.

    Parameters
    ----------
    seconds : float or None
        None for no limit.
    interrupt : callable
        Called from another thread; makes the block raise an exception.

    Raises
    ------
    TimeLimitError
        In place of that exception.
    """
    if seconds is None:
        yield
        return
    passed = Event()

    def end() -> None:
        passed.set()
        interrupt()

    timer = Timer(seconds, end)
    timer.daemon = True
    timer.start()
    try:
        yield
    except Exception as fault:
        if passed.is_set():
            raise TimeLimitError(seconds) from fault
        raise
    finally:
        timer.cancel()
        # What it interrupts must not be closed meanwhile.
        timer.join()


def run_bounded(work: Callable[[], object], seconds: float | None, memory: int) -> int:
    """Do work in a process of its own, which can be ended whatever code it runs, and which ends with this one.

    On Linux it is forked, so this process must not have started any threads.

    Parameters
    ----------
    work : callable
        Picklable. It shares the standard output and error of this process.
    seconds : float or None
        None for no limit.
    memory : int
        Bytes that the process may occupy.

    Returns
    -------
    int
        Exit code of the process: 0, or 1 if it has printed a traceback.

    Raises
    ------
    TimeLimitError, CapacityError
        If the work takes longer or needs more, or if its process was killed.
    BrokenPipeError
        If standard output is a pipe that nobody reads any more.
    Exception
        What the work raised.
    """
    context: Any = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_do, args=(work, sender))
    with ensured(partial(_end, process)):
        with blocked_signals():
            process.start()
        sender.close()
        try:
            _wait(process.pid, receiver, seconds, memory)
            fault = receiver.recv()
        except EOFError:
            process.join()
            if process.exitcode < 0:
                raise _cut_off(CapacityError("the statement was killed, most likely because memory ran out", CURE)) from None
            return int(process.exitcode)
    if fault is not None:
        raise fault
    return 0


def _end(process: Any) -> None:
    """Kill a process, if it has been started."""
    if process.pid is not None:
        process.kill()
        process.join()


def _do(work: Callable[[], object], sender: Connection) -> None:
    """Do work in a process made for it, which gets no signals; send what it raised, or None."""
    Thread(target=_end_with_parent, daemon=True).start()
    # A statement computes the same columns for each block.
    keep_freed_memory()
    fault: Exception | None = None
    try:
        work()
        sys.stdout.flush()
    except Exception as raised:
        raised.add_note(traceback.format_exc())
        fault = raised
    # Once it has sent, this process may be ended, and a progress bar has still to be cleared.
    sys.stderr.flush()
    sender.send(fault)


def _end_with_parent() -> None:
    """End this process when its parent ends, however that happens."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os.kill(os.getpid(), signal.SIGKILL)


def _wait(pid: int, receiver: Connection, seconds: float | None, memory: int) -> None:
    """Wait until a process has sent something or has ended."""
    # Imported here, when the process is already at work.
    import psutil

    process, begin = psutil.Process(pid), monotonic()
    while not receiver.poll(INTERVAL):
        if seconds is not None and monotonic() - begin > seconds:
            raise _cut_off(TimeLimitError(seconds))
        with suppress(psutil.NoSuchProcess):
            if process.memory_info().rss > memory:
                raise _cut_off(CapacityError("the statement", CURE, allowed=memory))
        if _unread(sys.stdout):
            raise BrokenPipeError


def _cut_off(error: TablebaseError) -> TablebaseError:
    """An error of work that could not wipe away its progress."""
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K")
    return error


def _unread(stream: TextIO) -> bool:
    """Whether a stream goes to a pipe or terminal that has been closed."""
    poll = select.poll()
    # Closing is always reported.
    poll.register(stream, 0)
    return bool(poll.poll(0))
