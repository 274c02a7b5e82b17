"""Work on this machine: in this process, or in others that it starts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from multiprocessing.connection import wait
from typing import Any

from tablebase.compute.cleanup import undisturbed
from tablebase.executors.executor import Executor, Limits
from tablebase.executors.workers import Worker


class LocalExecutor(Executor):
    """Processes of this machine.

    The first key is done in this process, so that kernels are compiled once and not once a worker. With one worker,
    or where only one key at a time can be done, this process does all of them.

    Parameters
    ----------
    limits : Limits, optional
        By default one worker and no limit of memory.
    """

    def __init__(self, limits: Limits | None = None) -> None:
        super().__init__(limits or Limits())
        self._here: list[tuple[Callable[[Any], Any], Any]] = []
        self._workers: list[Worker] = []
        self._idle: list[Worker] = []
        self._running: dict[object, tuple[Worker, Any]] = {}
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
            self._submit_to_worker(work, key)

    def finished(self) -> Iterator[tuple[Any, Any]]:
        """See `Executor.finished`."""
        if self._here:
            work, key = self._here.pop(0)
            result = work(key)
            self._is_first = False
            yield key, result
            if not self._alone:
                while self._here:
                    self._submit_to_worker(*self._here.pop(0))
            return
        for pipe in wait([worker.pipe for worker, _ in self._running.values()]):
            worker, key = self._running.pop(pipe)
            result = worker.result()
            self._idle.append(worker)
            yield key, result

    def stop(self, *, abort: bool) -> None:  # noqa: ARG002 (a worker without work need not be asked to end)
        """See `Executor.stop`."""
        workers = self._workers
        self._here, self._workers, self._idle, self._running = [], [], [], {}
        for worker in workers:
            worker.kill()
        for worker in workers:
            worker.join()

    def _submit_to_worker(self, work: Callable[[Any], Any], key: Any) -> None:
        if not self._idle:
            # Until it is in the list, nobody would end it.
            with undisturbed():
                worker = Worker()
                self._workers.append(worker)
            self._idle.append(worker)
        worker = self._idle.pop()
        worker.submit(work, key)
        self._running[worker.pipe] = worker, key
