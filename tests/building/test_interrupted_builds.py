"""Builds that are interrupted, or whose workers end: nothing is lost, and what is left can be resumed."""

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from subprocess import Popen
from unittest.mock import Mock

import psutil
import pytest
from support.catalogs import registered
from support.processes import wait_for
from support.program import Answer, Ask, ask_fresh, assert_refused, contents, drafts, start_fresh

from tablebase.building import slice_work


@pytest.fixture
def build_of_two(tmp_path: Path) -> Iterator[Popen[str]]:
    """The process of a three-piece build with two workers, which has two children at least, and a table on disk."""
    with start_fresh("build", "doushouqi", "--pieces", "3", "--workers", "2", "--data", tmp_path) as process:
        wait_for(lambda: process.poll() is not None or bool(contents(tmp_path) and len(children(process)) > 2))
        assert process.poll() is None
        yield process
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)


def children(process: Popen[str]) -> list[int]:
    """The processes that a process has started, oldest first."""
    return sorted(one.pid for one in psutil.Process(process.pid).children())


def ended(process: Popen[str]) -> Answer:
    """Wait for a process to end, and return its output."""
    out, err = process.communicate(timeout=60)
    return Answer(process.returncode, out, err)


AFTER_FOUR = """
import os
import shutil
from tablebase.building.registrar import Registrar
from tablebase.commands.program import main

register, tables = Registrar.add, []

def ring(self, entry):
    register(self, entry)
    tables.append(entry)
    if len(tables) == 4:
        os.killpg(0, {number})

Registrar.add = ring
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
    assert answer.out == ""
    assert "Traceback" not in answer.err
    assert "resource_tracker" not in answer.err
    assert_refused(answer, code, f"{word}; a build")
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
from tablebase.building.registrar import Registrar
from tablebase.commands.program import main

class Bell:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)
        sum(range(1000))

register = Registrar.add

def ring(self, *arguments):
    register(self, *arguments)
    Bell()

Registrar.add = ring
main()
"""
"""The program, with a Ctrl-C that always arrives while Python finalizes an object and ignores exceptions."""


@pytest.mark.full
def test_an_interruption_is_never_lost(tmp_path: Path) -> None:
    """Whatever Python is doing when Ctrl-C arrives, the build ends, and no ignored exception is printed."""
    answer = ask_fresh("build", "hexapawn", "--pieces", "6", "--data", tmp_path, program=BELL)
    assert_refused(answer, 130)
    assert "Traceback" not in answer.err
    assert len(contents(tmp_path)) < 6


def test_an_interruption_leaves_no_draft(tmp_path: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """The draft of the table that is being verified is removed."""
    monkeypatch.setattr(slice_work, "verify_table", Mock(side_effect=KeyboardInterrupt))
    assert ask("build", "hexapawn", "--pieces", "2", "--data", tmp_path).code == 130
    assert list(tmp_path.glob("hexapawn/2"))
    assert (drafts(tmp_path), contents(tmp_path)) == ([], {})


@pytest.mark.full
def test_workers_print_nothing_when_interrupted(build_of_two: Popen[str]) -> None:
    """If Ctrl-C reaches newly started workers just before the main process, still only one sentence is printed."""
    time.sleep(0.04)
    for child in children(build_of_two):
        os.kill(child, signal.SIGINT)
    time.sleep(0.1)
    os.killpg(build_of_two.pid, signal.SIGINT)
    answer = ended(build_of_two)
    assert "Traceback" not in answer.err
    assert_refused(answer, 130, "interrupted")
    assert answer.out == ""


@pytest.mark.full
def test_a_killed_worker_is_a_sentence(build_of_two: Popen[str], tmp_path: Path) -> None:
    """A worker killed by the system ends the build with code 3 and a remedy, not with a traceback."""
    os.kill(children(build_of_two)[-1], signal.SIGKILL)
    answer = ended(build_of_two)
    assert "Traceback" not in answer.err
    assert_refused(answer, 3, "--workers")
    assert drafts(tmp_path) == []
