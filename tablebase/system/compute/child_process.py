"""Child processes: each does some work, within limits of time and memory, and ends with this process, however this one ends."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import reduction, resource_tracker
from multiprocessing.connection import Connection
from typing import IO, Any

from tablebase.system.compute.processes import STOPPING, deferred_signals

INTERVAL = 0.02
"""Seconds between two looks at a process."""
GRACE = 2.0
"""Seconds in which a child process that was asked to end may remove its drafts."""
DEATH = 1.0
"""Seconds for a killed process to disappear."""


class ChildProcess:
    """A process that runs ``work(pipe, *given)``, all of it picklable; an open file is passed on as ``Handle(file)``.

    It ends when that returns, when `end` or `kill` is called, and by itself when this process is gone, however that happened.
    Children that it starts in the same way end with it. Of the signals that a terminal sends to all processes of a command it
    ignores all but SIGTERM, with `grace` seconds until SIGKILL: this process deals with them. With `fork` it starts with the
    memory of this process, where that is safe (on Linux, with idle threads only). The other end of its pipe, `pipe`, is ready to
    be read when it has sent something or has ended.
    """

    def __init__(self, work: Callable[..., object], *given: Any, grace: float = GRACE, fork: bool = False) -> None:
        forked = fork and sys.platform == "linux"
        context: Any = multiprocessing.get_context("fork" if forked else "spawn")
        self._grace = grace
        theirs: Connection
        self.pipe: Connection
        self.pipe, theirs = context.Pipe()
        # Python itself ends daemonic processes when it exits.
        self._process = context.Process(target=_run, args=(theirs, work, given, grace), daemon=True)
        # Python would start it together with the process, and unblock the signals again.
        if not forked and hasattr(signal, "pthread_sigmask"):
            with _blocked_signals():
                resource_tracker.ensure_running()
        # A process whose parent ends before it has got its work would complain.
        with deferred_signals(), _blocked_signals(), _nothing_run_again():
            self._process.start()
        theirs.close()

    def receive(self, memory: int, clock: Clock, look: Callable[[], object] = lambda: None) -> bytes:
        """Wait for the next message; meanwhile `look` is called all the while, and may raise.

        Raise `OutOfTimeError` by the clock, and `OutOfMemoryError` if the process occupies more than these bytes: it goes on.
        Raise `EOFError` or `OSError` if it has ended.
        """
        while not self.pipe.poll(INTERVAL):
            if clock.is_over():
                raise OutOfTimeError
            if self.memory() > memory:
                raise OutOfMemoryError
            look()
        return self.pipe.recv_bytes()

    def memory(self) -> int:
        """Bytes that the process occupies; 0 if it has ended."""
        # Imported here, when the process is already at work.
        import psutil

        try:
            return int(psutil.Process(self._process.pid).memory_info().rss)
        except psutil.Error:
            return 0

    def wait(self) -> int:
        """Wait until the process has ended; return its exit code, negative if a signal ended it."""
        self._process.join()
        return int(self._process.exitcode)

    def kill(self) -> None:
        """End the process at once, whatever it is doing; `join` waits until it is gone."""
        self._process.kill()

    def join(self) -> None:
        """Wait until the killed process is gone, but not forever if the operating system cannot end it."""
        self._process.join(DEATH)
        self.pipe.close()

    def stop(self) -> None:
        """End the process at once, and wait until it is gone."""
        self.kill()
        self.join()

    def end(self) -> None:
        """End the process in order: it may remove its drafts, and is killed if that takes too long."""
        self._process.terminate()
        self._process.join(self._grace)
        self.stop()


class OutOfTimeError(Exception):
    """A child process takes longer than it may."""


class OutOfMemoryError(Exception):
    """A child process occupies more memory than it may."""


class Clock:
    """Measures the time that a child process takes, without pauses."""

    def __init__(self, seconds: float | None, longest: float = 0.0) -> None:
        """Allow these seconds, None for no limit; pauses count from `longest` seconds on."""
        self._seconds, self._longest = seconds, longest
        self._begin, self._paused, self._spent = time.monotonic(), 0.0, 0.0

    def pause(self, paused: bool) -> None:
        """Begin or end a pause."""
        if paused:
            self._paused = time.monotonic()
        elif self._paused:
            self._spent += time.monotonic() - self._paused
            self._paused = 0.0

    def is_over(self) -> bool:
        """Return whether the time is over."""
        now = time.monotonic()
        spent = self._spent + (now - self._paused if self._paused else 0.0)
        return self._seconds is not None and now - self._begin - min(spent, self._longest) > self._seconds


class Handle:
    """A file to be given to a child process; it must be open until that has been started."""

    def __init__(self, file: IO[Any]) -> None:
        self._file = file

    def __reduce__(self) -> Any:
        return _descriptor, (reduction.DupFd(self._file.fileno()),)


def _descriptor(passed: Any) -> int:
    return int(passed.detach())


def end_with_parent(grace: float) -> None:
    """Let this process, started by `multiprocessing`, end when its parent has ended, however that happens.

    It gets SIGTERM and, `grace` seconds later, SIGKILL.
    """
    threading.Thread(target=_follow_parent, args=(grace,), daemon=True).start()


def _follow_parent(grace: float) -> None:
    """Wait for the end of the parent; kernels release the GIL, so this thread always gets to run."""
    parent = multiprocessing.parent_process()
    if parent is None:
        return
    parent.join()
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(grace)
    os._exit(1)


def _run(pipe: Connection, work: Callable[..., object], given: tuple[Any, ...], grace: float) -> None:
    """Do the work; runs in the child process."""
    signal.set_wakeup_fd(-1)
    for number in STOPPING:
        signal.signal(number, signal.SIG_DFL if number == signal.SIGTERM else signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPPING)
    end_with_parent(grace)
    # Python would not let it start processes, since it ends daemons without a word; those of this module end by themselves.
    multiprocessing.current_process().daemon = False
    work(pipe, *given)


@contextmanager
def _nothing_run_again() -> Iterator[None]:
    """A process started here does not import the user's script, which may lack ``if __name__ == "__main__"``."""
    main = sys.modules["__main__"]
    kept: dict[str, Any] = {name: vars(main)[name] for name in ("__file__", "__spec__") if name in vars(main)}
    main.__spec__ = None
    main.__dict__.pop("__file__", None)
    try:
        yield
    finally:
        vars(main).update(kept)


@contextmanager
def _blocked_signals() -> Iterator[None]:
    """A process started here receives no signal before it can deal with it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, STOPPING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
