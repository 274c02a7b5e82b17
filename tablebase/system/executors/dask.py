"""Work on a cluster: keys are tasks of Dask, whose scheduler finds the order and the worker for each."""

from __future__ import annotations

import asyncio
import logging
import secrets
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent import futures
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import replace
from functools import partial
from itertools import count
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeVar

from tablebase.errors import DISTRIBUTION, CapacityError, ClusterError, check_extra, quoted
from tablebase.system.compute import machine
from tablebase.system.compute.messages import Stage
from tablebase.system.executors.executor import Check, Executor, Limits, Obstacle, Watch, unwatched
from tablebase.version import VERSION

if TYPE_CHECKING:
    from distributed import Client, Future

    from tablebase.system.executors.dask_host import Offer

# ruff: noqa: D102 (other methods are those of `Executor`)

Result = TypeVar("Result")

CONNECT = 10.0
"""Seconds to reach a scheduler."""
PATIENCE = 600.0
"""Seconds to wait for a worker, at the beginning or when there is none left that could go on."""
ANSWER = 60.0
"""Seconds that a scheduler, or a worker at the beginning, has to answer."""
WORD = 5.0
"""Seconds of silence after which it is said who is waited for."""
CLOSE = 5.0
"""Seconds to end work in an orderly way."""
LOOK = 2.0
"""Seconds between two looks at which workers there are."""
SILENCE = logging.CRITICAL + 1
STARTS = "start a scheduler with 'dask scheduler', and give its address, as in --scheduler tcp://HOST:8786"


