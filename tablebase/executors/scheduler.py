"""The order of work: each key after those it depends on, within the limits of an executor."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from graphlib import TopologicalSorter
from typing import Generic, TypeVar

from tablebase.compute import threads
from tablebase.compute.cleanup import ensured
from tablebase.errors import CapacityError
from tablebase.executors.executor import Executor, Limits

Key = TypeVar("Key")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Budget(Generic[Key]):
    """Which keys may be in progress together.

    Parameters
    ----------
    limits : Limits
    needs : callable
        Bytes of memory that a key needs.
    """

    limits: Limits
    needs: Callable[[Key], int]

    def startable(self, ready: Sequence[Key], running: Sequence[Key]) -> list[Key]:
        """The ready keys to start now, in order, beside those that are running."""
        chosen: list[Key] = []
        for key in ready:
            in_progress = [*running, *chosen]
            if len(in_progress) == self.limits.workers:
                break
            if self.limits.memory is None or sum(map(self.needs, [*in_progress, key])) <= self.limits.memory:
                chosen.append(key)
        return chosen

    def threads(self, started: int, used: int) -> int:
        """Threads for each of the keys that are started together, while others use as many as `used`.

        What cannot be used by keys that run beside each other, for want of memory or of keys, is used within keys.
        """
        return max(1, (self.limits.workers - used) // started)


def run_graph(
    graph: Mapping[Key, tuple[Key, ...]],
    work: Callable[[Key], Result],
    executor: Executor,
    needs: Callable[[Key], int] = lambda _: 0,
) -> Iterator[Result]:
    """Do `work` for every key once all it depends on is done, with the threads that no other key can use.

    Parameters
    ----------
    graph : mapping of key to keys
        What each key depends on; all of them keys of the graph.
    work : callable
        A picklable function of one key.
    executor : Executor
    needs : callable
        Bytes of memory that a key needs.

    Yields
    ------
    Result
        As they come.

    Raises
    ------
    CapacityError
        If a single key needs more memory than the executor allows, or a worker was lost.
    """
    budget = Budget(executor.limits, needs)
    sorter = TopologicalSorter(graph)
    sorter.prepare()
    ready: list[Key] = list(sorter.get_ready())
    running: dict[Key, int] = {}
    with ensured(partial(executor.stop, abort=True)), executor:
        executor.start(concurrent=not is_chain(graph))
        while ready or running:
            started = budget.startable(ready, list(running))
            used = sum(running.values())
            for key in started:
                ready.remove(key)
                running[key] = budget.threads(len(started), used)
                executor.submit(partial(threads.run_with, running[key], work), key)
            if not running:
                limit = executor.limits.memory
                raise CapacityError("a single task", "allow more with --memory", needed=needs(ready[0]), allowed=limit)
            for key, result in executor.finished():
                del running[key]
                yield result
                sorter.done(key)
            ready += sorter.get_ready()


def is_chain(graph: Mapping[Key, tuple[Key, ...]]) -> bool:
    """Whether no two keys can ever be in progress together."""
    sorter = TopologicalSorter(graph)
    sorter.prepare()
    while sorter.is_active():
        ready = sorter.get_ready()
        if len(ready) > 1:
            return False
        sorter.done(*ready)
    return True
