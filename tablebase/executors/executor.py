"""The contract of executors: what runs work on keys, in this process or elsewhere."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from tablebase.compute.messages import Stage

Watch = Callable[[Any, Stage], object]
"""Called with a key and the stage that its work has reached."""


class Fault(NamedTuple):
    """Why a worker cannot be used."""

    what: str  # is wrong, as the predicate of a sentence
    cure: str  # what to do


Check = Callable[[], Fault | None]
"""Called where keys would be done, to find what is wrong there; picklable."""


def unwatched(_key: Any, _stage: Stage) -> None:
    """Watch nothing."""


@dataclass(frozen=True)
class Limits:
    """What may run at the same time.

    Parameters
    ----------
    workers : int
        Keys at a time; at least 1.
    memory : int or None
        Bytes that all keys in progress may need together; None for no limit.
    each : bool
        Whether `memory` is for each key, whatever the others need, since each worker has memory of its own.
    """

    workers: int = 1
    memory: int | None = None
    each: bool = False

    def fit(self, needs: Sequence[int]) -> bool:
        """Whether keys that need these bytes of memory may be in progress together."""
        if len(needs) > self.workers:
            return False
        return self.memory is None or (max(needs, default=0) if self.each else sum(needs)) <= self.memory


class Executor(ABC):
    """Runs work on keys and gives the results as they come.

    A scheduler enters the executor as a context, then calls `submit` and `finished` in turn. Unless the executor is `ordered`,
    there are never more than ``limits.workers`` keys unfinished. Leaving the context because of an exception ends what still
    runs; nothing of it may go on. `tablebase.testing.ExecutorTests` is the conformance suite.

    Parameters
    ----------
    limits : Limits

    Attributes
    ----------
    ordered : bool
        Whether `submit` takes keys before those they depend on are done, and finds workers, memory and threads for each.
    """

    ordered: ClassVar[bool] = False

    def __init__(self, limits: Limits) -> None:
        self.limits = limits

    def __enter__(self) -> Executor:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.stop(abort=kind is not None)

    @abstractmethod
    def start(self, *, concurrent: bool, droppable: bool = False, watch: Watch = unwatched) -> None:
        """Get ready for keys, called once, before the first of them.

        Parameters
        ----------
        concurrent : bool
            Whether two keys can ever be in progress together.
        droppable : bool
            Whether `stop` may have to end keys in progress at some time, for which `finished` must come back in time.
        watch : callable
            Called while `finished` waits, if the executor knows how far its keys have come.
        """

    def require(self, check: Check) -> None:  # noqa: B027 (nothing to do where workers are this program)
        """Let only workers do keys where `check` finds nothing wrong; called before `start`, if at all."""

    @abstractmethod
    def submit(self, work: Callable[[Any], Any], key: Any, needs: int = 0, after: Sequence[Any] = ()) -> None:
        """Begin ``work(key)`` without waiting for it; both must be picklable.

        Parameters
        ----------
        work : callable
        key : hashable
        needs : int
            Bytes of memory that it needs; only given if the executor is `ordered`.
        after : sequence of hashable
            Keys submitted before that must be done first; only given if the executor is `ordered`.
        """

    @abstractmethod
    def finished(self, timeout: float | None = None) -> Iterator[tuple[Any, Any]]:
        """Wait until some submitted key is done, and yield each that is with its result.

        Parameters
        ----------
        timeout : float, optional
            Seconds after which nothing is yielded; only given if the keys are droppable.

        Raises
        ------
        Exception
            What the work raised.
        CapacityError
            If a worker was lost.
        """

    @abstractmethod
    def stop(self, *, abort: bool) -> None:
        """Give everything back; with `abort`, end what still runs first. May be called again."""
