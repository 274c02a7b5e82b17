"""Dask without a cluster: what a worker offers, the process that it keeps, and addresses without a scheduler."""

import asyncio
import math
from collections.abc import Iterator
from threading import Timer
from types import SimpleNamespace
from typing import Any

import psutil
import pytest
from distributed import Reschedule, Status
from support.processes import wait_for
from support.work import do, linger, unless_marked

from tablebase.errors import ClusterError, MissingExtraError
from tablebase.system.compute import threads
from tablebase.system.executors.dask import DaskExecutor, no_offer, wait_for_workers
from tablebase.system.executors.dask_host import Host, offer
from tablebase.system.executors.executor import Check


class Fake:
    """What a plugin uses of a Dask worker."""

    def __init__(self, resources: dict[str, float], limit: int | None, status: Status = Status.running) -> None:
        self.state = SimpleNamespace(total_resources=resources, nthreads=2)
        self.memory_manager = SimpleNamespace(memory_limit=limit)
        self.name = "fake"
        self.statuses = [status]
        self.events: list[Any] = []

    @property
    def status(self) -> Status:
        """The last one."""
        return self.statuses[-1]

    @status.setter
    def status(self, status: Status) -> None:
        self.statuses.append(status)

    async def set_resources(self, **resources: float) -> None:
        """Kept."""
        self.state.total_resources |= resources

    def log_event(self, topic: str, event: object) -> None:
        """Kept."""
        self.events.append((topic, event))


def hosted(worker: Fake, check: Check | None = None) -> Host:
    host = Host("tables", check)
    asyncio.run(host.setup(worker))  # type: ignore[arg-type]
    return host


@pytest.fixture
def host() -> Iterator[Host]:
    host = hosted(Fake({}, 1000))
    yield host
    host.teardown(host._worker)


@pytest.mark.parametrize(
    ("given", "limit", "memory"), [({}, 1000, 900), ({"memory": 70.0}, 1000, 70), ({}, None, 9 * 10**9), ({"memory": 0.0}, 1000, 0)]
)
def test_memory_that_is_offered(given: dict[str, float], limit: int | None, memory: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the worker was given, else nine tenths of its limit, else of the machine's memory; and one table at a time."""
    monkeypatch.setattr("tablebase.system.compute.machine.memory", lambda: 10**10)
    worker = Fake(dict(given), limit)
    hosted(worker)
    assert worker.state.total_resources == {"tables": 1, "memory": memory}
    # That makes the scheduler look for keys that have been waiting.
    assert worker.statuses == [Status.running, Status.paused, Status.running]


def test_a_worker_that_was_paused_stays_so() -> None:
    worker = Fake({}, 1000, Status.paused)
    hosted(worker)
    assert worker.statuses == [Status.paused]


def test_a_worker_that_cannot_be_used_offers_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MARKED", "1")
    worker = Fake({}, 1000)
    hosted(worker, unless_marked)
    assert worker.state.total_resources == {}
    monkeypatch.delenv("MARKED")
    hosted(worker, unless_marked)
    assert worker.state.total_resources == {"tables": 1, "memory": 900}


def test_a_worker_that_leaves_right_after_the_wait() -> None:
    """The workers that ended the wait are asked, even if the scheduler has none a moment later."""
    answers = iter([{}, {}, {"tcp://a": {}}])
    client: Any = SimpleNamespace(scheduler=SimpleNamespace(address=""), scheduler_info=lambda **_: {"workers": next(answers)})
    assert wait_for_workers(client, lambda _: None, 60) == ["tcp://a"]


@pytest.mark.parametrize("given", [{"memory": -5e6}, {"memory": math.nan}, {"threads": 0.0}, {"threads": math.inf}])
def test_resources_that_make_no_sense(given: dict[str, float]) -> None:
    """A worker that was started with them is refused; the sentence names them."""
    worker = Fake(dict(given), 1000)
    hosted(worker)
    assert worker.state.total_resources == given
    found = asyncio.run(offer(None, worker))  # type: ignore[arg-type]
    assert found.error is not None
    assert next(iter(given)) in found.error.what


def test_a_process_is_kept_for_the_next_key_and_ends_with_the_plugin(host: Host) -> None:
    """What takes long to load is loaded once; an error of the work is no reason to end it."""
    first = host.do("one", process_of, None)
    with pytest.raises(ZeroDivisionError):
        host.do("two", do, "fail")
    assert host.do("three", process_of, None) == first
    host.teardown(host._worker)
    wait_for(lambda: not psutil.pid_exists(first) or psutil.Process(first).status() == psutil.STATUS_ZOMBIE)


def process_of(_key: object) -> int:
    return psutil.Process().pid


@pytest.mark.release
def test_threads_are_those_of_the_worker(host: Host) -> None:
    assert host.do("one", size, None) == 2
    host._worker.state.total_resources["threads"] = 3
    assert host.do("two", size, None) == 3


def size(_key: object) -> int:
    return threads._team.get().size


@pytest.mark.parametrize("how", ["released", "closed"])
def test_what_nobody_wants_any_more_is_ended(host: Host, how: str) -> None:
    """While it works: Dask may do the key again elsewhere. What has another reason to change its state is not ended."""
    ended: list[set[str]] = []

    def end() -> None:
        host.transition("key", "executing", "memory")
        host.transition("other", "executing", "released")
        ended.append(set(host._ended))
        if how == "closed":
            host.teardown(host._worker)
        else:
            host.transition("key", "executing", "released")

    timer = Timer(0.5, end)
    timer.start()
    with pytest.raises(Reschedule):
        host.do("key", linger, 3.0)
    timer.join()
    assert ended == [{"other"}]
    assert not host._running
    if how == "released":
        assert host.do("key", do, "that") == "that"


@pytest.mark.parametrize(
    ("address", "error"),
    [
        ("nowhere", r"invalid --scheduler 'nowhere' \("),
        ("tcp://127.0.0.1", r"invalid --scheduler 'tcp://127.0.0.1' \("),
        ("tls://127.0.0.1:1", r"invalid --scheduler 'tls://127.0.0.1:1' \(Dask is not configured for TLS"),
        ("tcp://127.0.0.1:1", "cannot connect to a Dask scheduler at tcp://127.0.0.1:1"),
    ],
)
def test_an_address_without_a_scheduler(address: str, error: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tablebase.system.executors.dask.CONNECT", 0.5)
    with pytest.raises(ClusterError, match=f"^{error}.*: start a scheduler with 'dask scheduler'") as refused:
        DaskExecutor(scheduler=address)
    assert refused.value.address == address


def test_without_dask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tablebase.errors.find_spec", lambda _: None)
    with pytest.raises(MissingExtraError, match=r"^clusters need distributed: .*\[cluster\]'$"):
        DaskExecutor()


def test_a_worker_that_does_not_answer() -> None:
    assert no_offer(OSError("timed out")).what == "does not answer (timed out)"
    assert no_offer(ImportError("no such thing")).what == "cannot load this program (ImportError: no such thing)"
