"""Clusters of Dask: a scheduler and workers as processes of this machine, as people start them on several."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from distributed import Client

# Relative, since `scripts.torture` knows this package by another name.
from .processes import PATIENCE, end_session

READY = 0.05
"""Seconds between two looks at whether the scheduler is ready."""


class DaskCluster:
    """A scheduler and workers (nannies) that end with the block; each has a session of its own, and this environment besides."""

    def __init__(self, folder: Path, environment: Mapping[str, str] | None = None) -> None:
        self._folder, self._environment = folder, dict(environment or {})
        self.workers: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> Self:
        file = self._folder / "scheduler.json"
        file.unlink(missing_ok=True)
        self.scheduler = self._start(self._environment, "scheduler", "--port", "0", "--scheduler-file", str(file))
        try:
            self.address = self._address(file)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for process in (self.scheduler, *self.workers):
            end_session(process.pid)
            process.wait()

    def start_worker(self, *options: str, environment: Mapping[str, str] | None = None) -> subprocess.Popen[bytes]:
        """Start a worker with one thread, and with further variables, without waiting for it."""
        words = [self.address, "--nthreads", "1", "--local-directory", str(self._folder), *options]
        self.workers.append(self._start(self._environment | dict(environment or {}), "worker", *words))
        return self.workers[-1]

    @property
    def log(self) -> str:
        """What all processes have written."""
        return (self._folder / "dask.log").read_text(encoding="utf-8")

    def _start(self, environment: Mapping[str, str], command: str, *words: str) -> subprocess.Popen[bytes]:
        # The server of the dashboard is started in any case; so that it does not need a port that others may have.
        options = ["--host", "127.0.0.1", "--no-dashboard", "--dashboard-address", "127.0.0.1:0"]
        program = [sys.executable, "-m", f"distributed.cli.dask_{command}", *options, *words]
        with (self._folder / "dask.log").open("ab") as log:
            return subprocess.Popen(
                program, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, env=os.environ | environment
            )

    def _address(self, file: Path) -> str:
        end = time.monotonic() + PATIENCE
        while not file.exists() or not file.read_text():
            if self.scheduler.poll() is not None or time.monotonic() > end:
                raise RuntimeError(self.log)
            time.sleep(READY)
        return str(json.loads(file.read_text())["address"])


@contextmanager
def cluster(folder: Path, **environment: str) -> Iterator[DaskCluster]:
    with DaskCluster(folder, {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), **environment}) as processes:
        yield processes


def wait_for_workers(cluster: DaskCluster, count: int) -> None:
    with Client(cluster.address, set_as_default=False) as client:
        client.wait_for_workers(count, timeout=60)


def workers(cluster: DaskCluster) -> dict[str, dict[str, Any]]:
    with Client(cluster.address, set_as_default=False) as client:
        return {address: dict(one) for address, one in client.scheduler_info(n_workers=-1)["workers"].items()}


def processes(cluster: DaskCluster) -> dict[str, int]:
    with Client(cluster.address, set_as_default=False) as client:
        return dict(client.run(os.getpid))
