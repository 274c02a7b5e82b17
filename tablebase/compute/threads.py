"""How many threads this process may use, and how to spread work over them.

Kernels and NumPy release the GIL while they run. A process that is one of several workers uses one thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

Result = TypeVar("Result")

_allowed: ContextVar[int] = ContextVar("threads", default=1)


@contextmanager
def use(count: int) -> Iterator[None]:
    """Allow this many threads within the block."""
    token = _allowed.set(count)
    try:
        yield
    finally:
        _allowed.reset(token)


def spread(work: Callable[[int, int], Result], count: int, grain: int) -> list[Result]:
    """Call `work(begin, end)` in parallel for ranges that partition range(count); the results in order.

    Parameters
    ----------
    work : callable
        Must not write what another range reads or writes.
    count : int
    grain : int
        The smallest range worth splitting off.
    """
    parts = max(1, min(_allowed.get() * 4, count // grain))
    if parts == 1 or _allowed.get() == 1:
        return [work(0, count)]
    edges = [count * i // parts for i in range(parts + 1)]
    with ThreadPoolExecutor(_allowed.get()) as pool:
        return list(pool.map(work, edges[:-1], edges[1:]))
