"""Where the work runs: in this process, or in a pool of spawned ones."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from graphlib import TopologicalSorter
from typing import TypeVar

from tablebase.errors import CapacityError

Key = TypeVar("Key")
Result = TypeVar("Result")


def run_graph(graph: Mapping[Key, tuple[Key, ...]], work: Callable[[Key], Result], workers: int) -> Iterator[Result]:
    """Do `work` for every key once all it depends on is done; results come as they are finished.

    Parameters
    ----------
    graph : mapping of key to keys
        What each key waits for; all of them keys of the graph.
    work : callable
        A picklable function of one key. The first key is done in this process, so that kernels are
        compiled once and not once a worker.
    workers : int
        Processes; with 1, everything runs in this one.
    """
    sorter = TopologicalSorter(graph)
    sorter.prepare()
    if not sorter.is_active():
        return
    ready = list(sorter.get_ready())
    first = ready.pop(0)
    yield work(first)
    sorter.done(first)
    ready += sorter.get_ready()
    if workers == 1 or len(graph) == 1:
        while ready:
            key = ready.pop(0)
            yield work(key)
            sorter.done(key)
            ready += sorter.get_ready()
    else:
        yield from _run_pool(sorter, ready, work, workers)


def _run_pool(sorter: TopologicalSorter[Key], ready: list[Key], work: Callable[[Key], Result], workers: int) -> Iterator[Result]:
    pool = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), initializer=_start_worker)
    running: dict[Future[Result], Key] = {}
    try:
        while ready or running:
            running.update({pool.submit(work, key): key for key in ready})
            finished, _ = wait(running, return_when=FIRST_COMPLETED)
            ready = []
            for future in finished:
                yield future.result()
                sorter.done(running.pop(future))
            ready += sorter.get_ready()
        pool.shutdown()
    except BrokenProcessPool as fault:
        raise CapacityError("a worker was killed, most likely for want of memory: use fewer --workers") from fault
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        for child in multiprocessing.active_children():
            child.terminate()
        raise


def _start_worker() -> None:
    # A worker dies quietly with the terminal's Ctrl-C; the main process says what is to be said.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
