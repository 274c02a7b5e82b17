"""Where the work runs: in this process, or in a pool of spawned ones."""

from __future__ import annotations

import multiprocessing
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from graphlib import TopologicalSorter
from typing import TypeVar

from tablebase.errors import CapacityError

INTERRUPT_SECONDS = 1.0
"""How long after a worker Ctrl-C may reach this process."""

Key = TypeVar("Key")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Limits:
    """What may run side by side.

    Parameters
    ----------
    workers : int
        Processes; with 1, everything runs in this one.
    memory : int or None
        Bytes that all keys at work may need together; None for no limit.
    """

    workers: int = 1
    memory: int | None = None


def run_graph(
    graph: Mapping[Key, tuple[Key, ...]],
    work: Callable[[Key], Result],
    limits: Limits,
    needs: Callable[[Key], int] = lambda _: 0,
) -> Iterator[Result]:
    """Do `work` for every key once all it depends on is done; results come as they are finished.

    Parameters
    ----------
    graph : mapping of key to keys
        What each key waits for; all of them keys of the graph.
    work : callable
        A picklable function of one key. The first key is done in this process, so that kernels are
        compiled once and not once a worker.
    limits : Limits
    needs : callable
        Bytes of memory that a key needs, at most `limits.memory`.
    """
    sorter = TopologicalSorter(graph)
    sorter.prepare()
    if not sorter.is_active():
        return
    ready = list(sorter.get_ready())
    alone = limits.workers == 1 or len(graph) == 1
    while ready:
        key = ready.pop(0)
        yield work(key)
        sorter.done(key)
        ready += sorter.get_ready()
        if not alone:
            yield from _run_pool(sorter, ready, work, limits, needs)
            return


def _run_pool(
    sorter: TopologicalSorter[Key],
    ready: list[Key],
    work: Callable[[Key], Result],
    limits: Limits,
    needs: Callable[[Key], int],
) -> Iterator[Result]:
    pool = ProcessPoolExecutor(limits.workers, multiprocessing.get_context("spawn"), initializer=_start_worker)
    running: dict[Future[Result], Key] = {}
    try:
        while ready or running:
            for key in _that_fit(ready, list(running.values()), limits, needs):
                ready.remove(key)
                running[pool.submit(work, key)] = key
            finished, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                yield future.result()
                sorter.done(running.pop(future))
            ready += sorter.get_ready()
        pool.shutdown()
    except BrokenProcessPool as fault:
        # Ctrl-C may reach a worker first; then it is about to reach this process too, which says so better.
        time.sleep(INTERRUPT_SECONDS)
        raise CapacityError(
            "a worker was killed, most likely for want of memory: use fewer --workers or a smaller --memory"
        ) from fault
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        for child in multiprocessing.active_children():
            child.terminate()
        raise


def _that_fit(ready: list[Key], running: list[Key], limits: Limits, needs: Callable[[Key], int]) -> list[Key]:
    """The keys to start now, in order, within the limits."""
    chosen: list[Key] = []
    for key in ready:
        at_work = [*running, *chosen]
        if len(at_work) == limits.workers:
            break
        if limits.memory is None or sum(map(needs, [*at_work, key])) <= limits.memory:
            chosen.append(key)
    return chosen


def _start_worker() -> None:
    # A worker dies quietly with the terminal's Ctrl-C; the main process says what is to be said.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
