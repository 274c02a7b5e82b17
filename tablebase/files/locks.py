"""Locks between processes: files that one process at a time may hold."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from tablebase.errors import TablebaseError, system_error


@contextmanager
def locked(file: Path, refusal: str) -> Iterator[None]:
    """Hold a lock in the block, and at the latest until this process ends; raise `TablebaseError` if another one holds it."""
    lock = FileLock(file, thread_local=False)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise TablebaseError(refusal) from None
    except OSError as fault:
        raise system_error(fault, file.parent) from fault
    try:
        yield
    finally:
        lock.release()
