"""Where the work runs: in this process, or in a pool of spawned ones.

Where each key waits for the one before, as tiers do, processes cannot help; then this one does all the work, with
threads.
"""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from graphlib import TopologicalSorter
from typing import TypeVar

from tablebase.compute import threads
from tablebase.errors import CapacityError

Key = TypeVar("Key")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Limits:
    """What may run side by side.

    Parameters
    ----------
    workers : int
        Processes, or threads where only one key at a time can be done; with 1, everything runs in this process.
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
    alone = limits.workers == 1 or _is_chain(graph)
    while ready:
        key = ready.pop(0)
        with threads.use(limits.workers if alone else 1):
            result = work(key)
        yield result
        sorter.done(key)
        ready += sorter.get_ready()
        if not alone:
            yield from _run_pool(sorter, ready, work, limits, needs)
            return


def _is_chain(graph: Mapping[Key, tuple[Key, ...]]) -> bool:
    """Whether no two keys can ever be done side by side."""
    sorter = TopologicalSorter(graph)
    sorter.prepare()
    while sorter.is_active():
        ready = sorter.get_ready()
        if len(ready) > 1:
            return False
        sorter.done(*ready)
    return True


def _run_pool(
    sorter: TopologicalSorter[Key],
    ready: list[Key],
    work: Callable[[Key], Result],
    limits: Limits,
    needs: Callable[[Key], int],
) -> Iterator[Result]:
    pool = ProcessPoolExecutor(limits.workers, multiprocessing.get_context("spawn"))
    running: dict[Future[Result], Key] = {}
    try:
        while ready or running:
            for key in _that_fit(ready, list(running.values()), limits, needs):
                ready.remove(key)
                with _deaf_children():
                    running[pool.submit(work, key)] = key
            if not running:
                needed = f"{needs(ready[0]):,} bytes of memory are needed and {limits.memory:,} are allowed"
                raise CapacityError(f"{needed}: allow more with --memory")
            finished, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                yield future.result()
                sorter.done(running.pop(future))
            ready += sorter.get_ready()
        pool.shutdown()
    except BrokenProcessPool as fault:
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


@contextmanager
def _deaf_children() -> Iterator[None]:
    """Processes started here never hear Ctrl-C: this one does, and ends them."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
