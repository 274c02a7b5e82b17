"""Torture builds whose catalog is in PostgreSQL: kill the program, or the server, at random moments; count what comes of it.

    python scripts/torture_postgresql.py
    python scripts/torture_postgresql.py --tries 50 --pieces 3 --seed 3

A server of its own is started. An undisturbed build gives the reference. Each try builds into a new folder and a new schema,
and disturbs that once: a signal to the program or to one of its workers, the whole server killed as by a crash and started
again, or one of its processes killed, after which it starts itself again. The program must then end with one sentence or
with the code of the signal, without a traceback, and leave no process behind. The same build is repeated; in the end the
tables must be the same byte by byte, and the catalog row by row, but for numbers of rows, seconds and names of solvers.

Needs Linux and PostgreSQL's programs.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psutil
from processes import TortureError, ask, check_no_orphans, finish, report, session, start
from servers import Server, binaries
from sqlalchemy import create_engine
from torture_reference import CODES, COMPILING, HISTOGRAMS, ROWS, contents
from tqdm import tqdm

GAME = "doushouqi"


class Torture:
    """A server, the reference, and all that tries need.

    Parameters
    ----------
    scratch : Path
        An empty folder.
    server : Server
    game : str
    pieces : str
        As the option of `build` takes them.
    seed : int
    """

    def __init__(self, scratch: Path, server: Server, game: str, pieces: str, seed: int) -> None:
        self._scratch, self.server = scratch, server
        self._words = ("build", game, "--pieces", pieces, "--workers", 2)
        self._question = ("stats", game, "--format", "csv")
        self.random = random.Random(seed)
        self._schemas = 0
        # The first build compiles kernels, the second one is timed.
        for patience in (COMPILING, COMPILING):
            place = self.place()
            began = time.monotonic()
            answer = ask(*self._words, *place, patience=patience)
            self.seconds = time.monotonic() - began
            if answer.code:
                raise TortureError(f"a build ended with {answer.code}: {answer.err.strip().splitlines()[-1:]}")
        self._reference = self.everything(place)
        self._answer = ask(*self._question, *place).out

    def place(self) -> tuple[object, ...]:
        """The options of a new folder and a new schema."""
        self._schemas += 1
        name = f"torture_{self._schemas}"
        return "--data", self._scratch / name, "--catalog", self.server.new_schema(name)

    def everything(self, place: tuple[object, ...]) -> tuple[dict[str, bytes], list[tuple[object, ...]]]:
        """The bytes of all tables, and all that the catalog says, but for numbers of rows, seconds and names of solvers."""
        with create_engine(str(place[3])).connect() as connection:
            rows = [tuple(row) for query in (ROWS, HISTOGRAMS) for row in connection.exec_driver_sql(query)]
        connection.engine.dispose()
        return contents(Path(str(place[1]))), rows

    def disturbed(self, disturb: Callable[[Torture, subprocess.Popen[str]], str]) -> str:
        """Build, disturb that at a random moment, repeat it; return what came of it."""
        place = self.place()
        process = start(*self._words, *place)
        time.sleep(self.random.uniform(0, self.seconds))
        what = disturb(self, process)
        answer = finish(process, COMPILING)
        check_no_orphans(process.pid)
        if not (answer.code in (0, *CODES.values()) or answer.refused):
            raise TortureError(f"{what}: exit code {answer.code}, {answer.err.strip().splitlines()[-1:]}")
        # It may be down, or on its way up again.
        asked = ask(*self._question, *place)
        if not (asked.refused or asked.code == 0):
            raise TortureError(f"stats: exit code {asked.code}")
        self.server.start()
        self._repeat(place)
        return f"{what}, {'finished' if answer.code == 0 else 'ended'}"

    def _repeat(self, place: tuple[object, ...]) -> None:
        """Repeat a build that was disturbed; tables and catalog must then be those of the reference."""
        for name, data in contents(Path(str(place[1]))).items():
            if data != self._reference[0].get(name):
                raise TortureError(f"unfinished table {name}")
        again = ask(*self._words, *place, patience=COMPILING)
        if again.code:
            raise TortureError(f"a repeated build ended with {again.code}: {again.err.strip().splitlines()[-1:]}")
        if self.everything(place) != self._reference:
            raise TortureError("other tables, or another catalog")
        if ask(*self._question, *place).out != self._answer:
            raise TortureError("wrong answer of stats")


# Disturbances: each says what it has done.


def kill_client(torture: Torture, process: subprocess.Popen[str]) -> str:
    """Send a signal to the program, to one of its workers, or to all of its processes."""
    victim = torture.random.choice(("main", "worker", "group"))
    sent = torture.random.choice((signal.SIGKILL, signal.SIGTERM) if victim == "worker" else tuple(CODES))
    members = [one.pid for one in session(process.pid)]
    workers = [pid for pid in members if pid != process.pid]
    for pid in {"main": [process.pid], "worker": workers[-1:], "group": members}[victim]:
        with suppress(ProcessLookupError):
            os.kill(pid, sent)
    return f"{victim} killed"


def kill_server(torture: Torture, _: subprocess.Popen[str]) -> str:
    """Kill the server's first process, and perhaps start it again while the build still runs."""
    torture.server.kill()
    if torture.random.random() < 0.5:
        torture.server.start()
        return "server killed and started"
    return "server killed"


def kill_backend(torture: Torture, _: subprocess.Popen[str]) -> str:
    """Kill a process of the server, preferably one that serves the build; the server then ends all others, and begins anew."""
    others = torture.server.processes()
    serving = [one for one in others if _serves_builds(one)]
    with suppress(psutil.NoSuchProcess):
        torture.random.choice(serving or others).kill()
    return "process of the server killed"


def _serves_builds(process: psutil.Process) -> bool:
    """Whether a process of the server serves the catalog's user; not if it has ended."""
    try:
        return "tablebase tablebase" in " ".join(process.cmdline())
    except psutil.NoSuchProcess:
        return False


DISTURBANCES = {"client": kill_client, "server": kill_server, "backend": kill_backend}


def torture_all(torture: Torture, names: list[str], tries: int) -> dict[str, Counter[str]]:
    """What came of all tries, by disturbance."""
    outcomes: dict[str, Counter[str]] = {name: Counter() for name in names}
    for name in names:
        for _ in tqdm(range(tries), desc=name, leave=False):
            try:
                outcomes[name][torture.disturbed(DISTURBANCES[name])] += 1
            except TortureError as fault:
                outcomes[name][f"FAULT {fault}"] += 1
                torture.server.start()
    return outcomes


def main() -> None:
    """Print tries and outcomes; exit with 1 if anything happened that must not."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tries", type=int, default=20, help="tries of each disturbance")
    parser.add_argument("--game", default=GAME)
    parser.add_argument("--pieces", default="3", help="build these tables, and all that they depend on")
    parser.add_argument("--only", action="append", choices=DISTURBANCES, help="a disturbance; may be repeated")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    # A shell ignores it in the programs that it starts in the background.
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)
    programs = binaries()
    if programs is None:
        sys.exit("PostgreSQL is not installed: install it, for instance with 'apt-get install postgresql'")
    with tempfile.TemporaryDirectory() as scratch, Server(programs) as server:
        torture = Torture(Path(scratch), server, arguments.game, arguments.pieces, arguments.seed)
        outcomes = torture_all(torture, arguments.only or list(DISTURBANCES), arguments.tries)
    report("disturbance", outcomes)


if __name__ == "__main__":
    main()
