"""Systems that lack what only POSIX has."""

import re
from pathlib import Path

import pytest
from support.program import ask_fresh, contents

import tablebase

PACKAGE = Path(tablebase.__file__).parent
POSIX = {"fcntl", "grp", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty"}
"""Modules that Windows does not have."""
ELSEWHERE = f"""
import os, random, signal, sys
import concurrent.futures, h5py, logging, numba, psutil, sqlalchemy, threading
import filelock
if __name__ == "__main__":
    for name in {sorted(POSIX)}:
        sys.modules[name] = None
    for name in ("SIGHUP", "SIGQUIT", "SIGALRM", "pthread_sigmask"):
        delattr(signal, name)
    for name in ("fork", "pread", "register_at_fork", "sched_getaffinity", "sysconf"):
        delattr(os, name)
    from tablebase.commands.program import run
    sys.exit(run(["build", "hexapawn", "--pieces", "6", *sys.argv[1:]]) or run(["line", "hexapawn", *sys.argv[1:]]))
"""
"""Two commands, without what Windows lacks; libraries have been loaded, since they look after themselves."""


def test_nothing_but_libraries_needs_posix() -> None:
    """No module imports at once what some systems lack."""
    texts = {path: path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")}
    names = {
        (path.name, name) for path, text in texts.items() for name in re.findall(r"^(?:import|from) (\w+)", text, re.MULTILINE)
    }
    assert len(names) > 200
    assert not [(file, name) for file, name in names if name in POSIX]


@pytest.mark.full
def test_a_build_without_posix(tmp_path: Path, hexapawns: Path) -> None:
    answer = ask_fresh("--data", tmp_path, program=ELSEWHERE)
    assert (answer.code, answer.errors) == (0, [])
    assert "\n  6   w      loss             0" in answer.out
    assert contents(tmp_path) == contents(hexapawns)
