"""Locks that survive a fork."""

from __future__ import annotations

import os
from typing import Protocol, TypeVar


class Lock(Protocol):
    """What `threading.Lock` and `threading.RLock` have in common."""

    def acquire(self) -> bool:
        """Wait for the lock and take it."""
        ...

    def release(self) -> None:
        """Give it back."""
        ...


AnyLock = TypeVar("AnyLock", bound=Lock)


def held_at_fork(lock: AnyLock) -> AnyLock:
    """The lock, from now on taken by a thread that forks, and free again in both processes.

    Only the forking thread lives on in the child. Had another thread held the lock, the child would wait for it forever,
    and what the lock guards would be half changed. The lock must live as long as the process. Locks are taken in the
    reverse order of these calls, which must be the order in which threads take them.
    """
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release)
    return lock
