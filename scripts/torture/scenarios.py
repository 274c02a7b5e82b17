"""Scenarios on this machine: each makes one try, at a random moment or place, and returns what came of it."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import threading
from collections import Counter
from contextlib import closing, suppress
from fcntl import LOCK_EX, flock
from multiprocessing import get_context
from pathlib import Path
from random import Random

import psutil

import tablebase
from scripts.torture.commands import PATIENCE, PROGRAM, TortureError, ask, finish, start, start_words, strike
from scripts.torture.reference import COUNT, GAME, ROWS, Torture, contents
from tablebase.catalog.sqlite import FILE_NAME
from tablebase.positions.material import parse_material
from tablebase.tables.folder import USER_BLOCK, file_sha256, seal, title


def flip(path: Path, random: Random, begin: int = 0) -> None:
    """Flip one bit of a file, in or behind the byte `begin`."""
    data = bytearray(path.read_bytes())
    data[random.randrange(begin, len(data))] ^= 1 << random.randrange(8)
    path.write_bytes(data)


def kill(torture: Torture) -> str:
    """Send a signal to a build, to one of its workers, or to all of its processes."""
    with torture.folder() as folder:
        process = torture.start_build(folder)
        torture.wait()
        blow = strike(process, torture.random)
        answer = finish(process)
        blow.check(answer)
        torture.check_repeated(folder)
        return "finished before" if answer.code == 0 else f"{blow.victim} ended, repeated"


def kill_batch(torture: Torture) -> str:
    """Send a signal to a batch, to its follow-up command, or to all its processes; nothing of it may go on or stay behind."""
    with torture.folder(copied=True) as folder:
        place, output = folder.parent, folder.parent / "counts.csv"
        file = place / "night.toml"
        file.write_text(
            f'data = "{folder}"\n[[build]]\ngame = "{GAME}"\npieces = {torture.pieces}\n'
            f'[[then]]\ncommand = ["mine", "{GAME}", "{COUNT}", "--format", "csv"]\noutput = "{output}"\n'
            f'[[then]]\ncommand = ["verify", "{GAME}", "--workers", "2"]\n'
        )
        process = start("batch", file)
        torture.wait()
        blow = strike(process, torture.random)
        answer = finish(process)
        # A follow-up command that is killed gives the batch its own exit code.
        if blow.victim != "worker":
            blow.check(answer)
        left = {one.name for one in place.iterdir()} - {"data", "night.toml", "counts.csv"}
        if blow.sent != signal.SIGKILL and any("tmp" in name or "draft" in name for name in left):
            raise TortureError(f"{blow.sent.name} to {blow.victim}: left {sorted(left)}")
        repeated = ask("batch", file)
        if repeated.code or output.read_text() != ask("mine", GAME, COUNT, "--format", "csv", "--data", torture.reference).out:
            raise TortureError(f"a repeated batch ended with {repeated.code}, or with another output")
        torture.check_finished(folder)
        return "finished before" if answer.code == 0 else f"{blow.victim} ended, repeated"


def full_disk(torture: Torture) -> str:
    """Build on a file system that is too small, then make it larger."""
    size = sum(map(len, torture.tables.values()))
    with torture.folder() as folder:
        folder.mkdir()
        room = torture.random.randrange(size // 20, size)
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={room}", "tmpfs", folder], check=True)
        try:
            answer = ask("build", GAME, "--pieces", torture.pieces, "--workers", 2, "--data", folder)
            if answer.code != 3 or not answer.refused:
                raise TortureError(f"full disk: exit code {answer.code}")
            subprocess.run(["mount", "-o", f"remount,size={20 * size}", folder], check=True)
            torture.check_repeated(folder)
        finally:
            subprocess.run(["umount", folder], check=True)
    return "refused, repeated"


def table_flip(torture: Torture) -> str:
    """Flip a bit of a table."""
    with torture.folder(copied=True) as folder:
        flip(torture.random.choice(sorted(folder.glob("*/*/*.h5"))), torture.random)
        if ask("verify", GAME, "--data", folder).code != 1:
            raise TortureError("verify saw nothing")
        return torture.check_same(folder, "mine", GAME, COUNT)


def catalog_flip(torture: Torture) -> str:
    """Flip a bit of the catalog."""
    with torture.folder(copied=True) as folder:
        flip(folder / "catalog.sqlite", torture.random)
        questions: list[tuple[object, ...]] = [
            ("mine", GAME, COUNT),
            ("stats", GAME, "--by", "material", "--format", "csv"),
            ("probe", GAME, torture.position(), "--format", "json"),
            ("sql", ROWS, "--format", "csv"),
        ]
        outcomes = {torture.check_same(folder, *question) for question in questions}
        built = ask("build", GAME, "--pieces", torture.pieces, "--data", folder)
        if not built.refused and (built.code or contents(folder) != torture.tables):
            raise TortureError("wrong answer of build")
        return "refused" if "refused" in outcomes else "harmless"


def crafted(torture: Torture) -> str:
    """Flip a bit of a table, seal it again, and enter it into the catalog: `verify` must find what changes an answer."""
    with torture.folder(copied=True) as folder:
        path = torture.random.choice(sorted(folder.glob("*/*/*.h5")))
        flip(path, torture.random, USER_BLOCK)
        material = parse_material(torture.game, path.stem)
        with path.open("r+b") as file:
            file.write(seal(title(torture.game, material), file_sha256(path, USER_BLOCK)))
        commands = (("reindex",), ("verify", GAME), ("mine", GAME, COUNT), ("probe", GAME, torture.position()))
        reindexed, verified, mined, probed = (ask(*command, "--data", folder) for command in commands)
        for answer in (reindexed, verified, mined, probed):
            if answer.code and not answer.refused:
                raise TortureError(f"exit code {answer.code}")
        if not reindexed.refused and verified.code == 0:
            torture.check_same(folder, "mine", GAME, COUNT)
            return "harmless"
    return "refused" if reindexed.refused else "found by verify"


def closed_outputs(torture: Torture) -> str:
    """Close or fill standard input, output and error."""
    redirections = torture.random.choice(
        (">&-", "2>&-", "<&-", ">&- 2>&-", "<&- >&- 2>&-", ">/dev/full", "2>/dev/full", "| head -c 1")
    )
    words = torture.random.choice(
        (("stats", GAME), ("games",), ("sql", ROWS), ("mine", GAME, COUNT), ("probe", GAME, torture.position()))
    )
    arguments = [*words] if words[0] == "games" else [*words, "--data", torture.reference]
    command = ["bash", "-c", f'"$@" {redirections}', "bash", *PROGRAM, *map(str, arguments)]
    answer = finish(start_words(*command))
    if answer.code not in (0, 2, 3):
        raise TortureError(f"{words[0]} {redirections}: exit code {answer.code}")
    return "quiet" if answer.code == 0 else "one sentence"


def two_builds(torture: Torture) -> str:
    """Start a second build of the same folder while the first one runs."""
    with torture.folder() as folder:
        first = torture.start_build(folder)
        torture.wait()
        second = torture.start_build(folder)
        answers = [finish(process) for process in (first, second)]
        if not all(answer.code == 0 or answer.refused for answer in answers) or all(answer.code for answer in answers):
            raise TortureError(f"two builds: exit codes {[answer.code for answer in answers]}")
        torture.check_repeated(folder)
        return "one refused" if any(answer.refused for answer in answers) else "both finished"


def held_catalog(torture: Torture) -> str:
    """Hold the catalog as another program would, while a build and a reader need it; both wait, and a probe does not."""
    with torture.folder(copied=True) as folder:
        torture.random.choice(sorted(folder.glob("*/*/*.h5"))).unlink()
        with closing(sqlite3.connect(folder / FILE_NAME, isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE")
            build, reader = torture.start_build(folder), start("stats", GAME, "--data", folder)
            torture.check_same(folder, "probe", GAME, torture.position(), "--format", "json")
            torture.wait()
        answers = [finish(process) for process in (build, reader)]
        if answers[0].code or (answers[1].code and not answers[1].refused):
            raise TortureError(f"a held catalog: exit codes {[answer.code for answer in answers]}")
        torture.check_finished(folder)
        return "both waited" if answers[1].code == 0 else "one refused"


def locked_tables(torture: Torture) -> str:
    """Lock a sound table as another program would, while a build adds another one; it is read, and stays where it is."""
    with torture.folder(copied=True) as folder:
        locked, missing = torture.random.sample(sorted(folder.glob("*/*/*.h5")), 2)
        missing.unlink()
        with locked.open("rb") as file:
            flock(file, LOCK_EX)
            answer = finish(torture.start_build(folder))
            torture.check_same(folder, "probe", GAME, torture.position(), "--format", "json")
        if answer.code or not locked.exists():
            raise TortureError(f"a locked table: exit code {answer.code}")
        torture.check_finished(folder)
        return "read"


def readers(torture: Torture) -> str:
    """Read while a build runs: each answer is right, or a table is missing."""
    with torture.folder() as folder:
        process = torture.start_build(folder)
        outcomes: Counter[str] = Counter()
        while process.poll() is None:
            position = torture.position()
            outcomes[torture.check_same(folder, "probe", GAME, position, "--format", "json")] += 1
            answer = ask("stats", GAME, "--data", folder)
            if answer.code and not answer.refused:
                raise TortureError(f"stats during a build: exit code {answer.code}")
        finish(process)
        torture.check_repeated(folder)
        return "right answers" if outcomes["harmless"] else "nothing there yet"


def fork(torture: Torture) -> str:
    """Fork while threads are probing; the children probe, too."""
    positions = [torture.position() for _ in range(200)]
    process = get_context("spawn").Process(target=_fork_and_probe, args=(torture.reference, positions))
    process.start()
    process.join(PATIENCE)
    if process.exitcode is None:
        for child in psutil.Process(process.pid).children(recursive=True):
            child.kill()
        process.kill()
        raise TortureError("hang")
    if process.exitcode == 2:
        return "refused"
    if process.exitcode:
        raise TortureError("wrong answer in a child")
    return "right answers"


def _fork_and_probe(folder: Path, positions: list[str]) -> None:
    """Compare the answers of forked children with those before; exits with 1 if they differ, with 2 if forking is refused."""
    with tablebase.open(folder) as tables:
        right = [tables.probe(GAME, position) for position in positions]
        done = threading.Event()

        def keep_probing() -> None:
            while not done.is_set():
                for position in positions:
                    tables.probe(GAME, position)

        threads = [threading.Thread(target=keep_probing) for _ in range(4)]
        for thread in threads:
            thread.start()
        codes = []
        for _ in range(5):
            child = os.fork()
            if child == 0:
                code = 1
                with suppress(tablebase.TablebaseError):
                    code = 0 if [tables.probe(GAME, position) for position in positions] == right else 1
                os._exit(code)
            codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        done.set()
        for thread in threads:
            thread.join()
    sys.exit(max(codes))
