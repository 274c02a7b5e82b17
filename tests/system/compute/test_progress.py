"""Progress: stages, reported not too often, bars on terminals that leave nothing behind, and plain lines elsewhere."""

import logging
import os
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from support.program import Ask

from tablebase.system.compute import messages
from tablebase.system.compute import progress as module
from tablebase.system.compute.messages import Stage, reach, watched
from tablebase.system.compute.progress import progress


@pytest.fixture
def _often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "INTERVAL", 0.05)


@pytest.mark.usefixtures("_often")
def test_a_plain_line_now_and_then(capsys: pytest.CaptureFixture[str]) -> None:
    with progress("build pond", "placements", 4000, 1000) as shown:
        shown.update(1000)
        time.sleep(0.3)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) >= 2
    assert all(line.startswith("build pond: 50% (2.00k of 4.00k placements), 00:00 passed, 00:00 left") for line in lines)
    time.sleep(0.15)
    assert capsys.readouterr().err == ""


def test_compiling_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    from numba.core import event

    with progress("build pond", "placements", 10, compiles=True):
        for _ in range(2):
            event.start_event("numba:compile")
            event.end_event("numba:compile")
    assert capsys.readouterr().err == f"build pond: {module.COMPILING}\n"
    event.start_event("numba:compile")
    assert capsys.readouterr().err == ""


def test_a_bar_leaves_nothing_behind(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    with progress("build pond", "placements", 10, verbose=True) as shown:
        shown.update(5)
        shown.show_compiling(True)
        shown.show_compiling(False)
        shown.note("RvR: done")
    said = capsys.readouterr().err
    assert "build pond" in said
    assert "compiling" in said
    assert "\rRvR: done\n" in said
    *_, cleared, last = said.split("\r")
    assert (cleared.strip(), last) == ("", "")


def test_a_bar_leaves_one_line_in_a_notebook(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """All that it shows replaces one output, whose last text is kept; a line is written beside it."""
    shown: list[str] = []
    updates: list[str] = []
    output = SimpleNamespace(update=lambda line, *, raw: updates.append(line["text/plain"]) if raw else None)

    def display(line: dict[str, str], *, raw: bool, display_id: bool) -> SimpleNamespace:
        assert raw
        assert display_id
        shown.append(line["text/plain"])
        return output

    monkeypatch.setitem(sys.modules, "IPython", ModuleType("IPython"))
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(display=display))  # type: ignore[arg-type]
    monkeypatch.setattr(module, "_in_notebook", lambda: True)
    with progress("build pond", "placements", 40) as bar:
        for _ in range(40):
            bar.update()
            bar.at("RvR", Stage("solving"))
        bar.write("RvR: done")
    assert len(shown) == 1
    assert len(updates) >= 40
    assert "build pond: 100%" in updates[-1]
    assert "" not in updates
    assert capsys.readouterr().err == "RvR: done\n"


@pytest.mark.parametrize(("value", "said"), [("1", ""), ("true", ""), ("0", "hello\n"), ("", "hello\n")])
def test_a_variable_silences_python(value: str, said: str) -> None:
    code = "from tablebase.system.compute.messages import say; say('hello')"
    environment = os.environ | {messages.QUIET: value}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stderr == said


@pytest.mark.usefixtures("_often")
@pytest.mark.parametrize("terminal", [True, False])
def test_one_call_silences_everything(terminal: bool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Messages, bars and plain lines; errors that a command prints remain."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal, raising=False)
    logger = logging.getLogger("tablebase")
    for level, silent in ((logging.ERROR, True), (logging.INFO, False)):
        logger.setLevel(level)
        with progress("build pond", "placements", 10) as shown:
            shown.update(5)
            shown.write("RvR: done")
            messages.say("solving 1 table")
            time.sleep(0.15)
        assert (capsys.readouterr().err == "") is silent


def test_messages_can_be_redirected(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[logging.LogRecord] = []
    handler = logging.Handler()
    monkeypatch.setattr(handler, "emit", seen.append)
    monkeypatch.setattr(logging.getLogger("tablebase"), "handlers", [handler])
    messages.say("100% of 2 tables")
    assert [(one.name, one.levelname, one.getMessage()) for one in seen] == [("tablebase", "INFO", "100% of 2 tables")]
    assert capsys.readouterr().err == ""


def test_a_resumed_build_starts_where_it_stands(tmp_path: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was built before counts as done, and the total is that of the plan."""
    asked, original = [], module.Progress
    monkeypatch.setattr(module, "Progress", lambda *arguments, **_: asked.append(arguments) or original(*arguments))
    for material in ("PvP", "PvPP"):
        assert ask("build", "hexapawn", "--material", material, "--data", tmp_path).code == 0
    (_, _, small, nothing), (_, _, total, done) = asked
    assert nothing == 0
    assert 0 < done <= small < total


def test_progress_is_reported_once_an_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, messages.INTERVAL / 2, messages.INTERVAL, messages.INTERVAL * 1.5, messages.INTERVAL * 2])
    monkeypatch.setattr(messages.time, "monotonic", lambda: next(clock))
    seen: list[Stage] = []
    with watched(seen.append):
        for done in range(5):
            reach("solving", done)
    assert [stage.done for stage in seen] == [0, 2, 4]
