"""Running a graph: everything once, in an order that its edges allow, within limits and until a deadline."""

import multiprocessing
import os
import threading
import time
from functools import partial
from multiprocessing.connection import wait
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.work import PATIENCE, do, meet, outlast, record

from tablebase.errors import CapacityError, TimeLimitError
from tablebase.system.executors import scheduler
from tablebase.system.executors.bounds import deadline
from tablebase.system.executors.executor import Limits
from tablebase.system.executors.local import LocalExecutor
from tablebase.system.executors.scheduler import Deadline, run_graph

Graph = dict[str, tuple[str, ...]]

DIAMOND: Graph = {"a": (), "b": ("a",), "c": ("a",), "d": ("b", "c")}
TWINS: Graph = {"root": (), "left": ("root",), "right": ("root",)}


def random_graph(seed: int, size: int) -> Graph:
    rng = Random(seed)
    names = [f"k{number}" for number in range(size)]
    graph = {name: tuple(rng.sample(names[:place], rng.randint(0, min(3, place)))) for place, name in enumerate(names)}
    return {name: graph[name] for name in rng.sample(names, size)}


def test_results_come_as_they_are_finished() -> None:
    """A result is given before the next key is begun, so that a table is entered as soon as it is done."""
    begun: list[str] = []

    def work(key: str) -> str:
        begun.append(key)
        return key.upper()

    results = run_graph(DIAMOND, work, LocalExecutor(Limits()))
    for count, result in enumerate(results, start=1):
        assert len(begun) == count
        assert result == begun[-1].upper()
    assert len(begun) == 4


@pytest.mark.parametrize(("heavy", "memory"), [((), None), (("k3", "k5", "k8", "k9"), 10)], ids=["workers", "workers and memory"])
def test_workers_keep_the_order(heavy: tuple[str, ...], memory: int | None) -> None:
    """With two workers each key begins after all it depends on has ended, no more than two at once, heavy ones alone."""
    graph = random_graph(1, 12)
    spans = list(run_graph(graph, record, LocalExecutor(Limits(2, memory)), lambda key: 9 if key in heavy else 2))
    by_key = {span.key: span for span in spans}
    assert sorted(span.key for span in spans) == sorted(graph)
    for key, before in graph.items():
        assert all(by_key[other].end <= by_key[key].begin for other in before)
    for span in spans:
        together = [other for other in spans if other.begin <= span.begin < other.end]
        assert len(together) <= 2
        assert len(together) == 1 or not {other.key for other in together} & set(heavy)
    first, *others = spans
    assert first.process == os.getpid()
    assert os.getpid() not in {span.process for span in others}
    assert len({span.process for span in others}) <= 2


def test_workers_work_at_the_same_time(tmp_path: Path) -> None:
    assert sorted(run_graph(TWINS, partial(meet, tmp_path), LocalExecutor(Limits(2)))) == ["left", "right", "root"]


@pytest.mark.parametrize("keys", [("this", "fail"), ("fail", "this")])
def test_what_is_done_counts_though_something_else_has_failed(keys: tuple[str, str]) -> None:
    """Where two workers end at the same time, the result of one is given before the fault of the other is raised."""
    with LocalExecutor(Limits(2)) as executor:
        executor.start(concurrent=True)
        executor.submit(do, "first")
        assert list(executor.finished()) == [("first", "first")]
        for key in keys:
            executor.submit(do, key)
        pipes = set(executor._running)
        while set(wait(list(pipes), PATIENCE)) != pipes:  # type: ignore[arg-type]
            time.sleep(0.01)
        results = executor.finished()
        assert next(results) == ("this", "this")
        with pytest.raises(ZeroDivisionError):
            next(results)


def test_short_work_is_done_ahead() -> None:
    """In this process, one key after another, as long as starting others would not pay; what is left is done by others."""
    graph: Graph = dict.fromkeys("abc", ())
    assert {span.process for span in run_graph(graph, record, LocalExecutor(Limits(2), 60.0))} == {os.getpid()}
    spans = sorted(run_graph(graph, record, LocalExecutor(Limits(2), 0.001)), key=lambda span: span.key)
    assert spans[0].process == os.getpid()
    assert os.getpid() not in {span.process for span in spans[1:]}


def test_droppable_keys_are_not_done_in_this_process() -> None:
    """It could not drop its own work; kernels are compiled by the first key alone all the same."""
    before = set(multiprocessing.active_children())
    with LocalExecutor(Limits(2)) as executor:
        executor.start(concurrent=True, droppable=True)
        for key in "ab":
            executor.submit(record, key)
        assert len(set(multiprocessing.active_children()) - before) == 1
        [(_, first)] = executor.finished()
        [(_, second)] = executor.finished()
    assert (first.key, second.key) == ("a", "b")
    assert os.getpid() not in {first.process, second.process}


