"""The executor on a cluster: order, memory and place of keys, what is lost on the way, and what must not go on."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from itertools import pairwise
from pathlib import Path

import psutil
import pytest
from distributed import Client
from support.dask import DaskCluster, cluster, processes, wait_for_workers, workers
from support.processes import end_session, group, wait_for
from support.program import ask_fresh, start_fresh
from support.work import advance, do, hold, lose, meet, parent, record, unless_marked

from tablebase.errors import CapacityError, ClusterError
from tablebase.system.compute.messages import Stage
from tablebase.system.executors import dask
from tablebase.system.executors.dask import DaskExecutor, limits_at
from tablebase.system.executors.executor import Executor, Limits
from tablebase.system.executors.scheduler import run_graph
from tablebase.testing import ExecutorTests

Graph = dict[str, tuple[str, ...]]

pytestmark = pytest.mark.full

MEMORY = (1000, 5000)
"""Bytes that the two workers offer."""


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskCluster]:
    with cluster(tmp_path_factory.mktemp("dask")) as started:
        for memory in MEMORY:
            started.start_worker("--resources", f"memory={memory}")
        wait_for_workers(started, len(MEMORY))
        yield started


@pytest.fixture(autouse=True)
def _looks_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask, "LOOK", 0.2)


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[DaskCluster]:
    with cluster(tmp_path) as started:
        yield started


def begin(executor: DaskExecutor, folder: Path) -> None:
    executor.start(concurrent=True)
    executor.submit(partial(hold, folder), "key")
    wait_for((folder / "key begun").exists)


class TestDaskExecutor(ExecutorTests):
    """Workers of Dask."""

    @pytest.fixture(autouse=True)
    def _use(self, shared: DaskCluster) -> None:
        self._address = shared.address

    def executor(self, limits: Limits) -> Executor:
        """One whose workers are there already; the limits are those of workers that would be started."""
        return DaskExecutor(limits) if limits.memory else DaskExecutor(scheduler=self._address)


# Place and order


def test_limits_are_those_of_the_workers(shared: DaskCluster) -> None:
    """Their number, and the memory of the largest one; what was given to a worker counts, and not what Dask found."""
    assert limits_at(shared.address) == DaskExecutor(scheduler=shared.address).limits == Limits(2, max(MEMORY), each=True)


def test_keys_are_done_at_the_same_time(shared: DaskCluster, tmp_path: Path) -> None:
    twins: Graph = {"root": (), "left": ("root",), "right": ("root",)}
    assert sorted(run_graph(twins, partial(meet, tmp_path), DaskExecutor(scheduler=shared.address))) == sorted(twins)


def test_a_worker_does_one_key_at_a_time(empty: DaskCluster) -> None:
    """Also if Dask could give it two; its threads are for the key."""
    empty.start_worker("--nthreads", "2")
    spans = sorted(run_graph(dict.fromkeys("abcd", ()), record, DaskExecutor(scheduler=empty.address)), key=lambda one: one.begin)
    assert len(spans) == 4
    assert all(one.end <= other.begin for one, other in pairwise(spans))


def test_memory_decides_about_the_worker(shared: DaskCluster) -> None:
    (address,) = (address for address, one in workers(shared).items() if one["resources"]["memory"] == max(MEMORY))
    large = processes(shared)[address]
    graph = dict.fromkeys(range(6), ())
    done = list(run_graph(graph, parent, DaskExecutor(scheduler=shared.address), lambda _: max(MEMORY)))
    assert done == [large] * 6


def test_what_fits_nowhere_is_refused_before_anything_begins(shared: DaskCluster, tmp_path: Path) -> None:
    graph: Graph = {"small": (), "large": ("small",)}
    needs = {"small": 0, "large": max(MEMORY) + 1}
    with pytest.raises(CapacityError, match=r"needs 5,001 bytes of memory, but only 5,000 are available: use a worker with more"):
        list(run_graph(graph, partial(hold, tmp_path), DaskExecutor(scheduler=shared.address), needs.__getitem__))
    assert not list(tmp_path.iterdir())


def test_stages_are_seen(shared: DaskCluster) -> None:
    seen: list[tuple[str, Stage]] = []
    list(run_graph({"a": (), "b": ("a",)}, advance, DaskExecutor(scheduler=shared.address), watch=lambda *one: seen.append(one)))
    for key in "ab":
        stages = [stage for other, stage in seen if other == key]
        # What comes with the result may come behind it.
        assert stages == [Stage("starting"), Stage("ending", 1, 2)][: len(stages)]
    assert [stage for key, stage in seen if key == "a"]


def test_workers_of_this_machine(capfd: pytest.CaptureFixture[str]) -> None:
    """Without a scheduler they are started, and gone afterwards; they say nothing."""
    before = children()
    done = list(run_graph({1: (), 2: (1,), 3: (1,)}, parent, DaskExecutor(Limits(2, 2**30)), lambda _: 2**29))
    assert 1 <= len(set(done) - before - {os.getpid()}) <= 2
    # Those of the shared cluster may end meanwhile: it ends what has nothing to do.
    wait_for(lambda: children() <= before)
    assert capfd.readouterr() == ("", "")


LOCAL = """
import sys
from functools import partial
from pathlib import Path
from support.work import hold
from tablebase.commands import process
from tablebase.system.executors.dask import DaskExecutor
from tablebase.system.executors.executor import Limits
from tablebase.system.executors.scheduler import run_graph
if __name__ == "__main__":
    process.listen()
    list(run_graph({"a": (), "b": ()}, partial(hold, Path(sys.argv[1])), DaskExecutor(Limits(2, 2**30))))
