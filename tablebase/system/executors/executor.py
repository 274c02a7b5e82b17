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
    """Reason why a worker cannot be used."""

    what: str  # is wrong, as the predicate of a sentence
    hint: str  # what to do


Check = Callable[[], Obstacle | None]
"""Called where keys would be done, to find what is wrong there; picklable."""


def unwatched(_key: Any, _stage: Stage) -> None:
    """Watch nothing."""


@dataclass(frozen=True)
class Limits:
    """Limits on tasks that run at the same time."""

    workers: int = 1  # keys at a time
    memory: int | None = None  # bytes that all keys in progress may need together; None for no limit
    each: bool = False  # whether `memory` is for each key, since each worker has memory of its own

    def fit(self, needs: Sequence[int]) -> bool:
        """Return True if tasks with these memory requirements (in bytes) may run at the same time."""
        if len(needs) > self.workers:
            return False
        return self.memory is None or (max(needs, default=0) if self.each else sum(needs)) <= self.memory

    def startable(self, ready: Sequence[Key], running: Sequence[Key], needs: Callable[[Key], int]) -> list[Key]:
        """Return the keys of `ready` tasks that can run with the `running` tasks; `needs` returns a task's memory in bytes."""
        started = list(running)
        for key in ready:
            if self.fit([needs(one) for one in (*started, key)]):
                started.append(key)
        return started[len(running) :]

    def threads(self, started: int, used: int) -> int:
        """Return the number of threads for each of `started` new tasks, which share the idle threads equally."""
        return max(1, (self.workers - used) // started)


class Executor(ABC):
    """Run tasks, each a function call with a key, and yield their results as they finish.

    Executors are context managers; builds call `submit` and `finished` alternately. At most ``limits.workers`` tasks are
    in progress, except in an `ordered` executor, which queues tasks itself. An exception in the ``with`` block ends all running
    tasks. Test executors with `tablebase.testing.ExecutorTests`.
    """

    ordered: ClassVar[bool] = False
    """True if `submit` accepts tasks before their dependencies finish, and assigns workers, memory and threads to each."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits

    def __enter__(self) -> Executor:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.stop(abort=kind is not None)

    @abstractmethod
    def start(self, *, concurrent: bool, droppable: bool = False, watch: Watch = unwatched) -> None:
        """Prepare the executor; this method is called once, before the first task is submitted.

        If `concurrent` is true, several tasks may run at the same time. If `droppable` is true, `stop` may end running tasks, and
        `finished` must obey its timeout. If the progress of tasks is known, `watch` is called while `finished` waits.
        """

    def require(self, check: Check) -> None:  # noqa: B027 (nothing to do where workers are this program)
        """Only use workers on which `check` returns None. Callers that must check workers call this method before `start`."""

    @abstractmethod
    def submit(self, work: Callable[[Any], Any], key: Any, needs: int = 0, after: Sequence[Any] = ()) -> None:
        """Start the task ``work(key)`` without waiting for its result; the function and the key must be picklable.

        For an `ordered` executor, `needs` is the memory of the task in bytes, and `after` lists the keys that must finish first.
        """

    @abstractmethod
    def finished(self, timeout: float | None = None) -> Iterator[tuple[Any, Any]]:
        """Wait until a task finishes, and yield the key and the result of each finished task.

        If no task finishes within `timeout` seconds, yield nothing; without droppable tasks, `timeout` is None. If a task failed,
        raise its exception; if a worker was lost, raise `CapacityError`.
        """

    @abstractmethod
    def stop(self, *, abort: bool) -> None:
        """Release all resources; with `abort`, first end all running tasks. This method can be called repeatedly."""
