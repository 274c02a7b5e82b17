"""Work on this machine: in this process, or in a pool of spawned ones."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any

from tablebase.compute import threads
from tablebase.errors import CapacityError
from tablebase.executors.executor import Executor, Limits


class LocalExecutor(Executor):
    """Processes of this machine.

    The first key is done in this process, so that kernels are compiled once and not once a worker. With one worker,
    or where only one key at a time can be done, this process does all of them, with as many threads as workers.

    Parameters
    ----------
    limits : Limits, optional
        By default one worker and no limit of memory.
    """

    def __init__(self, limits: Limits | None = None) -> None:
        super().__init__(limits or Limits())
        self._here: list[tuple[Callable[[Any], Any], Any]] = []
        self._running: dict[Future[Any], Any] = {}
        self._pool: ProcessPoolExecutor | None = None
        self._is_first = True
        self._alone = True

    def start(self, *, concurrent: bool) -> None:
        """See `Executor.start`."""
        self._is_first = True
        self._alone = self.limits.workers == 1 or not concurrent

    def submit(self, work: Callable[[Any], Any], key: Any) -> None:
        """See `Executor.submit`; keys of this process are done when `finished` is called."""
        if self._is_first or self._alone:
            self._here.append((work, key))
        else:
            self._submit_to_pool(work, key)

    def finished(self) -> Iterator[tuple[Any, Any]]:
        """See `Executor.finished`."""
        if self._here:
            work, key = self._here.pop(0)
            with threads.use(self.limits.workers if self._alone else 1):
                result = work(key)
            self._is_first = False
            yield key, result
            if not self._alone:
                while self._here:
                    self._submit_to_pool(*self._here.pop(0))
            return
        done, _ = wait(self._running, return_when=FIRST_COMPLETED)
        for future in done:
            with _lost_workers_as_errors():
                result = future.result()
            yield self._running.pop(future), result

    def stop(self, *, abort: bool) -> None:
        """See `Executor.stop`."""
        self._here.clear()
        self._running.clear()
        if self._pool is None:
            return
        self._pool.shutdown(wait=not abort, cancel_futures=abort)
        if abort:
            for child in multiprocessing.active_children():
                child.terminate()
        self._pool = None

    def _submit_to_pool(self, work: Callable[[Any], Any], key: Any) -> None:
        if self._pool is None:
            self._pool = ProcessPoolExecutor(self.limits.workers, multiprocessing.get_context("spawn"))
        with ignoring_interrupts(), _lost_workers_as_errors():
            self._running[self._pool.submit(work, key)] = key


@contextmanager
def _lost_workers_as_errors() -> Iterator[None]:
    """A pool that has lost a worker, as one sentence."""
    try:
        yield
    except BrokenProcessPool as fault:
        cure = "use fewer --workers or a smaller --memory"
        raise CapacityError("a worker was killed, most likely because memory ran out", cure) from fault


@contextmanager
def ignoring_interrupts() -> Iterator[None]:
    """Processes started here never receive Ctrl-C: this one does, and ends them."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