"""


@pytest.mark.release
@pytest.mark.parametrize(("number", "code", "lines"), [(signal.SIGINT, 130, 2), (signal.SIGKILL, -9, 0)])
def test_workers_of_this_machine_end_with_the_program(number: signal.Signals, code: int, lines: int, tmp_path: Path) -> None:
    """Ctrl-C in a terminal, which goes to all processes, is one sentence; they print nothing if the program is killed, either."""
    environment = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with start_fresh(tmp_path, program=LOCAL, environment=environment) as process:
        wait_for(lambda: len(list(tmp_path.glob("* begun"))) == 2)
        if number == signal.SIGKILL:
            process.kill()
        else:
            os.killpg(process.pid, number)
        out, err = process.communicate(timeout=30)
        assert (process.returncode, out, len(err.splitlines())) == (code, "", lines), err
        wait_for(lambda: group(process.pid) == [])


KILLED = """
import sys
from functools import partial
from pathlib import Path
import psutil
from support.processes import wait_for
from support.work import hold
from tablebase.system.executors.dask import DaskExecutor
from tablebase.system.executors.executor import Limits
if __name__ == "__main__":
    folder = Path(sys.argv[1])
    with DaskExecutor(Limits(1, 2**30)) as executor:
        executor.start(concurrent=True)
        executor.submit(partial(hold, folder), "key")
        wait_for((folder / "key begun").exists)
        [cluster] = [one for one in psutil.Process().children() if "resource_tracker" not in str(one.cmdline())]
        cluster.kill()
        list(executor.finished())
