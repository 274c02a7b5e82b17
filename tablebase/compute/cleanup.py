"""What must not be left behind, however the process ends: running workers, drafts."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

STOPPING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT") if hasattr(signal, name))
"""Signals that ask a program to end. Where there are workers, only the main process deals with them, and ends the others."""

_pending: list[Callable[[], object]] = []
_postponed: list[Callable[[], object]] = []
_undisturbed = 0


@contextmanager
def ensured(cleanup: Callable[[], object]) -> Iterator[None]:
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
def undisturbed() -> Iterator[None]:
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
    """Call `action` now or, inside an `undisturbed` block, at its end."""
    if _undisturbed:
        _postponed.append(action)
    else:
        action()