def test_a_deadline_admits_what_ends_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """To the second; in its grace, keys may finish but not begin."""
    monkeypatch.setattr(scheduler.time, "time", lambda: 1000.0)
    deadline: Deadline[float] = Deadline(1010.0, lambda key: key, 5.0)
    assert deadline.admits(10.0)
    assert not deadline.admits(10.1)
    assert deadline.remaining() == 15.0
    monkeypatch.setattr(scheduler.time, "time", lambda: 1016.0)
    assert deadline.remaining() == 0.0


def test_keys_finish_in_the_grace_after_a_deadline(tmp_path: Path) -> None:
    """A key that was begun in time counts even if it is done after the deadline; nothing is begun after it."""
    deadline: Deadline[str] = Deadline(time.time() + 0.2, lambda _: 0.0, PATIENCE)
    graph: Graph = {"slow": (), "next": ("slow",)}
    (tmp_path / "quick").touch()
    assert [span.key for span in run_graph(graph, partial(outlast, tmp_path), LocalExecutor(Limits()), deadline=deadline)] == [
        "slow"
    ]


def test_want_of_memory_is_no_deadline() -> None:
    deadline: Deadline[str] = Deadline(time.time() + 3600, lambda _: 0.0)
    with pytest.raises(CapacityError):
        list(run_graph({"a": ()}, record, LocalExecutor(Limits(1, 10)), lambda _: 11, deadline))


class Load(NamedTuple):
    """Keys that are ready and at work, and what they need."""

    ready: list[int]
    running: list[int]
    needs: dict[int, int]
    limits: Limits


@st.composite
def loads(draw: st.DrawFn) -> Load:
    """Any state of a run that keeps to its limits, no key needing more than may be used."""
    needs = dict(enumerate(draw(st.lists(st.integers(0, 50), max_size=8))))
    workers = draw(st.integers(1, 5))
    order = draw(st.permutations(list(needs)))
    running = order[: draw(st.integers(0, workers))]
    least = max([*needs.values(), sum(needs[key] for key in running)], default=0)
    memory = draw(st.none() | st.integers(least, least + 100))
    return Load(order[len(running) :], running, needs, Limits(workers, memory))


@given(loads())
def test_what_is_started_fits(load: Load) -> None:
    chosen = load.limits.startable(load.ready, load.running, load.needs.__getitem__)
    at_work = [*load.running, *chosen]
    used = sum(load.needs[key] for key in at_work)
    most = float("inf") if load.limits.memory is None else load.limits.memory
    assert chosen == [key for key in load.ready if key in chosen]
    assert len(at_work) <= load.limits.workers
    assert used <= most
    left = [key for key in load.ready if key not in chosen]
    assert len(at_work) == load.limits.workers or all(used + load.needs[key] > most for key in left)
    assert chosen or load.running or not load.ready


@pytest.mark.parametrize(("started", "used", "threads"), [(1, 0, 5), (2, 0, 2), (1, 2, 3), (2, 3, 1), (1, 5, 1), (1, 7, 1)])
def test_keys_divide_the_threads_that_are_left(started: int, used: int, threads: int) -> None:
    assert Limits(5).threads(started, used) == threads


def test_memory_is_shared_unless_each_worker_has_its_own() -> None:
    shared, each = Limits(2, 10), Limits(2, 10, each=True)
    assert (shared.fit([4, 6]), shared.fit([5, 6]), shared.fit([10]), shared.fit([11])) == (True, False, True, False)
    assert (each.fit([10, 10]), each.fit([1, 11]), each.fit([])) == (True, False, True)
    assert not any(limits.fit([0, 0, 0]) for limits in (shared, each, Limits(2)))
    assert Limits(2).fit([9**9, 9**9])


def test_a_deadline_interrupts() -> None:
    """What the block raises because of it becomes an error that carries the limit."""
    interrupted = threading.Event()

    def work() -> None:
        with deadline(0.01, interrupted.set):
            assert interrupted.wait(10)
            raise ValueError("interrupted")

    with pytest.raises(TimeLimitError) as passed:
        work()
    assert (passed.value.seconds, passed.value.exit_code) == (0.01, 3)


@pytest.mark.parametrize("seconds", [60, None])
def test_a_deadline_is_called_off(seconds: float | None) -> None:
    """At the end of the block, whose own error is no matter of time."""
    before = set(threading.enumerate())
    with pytest.raises(ValueError, match="broken"), deadline(seconds, pytest.fail):
        raise ValueError("broken")
    assert set(threading.enumerate()) <= before


def test_an_interrupt_under_way_is_waited_for() -> None:
    """What it interrupts may be closed after the block, and must not be before."""
    begun, closed, done = threading.Event(), threading.Event(), []

    def interrupt() -> None:
        begun.set()
        done.append(closed.wait(0.2))

    with deadline(0.01, interrupt):
        assert begun.wait(10)
    closed.set()
    assert done == [False]
