"""Child processes that do one thing after another."""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from tablebase.compute.stages import Stage, watched
from tablebase.errors import CapacityError
from tablebase.executors.child_process import ChildProcess


class Worker(ChildProcess):
    """A process that does one thing at a time."""

    def __init__(self) -> None:
        super().__init__(_serve)

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


def _serve(pipe: Connection) -> None:
    """Do what is asked for until the pipe is closed; runs in the worker."""
    while True:
        try:
            pipe.send_bytes(_outcome(pipe.recv_bytes(), lambda stage: pipe.send_bytes(pickle.dumps(stage))))
        except (EOFError, OSError):
            return


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
