"""Commands that a command starts: what they print and return, and that none outlives the command that started it."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import Popen

import psutil
import pytest
from support.processes import group, wait_for
from support.program import ask_fresh, drafts, start_fresh

SOON = 15
"""Seconds within which all must have ended; they take a fraction of one, and would work for minutes."""
STARTER = """
import sys
from tablebase.commands import process
from tablebase.commands.process import run_command
process.listen()
with open(sys.argv[1], "wb") as output:
    print(run_command(sys.argv[2:], output, {"TABLEBASE_CATALOG": "elsewhere"} if "stats" in sys.argv else None), flush=True)
"""
"""A program that runs a command as a follow-up, and prints its exit code."""


@contextmanager
def at_work(folder: Path) -> Iterator[Popen[str]]:
    """The program, while its follow-up, a build, has tables in progress in two workers."""
    words = ("build", "doushouqi", "--pieces", "4", "--workers", "2", "--data", folder / "data")
    with start_fresh(folder / "out", *words, program=STARTER) as process:
        try:
            wait_for(lambda: process.poll() is not None or (len(group(process.pid)) >= 5 and any((folder / "data").rglob("*.tmp"))))
            assert process.poll() is None
            yield process
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


@pytest.mark.parametrize(
    ("name", "everyone", "code", "errors"),
    [
        pytest.param("SIGINT", True, 130, 1, marks=pytest.mark.full),
        pytest.param("SIGQUIT", True, 131, 1, marks=pytest.mark.release),
        pytest.param("SIGTERM", False, 143, 1, marks=pytest.mark.release),
        ("SIGKILL", False, -9, 0),
    ],
)
def test_a_followup_ends_with_its_starter(name: str, everyone: bool, code: int, errors: int, tmp_path: Path) -> None:
    """However it ends: its own workers end, too, one process alone says why, and a follow-up leaves no draft.

    A terminal sends a signal to all processes of a command.
    """
    with at_work(tmp_path) as process:
        number = signal.Signals[name]
        if everyone:
            os.killpg(process.pid, number)
        else:
            os.kill(process.pid, number)
        out, said = process.communicate(timeout=SOON)
        assert (out, process.returncode) == ("", code)
        assert said.count("error: ") == errors
        assert "Traceback" not in said
        assert "resource_tracker" not in said
        wait_for(lambda: group(process.pid) == [])
        assert drafts(tmp_path / "data") == []


@pytest.mark.full
def test_a_followup_prints_to_a_file(two_pieces: Path, tmp_path: Path) -> None:
    """Its exit code is returned, its errors go to standard error, and variables are set for it."""
    output = tmp_path / "out"
    words = ("mine", "doushouqi", "SELECT count(*) AS n FROM positions", "--format", "csv", "--data", two_pieces)
    answer = ask_fresh(output, *words, program=STARTER)
    assert (answer.out, answer.errors) == ("0\n", [])
    assert output.read_text().splitlines()[0] == "n"
    answer = ask_fresh(output, "stats", "doushouqi", "--data", two_pieces, program=STARTER)
    assert answer.out == "2\n"
    assert "--catalog" in answer.errors[0]
    assert output.read_text() == ""


@pytest.mark.full
def test_a_killed_followup_has_a_code(tmp_path: Path) -> None:
    """It is negative, so that the program can say that the command was killed."""
    with at_work(tmp_path) as process:
        command = max(psutil.Process(process.pid).children(), key=lambda one: len(one.children()))
        command.kill()
        assert process.communicate(timeout=SOON)[0] == "-9\n"
        wait_for(lambda: group(process.pid) == [])
