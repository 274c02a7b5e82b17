"""A cluster of Dask on this machine, in a child process: signals of a terminal do not reach it, and it prints nothing."""

from __future__ import annotations

import os
import signal
import sys
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection

from tablebase.errors import ClusterError
from tablebase.system.compute.child_process import ChildProcess

CLOSE = 5.0
"""Seconds to end work in an orderly way."""


class LocalCluster(ChildProcess):
    """A scheduler and workers in a child process, which end with this one; signals of a terminal do not reach them."""

    def __init__(self, workers: int, resources: dict[str, float]) -> None:
        """Start so many workers, each of which offers these resources."""
        super().__init__(_serve, workers, resources, grace=2 * CLOSE)
        try:
            started, text = self.pipe.recv()
        except (EOFError, OSError):
            started, text = False, "its process has ended"
        if not started:
            self.end()
            raise ClusterError("this machine", f"cannot start a Dask cluster on this machine ({text})", "use --executor local")
        # Of the scheduler.
        self.address: str = text


def _serve(pipe: Connection, workers: int, resources: dict[str, float]) -> None:
    signal.signal(signal.SIGTERM, _leave)
    # What goes wrong is noticed by the client, which says it in a sentence.
    silent = os.open(os.devnull, os.O_RDWR)
    for number in (1, 2):
        os.dup2(silent, number)
    # The tracker of the parent would warn of Dask's semaphores if this process is killed; the one started instead is silent.
    resource_tracker._resource_tracker._fd = None  # type: ignore[attr-defined]
    import distributed

    try:
        cluster = distributed.LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            # Dask's own limit is about the Dask worker's process, which does not do the keys.
            memory_limit=0,
            resources=resources,
            # A server that Dask starts in any case, but on a port that is free.
            dashboard_address="127.0.0.1:0",
            scheduler_kwargs={"dashboard": False},
        )
    except Exception as error:
        pipe.send((False, f"{type(error).__name__}: {error}"))
        return
    try:
        pipe.send((True, cluster.scheduler_address))
        while True:
            signal.pause()
    finally:
        cluster.close(timeout=CLOSE)


def _leave(*_: object) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.exit()
