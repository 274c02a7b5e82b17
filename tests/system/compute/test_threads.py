"""Work spread over threads: all of it once, in order; and what runs with threads, what with processes."""

import os
import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.work import Done, Work, divide, note

from tablebase.errors import TablebaseError
from tablebase.solvers import pursuit as pursuit
from tablebase.system.compute import threads
from tablebase.system.executors.executor import Limits
from tablebase.system.executors.local import LocalExecutor
from tablebase.system.executors.scheduler import run_graph


@given(st.integers(0, 300), st.integers(1, 400), st.integers(1, 5))
def test_ranges_make_up_the_whole(count: int, grain: int, allowed: int) -> None:
    """One after another, none empty but that of nothing, none smaller than the grain but a single one, four a thread at most."""
    with threads.use(allowed):
        done = threads.spread(note, count, grain)
    assert [one.begin for one in done] == [0, *(one.end for one in done[:-1])]
    assert done[-1].end == count
    assert len(done) == 1 or min(one.end - one.begin for one in done) >= grain
    assert len(done) == (1 if allowed == 1 else max(1, min(4 * allowed, count // grain)))
    sizes = {one.end - one.begin for one in done}
    assert max(sizes) - min(sizes) <= 1


def test_results_come_in_the_order_of_ranges() -> None:
    with threads.use(2):
        done = threads.spread(lambda begin, end: (time.sleep(0.2 * (begin == 0)), begin, end)[1:], 8, 1)
    assert done == [(i, i + 1) for i in range(8)]


def test_threads_do_not_start_threads() -> None:
    def outer(*_: int) -> tuple[int, list[Work]]:
        return threading.get_ident(), threads.spread(note, 50, 1)

    with threads.use(2):
        done = threads.spread(outer, 8, 1)
    assert len(done) == 8
    assert all(inner == [Work(0, 50, thread)] for thread, inner in done)


def test_a_error_comes_through() -> None:
    """What a range raises is raised; of several faults that of the first range."""

    def work(begin: int, end: int) -> int:
        if begin >= 3:
            raise TablebaseError(f"no way to do {begin} to {end}")
        return begin

    for allowed in (2, 4):
        with threads.use(allowed), pytest.raises(TablebaseError, match=r"^no way to do 3 to 4$"):
            threads.spread(work, 8, 1)


def test_a_caller_that_leaves_early_waits_for_what_has_begun() -> None:
    """What has not begun is never done, and when the caller goes on, nothing is at work any more."""
    begun, ended = [], []
    free = threading.Event()

    def work(number: int) -> int:
        begun.append(number)
        if number:
            free.wait(10)
            time.sleep(0.05)
        ended.append(number)
        return number

    with threads.use(2):
        results = threads.each(work, range(100))
        assert next(results) == 0
        free.set()
        results.close()  # type: ignore[attr-defined]
        assert begun[-1] < 100 / 2
        assert sorted(ended) == sorted(begun)
        time.sleep(0.2)
        assert sorted(ended) == sorted(begun)
        assert len(begun) <= 1 + 2 * 2


CHAIN: dict[str, tuple[str, ...]] = {"c": ("b",), "a": (), "b": ("a",), "d": ("a", "c")}


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_a_chain_is_done_here_with_threads(workers: int) -> None:
    """Where each key waits for the one before, this process does all of them, with as many threads as there may be workers."""
    done = list(run_graph(CHAIN, divide, LocalExecutor(Limits(workers))))
    ranges = 1 if workers == 1 else 4 * workers
    assert done == [Done(key, os.getpid(), ranges) for key in "abcd"]


def test_threads_are_allowed_only_at_work() -> None:
    for done in run_graph(CHAIN, divide, LocalExecutor(Limits(3))):
        assert done.ranges == 12
        assert len(threads.spread(note, 1000, 1)) == 1
