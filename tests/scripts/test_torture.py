"""Short runs of `scripts.torture`, what it must notice, and what the runner of mutants does."""

import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import psutil
import pytest
from support.processes import session

from scripts import mutants as script
from scripts.mutants import Mutant
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
    ("program", "seconds", "error"),
    [
        ("import time; time.sleep(60)", 0.1, "hang"),
        ("import sys; sys.stderr.write('Traceback (most recent call last):\\nValueError\\n')", 60, "ValueError"),
    ],
)
def test_what_goes_wrong_is_noticed(program: str, seconds: float, error: str) -> None:
    """A command that does not end in time is killed; an exception that nobody catches is a fault, whatever the exit code."""
    process = commands.start_words(sys.executable, "-c", program)
    with pytest.raises(commands.TortureError, match=error):
        commands.finish(process, seconds)
    assert process.wait() == (-signal.SIGKILL if error == "hang" else 0)


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


SIGN = Mutant("tablebase/sign.py", "number > 0", "number < 0", "tests/test_sign.py")


@pytest.fixture
def small_tree(tmp_path: Path) -> Path:
    """A tree of one function with one test, which notices a change of the sign but not one at zero."""
    for folder in ("tablebase", "tests"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "__init__.py").touch()
    (tmp_path / SIGN.file).write_text("def is_positive(number):\n    return number > 0\n")
    test = "from tablebase.sign import is_positive\n\n\ndef test_sign():\n    assert is_positive(1) and not is_positive(-1)\n"
    (tmp_path / SIGN.test).write_text(test)
    # Plugins that it does without take as long to load as pytest itself.
    (tmp_path / "pyproject.toml").write_text('[tool.pytest.ini_options]\naddopts = "-p no:schemathesis -p no:anyio"\n')
    return tmp_path


@pytest.mark.full
def test_killed_and_survived(small_tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A change that no test notices survives and is named; the tree is afterwards as it was."""
    survivor = SIGN._replace(replacement="number >= 0")
    source = (small_tree / SIGN.file).read_text()
    with script.copied_tree(small_tree) as tree:
        assert script.survivors([SIGN, survivor], tree) == [survivor]
        assert (tree / SIGN.file).read_text() == source
    assert "number >= 0" in capsys.readouterr().out
    assert not tree.exists()


@pytest.mark.full
def test_a_test_that_is_not_there_kills_nothing(small_tree: Path) -> None:
    """A misspelt test is an error of the list, not a kill."""
    with script.copied_tree(small_tree) as tree, pytest.raises(SystemExit, match="pytest ended with 4"):
        script.survivors([SIGN._replace(test="tests/test_other.py")], tree)


def test_a_change_is_undone_after_an_error(small_tree: Path) -> None:
    before = (small_tree / SIGN.file).read_text()
    with suppress(KeyError), SIGN.applied(small_tree):
        assert (small_tree / SIGN.file).read_text() != before
        raise KeyError
    assert (small_tree / SIGN.file).read_text() == before


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"text": "number > 1"}, "0 times"),
        ({"text": "number"}, "2 times"),
        ({"file": "tablebase/gone.py"}, "0 times"),
        ({"replacement": "number >"}, "no Python"),
        ({"test": "tests/test_gone.py"}, "does not exist"),
    ],
)
def test_a_line_that_no_longer_fits_is_reported(small_tree: Path, change: dict[str, str], error: str) -> None:
    """The runner says which line of the list must be corrected, before it runs anything."""
    assert SIGN.error(small_tree) is None
    assert error in (SIGN._replace(**change).error(small_tree) or "")