class DaskExecutor(Executor):
    """Workers of Dask, on this machine or elsewhere.

    Each does one key at a time, in a process of its own, with as many threads as it has. Workers may come and go; a key whose
    worker is lost is done again by another one, unless four have been lost with it.

    `limits` are the number of workers, and the bytes of memory that each has. Without the address of a scheduler
    (``tcp://HOST:PORT``), such workers are started on this machine, by default one, with equal shares of its memory; with one, the
    limits are by default what its workers offer. `say` is called with sentences about what is waited for, for up to `patience`
    seconds. Raise `MissingExtraError` without Dask, and `ClusterError` if limits must be found out and there is no scheduler or
    worker.
    """

    ordered = True

    def __init__(
        self,
        limits: Limits | None = None,
        scheduler: str | None = None,
        say: Callable[[str], object] = lambda _: None,
        patience: float = PATIENCE,
    ) -> None:
        check_extra("clusters", "cluster")
        if limits is None:
            limits = Limits() if scheduler is None else limits_at(scheduler, say, patience)
        if limits.memory is None:
            limits = replace(limits, memory=machine.memory() // limits.workers)
        super().__init__(limits)
        self._address = scheduler
        self._say, self._patience = say, patience
        self._check: Check | None = None
        self._watch: Watch = unwatched
        self._name = f"tables-{secrets.token_hex(8)}"
        self._numbers = count()
        self._opened = ExitStack()
        self._client: Client | None = None
        self._events: SimpleQueue[Future[Any] | tuple[str, Stage]] = SimpleQueue()
        self._futures: dict[Any, Future[Any]] = {}
        self._keys: dict[str, Any] = {}
        self._needs: dict[Any, int] = {}
        self._without: float | None = None

    def require(self, check: Check) -> None:
        """See `Executor.require`; a worker that is there already and cannot be used is refused by the first `submit`."""
        self._check = check

    def start(self, *, concurrent: bool, droppable: bool = False, watch: Watch = unwatched) -> None:  # noqa: ARG002
        # What was submitted before it was stopped may still be heard of.
        self._watch, self._events = watch, SimpleQueue()

    def submit(self, work: Callable[[Any], Any], key: Any, needs: int = 0, after: Sequence[Any] = ()) -> None:
        """See `Executor.submit`; raise `ClusterError` if there is no scheduler, no worker, or one that cannot be used."""
        client = self._client or self._open()
        from tablebase.system.executors.dask_host import MEMORY, do

        number = next(self._numbers)
        name = f"table-{number}-{self._name}"
        before = [self._futures[other] for other in after]
        resources = {self._name: 1, MEMORY: needs}
        future = client.submit(do, self._name, work, key, *before, key=name, resources=resources, priority=-number)
        self._futures[key], self._keys[name], self._needs[key] = future, key, needs
        future.add_done_callback(self._events.put)

    def finished(self, timeout: float | None = None) -> Iterator[tuple[Any, Any]]:
        end = None if timeout is None else time.monotonic() + timeout
        done: list[Future[Any]] = []
        while not done:
            left = LOOK if end is None else min(LOOK, end - time.monotonic())
            try:
                self._note(self._events.get(timeout=max(0.0, left)), done)
                while True:
                    self._note(self._events.get_nowait(), done)
            except Empty:
                if end is not None and time.monotonic() >= end:
                    break
            if not done:
                with self._with_hint():
                    self._look_for_workers()
        # A result counts, also if another key has failed at the same time.
        for future in sorted(done, key=lambda one: one.status != "finished"):
            key = self._keys.pop(str(future.key))
            del self._needs[key]
            with self._with_hint():
                result = self._result(self._futures.pop(key))
            yield key, result

    def stop(self, *, abort: bool) -> None:  # noqa: ARG002 (without keys there is nothing to end)
        client, self._client = self._client, None
        futures, self._futures, self._keys, self._needs = list(self._futures.values()), {}, {}, {}
        if client is not None and client.status == "running":
            # First, so that nothing is begun again where the plugin ends it.
            for work in (partial(client.cancel, futures, force=True), partial(client.unregister_worker_plugin, self._name)):
                with suppress(Exception):
                    bounded(work, CLOSE)
        self._opened.close()

    def _open(self) -> Client:
        """Reach the scheduler, or start one; let its workers do keys if all of them can."""
        from tablebase.system.executors.dask_host import MEMORY, Host, reaper
        from tablebase.system.executors.dask_local import LocalCluster

        self._opened.enter_context(quiet())
        address = self._address
        if address is None:
            # Chooses the folder of kernels, which the processes started below inherit.
            import tablebase.system.compute.compiling  # noqa: F401

            cluster = LocalCluster(self.limits.workers, {MEMORY: self.limits.memory or 0})
            self._opened.callback(cluster.end)
            address = cluster.address
        client = connect(address)
        self._opened.callback(client.close, timeout=CLOSE)
        # Nobody need be told that those that are started here take a moment.
        found = wait_for_workers(client, self._say if self._address else lambda _: None, self._patience)
        offers(client, found, self._check, self._say)
        client.subscribe_topic(self._name, lambda event: self._events.put((event[1][0], Stage(*event[1][1:]))))
        client.register_plugin(reaper(client.id, self._name), name=f"end-{self._name}")
        client.register_plugin(Host(self._name, self._check), name=self._name)
        self._client = client
        return client

    def _note(self, event: Future[Any] | tuple[str, Stage], done: list[Future[Any]]) -> None:
        if not isinstance(event, tuple):
            done.append(event)
        elif event[0] in self._keys:
            self._watch(self._keys[event[0]], event[1])

    def _result(self, future: Future[Any]) -> Any:
        from distributed import KilledWorker
        from distributed.comm.core import CommClosedError

        try:
            return future.result()
        except KilledWorker as error:
            worker = getattr(error.last_worker, "address", "")
            lost = f"{error.allowed_failures + 1} workers were lost while solving the same table (the last worker: {worker})"
            hint = "give the workers more memory, and run the command again"
            raise CapacityError(f"{lost}, most likely because memory ran out", hint) from error
        except (futures.CancelledError, CommClosedError) as error:
            raise self._scheduler_lost() from error

    def _look_for_workers(self) -> None:
        """Say so if there is no worker that could go on, and do not wait for one for ever."""
        assert self._client is not None
        try:
            present = workers_at(self._client).values()
        except (OSError, ValueError) as error:
            raise self._scheduler_lost() from error
        from tablebase.system.executors.dask_host import MEMORY

        resources = [worker["resources"] for worker in present]
        least = min(self._needs.values(), default=0)
        now = time.monotonic()
        if any(self._name in one and one[MEMORY] >= least for one in resources):
            self._without = None
        elif self._without is None:
            self._without = now
            self._say(_waiting(self._client))
        elif now > self._without + self._patience:
            raise no_workers(self._client, self._patience)

    @contextmanager
    def _with_hint(self) -> Iterator[None]:
        """Replace what errors advise if the scheduler was started here: the user cannot start it, nor its workers."""
        try:
            yield
        except ClusterError as error:
            if self._address is None:
                raise ClusterError(error.address, error.problem, "run the command again") from error
            raise

    def _scheduler_lost(self) -> ClusterError:
        where = self._address or "this machine"
        return ClusterError(
            where, f"lost contact with the scheduler at {where}", "restart the scheduler and its workers, and run the command again"
        )


def limits_at(scheduler: str, say: Callable[[str], object] = lambda _: None, patience: float = PATIENCE) -> Limits:
    """Return how many workers a scheduler has, and the memory of the largest one; parameters are those of `DaskExecutor`.

    Raise `ClusterError` if there is no scheduler, no worker, or one without this program.
    """
    check_extra("clusters", "cluster")
    with quiet(), connect(scheduler) as client:
        found = offers(client, wait_for_workers(client, say, patience), None, say)
    return Limits(len(found), max(one.memory for one in found), each=True)


def connect(scheduler: str) -> Client:
    """A client of a scheduler."""
    from distributed import Client, Security
    from distributed.comm.addressing import get_address_host_port

    try:
        place = get_address_host_port(scheduler, strict=True)
        # A client that is given what cannot be an address hangs at the end.
        if scheduler.startswith("tls:") and Security().get_connection_args("client")["ssl_context"] is None:
            raise ValueError("Dask is not configured for TLS")
    except ValueError as error:
        raise ClusterError(scheduler, f"invalid --scheduler {quoted(scheduler)} ({error})", STARTS) from error
    try:
        return bounded(partial(Client, scheduler, timeout=CONNECT, set_as_default=False), 2 * CONNECT)
    except (OSError, SilenceError) as error:
        # A process may listen there, even if it does nothing.
        with suppress(OSError):
            socket.create_connection(place, timeout=1).close()
            raise silent_scheduler(scheduler) from error
        raise ClusterError(scheduler, f"cannot connect to a Dask scheduler at {scheduler}", STARTS) from error


def wait_for_workers(client: Client, say: Callable[[str], object], patience: float) -> list[str]:
    """Wait until there is a worker; return the addresses of all workers."""
    said, end = False, time.monotonic() + patience
    while not (found := list(workers_at(client))):
        if not said:
            say(_waiting(client))
            said = True
        if time.monotonic() > end:
            raise no_workers(client, patience)
        time.sleep(0.05)
    return found


def offers(client: Client, addresses: list[str], check: Check | None, say: Callable[[str], object]) -> list[Offer]:
    """List the offers of workers; raise `ClusterError` if one cannot be used, or does not answer in time."""
    from tablebase.system.executors.dask_host import offer

    async def ask(address: str) -> Any:
        run = client.run(offer, check, workers=[address], on_error="return")
        return (await asyncio.wait_for(run, ANSWER))[address]

    async def ask_all() -> list[Any]:
        waiting = {address: asyncio.ensure_future(ask(address)) for address in addresses}
        await asyncio.wait(waiting.values(), timeout=WORD)
        silent = [address for address, one in waiting.items() if not one.done()]
        if silent:
            say(f"waiting up to {ANSWER:.0f} s for an answer from {', '.join(silent)}")
        return await asyncio.gather(*waiting.values(), return_exceptions=True)

    found = dict(zip(addresses, client.sync(ask_all), strict=True))
    for address, one in found.items():
        error = no_offer(one) if isinstance(one, Exception) else one.error
        if error is not None:
            raise ClusterError(address, f"the worker {address} {error.what}", error.hint)
    return list(found.values())


def no_offer(error: Exception) -> Obstacle:
    """Return the error of a worker that could not state its offer: it cannot be reached, or cannot load this program."""
    if isinstance(error, TimeoutError):
        return Obstacle(f"has not answered for {ANSWER:.0f} s", "stop the worker, and run the command again")
    if isinstance(error, OSError):
        return Obstacle(f"does not answer ({error})", "stop the worker, or wait until the scheduler has dropped it")
    hint = f"install {DISTRIBUTION} {VERSION} in the environment of every worker"
    return Obstacle(f"cannot load this program ({type(error).__name__}: {error})", hint)


def no_workers(client: Client, patience: float) -> ClusterError:
    """The error if there is no worker that could go on."""
    address = _address(client)
    error = f"the scheduler at {address} has had no worker with enough memory for {patience:.0f} s"
    return ClusterError(address, error, "start workers with 'dask worker', and run the command again")


def quiet() -> AbstractContextManager[None]:
    """Keep Dask's own messages from the terminal; what they are about is said in errors."""
    from distributed.utils import silence_logging_cmgr

    return silence_logging_cmgr(SILENCE)


def _address(client: Client) -> str:
    assert client.scheduler is not None
    return str(client.scheduler.address)


def _waiting(client: Client) -> str:
    return f"waiting for workers at {_address(client)}"


def workers_at(client: Client) -> dict[str, dict[str, Any]]:
    """Get the scheduler's data on each worker, by address; raise `ClusterError` if it does not answer."""
    try:
        found: dict[str, dict[str, Any]] = bounded(partial(client.scheduler_info, n_workers=-1), ANSWER)["workers"]
    except SilenceError as error:
        raise silent_scheduler(_address(client)) from error
    return found


def silent_scheduler(address: str) -> ClusterError:
    """The error for a scheduler that is there but does not answer."""
    return ClusterError(address, f"the scheduler at {address} does not answer", "restart the scheduler and its workers")


class SilenceError(Exception):
    """Something has not been done in time."""


def bounded(work: Callable[[], Result], seconds: float) -> Result:
    """Do work in another thread; raise `SilenceError` if it takes longer than these seconds, and leave the thread alone."""
    promise: futures.Future[Result] = futures.Future()

    def attempt() -> None:
        try:
            promise.set_result(work())
        except BaseException as error:
            promise.set_exception(error)

    Thread(target=attempt, daemon=True).start()
    if not futures.wait([promise], seconds).done:
        raise SilenceError
    return promise.result()
