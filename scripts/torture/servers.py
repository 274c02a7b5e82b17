"""Scenarios with servers: builds on a cluster of Dask, and builds whose catalog is in PostgreSQL."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
from distributed import Client

from scripts.torture.commands import COMPILING, GRACE, TortureError, ask, finish, strike
from scripts.torture.reference import GAME, Torture
from tests.support.dask import DaskCluster, wait_for_workers
from tests.support.processes import end_session, session
from tests.support.servers import Server, binaries

START = 3.0
"""Seconds that a build takes to reach the workers of a cluster."""
WORKERS = 2
PARTS_OF_CLUSTER = ("scheduler", "worker", "node", "client")
PARTS_OF_POSTGRESQL = ("client", "server", "backend")


def dask(torture: Torture) -> str:
    """Kill the scheduler, a worker, its machine or the build on a cluster; the same command must then finish the work."""
    return kill_in_cluster(torture, torture.random.choice(PARTS_OF_CLUSTER))


def kill_in_cluster(torture: Torture, victim: str) -> str:
    """Kill a part of a cluster at work."""
    with torture.folder() as folder:
        with workers_of_dask() as cluster:
            process = torture.start_build(folder, *options(cluster))
            torture.wait(START)
            expected = strike_cluster(torture, victim, cluster, process)
            answer = finish(process)
            if answer.code not in expected or (answer.code == 2 and not answer.refused):
                raise TortureError(f"{victim} killed: exit code {answer.code}")
            torture.check_no_other(folder)
            if victim == "client":
                check_idle(cluster)
            if victim != "scheduler":
                torture.check_repeated(folder, *options(cluster))
        if victim == "scheduler":
            with workers_of_dask() as cluster:
                torture.check_repeated(folder, *options(cluster))
    return f"{victim} killed, {'finished' if answer.code == 0 else 'repeated'}"


@contextmanager
def workers_of_dask() -> Iterator[DaskCluster]:
    """A cluster at the ready."""
    with tempfile.TemporaryDirectory() as place, DaskCluster(Path(place)) as cluster:
        for _ in range(WORKERS):
            cluster.start_worker()
        wait_for_workers(cluster, WORKERS)
        yield cluster


def options(cluster: DaskCluster) -> tuple[str, ...]:
    """The options of a build on a cluster."""
    return ("--executor", "dask", "--scheduler", cluster.address)


def strike_cluster(torture: Torture, victim: str, cluster: DaskCluster, client: subprocess.Popen[str]) -> set[int]:
    """Kill something; returns the exit codes with which the build may then end."""
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
    """Raise `TortureError` if workers go on after their client has gone."""
    deadline = time.monotonic() + GRACE
    with Client(cluster.address, set_as_default=False) as client:
        while any(client.processing().values()):
            if time.monotonic() > deadline:
                raise TortureError("work goes on without a client")
            time.sleep(0.05)


def postgresql(torture: Torture) -> str:
    """Kill the build, the server with its catalog, or one process of the server; the same command must then finish the work."""
    return disturb_postgresql(torture, torture.random.choice(PARTS_OF_POSTGRESQL))


def disturb_postgresql(torture: Torture, victim: str) -> str:
    """Disturb a build, or the server with its catalog."""
    programs = binaries()
    if programs is None:
        raise SystemExit("PostgreSQL is not installed: install it, for instance with 'apt-get install postgresql'")
    with torture.folder() as folder, Server(programs) as server:
        url = server.new_schema("torture")
        words = ("--workers", 2, "--catalog", url)
        process = torture.start_build(folder, *words)
        torture.wait()
        if victim == "client":
            blow = strike(process, torture.random)
            answer = finish(process, COMPILING)
            blow.check(answer)
            what = f"{blow.victim} killed"
        else:
            what = strike_server(torture, victim, server)
            answer = finish(process, COMPILING)
            if answer.code and not answer.refused:
                raise TortureError(f"{what}: exit code {answer.code}, {answer.err.strip().splitlines()[-1:]}")
        # The server may be down, or on its way up again.
        asked = ask("stats", GAME, "--data", folder, "--catalog", url)
        if asked.code and not asked.refused:
            raise TortureError(f"stats: exit code {asked.code}")
        server.start()
        torture.check_repeated(folder, *words, catalog=url)
    return f"{what}, {'finished' if answer.code == 0 else 'ended'}"


def strike_server(torture: Torture, victim: str, server: Server) -> str:
    """Kill the server as a crash would, or one of its processes, preferably one that serves the build."""
    if victim == "server":
        server.kill()
        if torture.random.random() < 0.5:
            server.start()
            return "server killed and started"
        return "server killed"
    others = server.processes()
    serving = [one for one in others if _serves_builds(one)]
    with suppress(psutil.NoSuchProcess):
        torture.random.choice(serving or others).kill()
    return "process of the server killed"


def _serves_builds(process: psutil.Process) -> bool:
    """Return whether a process of the server serves the catalog's user; not if it has ended."""
    try:
        return "tablebase tablebase" in " ".join(process.cmdline())
    except psutil.NoSuchProcess:
        return False
