"""State that must survive a fork, or must not be left behind however a process ends: locks, running workers, drafts."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Lock, RLock
from typing import TypeVar

STOPPING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT") if hasattr(signal, name))
"""Signals that ask a program to end. Where there are workers, only the main process deals with them, and ends the others."""

AnyLock = TypeVar("AnyLock", Lock, RLock)
_pending: list[Callable[[], object]] = []
_postponed: list[Callable[[], object]] = []
_undisturbed = 0


@contextmanager
def cleanup_on_exit(cleanup: Callable[[], object]) -> Iterator[None]:
    """Call `cleanup` at the end of the block, or in `clean_up` if the process is ended within it."""
    _pending.append(cleanup)
    try:
        yield
    finally:
        if cleanup in _pending:
            _pending.remove(cleanup)
        cleanup()


def clean_up() -> None:
    """Call everything that is pending, the newest first, for a process that is about to end without leaving its blocks."""
    while _pending:
        with suppress(Exception):
            _pending.pop()()


@contextmanager
def deferred_signals() -> Iterator[None]:
    """Within the block nothing is half registered for cleaning up: what `when_undisturbed` is given waits for its end."""
    global _undisturbed
    _undisturbed += 1
    try:
        yield
    finally:
        _undisturbed -= 1
        while _postponed and not _undisturbed:
            _postponed.pop(0)()


def when_undisturbed(action: Callable[[], object]) -> None:
    """Call `action` now or, inside an `deferred_signals` block, at its end."""
    if _undisturbed:
        _postponed.append(action)
    else:
        action()


def fork_safe(lock: AnyLock) -> AnyLock:
    """The lock, from now on taken by a thread that forks, and free again in both processes.

    Only the forking thread lives on in the child. Had another thread held the lock, the child would wait for it forever,
    and what the lock guards would be half changed. The lock must live as long as the process. Locks are taken in the
    reverse order of these calls, which must be the order in which threads take them.
    """
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release)
    return lock
