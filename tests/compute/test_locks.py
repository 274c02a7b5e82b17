"""Locks in a forked child."""

from __future__ import annotations

import multiprocessing
import threading
import time
from collections.abc import Callable

import pytest

from tablebase.compute.processes import held_at_fork

pytestmark = [
    pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="needs fork"),
    pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning"),
]
WORK = 0.3
"""Seconds for which a thread of the parent holds the lock."""


@pytest.mark.parametrize("make", [threading.Lock, threading.RLock])
def test_a_lock_is_free_in_the_child_and_what_it_guards_is_whole(make: Callable[[], threading.Lock]) -> None:
    """A fork waits for the thread that holds the lock; afterwards both processes can take it."""
    lock, guarded, held = held_at_fork(make()), [0, 0], threading.Event()

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
