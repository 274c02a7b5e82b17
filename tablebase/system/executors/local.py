"""Work on this machine: in this process, or in others that it starts, each of which does one thing after another."""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from multiprocessing.connection import Connection, wait
from time import monotonic
from typing import Any, NamedTuple

from tablebase.errors import CapacityError
from tablebase.system.compute.child_process import ChildProcess
from tablebase.system.compute.messages import Stage, watched
from tablebase.system.executors.executor import Executor, Limits, Watch, unwatched

# ruff: noqa: D102 (other methods are those of `Executor`)


class LocalExecutor(Executor):
    """Processes of this machine; by default one worker and no limit of memory.

    The first key is done alone, so that kernels are compiled once and not once a worker: in this process, unless keys are
    droppable. So are all of them with one worker, or where only one key at a time can be done.
    """

    def __init__(self, limits: Limits | None = None, ahead: float = 0.0) -> None:
        """For `ahead` seconds keys are done here, one by one: loading a worker takes longer than many small tables."""
        super().__init__(limits or Limits())
        self._waiting: list[tuple[Callable[[Any], Any], Any]] = []
        self._workers: list[Worker] = []
        self._idle: list[Worker] = []
        self._running: dict[object, tuple[Worker, Any]] = {}
        self._watch: Watch = unwatched
        self._ahead, self._begin = ahead, 0.0
        self._is_first = True
        self._alone = True
        self._here = True

    def start(self, *, concurrent: bool, droppable: bool = False, watch: Watch = unwatched) -> None:
        self._watch = watch
        self._begin = monotonic()
        self._is_first = True
        self._alone = self.limits.workers == 1 or not concurrent
        self._here = not droppable

    def submit(self, work: Callable[[Any], Any], key: Any, needs: int = 0, after: Sequence[Any] = ()) -> None:  # noqa: ARG002
        """See `Executor.submit`; keys of this process are done when `finished` is called."""
        self._waiting.append((work, key))
        self._start_waiting()

    def finished(self, timeout: float | None = None) -> Iterator[tuple[Any, Any]]:
        if self._here and self._waiting:
            work, one = self._waiting.pop(0)
            with watched(partial(self._watch, one)):
                done = [(one, WorkResult(work(one)))]
        else:
            end, done = None if timeout is None else monotonic() + timeout, []
            while not done:
                pipes = [worker.pipe for worker, _ in self._running.values()]
                ready = wait(pipes, None if end is None else max(0.0, end - monotonic()))
                if not ready:
                    break
                for pipe in ready:
                    worker, one = self._running[pipe]
                    answer = worker.answer()
                    if isinstance(answer, Stage):
                        self._watch(one, answer)
                    else:
                        del self._running[pipe]
                        self._idle.append(worker)
                        done.append((one, answer))
        if done and monotonic() >= self._begin + self._ahead:
            self._is_first = False
        # A result counts, also if another key has failed at the same time.
        for key, outcome in sorted(done, key=lambda one: one[1].error is not None):
            yield key, outcome.result()
        self._start_waiting()

    def stop(self, *, abort: bool) -> None:  # noqa: ARG002 (a worker without work need not be asked to end)
        workers = self._workers
        self._waiting, self._workers, self._idle, self._running = [], [], [], {}
        for worker in workers:
            worker.kill()
        for worker in workers:
            worker.join()

    def _start_waiting(self) -> None:
        """Give waiting keys to workers, unless they are done in this process or have to wait for the first one."""
        if self._here and (self._is_first or self._alone):
            return
        while self._waiting and not (self._is_first and self._running):
            work, key = self._waiting.pop(0)
            if not self._idle:
                self._idle.append(Worker())
                self._workers.append(self._idle[-1])
            worker = self._idle.pop()
            worker.submit(work, key)
            self._running[worker.pipe] = worker, key


class Worker(ChildProcess):
    """A process that does one thing at a time."""

    def __init__(self) -> None:
        super().__init__(_serve)

    def submit(self, work: Callable[[Any], Any], key: Any) -> None:
        """Begin ``work(key)``, for which the worker must be idle."""
        task = pickle.dumps((work, key))
        with _losses_as_errors():
            self.pipe.send_bytes(task)

    def answer(self) -> Stage | WorkResult:
        """Wait for a stage of the work or, once it is done, its outcome; raise `CapacityError` if the worker was lost."""
        with _losses_as_errors():
            answer = self.pipe.recv_bytes()
        said: Stage | WorkResult = pickle.loads(answer)
        return said


class WorkResult(NamedTuple):
    """Outcome of some work: its result, or its exception and trace."""

    value: Any
    error: BaseException | None = None
    trace: str = ""

    def result(self) -> Any:
        """The result; raises what the work raised."""
        if self.error is not None:
            raise self.error from RemoteError(self.trace)
        return self.value


class RemoteError(Exception):
    """Traceback of a failure in a worker, as text, since frames cannot be sent."""


@contextmanager
def _losses_as_errors() -> Iterator[None]:
    try:
        yield
    except (EOFError, OSError) as error:
        hint = "use fewer --workers or a smaller --memory"
        raise CapacityError("a worker was killed, most likely because memory ran out", hint) from error


def _serve(pipe: Connection) -> None:
    """Do what is asked for until the pipe is closed; runs in the worker."""
    while True:
        try:
            pipe.send_bytes(_outcome(pipe.recv_bytes(), lambda stage: pipe.send_bytes(pickle.dumps(stage))))
        except (EOFError, OSError):
            return


def _outcome(task: bytes, listener: Callable[[Stage], object]) -> bytes:
    try:
        work, key = pickle.loads(task)
        with watched(listener):
            return pickle.dumps(WorkResult(work(key)))
    except BaseException as error:
        trace = traceback.format_exc()
        try:
            outcome = pickle.dumps(WorkResult(None, error, trace))
            # Some exceptions can be pickled, but not be made again.
            pickle.loads(outcome)
        except Exception:
            outcome = pickle.dumps(WorkResult(None, RuntimeError(trace), trace))
        return outcome
