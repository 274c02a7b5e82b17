"""What survives a fork, and what is not left behind however a process ends."""

import multiprocessing
import threading
import time
from collections.abc import Callable

import pytest

from tablebase.system.compute.processes import clean_up, cleanup_on_exit, deferred_signals, fork_safe, when_undisturbed


def test_the_end_of_a_block_cleans_up() -> None:
    done: list[str] = []
    with cleanup_on_exit(lambda: done.append("well")):
        assert done == []
    with pytest.raises(ZeroDivisionError), cleanup_on_exit(lambda: done.append("badly")):
        raise ZeroDivisionError
    assert done == ["well", "badly"]
    clean_up()
    assert done == ["well", "badly"]


def test_a_process_that_ends_at_once_cleans_up() -> None:
    """Everything that is pending, the newest first; what fails does not keep the rest from being done."""
    done: list[str] = []

    def fail() -> None:
        done.append("failed")
        raise OSError("no such file")

    with pytest.raises(OSError, match="no such file"), cleanup_on_exit(lambda: done.append("first")), cleanup_on_exit(fail):
        clean_up()
    # The process of this test lives on, so that the blocks clean up again.
    assert done == ["failed", "first"] * 2


def test_an_undisturbed_block_comes_first() -> None:
    done: list[str] = []
    when_undisturbed(lambda: done.append("at once"))
    assert done == ["at once"]
    with deferred_signals():
        with deferred_signals():
            when_undisturbed(lambda: done.append("later"))
        assert done == ["at once"]
    assert done == ["at once", "later"]


pytestmark = [
    pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="needs fork"),
    pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning"),
]
WORK = 0.3
"""Seconds for which a thread of the parent holds the lock."""


@pytest.mark.parametrize("make", [threading.Lock, threading.RLock])
def test_a_lock_is_free_in_the_child_and_what_it_guards_is_whole(make: Callable[[], threading.Lock]) -> None:
    """A fork waits for the thread that holds the lock; afterwards both processes can take it."""
    lock, guarded, held = fork_safe(make()), [0, 0], threading.Event()

    def work() -> None:
        with lock:
            guarded[0] += 1
            held.set()
            time.sleep(WORK)
            guarded[1] += 1

    def check() -> None:
        raise SystemExit(0 if lock.acquire(timeout=10) and guarded == [1, 1] else 1)

    thread = threading.Thread(target=work)
    thread.start()
    held.wait()
    child = multiprocessing.get_context("fork").Process(target=check)
    child.start()
    child.join()
    thread.join()
    assert child.exitcode == 0
    assert lock.acquire(timeout=10)
    lock.release()
