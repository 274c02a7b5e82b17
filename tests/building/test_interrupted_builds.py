"""Builds that are interrupted, or whose workers end: nothing is lost, and what is left can be resumed."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from support.catalogs import registered
from support.program import Answer, ask_fresh, contents, drafts, start_fresh

Ask = Callable[..., Answer]
CHILDREN = "/proc/{0}/task/{0}/children"
FIRST_TABLE_SECONDS = 120
"""Longer than the kernels take to compile."""


def wait_for(condition: Callable[[], Any]) -> Any:
    """Wait until a condition is true, and return its value."""
    end = time.monotonic() + FIRST_TABLE_SECONDS
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.01)
    raise AssertionError("this took too long")


@pytest.fixture
def starting(tmp_path: Path) -> Iterator[Callable[[str], Any]]:
    """Starts a three-piece build with N workers, and returns its process once the first table is on disk."""
    started = []

    def start(workers: str) -> Any:
        process = start_fresh("build", "doushouqi", "--pieces", "3", "--workers", workers, "--data", tmp_path)
        started.append(process)
        wait_for(lambda: process.poll() is not None or contents(tmp_path))
        assert process.poll() is None
        return process

    yield start
    for process in started:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def ended(process: Any) -> Answer:
    """Wait for a process to end, and return its output."""
    out, err = process.communicate(timeout=60)
    return Answer(process.returncode, out, err)


AFTER_FOUR = """
import os
import shutil
from tablebase.catalog.catalog import Catalog
from tablebase.cli import main

register, tables = Catalog.register, []

def ring(self, game, table, *more):
    register(self, game, table, *more)
    tables.append(table)
    if len(tables) == 4:
        os.killpg(0, {number})

Catalog.register = ring
main()
"""
"""The program, with a signal for all its processes once four tables are done."""


@pytest.mark.parametrize(
    ("workers", "number", "code", "word"),
    [("1", signal.SIGINT, 130, "interrupted"), pytest.param("2", signal.SIGHUP, 129, "hung up", marks=pytest.mark.full)],
)
def test_an_interrupted_build_resumes(
    workers: str, number: int, code: int, word: str, tmp_path: Path, two_pieces: Path, ask: Ask
) -> None:
    """A signal ends a build with one sentence; finished tables are kept, no draft is, and the same command builds the rest."""
    words = ["build", "doushouqi", "--pieces", "2", "--data", tmp_path]
    answer = ask_fresh(*words, "--workers", workers, program=AFTER_FOUR.format(number=int(number)))
    assert (answer.code, answer.out) == (code, "")
    assert "Traceback" not in answer.err
    assert "resource_tracker" not in answer.err
    assert answer.errors == [f"error: {word}; a build, an export or a copy resumes when it is started again"]
    assert drafts(tmp_path) == []
    expected = contents(two_pieces)
    kept = contents(tmp_path)
    assert 4 <= len(kept) < len(expected)
    assert all(data == expected[name] for name, data in kept.items())
    before = {name: (tmp_path / name).stat().st_mtime_ns for name in kept}
    answer = ask(*words)
    assert (answer.code, answer.errors) == (0, [])
    assert contents(tmp_path) == expected
    assert {name: (tmp_path / name).stat().st_mtime_ns for name in kept} == before
    assert len(registered(tmp_path)) == len(expected)
    assert drafts(tmp_path) == []


BELL = """
import os, signal
from tablebase.catalog.catalog import Catalog
from tablebase.cli import main

class Bell:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)
        sum(range(1000))

register = Catalog.register

def ring(self, *arguments):
    register(self, *arguments)
    Bell()

Catalog.register = ring
main()
"""
"""The program, with a Ctrl-C that always arrives while Python finalizes an object and ignores exceptions."""


def test_an_interruption_is_never_lost(tmp_path: Path) -> None:
    """Whatever Python is doing when Ctrl-C arrives, the build ends, and no ignored exception is printed."""
    process = start_fresh("build", "doushouqi", "--pieces", "2", "--data", tmp_path, program=BELL)
    answer = ended(process)
    assert (answer.code, answer.out) == (130, "")
    assert "Traceback" not in answer.err
    assert len(answer.errors) == 1
    assert len(contents(tmp_path)) < 10


RING = """
import os, signal
from tablebase.building import tables
from tablebase.cli import main

def ring(*arguments):
    os.kill(os.getpid(), signal.SIGINT)

tables.verify_table = ring
main()
"""
"""The program, with a Ctrl-C that always arrives when the first draft is being verified."""


def test_an_interruption_leaves_no_draft(tmp_path: Path) -> None:
    """The draft of the table that was being built is removed."""
    answer = ended(start_fresh("build", "hexapawn", "--pieces", "2", "--data", tmp_path, program=RING))
    assert answer.code == 130
    assert list(tmp_path.glob("hexapawn/2"))
    assert drafts(tmp_path) == []
    assert contents(tmp_path) == {}


@pytest.mark.full
@pytest.mark.skipif(not Path(CHILDREN.format(os.getpid())).exists(), reason="needs /proc to find the workers")
def test_workers_print_nothing_when_interrupted(starting: Callable[[str], Any]) -> None:
    """If Ctrl-C reaches newly started workers just before the main process, still only one sentence is printed."""
    process = starting("2")
    listing = Path(CHILDREN.format(process.pid))
    wait_for(lambda: len(listing.read_text().split()) > 1)
    time.sleep(0.04)
    for child in listing.read_text().split():
        os.kill(int(child), signal.SIGINT)
    time.sleep(0.1)
    os.killpg(process.pid, signal.SIGINT)
    answer = ended(process)
    assert "Traceback" not in answer.err
    assert (answer.code, answer.out) == (130, "")
    assert len(answer.errors) == 1
    assert "interrupted" in answer.errors[0]


@pytest.mark.full
@pytest.mark.skipif(not Path(CHILDREN.format(os.getpid())).exists(), reason="needs /proc to find the workers")
def test_a_killed_worker_is_a_sentence(starting: Callable[[str], Any], tmp_path: Path) -> None:
    """A worker killed by the system ends the build with code 3 and a remedy, not with a traceback."""
    process = starting("2")
    listing = Path(CHILDREN.format(process.pid))
    children = wait_for(lambda: len(listing.read_text().split()) > 2 and listing.read_text().split())
    os.kill(int(children[-1]), signal.SIGKILL)
    answer = ended(process)
    assert "Traceback" not in answer.err
    assert answer.code == 3
    assert len(answer.errors) == 1
    assert "--workers" in answer.errors[0]
    assert drafts(tmp_path) == []
