"""The contract of executors: what runs work on keys, in this process or elsewhere."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from tablebase.compute.stages import Stage

Watch = Callable[[Any, Stage], object]
"""Called with a key and the stage that its work has reached."""


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
    """

    workers: int = 1
    memory: int | None = None


class Executor(ABC):
    """Runs work on keys and gives the results as they come.

    A scheduler enters the executor as a context, then calls `submit` and `finished` in turn. It never has more than
    ``limits.workers`` keys unfinished. Leaving the context because of an exception ends what still runs; nothing of
    it may go on. `tablebase.testing.ExecutorTests` is the conformance suite.

    Parameters
    ----------
    limits : Limits
    """

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

    @abstractmethod
    def submit(self, work: Callable[[Any], Any], key: Any) -> None:
        """Begin ``work(key)`` without waiting for it; both must be picklable."""

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
