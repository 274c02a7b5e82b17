"""Code run inside Dask's own processes: a worker's host of keys with its memory, and a plugin of the scheduler."""

from __future__ import annotations

import asyncio
import logging
import math
import multiprocessing
import threading
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from dask.typing import Key
from distributed import Reschedule, SchedulerPlugin, Status, Worker, WorkerPlugin, get_worker

from tablebase.errors import CapacityError
from tablebase.system.compute import machine, threads
from tablebase.system.compute.messages import Stage
from tablebase.system.executors import local
from tablebase.system.executors.executor import Check, Obstacle

MEMORY = "memory"
"""The resource of Dask workers that counts bytes of memory; where it is not given, a worker offers `SHARE` of its limit."""
SHARE = 0.9
THREADS = "threads"
"""The resource that says how many threads a key may use; where it is not given, those that Dask counts."""
EXAMPLE = f"{MEMORY}=60e9,{THREADS}=2"
LOSSES = 3
"""Processes that a key may lose in a Dask worker; as many Dask workers may be lost with it."""

logger = logging.getLogger("distributed.worker")


class Offer(NamedTuple):
    """Offer of a Dask worker for keys."""

    memory: int
    error: Obstacle | None


async def offer(check: Check | None, dask_worker: Worker) -> Offer:
    """Return the offer of this worker, with its error if it has one."""
    resources = dask_worker.state.total_resources
    for name, least, hint in ((MEMORY, 0, "a number of bytes"), (THREADS, 1, "a number of threads, at least 1")):
        if not least <= (value := resources.get(name, least)) < math.inf:
            error = Obstacle(f"has the resource {name}={value:g}", f"restart the worker with {hint}, as in --resources '{EXAMPLE}'")
            return Offer(0, error)
    memory = resources.get(MEMORY)
    if memory is None:
        memory = SHARE * (dask_worker.memory_manager.memory_limit or machine.memory())
    return Offer(int(memory), None if check is None else await asyncio.to_thread(check))


class Host(WorkerPlugin):
    """Lets a Dask worker do keys, one at a time.

    A key needs a resource that only this plugin gives, and gives only where the check finds nothing wrong; so Dask's scheduler
    never sends one to any other worker. Keys are done in a process of their own, which can be ended at any time, whatever it is
    doing, and whose memory and GIL are not the Dask worker's. The plugin must be registered under the name of that resource.
    """

    def __init__(self, name: str, check: Check | None) -> None:
        self.name = name
        self._check = check

    async def setup(self, worker: Worker) -> None:
        """Look whether the worker can be used; if so, it gets its resources."""
        self._worker = worker
        self._lock = threading.Lock()
        self._running: dict[str, local.Worker] = {}
        self._ended: set[str] = set()
        self._idle: local.Worker | None = None
        self._closed = False
        found = await offer(self._check, worker)
        if found.error is not None:
            logger.warning("No tables are built on this worker, because it %s: %s", *found.error)
            return
        # Dask's own are daemons, which may not start processes; those started here end by themselves.
        multiprocessing.current_process().daemon = False
        await worker.set_resources(**{self.name: 1, MEMORY: found.memory})
        if worker.status == Status.running:
            # Only now does the scheduler look whether keys have been waiting for such a worker.
            worker.status = Status.paused
            worker.status = Status.running

    def teardown(self, worker: Worker) -> None:  # noqa: ARG002 (named by Dask)
        """End all that is going on."""
        with self._lock:
            self._closed = True
            for process in self._running.values():
                process.kill()
            if self._idle is not None:
                self._idle.kill()

    def transition(self, key: Key, start: str, finish: str, **_: Any) -> None:
        """End the work on a key that nobody wants any more; Dask would go on with it."""
        if start == "executing" and finish == "released":
            with self._lock:
                self._ended.add(str(key))
                if key in self._running:
                    self._running[str(key)].kill()

    def do(self, name: str, work: Callable[[Any], Any], key: Any) -> Any:
        """``work(key)`` of the key that Dask calls `name`, with the threads of this worker; raises what it raises."""
        count = int(self._worker.state.total_resources.get(THREADS, self._worker.state.nthreads))
        for _ in range(LOSSES):
            process = self._take(name)
            try:
                process.submit(partial(threads.run_with, count, work), key)
                while isinstance(answer := process.answer(), Stage):
                    self._worker.log_event(self.name, [name, *answer])
            except CapacityError:
                with self._lock:
                    del self._running[name]
                    meant = self._closed or name in self._ended
                process.kill()
                process.join()
                if meant:
                    raise Reschedule from None
                continue
            with self._lock:
                del self._running[name]
                self._idle = process
                if self._closed:
                    process.kill()
            return answer.result()
        hint = f"give the worker {self._worker.name} more memory"
        raise CapacityError(f"{LOSSES} processes were killed, most likely because memory ran out", hint)

    def _take(self, name: str) -> local.Worker:
        with self._lock:
            self._ended.discard(name)
            idle, self._idle = self._idle, None
        process = idle or local.Worker()
        with self._lock:
            self._running[name] = process
            if self._closed:
                process.kill()
        return process


def do(name: str, work: Callable[[Any], Any], key: Any, *_: Any) -> Any:
    """Do a key; runs in a thread of a Dask worker, after those that it depends on, whose results it does not need."""
    worker = get_worker()
    host: Host = worker.plugins[name]  # type: ignore[assignment]
    return host.do(str(worker.get_current_task()), work, key)


def reaper(client: str, name: str) -> Any:
    """A plugin for a scheduler that removes the workers' plugin of a client when the client is gone, however it ended.

    Its class is local so that it is sent as a whole: the scheduler need not have this program.
    """

    class Reaper(SchedulerPlugin):
        def remove_client(self, scheduler: Any, client: str) -> None:
            if client == owner:
                self.removal = asyncio.ensure_future(self.remove(scheduler))

        async def remove(self, scheduler: Any) -> None:
            scheduler.remove_plugin(f"end-{name}")
            if name in scheduler.worker_plugins:
                await scheduler.unregister_worker_plugin(None, name)

    owner = client
    return Reaper()
