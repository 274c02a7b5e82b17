"""Progress: stages, reported not too often, bars on terminals that leave nothing behind, and plain lines elsewhere."""

import sys
import time
from pathlib import Path

import pytest
from support.program import Ask

from tablebase.compute import messages
from tablebase.compute import progress as module
from tablebase.compute.messages import Stage, reach, watched
from tablebase.compute.progress import progress


@pytest.fixture
def _often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines come soon after one another."""
    monkeypatch.setattr(module, "INTERVAL", 0.05)


@pytest.mark.usefixtures("_often")
def test_a_plain_line_now_and_then(capsys: pytest.CaptureFixture[str]) -> None:
    """Without a terminal there is no bar, but a line each interval, and none after the end."""
    with progress("build pond", "placements", 4000, 1000) as shown:
        shown.update(1000)
        time.sleep(0.3)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) >= 2
    assert all(line.startswith("build pond: 50% (2.00k of 4.00k placements), 00:00 passed, 00:00 left") for line in lines)
    time.sleep(0.15)
    assert capsys.readouterr().err == ""


@pytest.mark.usefixtures("_often")
def test_a_plain_line_says_what_is_at_work(capsys: pytest.CaptureFixture[str]) -> None:
    """Each part with its stage, as long as it is at work."""
    with progress("build pond", "placements", 4000) as shown:
        for name, stage in (("RvR", Stage("solving", 37)), ("RvC", Stage("verifying", 45, 60)), ("CvC", Stage("loading"))):
            shown.at(name, stage)
        time.sleep(0.15)
        for name in ("RvR", "CvC", "nothing"):
            shown.leave(name)
        time.sleep(0.15)
        shown.leave("RvC")
        time.sleep(0.15)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].endswith("? left; at work: RvR solving 37, RvC verifying 75%, CvC loading")
    assert any(line.endswith("? left; at work: RvC verifying 75%") for line in lines)
    assert lines[-1].endswith("? left")


@pytest.mark.usefixtures("_often")
def test_without_a_total(capsys: pytest.CaptureFixture[str]) -> None:
    """Until it is known how much there is to do, only what has been done is shown."""
    with progress("count pond", "steps") as shown:
        time.sleep(0.2)
        shown.reach(3, 12)
        time.sleep(0.2)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "count pond: 0.00 steps, 00:00 passed"
    assert lines[-1].startswith("count pond: 25% (3.00 of 12.0 steps)")


@pytest.mark.usefixtures("_often")
def test_another_name(capsys: pytest.CaptureFixture[str]) -> None:
    """What is done under another name from some point on is written as it was from the start."""
    with progress("patterns", "positions", 10) as shown:
        shown.name("patterns RvC")
        shown.update(5)
        time.sleep(0.2)
    assert capsys.readouterr().err.splitlines()[-1].startswith("patterns RvC: 50% (5.00 of 10.0 positions), ")


def test_a_quick_run_writes_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """Nobody needs to hear of work that is over within the first interval."""
    with progress("build pond", "placements", 10) as shown:
        shown.update(10)
        shown.note("RvR: done")
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
    """On a terminal the last thing written goes back to the start of an empty line; lines are written above the bar."""
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


def test_a_line_a_table(tmp_path: Path, ask: Ask) -> None:
    """With --verbose, `build` and `verify` write a line about each table."""
    answer = ask("build", "hexapawn", "--material", "PvPP", "--verbose", "--data", tmp_path)
    names = sorted(line.partition(":")[0] for line in answer.err.splitlines() if "CPU-seconds" in line)
    assert names == sorted(path.stem for path in tmp_path.rglob("*.h5"))
    assert len(names) > 1
    checked = ask("verify", "hexapawn", "--verbose", "--data", tmp_path).err.splitlines()
    assert sorted(line for line in checked if ": correct" in line) == [f"{name}: correct" for name in names]
    assert ": correct" not in ask("verify", "hexapawn", "--data", tmp_path).err


def test_a_resumed_build_starts_where_it_stands(tmp_path: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was built before counts as done, and the total is that of the plan."""
    asked, original = [], module.Progress
    monkeypatch.setattr(module, "Progress", lambda *arguments, **_: asked.append(arguments) or original(*arguments))
    for material in ("PvP", "PvPP"):
        assert ask("build", "hexapawn", "--material", material, "--data", tmp_path).code == 0
    (_, _, small, nothing), (_, _, total, done) = asked
    assert nothing == 0
    assert 0 < done <= small < total


# Stages


def test_each_new_stage_is_reported_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(messages.time, "monotonic", lambda: 1.0)
    seen: list[Stage] = []
    with watched(seen.append):
        for name in ("solving", "solving", "writing", "writing", "solving"):
            reach(name, 3, 7)
    assert seen == [Stage("solving", 3, 7), Stage("writing", 3, 7), Stage("solving", 3, 7)]


def test_progress_is_reported_once_an_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, messages.INTERVAL / 2, messages.INTERVAL, messages.INTERVAL * 1.5, messages.INTERVAL * 2])
    monkeypatch.setattr(messages.time, "monotonic", lambda: next(clock))
    seen: list[Stage] = []
    with watched(seen.append):
        for done in range(5):
            reach("solving", done)
    assert [stage.done for stage in seen] == [0, 2, 4]


def test_nothing_is_reported_outside_the_block() -> None:
    seen: list[Stage] = []
    with watched(seen.append):
        pass
    reach("solving")
    assert seen == []
