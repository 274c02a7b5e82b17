"""Clusters of Dask for tests."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dask_cluster import DaskCluster
from distributed import Client


@contextmanager
def cluster(folder: Path, **environment: str) -> Iterator[DaskCluster]:
    """A scheduler, whose workers can import all that this process can."""
    with DaskCluster(folder, {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), **environment}) as processes:
        yield processes


def wait_for_workers(cluster: DaskCluster, count: int) -> None:
    """Wait until a cluster has a number of workers."""
    with Client(cluster.address, set_as_default=False) as client:
        client.wait_for_workers(count, timeout=60)


def workers(cluster: DaskCluster) -> dict[str, dict[str, Any]]:
    """What the scheduler knows of each worker, by address."""
    with Client(cluster.address, set_as_default=False) as client:
        return {address: dict(one) for address, one in client.scheduler_info(n_workers=-1)["workers"].items()}


def processes(cluster: DaskCluster) -> dict[str, int]:
    """The process of each worker, by address."""
    with Client(cluster.address, set_as_default=False) as client:
        return dict(client.run(os.getpid))
