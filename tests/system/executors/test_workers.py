"""Workers: what they return and raise, and that none of them outlives the process that started it, whatever ends that."""

import multiprocessing
import os
import signal
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from subprocess import Popen

import psutil
import pytest
from support.processes import group, wait_for
from support.program import start_fresh
from support.work import do, linger

from tablebase.errors import CapacityError, TablebaseError
from tablebase.system.executors.executor import Limits
from tablebase.system.executors.local import LocalExecutor, RemoteError, Worker
from tablebase.system.executors.scheduler import run_graph

SOON = 15
"""Seconds within which all must have ended; they take a fraction of one, and would work for hours."""
BUSY = """
import resource, signal, sys
from functools import partial
from hashlib import pbkdf2_hmac
from tablebase.commands import process
from tablebase.system.executors.executor import Limits
from tablebase.system.executors.local import LocalExecutor
from tablebase.system.executors.scheduler import run_graph

resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
if "ignored" in sys.argv:
    for name in ("SIGHUP", "SIGINT", "SIGQUIT"):
        signal.signal(getattr(signal, name), signal.SIG_IGN)
process.listen()
work = partial(pbkdf2_hmac, "sha256", b"", b"")
keys = {1: (), 2**30: (1,), 2**30 + 1: (1,)}
print("ready", flush=True)
list(run_graph(keys, work, LocalExecutor(Limits(int(sys.argv[1])))))
"""
"""A program whose work, but for the first key, is one call of C code that takes hours, as a kernel's may."""
RESUMES = "a build, an export or a copy resumes when it is started again"


@contextmanager
def busy(workers: int, *words: str) -> Iterator[Popen[str]]:
    with start_fresh(workers, *words, program=BUSY) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            wait_for(lambda: len(psutil.Process(process.pid).children()) >= (workers > 1) * workers)
            time.sleep(0.3)
            yield process
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


@pytest.mark.parametrize(
    ("workers", "name", "code", "word"),
    [
        # The main thread is in C code, and cannot notice the signal.
        pytest.param(1, "SIGTERM", 143, "terminated", marks=pytest.mark.full),
        pytest.param(2, "SIGTERM", 143, "terminated", marks=pytest.mark.full),
        (2, "SIGKILL", -9, ""),
        pytest.param(2, "SIGINT", 130, "interrupted", marks=pytest.mark.full),
        pytest.param(2, "SIGHUP", 129, "hung up", marks=pytest.mark.full),
        pytest.param(2, "SIGQUIT", 131, "quit", marks=pytest.mark.full),
    ],
)
def test_workers_end_with_the_main_process(workers: int, name: str, code: int, word: str) -> None:
    with busy(workers) as process:
        assert len(group(process.pid)) >= (3 if workers == 2 else 1)
        os.kill(process.pid, signal.Signals[name])
        # This waits until nobody holds the pipes any more.
        assert process.communicate(timeout=SOON) == ("", f"\nerror: {word}; {RESUMES}\n" if word else "")
        assert process.returncode == code
        wait_for(lambda: group(process.pid) == [])


@pytest.mark.full
def test_ignored_signals_stay_ignored() -> None:
    with busy(1, "ignored") as process:
        for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
            os.kill(process.pid, number)
        time.sleep(1)
        assert process.poll() is None
        os.kill(process.pid, signal.SIGTERM)
        process.communicate(timeout=SOON)
        assert process.returncode == 143


@pytest.mark.parametrize("end", ["an error", "an early stop", "the end"])
def test_no_worker_is_left(end: str) -> None:
    """Whether a run fails, is given up or is done: when it is over, this process has no child that it had not before."""
    before = set(multiprocessing.active_children())
    slow = 0.2 if end == "the end" else 600.0
    quick = 0.1 if end == "an error" else 0.11
    results = run_graph({0.0: (), quick: (0.0,), slow: (0.0,)}, linger, LocalExecutor(Limits(2)))
    with closing(results):  # type: ignore[type-var]
        assert next(results) == 0.0
        if end == "an error":
            with pytest.raises(TablebaseError, match=r"^no way to do this$"):
                next(results)
        else:
            done = next(results)
            assert len(set(multiprocessing.active_children()) - before) == 2
            assert sorted([done, *results]) == [quick, slow] if end == "the end" else done == quick
    assert set(multiprocessing.active_children()) <= before


@pytest.fixture
def worker() -> Iterator[Worker]:
    started = Worker()
    yield started
    started.kill()
    started.join()


def test_a_worker_does_one_thing_after_another(worker: Worker) -> None:
    """In its own process; what its work raised is raised, with the place where it happened, and the worker lives on."""
    worker.submit(do, "this")
    assert worker.answer().result() == "this"
    worker.submit(do, "fail")
    with pytest.raises(ZeroDivisionError, match=r"^by nothing$") as failed:
        worker.answer().result()
    assert isinstance(failed.value.__cause__, RemoteError)
    assert 'raise ZeroDivisionError("by nothing")' in str(failed.value.__cause__)
    worker.submit(do, "exit")
    with pytest.raises(SystemExit):
        worker.answer().result()
    worker.submit(os.getppid, ())
    with pytest.raises(TypeError):
        worker.answer().result()
    worker.submit(do, "that")
    assert worker.answer().result() == "that"


@pytest.mark.parametrize(
    ("key", "error"), [("a function", "pickle|local"), ("fail with a lock", "ValueError: locked"), ("fail oddly", "OddError: 3")]
)
def test_what_cannot_be_sent_is_no_lost_worker(key: str, error: str, worker: Worker) -> None:
    worker.submit(do, key)
    with pytest.raises(Exception, match=error):
        worker.answer().result()
    with pytest.raises(Exception, match=r"pickle|local"):
        worker.submit(lambda key: key, "this")
    worker.submit(do, "that")
    assert worker.answer().result() == "that"


def test_a_lost_worker_is_a_sentence(worker: Worker) -> None:
    worker.submit(time.sleep, 600)
    worker.kill()
    with pytest.raises(CapacityError, match="a worker was killed, most likely because memory ran out"):
        worker.answer().result()
    with pytest.raises(CapacityError, match="a worker was killed"):
        worker.submit(do, "this")
