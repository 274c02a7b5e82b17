"""A short run of scripts/torture.py, and what it must notice."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import processes
import pytest
import torture as script
import torture_dask
import torture_reference
from support.checks import at_least_one

from tablebase_rules.doushouqi import game as doushouqi


@pytest.mark.long
def test_a_short_run(tmp_path: Path) -> None:
    """Two tries of each scenario that needs no rights of its own end as they may."""
    torture = script.Torture(tmp_path, 2, 1)
    names = [name for name in script.SCENARIOS if name != "full-disk"]
    outcomes = script.torture_all(torture, names, 2)
    assert {name: counts.total() for name, counts in outcomes.items()} == dict.fromkeys(names, 2)
    for counts in at_least_one(outcomes.values()):
        assert not [text for text in counts if text.startswith("FAULT")]


class Reference:
    """What `Torture` knows of an undisturbed build, without building again."""

    pieces, seconds, game = 2, 1.0, doushouqi()

    def __init__(self, folder: Path, *, repeats: bool = True) -> None:
        self.tables, self.rows, self.reference = torture_reference.contents(folder), torture_reference.catalog_rows(folder), folder
        self.repeats = repeats
        self.random = Random(1)
        self.check_no_other: Any = partial(script.Torture.check_no_other, self)
        self.check_finished: Any = partial(script.Torture.check_finished, self)

    def build(self, folder: Path) -> None:
        """A build that copies what is missing."""
        for name in self.tables if self.repeats else ():
            shutil.copy(self.reference / name, folder / name)


@pytest.mark.slow
@pytest.mark.parametrize("victim", torture_dask.VICTIMS)
def test_a_cluster_is_killed(two_pieces: Path, tmp_path: Path, victim: str) -> None:
    """One try for each of its parts; a fault would be raised."""
    reference: Any = Reference(two_pieces)
    reference.scratch = tmp_path
    reference.folder = partial(script.Torture.folder, reference)
    assert torture_dask.kill(reference, victim) in {f"{victim} killed, finished", f"{victim} killed, repeated"}


def test_other_tables_are_noticed(two_pieces: Path, copied: Path) -> None:
    """A table that is not that of the reference is a fault, and so is one that no repetition brings back."""
    check: Any = script.Torture.check_repeated
    check(Reference(two_pieces), copied)
    table = copied / "doushouqi/2/RvC.h5"
    script.flip(table, Random(0))
    with pytest.raises(script.TortureError, match="unfinished table"):
        check(Reference(two_pieces), copied)
    table.unlink()
    with pytest.raises(script.TortureError, match="other tables"):
        check(Reference(two_pieces, repeats=False), copied)


def test_a_process_that_stays_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A child that outlives its parent is an orphan, and does not live on."""
    monkeypatch.setattr(processes, "GRACE", 0.1)
    program = "import subprocess, sys; print(subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)']).pid)"
    parent = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, start_new_session=True)
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    parent.wait()
    with pytest.raises(processes.TortureError, match="orphan"):
        processes.check_no_orphans(parent.pid)
    deadline = time.monotonic() + 10
    while processes.session(parent.pid):
        assert time.monotonic() < deadline, child
    parent.stdout.close()


def test_a_process_that_hangs_is_noticed() -> None:
    """A command that does not end in time is killed with all that holds its pipes."""
    process = subprocess.Popen(
        [sys.executable, "-c", "import time; time.sleep(60)"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    with pytest.raises(processes.TortureError, match="hang"):
        processes.finish(process, 0.1)
    assert process.wait() == -signal.SIGKILL


def test_a_traceback_is_noticed() -> None:
    """An exception that nobody catches is a fault, whatever the exit code."""
    program = "import sys; sys.stderr.write('Traceback (most recent call last):\\nValueError\\n')"
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    with pytest.raises(processes.TortureError, match="ValueError"):
        processes.finish(process)
