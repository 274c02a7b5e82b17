"""The order of work: each key after those it depends on, within the limits of an executor."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from graphlib import TopologicalSorter
from typing import Generic, TypeVar

from tablebase.errors import CapacityError
from tablebase.system.compute import threads
from tablebase.system.compute.messages import Stage
from tablebase.system.compute.processes import cleanup_on_exit
from tablebase.system.executors.executor import Executor, Limits, Watch, unwatched

Key = TypeVar("Key")
Result = TypeVar("Result")

DROPPED = Stage("dropped")
"""Last stage for watchers of a key if its work was ended at a deadline."""


@dataclass(frozen=True)
class Deadline(Generic[Key]):
    """When work has to be over."""

    at: float  # seconds since the epoch, like `time.time`
    seconds: Callable[[Key], float]  # that a key is expected to take, when it is asked
    grace: float = 0.0  # seconds after the deadline in which keys in progress may still finish

    def admits(self, key: Key) -> bool:
        """Return whether a key that is started now is expected to be done in time."""
        return time.time() + self.seconds(key) <= self.at

    def remaining(self) -> float:
        """Seconds until keys in progress are dropped."""
        return max(0.0, self.at + self.grace - time.time())


def run_graph(
    graph: Mapping[Key, tuple[Key, ...]],
    work: Callable[[Key], Result],
    executor: Executor,
    needs: Callable[[Key], int] = lambda _: 0,
    deadline: Deadline[Key] | None = None,
    watch: Watch = unwatched,
) -> Generator[Result, None, None]:
    """Do picklable `work` for every key of the graph once all it depends on is done, and yield the results as they come.

    Keys get the threads that no other key can use; `needs` are their bytes of memory.
    No key is started that is expected to take longer than until the deadline, and those not done when its grace is over are
    dropped, so that there are fewer results. `watch` is called with keys and the stages of their work, `DROPPED` among them.
    Raise `CapacityError` if a single key needs more memory than the executor allows, or a worker was lost.
    """
    with cleanup_on_exit(partial(executor.stop, abort=True)), executor:
        executor.start(concurrent=not is_chain(graph), droppable=deadline is not None, watch=watch)
        if not executor.ordered or deadline is not None:
            yield from _run_ready(graph, work, executor, needs, deadline, watch)
            return
        # All keys at once, for an executor that finds their order.
        for key in graph:
            if not executor.limits.fit([needs(key)]):
                raise _too_large(needs(key), executor.limits)
        for key in TopologicalSorter(graph).static_order():
            executor.submit(work, key, needs(key), graph[key])
        left = len(graph)
        while left:
            for _, result in executor.finished():
                left -= 1
                yield result


def _run_ready(
    graph: Mapping[Key, tuple[Key, ...]],
    work: Callable[[Key], Result],
    executor: Executor,
    needs: Callable[[Key], int],
    deadline: Deadline[Key] | None,
    watch: Watch,
) -> Iterator[Result]:
    """Submit each key when all it depends on is done, and there is a worker and memory for it."""
    sorter = TopologicalSorter(graph)
    sorter.prepare()
    ready: list[Key] = list(sorter.get_ready())
    running: dict[Key, int] = {}
    while ready or running:
        in_time = ready if deadline is None else [key for key in ready if deadline.admits(key)]
        started = executor.limits.startable(in_time, list(running), needs)
        used = sum(running.values())
        for key in started:
            ready.remove(key)
            running[key] = executor.limits.threads(len(started), used)
            if executor.ordered:
                executor.submit(work, key, needs(key))
            else:
                executor.submit(partial(threads.run_with, running[key], work), key)
        if not running:
            if not in_time:
                return
            raise _too_large(needs(in_time[0]), executor.limits)
        before = len(running)
        for key, result in executor.finished(None if deadline is None else deadline.remaining()):
            del running[key]
            yield result
            sorter.done(key)
        if len(running) == before:
            executor.stop(abort=True)
            for key in running:
                watch(key, DROPPED)
            return
        ready += sorter.get_ready()


def _too_large(needed: int, limits: Limits) -> CapacityError:
    hint = "use a worker with more memory" if limits.each else "allow more memory with --memory"
    return CapacityError("a single table", hint, needed=needed, allowed=limits.memory)


def is_chain(graph: Mapping[Key, tuple[Key, ...]]) -> bool:
    """Return whether no two keys can ever be in progress together."""
    sorter = TopologicalSorter(graph)
    sorter.prepare()
    while sorter.is_active():
        ready = sorter.get_ready()
        if len(ready) > 1:
            return False
        sorter.done(*ready)
    return True