"""


@pytest.mark.release
def test_a_killed_scheduler_of_this_machine(tmp_path: Path) -> None:
    """The error advises what can be done about a scheduler that the program started, and Python warns of nothing."""
    answer = ask_fresh(tmp_path, program=KILLED, environment={"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}, seconds=60)
    last = "tablebase.errors.ClusterError: lost contact with the scheduler at this machine: run the command again"
    assert (answer.err.splitlines()[-1], answer.err.count("semaphore")) == (last, 0)


def children() -> set[int]:
    found = set()
    for one in psutil.Process().children(recursive=True):
        # Any of them may end meanwhile.
        with suppress(psutil.NoSuchProcess):
            if one.status() != psutil.STATUS_ZOMBIE and "resource_tracker" not in str(one.cmdline()):
                found.add(one.pid)
    return found


def test_what_is_done_counts_though_something_else_has_failed(shared: DaskCluster) -> None:
    with DaskExecutor(scheduler=shared.address) as executor:
        executor.start(concurrent=True)
        for key in ("fail", "this"):
            executor.submit(do, key)
        wait_for(lambda: all(future.done() for future in executor._futures.values()))
        time.sleep(0.2)
        results = executor.finished()
        assert next(results) == ("this", "this")
        with pytest.raises(ZeroDivisionError):
            next(results)


# What is lost


@pytest.mark.parametrize("victim", ["process", "worker"])
def test_what_is_lost_costs_its_own_key_only(shared: DaskCluster, tmp_path: Path, victim: str) -> None:
    """A key whose process or whose Dask worker was killed is done again, and no other key that is still to be done."""
    graph: Graph = {"first": (), "lost": ("first",), "later": ("lost",), "last": ("later",)}
    done = list(run_graph(graph, partial(lose, tmp_path, 1, victim), DaskExecutor(scheduler=shared.address)))
    assert sorted(done) == sorted(graph)
    tries = {path.name: path.stat().st_size for path in tmp_path.iterdir()}
    assert tries["lost"] == 2
    assert tries["later"] == tries["last"] == 1
    wait_for_workers(shared, len(MEMORY))


def test_a_key_that_loses_every_process_is_given_up(shared: DaskCluster, tmp_path: Path) -> None:
    with pytest.raises(CapacityError, match=r"^3 processes were killed, most likely because memory ran out: give the worker"):
        list(run_graph({"lost": ()}, partial(lose, tmp_path, 9, "process"), DaskExecutor(scheduler=shared.address)))
    assert (tmp_path / "lost").stat().st_size == 3


@pytest.mark.release
def test_a_key_that_loses_every_worker_is_given_up(tmp_path: Path) -> None:
    with cluster(tmp_path, DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES="0") as started:
        started.start_worker()
        with pytest.raises(CapacityError, match=r"^1 workers were lost while solving the same table \(the last worker: .*\), most"):
            list(run_graph({"lost": ()}, partial(lose, tmp_path, 9, "worker"), DaskExecutor(scheduler=started.address)))


def test_a_worker_that_comes_later_goes_on(empty: DaskCluster, tmp_path: Path) -> None:
    """A key that lost its only worker waits, says so, and is done by the next one; which was refused is not that."""
    first = empty.start_worker()
    wait_for_workers(empty, 1)
    said: list[str] = []
    executor = DaskExecutor(scheduler=empty.address, say=said.append)
    executor.require(unless_marked)
    with executor:
        begin(executor, tmp_path)
        end_session(first.pid)
        marked = empty.start_worker("--name", "marked", environment={"MARKED": "1"})
        wait_for(lambda: [one["name"] for one in workers(empty).values()] == ["marked"])
        assert list(executor.finished(0.1)) == []
        wait_for(lambda: list(executor.finished(3)) or said)
        assert said == [f"waiting for workers at {empty.address}"]
        (tmp_path / "key").touch()
        empty.start_worker()
        [(_, done)] = executor.finished()
        assert os.getsid(done) != marked.pid
    assert "because it is marked: take another one" in empty.log


@pytest.mark.release
def test_no_worker_is_not_waited_for_forever(empty: DaskCluster, tmp_path: Path) -> None:
    said: list[str] = []
    sentence = "has had no worker with enough memory for 1 s: start workers with 'dask worker'"
    with pytest.raises(ClusterError, match=sentence) as refused:
        DaskExecutor(scheduler=empty.address, say=said.append, patience=1)
    assert refused.value.exit_code == 2
    only = empty.start_worker()
    wait_for_workers(empty, 1)
    with DaskExecutor(scheduler=empty.address, say=said.append, patience=1) as executor:
        begin(executor, tmp_path)
        end_session(only.pid)
        with pytest.raises(ClusterError, match=sentence):
            list(executor.finished())
    assert said == [f"waiting for workers at {empty.address}"] * 2


@pytest.mark.release
def test_a_stopped_worker_is_not_waited_for_forever(empty: DaskCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask, "ANSWER", 1.0)
    monkeypatch.setattr(dask, "WORD", 0.2)
    empty.start_worker()
    wait_for_workers(empty, 1)
    [(address, stopped)] = processes(empty).items()
    os.kill(stopped, signal.SIGSTOP)
    said: list[str] = []
    with pytest.raises(ClusterError, match=f"^the worker {address} has not answered for 1 s: ") as refused:
        list(run_graph({"key": ()}, partial(hold, tmp_path), DaskExecutor(Limits(), empty.address, said.append)))
    assert (refused.value.address, refused.value.exit_code) == (address, 2)
    assert said == [f"waiting up to 1 s for an answer from {address}"]


@pytest.mark.release
@pytest.mark.parametrize(("number", "errors"), [(signal.SIGSTOP, ["does not answer"] * 2), (signal.SIGKILL, ["", ""])])
def test_a_scheduler_that_ends_is_not_waited_for_forever(
    number: signal.Signals, errors: list[str], empty: DaskCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither while a table is solved, which does not go on, nor before the build."""
    for name in ("CONNECT", "ANSWER", "CLOSE"):
        monkeypatch.setattr(dask, name, 1.0)
    empty.start_worker()
    with DaskExecutor(scheduler=empty.address) as executor:
        begin(executor, tmp_path)
        empty.scheduler.send_signal(number)
        with pytest.raises(ClusterError, match=f"the scheduler at {empty.address} ?{errors[0]}: "):
            list(executor.finished())
    with pytest.raises(ClusterError, match=f"at {empty.address} ?{errors[1]}"):
        DaskExecutor(scheduler=empty.address)
    if number == signal.SIGKILL:
        assert_ended(tmp_path)


