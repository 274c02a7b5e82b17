"""Which stage long work has reached, for those who watch it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

INTERVAL = 0.5
"""Seconds between two reports of the same stage."""


class Stage(NamedTuple):
    """What is being done, and how much of it has been."""

    name: str  # a participle, such as "solving"
    done: int = 0  # in units that depend on the stage: distances, positions
    total: int | None = None  # in the same units; None if it is not known


class _Watch:
    """Passes stages on, but not too often."""

    def __init__(self, listener: Callable[[Stage], object]) -> None:
        self._listener = listener
        self._name = ""
        self._next = 0.0

    def reach(self, stage: Stage) -> None:
        now = time.monotonic()
        if stage.name != self._name or now >= self._next:
            self._name, self._next = stage.name, now + INTERVAL
            self._listener(stage)


_watch: ContextVar[_Watch | None] = ContextVar("watch", default=None)


@contextmanager
def watched(listener: Callable[[Stage], object]) -> Iterator[None]:
    """In the block, call `listener` with each new stage, and now and then with how far it has come.

    Threads that the block starts are not watched.
    """
    token = _watch.set(_Watch(listener))
    try:
        yield
    finally:
        _watch.reset(token)


def reach(name: str, done: int = 0, total: int | None = None) -> None:
    """Say that this work has come to a stage, or further within it; costs next to nothing, and little if nobody watches."""
    watch = _watch.get()
    if watch is not None:
        watch.reach(Stage(name, done, total))
