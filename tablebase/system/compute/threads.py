"""Number of threads for this process, and ways to spread work over them.

Kernels, NumPy, hashing and compression release the GIL while they run.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import pairwise
from typing import NamedTuple, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

PARTS = 4
"""Parts of some work for each thread, since some parts take longer than others."""


class _Team(NamedTuple):
    """Threads that may be used; they are started when they are first needed."""

    size: int
    pool: ThreadPoolExecutor | None


_ALONE = _Team(1, None)
_team: ContextVar[_Team] = ContextVar("team", default=_ALONE)


@contextmanager
def use(count: int) -> Iterator[None]:
    """Allow this many threads within the block."""
    with ThreadPoolExecutor(count) as pool:
        token = _team.set(_Team(count, pool))
        try:
            yield
        finally:
            _team.reset(token)


def team() -> int:
    """Number of threads that may be used."""
    return _team.get().size


def run_with(count: int, work: Callable[[Item], Result], item: Item) -> Result:
    """Call ``work(item)`` with this many threads allowed."""
    with use(count):
        return work(item)


def ranges(count: int, grain: int, most: int | None = None) -> list[tuple[int, int]]:
    """A partition of range(count) into as many ranges as are worth being done in parallel, from `grain` up to `most` items."""
    team = _team.get()
    parts = 1 if team.size == 1 else max(1, min(team.size * PARTS, count // grain))
    parts = parts if most is None else max(parts, -(-count // most))
    edges = [count * i // parts for i in range(parts + 1)]
    return list(pairwise(edges))


def each(work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
    """Call ``work(item)`` for all items in parallel; the results in order, a few of them ahead of time.

    Work must not write what it reads or writes for another item.
    """
    count, pool = _team.get()
    yield from map(work, items) if pool is None or count == 1 else in_order(work, items, pool, PARTS * count)


def in_order(work: Callable[[Item], Result], items: Iterable[Item], pool: ThreadPoolExecutor, most: int) -> Iterator[Result]:
    """Call ``work(item)`` for all items in a pool; the results in order, at most so many of them ahead of time."""
    ahead: deque[Future[Result]] = deque()
    try:
        for item in items:
            ahead.append(pool.submit(work, item))
            if len(ahead) > most:
                yield ahead.popleft().result()
        while ahead:
            yield ahead.popleft().result()
    finally:
        for future in ahead:
            future.cancel()
        wait(ahead)


def spread(
    work: Callable[[int, int], Result],
    count: int,
    grain: int,
    most: int | None = None,
    report: Callable[[int], object] | None = None,
) -> list[Result]:
    """Call ``work(begin, end)`` in parallel for the `ranges` of range(count); the results in order.

    This thread calls `report` with the end of each range up to which all is done.
    """
    parts = ranges(count, grain, most)
    done = each(lambda part: work(*part), parts) if len(parts) > 1 else map(work, *zip(*parts, strict=True))
    results = []
    for (_, end), result in zip(parts, done, strict=True):
        results.append(result)
        if report is not None:
            report(end)
    return results