# What must not be used, and what must not go on


@pytest.mark.parametrize(
    ("marks", "hidden", "error"),
    [
        ({"MARKED": "1"}, False, "is marked: take another one"),
        ({}, True, "cannot load this program .*: install endgame-tablebase"),
    ],
)
def test_a_worker_that_cannot_be_used_is_refused(
    empty: DaskCluster, tmp_path: Path, marks: dict[str, str], hidden: bool, error: str
) -> None:
    if hidden:
        (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['tablebase'] = None\n")
        marks = {"PYTHONPATH": str(tmp_path)}
    empty.start_worker()
    empty.start_worker(environment=marks)
    wait_for_workers(empty, 2)
    executor = DaskExecutor(Limits(2, 1000), empty.address)
    executor.require(unless_marked)
    with pytest.raises(ClusterError, match=rf"^the worker tcp://127\.0\.0\.1:\d+ {error}") as refused:
        list(run_graph({"key": ()}, partial(hold, tmp_path), executor))
    assert refused.value.address.startswith("tcp://")
    assert not (tmp_path / "key begun").exists()


CLIENT = """
import sys
from functools import partial
from pathlib import Path
from support.work import hold
from tablebase.system.executors.dask import DaskExecutor
from tablebase.system.executors.scheduler import run_graph
list(run_graph({"key": ()}, partial(hold, Path(sys.argv[2])), DaskExecutor(scheduler=sys.argv[1])))
"""


def test_nothing_goes_on_after_the_client_was_killed(shared: DaskCluster, tmp_path: Path) -> None:
    """Its keys are ended, the workers are ready for the next one, and the scheduler has forgotten its plugin."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    client = subprocess.Popen([sys.executable, "-c", CLIENT, shared.address, str(tmp_path)], env=environment)
    wait_for((tmp_path / "key begun").exists)
    assert len(plugins(shared)) == 1
    client.kill()
    assert client.wait() == -signal.SIGKILL
    assert_ended(tmp_path)
    # A worker that comes later would have to do with builds that are gone.
    wait_for(lambda: plugins(shared) == set())
    assert len(set(run_graph({1: (), 2: (1,)}, str, DaskExecutor(scheduler=shared.address)))) == 2


def plugins(cluster: DaskCluster) -> set[str]:
    with Client(cluster.address, set_as_default=False) as client:
        names = client.run_on_scheduler(lambda dask_scheduler: list(dask_scheduler.worker_plugins))
    return {name for name in names if name.startswith("tables-")}


def assert_ended(folder: Path) -> None:
    time.sleep(1)
    (folder / "key").touch()
    time.sleep(0.5)
    assert not (folder / "key done").exists()
