"""Work spread over threads: all of it once, in order; and what runs with threads, what with processes."""

import os
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.program import contents
from support.work import Done, Work, divide, note

from tablebase.building.plan import plan
from tablebase.building.tables import build
from tablebase.compute import threads
from tablebase.errors import TablebaseError
from tablebase.executors.executor import Limits
from tablebase.executors.local import LocalExecutor
from tablebase.executors.scheduler import run_graph
from tablebase.game import load_game
from tablebase.slices.material import parse_materials
from tablebase.solvers import pursuit as pursuit

PATIENCE = 60
"""Seconds for which a range waits for another; far more than a thread takes to start."""

Graph = dict[str, tuple[str, ...]]


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
    """Even if the first range is done last."""
    with threads.use(2):
        done = threads.spread(lambda begin, end: (time.sleep(0.2 * (begin == 0)), begin, end)[1:], 8, 1)
    assert done == [(i, i + 1) for i in range(8)]


def test_ranges_are_done_side_by_side() -> None:
    """Three threads meet, none of them this one."""
    barrier = threading.Barrier(3, timeout=PATIENCE)
    with threads.use(3):
        done = threads.spread(lambda begin, end: (barrier.wait(), note(begin, end))[1], 3, 1)
    assert len({one.thread for one in done}) == 3
    assert threading.get_ident() not in {one.thread for one in done}


@pytest.mark.parametrize(("allowed", "count", "grain"), [(1, 1000, 1), (4, 9, 5), (4, 1, 1), (4, 0, 1)])
def test_what_is_not_divided_is_done_here(allowed: int, count: int, grain: int) -> None:
    """One thread allowed, or not enough to divide: a single range, in the thread that asks."""
    with threads.use(allowed):
        assert threads.spread(note, count, grain) == [Work(0, count, threading.get_ident())]


def test_without_leave_there_is_one_thread() -> None:
    """By default there is one thread, and so there is after a block that allowed more, even one that failed."""
    expected = [Work(0, 100, threading.get_ident())]
    assert threads.spread(note, 100, 1) == expected
    with threads.use(3):
        with threads.use(1):
            assert threads.spread(note, 100, 1) == expected
        assert len(threads.spread(note, 100, 1)) == 12
    assert threads.spread(note, 100, 1) == expected
    with pytest.raises(ZeroDivisionError), threads.use(3):
        raise ZeroDivisionError
    assert threads.spread(note, 100, 1) == expected


def test_threads_do_not_start_threads() -> None:
    """Work that spreads work itself does so in its own thread."""

    def outer(*_: int) -> tuple[int, list[Work]]:
        return threading.get_ident(), threads.spread(note, 50, 1)

    with threads.use(2):
        done = threads.spread(outer, 8, 1)
    assert len(done) == 8
    assert all(inner == [Work(0, 50, thread)] for thread, inner in done)


def test_a_fault_comes_through() -> None:
    """What a range raises is raised; of several faults that of the first range."""

    def work(begin: int, end: int) -> int:
        if begin >= 3:
            raise TablebaseError(f"no way to do {begin} to {end}")
        return begin

    for allowed in (2, 4):
        with threads.use(allowed), pytest.raises(TablebaseError, match=r"^no way to do 3 to 4$"):
            threads.spread(work, 8, 1)


# Graphs of keys


CHAIN: Graph = {"c": ("b",), "a": (), "b": ("a",), "d": ("a", "c")}
FORK: Graph = {"a": (), "b": ("a",), "c": ("a",)}
LATE_FORK: Graph = {"a": (), "b": ("a",), "c": ("b",), "d": ("b",)}
ISLANDS: Graph = {"a": (), "b": ()}


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_a_chain_is_done_here_with_threads(workers: int) -> None:
    """Where each key waits for the one before, this process does all of them, with as many threads as there may be workers."""
    done = list(run_graph(CHAIN, divide, LocalExecutor(Limits(workers))))
    ranges = 1 if workers == 1 else 4 * workers
    assert done == [Done(key, os.getpid(), ranges) for key in "abcd"]


@pytest.mark.parametrize(("graph", "alone"), [(FORK, "a"), (LATE_FORK, "ab"), (ISLANDS, "")], ids=["fork", "late fork", "islands"])
def test_other_graphs_are_done_by_processes(graph: Graph, alone: str) -> None:
    """Where keys can be done side by side, other processes do all but the first; a key has the threads that no other can use."""
    done = list(run_graph(graph, divide, LocalExecutor(Limits(2))))
    assert {one.key: one.ranges for one in done} == {key: 8 if key in alone else 1 for key in graph}
    assert done[0].process == os.getpid()
    assert os.getpid() not in {one.process for one in done[1:]}


def test_keys_that_memory_keeps_apart_have_all_threads() -> None:
    """Three keys of which no two fit together use three threads each; two that fit beside each other divide four."""
    apart = {"a": (), "b": (), "c": ()}
    done = list(run_graph(apart, divide, LocalExecutor(Limits(3, memory=10)), lambda _: 6))
    assert {one.key: one.ranges for one in done} == dict.fromkeys(apart, 12)
    done = list(run_graph(apart, divide, LocalExecutor(Limits(4, memory=10)), {"a": 5, "b": 5, "c": 10}.__getitem__))
    assert {one.key: one.ranges for one in done} == {"a": 8, "b": 8, "c": 16}


def test_threads_are_allowed_only_at_work() -> None:
    """Between two results of a chain, the caller has no more threads than before."""
    for done in run_graph(CHAIN, divide, LocalExecutor(Limits(3))):
        assert done.ranges == 12
        assert len(threads.spread(note, 1000, 1)) == 1


def test_a_fault_in_a_chain_comes_through() -> None:
    """What was done before is given, then the sentence of the fault."""

    def work(key: str) -> str:
        if key == "c":
            raise TablebaseError("no way to do c")
        return key

    results = run_graph(CHAIN, work, LocalExecutor(Limits(3)))
    assert [next(results), next(results)] == ["a", "b"]
    with pytest.raises(TablebaseError, match=r"^no way to do c$"):
        next(results)


def test_tiers_are_built_here_with_threads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All tiers of a pursuit are built by this process, spread over the workers' number of threads, with the same bytes."""
    game = load_game("foxhounds-4x4")
    planned = plan(game, None, parse_materials(game, "FvHH"))
    parts: list[int] = []

    def spread(*arguments: Any) -> list[int]:
        found: list[int] = threads.spread(*arguments)
        parts.append(len(found))
        return found

    monkeypatch.setattr(pursuit, "GRAIN", 1)
    monkeypatch.setattr(pursuit, "spread", spread)
    for workers in (1, 2):
        assert (
            len(list(build(game, planned, tmp_path / str(workers), executor=LocalExecutor(Limits(workers))))) == len(planned) == 7
        )
        assert (max(parts) > 1) == (workers > 1)
    assert contents(tmp_path / "1") == contents(tmp_path / "2")
    assert len(parts) == 2 * len(planned)
