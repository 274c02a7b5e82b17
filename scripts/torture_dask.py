"""A scenario of `torture.py`: kill the scheduler, a worker or the client of a build on a cluster of Dask."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from dask_cluster import DaskCluster
from distributed import Client
from processes import GRACE, TortureError, check_no_orphans, end_session, finish, session, start
from torture_reference import Torture

START = 3.0
"""Seconds that a client takes to reach its workers."""
WORKERS = 2
VICTIMS = ("scheduler", "worker", "node", "client")


def kill_cluster(torture: Torture) -> str:
    """Kill a part of a cluster at work; the same command, started again, must finish the work."""
    return kill(torture, torture.random.choice(VICTIMS))


def kill(torture: Torture, victim: str) -> str:
    """Kill this part."""
    with torture.folder() as folder:
        with workers_of_dask() as cluster:
            process = start_build(torture, folder, cluster)
            time.sleep(torture.random.uniform(0, torture.seconds + START))
            expected = strike(torture, victim, cluster, process)
            answer = finish(process)
            check_no_orphans(process.pid)
            if answer.code not in expected or (answer.code == 2 and not answer.refused):
                raise TortureError(f"{victim} killed: exit code {answer.code}")
            torture.check_no_other(folder)
            if victim == "client":
                check_idle(cluster)
            if victim != "scheduler":
                repeat(torture, folder, cluster)
        if victim == "scheduler":
            with workers_of_dask() as cluster:
                repeat(torture, folder, cluster)
    return f"{victim} killed, {'finished' if answer.code == 0 else 'repeated'}"


@contextmanager
def workers_of_dask() -> Iterator[DaskCluster]:
    """A cluster at the ready."""
    with tempfile.TemporaryDirectory() as place, DaskCluster(Path(place)) as cluster:
        for _ in range(WORKERS):
            cluster.start_worker()
        with Client(cluster.address, set_as_default=False) as client:
            client.wait_for_workers(WORKERS)
        yield cluster


def start_build(torture: Torture, folder: Path, cluster: DaskCluster) -> subprocess.Popen[str]:
    """Start a build of all tables on a cluster."""
    where = ("--executor", "dask", "--scheduler", cluster.address, "--data", folder)
    return start("build", torture.game.name, "--pieces", f"2-{torture.pieces}", *where)


def strike(torture: Torture, victim: str, cluster: DaskCluster, client: subprocess.Popen[str]) -> set[int]:
    """Kill something; returns the exit codes with which the client may then end."""
    if victim == "client":
        sent = torture.random.choice((signal.SIGKILL, signal.SIGTERM, signal.SIGINT))
        with suppress(ProcessLookupError):
            os.kill(client.pid, sent)
        return {0, -sent, 128 + sent}
    if victim == "scheduler":
        cluster.scheduler.kill()
        return {0, 2}
    nanny = torture.random.choice(cluster.workers)
    if victim == "node":
        end_session(nanny.pid)
    else:
        processes = [one.pid for one in session(nanny.pid) if one.pid != nanny.pid]
        with suppress(ProcessLookupError):
            os.kill(torture.random.choice(processes), signal.SIGKILL)
    return {0}


def check_idle(cluster: DaskCluster) -> None:
    """Raise `TortureError` if workers go on with what nobody waits for."""
    deadline = time.monotonic() + GRACE
    with Client(cluster.address, set_as_default=False) as client:
        while any(client.processing().values()):
            if time.monotonic() > deadline:
                raise TortureError("work goes on without a client")
            time.sleep(0.05)


def repeat(torture: Torture, folder: Path, cluster: DaskCluster) -> None:
    """Start the same command again; tables and catalog must then be those of the reference."""
    answer = finish(start_build(torture, folder, cluster))
    if answer.code:
        raise TortureError(f"a repeated build ended with {answer.code}: {answer.err.strip().splitlines()[-1:]}")
    torture.check_finished(folder)
