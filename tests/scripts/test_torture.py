"""Short runs of `scripts.torture`, and what it must notice."""

import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import psutil
import pytest
from support.processes import session

from scripts.torture import commands, reference, scenarios, servers
from tablebase_rules.doushouqi import game as doushouqi


class Reference(reference.Torture):
    """What `Torture` knows of an undisturbed build, without building again."""

    def __init__(self, folder: Path, scratch: Path, *, repeats: bool = True) -> None:
        self.tables, self.rows = reference.contents(folder), reference.catalog_rows(folder)
        self.reference, self.scratch, self.pieces, self.seconds = folder, scratch, 2, 1.0
        self.random, self.game = Random(1), doushouqi()
        if not repeats:
            self.build: Any = lambda *_: None


def test_other_tables_are_noticed(two_pieces: Path, copied: Path, tmp_path: Path) -> None:
    """A table that is not that of the reference is a fault, and so is one that no repetition brings back."""
    never = Reference(two_pieces, tmp_path, repeats=False)
    never.check_repeated(copied)
    table = copied / "doushouqi/2/RvC.h5"
    scenarios.flip(table, Random(0))
    with pytest.raises(commands.TortureError, match="unfinished table"):
        never.check_repeated(copied)
    table.unlink()
    with pytest.raises(commands.TortureError, match="other tables"):
        never.check_repeated(copied)
    shutil.copy(two_pieces / "doushouqi/2/RvC.h5", table)
    never.rows[1].pop()
    with pytest.raises(commands.TortureError, match="another catalog"):
        never.check_repeated(copied)


def test_a_process_that_stays_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A child that outlives its parent is an orphan, and does not live on."""
    monkeypatch.setattr(commands, "GRACE", 0.1)
    sleeper = "[sys.executable, '-c', 'import time; time.sleep(60)']"
    closed = "stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL"
    parent = commands.start_words(sys.executable, "-c", f"import subprocess, sys; subprocess.Popen({sleeper}, {closed})")
    with pytest.raises(commands.TortureError, match="orphan"):
        commands.finish(parent)
    deadline = time.monotonic() + 10
    while session(parent.pid):
        assert time.monotonic() < deadline


@pytest.mark.parametrize(
    ("program", "seconds", "fault"),
    [
        ("import time; time.sleep(60)", 0.1, "hang"),
        ("import sys; sys.stderr.write('Traceback (most recent call last):\\nValueError\\n')", 60, "ValueError"),
    ],
)
def test_what_goes_wrong_is_noticed(program: str, seconds: float, fault: str) -> None:
    """A command that does not end in time is killed; an exception that nobody catches is a fault, whatever the exit code."""
    process = commands.start_words(sys.executable, "-c", program)
    with pytest.raises(commands.TortureError, match=fault):
        commands.finish(process, seconds)
    assert process.wait() == (-signal.SIGKILL if fault == "hang" else 0)


def test_an_exit_code_that_does_not_fit_is_noticed() -> None:
    """After a signal a command may have ended, or with the code of the signal; a check may name several tables."""
    blow = commands.Blow("main", signal.SIGTERM)
    for code in (0, 143, -signal.SIGTERM):
        blow.check(commands.Answer(code, "", ""))
    with pytest.raises(commands.TortureError, match="SIGTERM to main: exit code 1"):
        blow.check(commands.Answer(1, "", ""))
    for code, sentences, refused in ((2, 1, True), (2, 2, False), (1, 2, True), (1, 0, False)):
        assert commands.Answer(code, "", "error: a fault\n" * sentences).refused == refused


@pytest.mark.full
def test_a_process_that_has_ended_is_no_obstacle() -> None:
    """Between the look at the server's processes and the one at their names, any of them may end."""
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        ended = psutil.Process(process.pid)
    torture: Any = SimpleNamespace(random=Random(1))
    server: Any = SimpleNamespace(processes=lambda: [ended])
    assert servers.strike_server(torture, "backend", server) == "process of the server killed"
