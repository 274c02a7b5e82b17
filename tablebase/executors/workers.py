"""Processes that do one thing at a time, and none longer than the process that started them lives."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from tablebase.compute.cleanup import STOPPING
from tablebase.compute.stages import Stage, watched
from tablebase.errors import CapacityError

DEATH = 1.0
"""Seconds for a killed process to disappear."""


class Worker:
    """A spawned process.

    It ends when `kill` is called, and by itself when the process that started it is gone, whatever ended that.

    Attributes
    ----------
    pipe : Connection
        Ready to be read when the work is done or the worker is lost.
    """

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        # Python itself ends daemonic processes when it exits.
        self._process = context.Process(target=_serve, args=(theirs,), daemon=True)
        # Python would start it together with the process, and unblock the signals again.
        if hasattr(signal, "pthread_sigmask"):
            resource_tracker.ensure_running()
        with blocked_signals():
            self._process.start()
        theirs.close()

    def submit(self, work: Callable[[Any], Any], key: Any) -> None:
        """Begin ``work(key)``, for which the worker must be idle."""
        task = pickle.dumps((work, key))
        with _losses_as_errors():
            self.pipe.send_bytes(task)

    def answer(self) -> Stage | Outcome:
        """Wait for what the worker has to say next: a stage of its work or, once that is done, the outcome.

        Raises
        ------
        CapacityError
            If the worker was lost.
        """
        with _losses_as_errors():
            answer = self.pipe.recv_bytes()
        said: Stage | Outcome = pickle.loads(answer)
        return said

    def kill(self) -> None:
        """End the process at once, whatever it is doing; `join` waits until it is gone."""
        self._process.kill()

    def join(self) -> None:
        """Wait until the killed process is gone, but not forever if the operating system cannot end it."""
        self._process.join(DEATH)
        self.pipe.close()


class Outcome(NamedTuple):
    """What became of some work: its result, or what it raised and where."""

    value: Any
    fault: BaseException | None = None
    trace: str = ""

    def result(self) -> Any:
        """The result; raises what the work raised."""
        if self.fault is not None:
            raise self.fault from RemoteError(self.trace)
        return self.value


class RemoteError(Exception):
    """Where in the worker its work failed, as text, since frames cannot be sent."""


@contextmanager
def _losses_as_errors() -> Iterator[None]:
    """A worker whose pipe is broken, as one sentence."""
    try:
        yield
    except (EOFError, OSError) as fault:
        cure = "use fewer --workers or a smaller --memory"
        raise CapacityError("a worker was killed, most likely because memory ran out", cure) from fault


@contextmanager
def blocked_signals() -> Iterator[None]:
    """Processes started here receive no signal before they can deal with it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, STOPPING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(pipe: Connection) -> None:
    """Do what is asked for until the pipe is closed; runs in the worker."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    for number in STOPPING:
        if number != signal.SIGTERM:
            # A terminal sends it to this process, too.
            signal.signal(number, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPPING)
    while True:
        try:
            pipe.send_bytes(_outcome(pipe.recv_bytes(), lambda stage: pipe.send_bytes(pickle.dumps(stage))))
        except (EOFError, OSError):
            return


def _end_with_parent() -> None:
    """Wait until the parent is gone, and end this process; kernels release the GIL, so this thread always gets to run."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
    os._exit(1)


def _outcome(task: bytes, listener: Callable[[Stage], object]) -> bytes:
    """Do a pickled task, while a listener hears of its stages; pickle the outcome."""
    try:
        work, key = pickle.loads(task)
        with watched(listener):
            return pickle.dumps(Outcome(work(key)))
    except BaseException as fault:
        trace = traceback.format_exc()
        try:
            outcome = pickle.dumps(Outcome(None, fault, trace))
            # Some exceptions can be pickled, but not be made again.
            pickle.loads(outcome)
        except Exception:
            outcome = pickle.dumps(Outcome(None, RuntimeError(trace), trace))
        return outcome
