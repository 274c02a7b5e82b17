"""The executor of this machine passes the public suite, and executors that break the contract do not."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tablebase.system.executors.executor import Executor, Limits, Watch, unwatched
from tablebase.system.executors.local import LocalExecutor
from tablebase.system.executors.scheduler import Deadline, run_graph
from tablebase.testing import ExecutorTests


class TestLocalExecutor(ExecutorTests):
    """Processes of this machine."""

    def executor(self, limits: Limits) -> Executor:
        """A pool."""
        return LocalExecutor(limits)


class Inline(Executor):
    """Does each key at once, in this process; simple enough to be right."""

    def __init__(self, limits: Limits) -> None:
        super().__init__(limits)
        self.done: list[tuple[Any, Any]] = []

    def start(self, *, concurrent: bool, droppable: bool = False, watch: Watch = unwatched) -> None:
        """Nothing to prepare."""

    def submit(self, work: Callable[[Any], Any], key: Any) -> None:
        """Does the work."""
        self.done.append((key, work(key)))

    def finished(self, timeout: float | None = None) -> Iterator[tuple[Any, Any]]:  # noqa: ARG002
        """What has been done since."""
        done, self.done = self.done, []
        yield from done

    def stop(self, *, abort: bool) -> None:
        """Nothing to give back."""


class Repeating(Inline):
    """Gives every result twice."""

    def finished(self, timeout: float | None = None) -> Iterator[tuple[Any, Any]]:
        """All of it, and again."""
        done = list(super().finished(timeout))
        yield from [*done, *done]


class Quiet(LocalExecutor):
    """Loses the data of errors."""

    def finished(self, timeout: float | None = None) -> Iterator[tuple[Any, Any]]:
        """Results, or an error that says nothing."""
        try:
            yield from super().finished(timeout)
        except Exception:
            raise RuntimeError("something failed") from None


class Careless(LocalExecutor):
    """Leaves running what it should end."""

    def stop(self, *, abort: bool) -> None:
        """Waits for nothing and ends nothing."""


class Patient(LocalExecutor):
    """Waits for results however long they take."""

    def finished(self, timeout: float | None = None) -> Iterator[tuple[Any, Any]]:  # noqa: ARG002
        """Results, too late."""
        yield from super().finished()


class Unlimited(Inline):
    """Forgets its limits."""

    def __init__(self, _limits: Limits) -> None:
        super().__init__(Limits())


def suite(kind: Callable[[Limits], Executor]) -> ExecutorTests:
    """The suite for a kind of executor."""

    class Suite(ExecutorTests):
        def executor(self, limits: Limits) -> Executor:
            return kind(limits)

    return Suite()


@pytest.mark.parametrize(
    "check", [name for name in dir(ExecutorTests) if name.startswith("test_each") or name == "test_dependencies"]
)
def test_another_executor_passes(check: str) -> None:
    """The suite asks for nothing that only a pool of processes could do."""
    getattr(suite(Inline), check)()


@pytest.mark.parametrize(
    ("kind", "check"),
    [
        (Repeating, "test_each_key_once"),
        (Quiet, "test_errors_come_through"),
        (Careless, "test_nothing_runs_after_an_error"),
        (Careless, "test_nothing_runs_after_an_early_stop"),
        (Patient, "test_a_deadline_ends_what_still_runs"),
        (Unlimited, "test_limits"),
    ],
)
def test_what_breaks_the_contract_is_found(kind: type[Executor], check: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each check fails for an executor that breaks this part of the contract, even on a busy machine."""
    monkeypatch.setattr("tablebase.testing.executors.PATIENCE", 60.0)
    with pytest.raises(AssertionError):
        getattr(suite(kind), check)()


class Recording(Inline):
    """Notes how it is stopped."""

    def __init__(self, limits: Limits) -> None:
        super().__init__(limits)
        self.stops: list[bool] = []

    def stop(self, *, abort: bool) -> None:
        """Notes it."""
        self.stops.append(abort)


class Stuck(Recording):
    """Never finishes anything."""

    def finished(self, timeout: float | None = None) -> Iterator[tuple[Any, Any]]:
        """Nothing, at once."""
        assert timeout is not None
        yield from ()


def test_what_is_left_is_only_aborted_after_an_error() -> None:
    """The first stop waits for what runs if all went well, and ends it otherwise."""
    well, badly = Recording(Limits()), Recording(Limits())
    assert list(run_graph({1: ()}, str, well)) == ["1"]
    with pytest.raises(ZeroDivisionError):
        list(run_graph({0: ()}, lambda key: 1 // key, badly))
    assert (well.stops[0], badly.stops[0]) == (False, True)


def test_what_is_late_is_aborted() -> None:
    late = Stuck(Limits())
    assert list(run_graph({1: ()}, str, late, deadline=Deadline(time.time() + 60, lambda _: 0.0))) == []
    assert late.stops[0]
