"""A test suite for executors, as a class to inherit from."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from tablebase.errors import MissingTableError
from tablebase.system.compute.messages import Stage
from tablebase.system.executors.executor import Executor, Limits
from tablebase.system.executors.scheduler import DROPPED, Deadline, run_graph

Graph = dict[str, tuple[str, ...]]

PATIENCE = 1.5
"""Seconds to wait for signs of a task that should have been stopped."""
SLOW = 1.0
"""Duration of a slow task in seconds."""


class ExecutorTests:
    """A suite of pytest tests for executors; to run the tests, define a subclass with the method `executor`.

    Examples
    --------
    >>> from tablebase.system.executors.local import LocalExecutor
    >>> class TestLocalExecutor(ExecutorTests):
    ...     def executor(self, limits):
    ...         return LocalExecutor(limits)
    """

    def executor(self, limits: Limits) -> Executor:
        """Return a new executor with these limits."""
        raise NotImplementedError

    def test_limits(self) -> None:
        """The executor has the given limits."""
        with self.executor(Limits(2, 1000)) as executor:
            assert executor.limits == Limits(2, 1000)

    def test_each_key_once(self) -> None:
        """The executor returns the key of every submitted task once, together with the result."""
        waiting = [f"key{number}" for number in range(9)]
        results: dict[str, str] = {}
        with self.executor(Limits(2)) as executor:
            executor.start(concurrent=True)
            running = 0
            while waiting or running:
                while waiting and running < executor.limits.workers:
                    executor.submit(_shout, waiting.pop(0))
                    running += 1
                for key, result in executor.finished():
                    assert key not in results
                    results[key] = result
                    running -= 1
        assert results == {f"key{number}": f"KEY{number}" for number in range(9)}

    def test_dependencies(self) -> None:
        """A task only starts after all tasks that it depends on have finished."""
        names = [f"key{number}" for number in range(10)]
        for random in map(Random, range(4)):
            graph = {
                name: tuple(random.sample(names[:place], random.randint(0, min(3, place)))) for place, name in enumerate(names)
            }
            order = [result.lower() for result in run_graph(graph, _shout, self.executor(Limits(2)))]
            assert sorted(order) == sorted(graph)
            assert all(order.index(before) < order.index(key) for key in graph for before in graph[key])

    def test_a_chain(self) -> None:
        """If each task depends on the previous task, the tasks run one after another."""
        graph: Graph = {f"key{number}": (f"key{number - 1}",) if number else () for number in range(5)}
        assert list(run_graph(graph, _shout, self.executor(Limits(2)))) == [key.upper() for key in graph]

    def test_nothing_to_do(self) -> None:
        """An empty graph of tasks has no results."""
        assert list(run_graph({}, _shout, self.executor(Limits(2)))) == []

    def test_errors_come_through(self) -> None:
        """An exception in a task is raised again in the caller, with all its attributes."""
        graph: Graph = {"root": (), "bad": ("root",), "other": ("root",)}
        error = _error_of(lambda: list(run_graph(graph, _stumble, self.executor(Limits(2)))))
        assert isinstance(error, MissingTableError)
        assert (error.game, error.material, error.exit_code) == ("game", "RCvW", 2)

    def test_nothing_runs_after_an_error(self) -> None:
        """If a task fails, all running tasks are stopped."""
        graph: Graph = {"root": (), "bad": ("root",), "slow": ("root",)}
        with tempfile.TemporaryDirectory() as folder:
            work = partial(_stumble_or_leave_a_file, folder)
            assert _error_of(lambda: list(run_graph(graph, work, self.executor(Limits(2))))) is not None
            assert not _appears(Path(folder, "slow"))

    def test_nothing_runs_after_an_early_stop(self) -> None:
        """If the consumer of the results stops early, all running tasks are stopped."""
        graph: Graph = {"root": (), "quick": ("root",), "slow": ("root",)}
        with tempfile.TemporaryDirectory() as folder:
            results = run_graph(graph, partial(_stumble_or_leave_a_file, folder), self.executor(Limits(2)))
            assert [next(results), next(results)][0] == "root"
            results.close()
            assert not _appears(Path(folder, "slow"))

    def test_a_deadline_ends_what_still_runs(self) -> None:
        """After the deadline and its grace period, running tasks are stopped, and the callback `watch` is called for each."""
        dropped: list[str] = []

        def watch(key: str, stage: Stage) -> None:
            if stage == DROPPED:
                dropped.append(key)

        with tempfile.TemporaryDirectory() as folder:
            work = partial(_stumble_or_leave_a_file, folder)
            deadline: Deadline[str] = Deadline(time.time() + SLOW / 4, lambda _: 0.0, SLOW / 4)
            graph: Graph = {"slow": (), "later": ("slow",)}
            assert list(run_graph(graph, work, self.executor(Limits(2)), deadline=deadline, watch=watch)) == []
            assert not _appears(Path(folder, "slow"))
        assert dropped == ["slow"]

    def test_what_is_done_in_time_counts(self) -> None:
        """Even if the deadline is distant, tasks expected to end after it are not started; all other tasks finish."""
        graph: Graph = {"root": (), "long": ("root",), "short": ("root",), "after": ("long",)}
        for late, expected in (("", ["AFTER", "LONG", "ROOT", "SHORT"]), ("long", ["ROOT", "SHORT"])):
            deadline: Deadline[str] = Deadline(time.time() + 3600, lambda key, late=late: 7200.0 * (key == late))  # type: ignore[misc]
            assert sorted(run_graph(graph, _shout, self.executor(Limits(2)), deadline=deadline)) == expected


def _shout(key: str) -> str:
    return key.upper()


def _stumble(key: str) -> str:
    if key == "bad":
        raise MissingTableError("game", "data", material="RCvW")
    return key


def _appears(path: Path) -> bool:
    end = time.monotonic() + PATIENCE
    while not path.exists():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def _stumble_or_leave_a_file(folder: str, key: str) -> str:
    if key == "slow":
        time.sleep(SLOW)
        Path(folder, key).touch()
    return _stumble(key)


def _error_of(call: Callable[[], Any]) -> Exception | None:
    try:
        call()
    except Exception as error:
        return error
    return None
