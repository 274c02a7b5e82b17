"""The contract of executors: what runs work on keys, in this process or elsewhere."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, TypeVar

from tablebase.system.compute.messages import Stage

Key = TypeVar("Key")
Watch = Callable[[Any, Stage], object]
"""Called with a key and the stage that its work has reached."""


class Obstacle(NamedTuple):
    """The reason why a worker cannot be used."""

    what: str  # is wrong, as the predicate of a sentence
    hint: str  # what to do


Check = Callable[[], Obstacle | None]
"""Called where keys would be done, to find what is wrong there; picklable."""


def unwatched(_key: Any, _stage: Stage) -> None:
    """Watch nothing."""


@dataclass(frozen=True)
class Limits:
    """Limits on simultaneous work."""

    workers: int = 1  # keys at a time
    memory: int | None = None  # bytes that all keys in progress may need together; None for no limit
    each: bool = False  # whether `memory` is for each key, since each worker has memory of its own

    def fit(self, needs: Sequence[int]) -> bool:
        """Return whether keys that need these bytes of memory may be in progress together."""
        if len(needs) > self.workers:
            return False
        return self.memory is None or (max(needs, default=0) if self.each else sum(needs)) <= self.memory

    def startable(self, ready: Sequence[Key], running: Sequence[Key], needs: Callable[[Key], int]) -> list[Key]:
        """The ready keys to start now, in order, next to the running ones; `needs` are bytes of memory."""
        started = list(running)
        for key in ready:
            if self.fit([needs(one) for one in (*started, key)]):
                started.append(key)
        return started[len(running) :]

    def threads(self, started: int, used: int) -> int:
        """Threads for each of the keys that are started together: an equal share of the idle ones."""
        return max(1, (self.workers - used) // started)


class Executor(ABC):
    """Runs work on keys and gives the results as they come.

    A scheduler enters the executor as a context, then calls `submit` and `finished` in turn. Unless the executor is `ordered`,
    there are never more than ``limits.workers`` keys unfinished. Leaving the context because of an exception ends all work that
    still runs. `tablebase.testing.ExecutorTests` is the conformance suite.
    """

    ordered: ClassVar[bool] = False
    """True if `submit` takes keys before those they depend on are done, and finds workers, memory and threads for each."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits

    def __enter__(self) -> Executor:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.stop(abort=kind is not None)

    @abstractmethod
    def start(self, *, concurrent: bool, droppable: bool = False, watch: Watch = unwatched) -> None:
        """Get ready for keys, called once, before the first of them.

        Keys are `concurrent` if two can ever be in progress together, and `droppable` if `stop` may have to end keys in progress;
        `finished` must then return in time. `watch` is called while `finished` waits, if it is known how far keys are.
        """

    def require(self, check: Check) -> None:  # noqa: B027 (nothing to do where workers are this program)
        """Let only workers do keys where `check` finds nothing wrong; called before `start`, if at all."""

    @abstractmethod
    def submit(self, work: Callable[[Any], Any], key: Any, needs: int = 0, after: Sequence[Any] = ()) -> None:
        """Begin ``work(key)`` without waiting for it; both must be picklable.

        An `ordered` executor also gets the bytes of memory that the key `needs`, and the keys that it comes `after`.
        """

    @abstractmethod
    def finished(self, timeout: float | None = None) -> Iterator[tuple[Any, Any]]:
        """Wait until some submitted key is done, and yield each that is with its result.

        After `timeout` seconds, which are only given if the keys are droppable, nothing is yielded. Raise the exception of the
        work, or `CapacityError` if a worker was lost.
        """

    @abstractmethod
    def stop(self, *, abort: bool) -> None:
        """Give everything back; with `abort`, first end all work that still runs. May be called again."""
