"""Builds that are interrupted, or whose workers end: nothing is lost, and they go on, also within a table."""

import signal
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
from support.catalogs import registered
from support.checks import at_least_one
from support.faults import wrong_about_one
from support.program import Ask, ask_fresh, assert_refused, contents, drafts, table_of

from tablebase.building import slice_work
from tablebase.catalog.sqlite import FILE_NAME
from tablebase.errors import CorruptTableError
from tablebase.positions.indexing import layout_of
from tablebase.positions.material import parse_material
from tablebase.system.files.outputs import publish
from tablebase.tables import checkpoints
from tablebase.tables.checkpoints import TableCheckpoint
from tablebase.tables.reader import Table
from tablebase.tables.values import DRAW
from tablebase.tables.writer import write_draft
from tablebase_rules.doushouqi import game as doushouqi

AFTER_FOUR = """
import os
import shutil
from tablebase.building.make_tables import Registrar
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


CALL = """
import sys, tablebase
try:
    tablebase.build("doushouqi", pieces=2, data=sys.argv[1], workers=int(sys.argv[2]))
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.full)])
def test_ctrl_c_is_an_exception_in_python(workers: int, tmp_path: Path, two_pieces: Path) -> None:
    program = AFTER_FOUR.format(number=int(signal.SIGINT)).replace("main()", CALL)
    answer = ask_fresh(tmp_path, workers, program=program)
    assert (answer.code, answer.out) == (0, "interrupted\n"), answer.err
    assert drafts(tmp_path) == []
    assert 4 <= len(contents(tmp_path)) < len(contents(two_pieces))


BELL = """
import os, signal
from tablebase.building.make_tables import Registrar
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


GAME = doushouqi()
KILLED = """
import os, signal
from tablebase.commands.program import main
from tablebase.tables import checkpoints
from tablebase.tables.checkpoints import TableCheckpoint

checkpoints.INTERVAL = 0
save, saved = TableCheckpoint.save, []

def kill(self, *arguments):
    save(self, *arguments)
    if "RCvW" in self.path.name:
        saved.append(self.path)
        if len(saved) == 7:
            os.kill(os.getpid(), signal.SIGKILL)

TableCheckpoint.save = kill
main()
"""
"""The program, which is killed in the middle of a table after its seventh distance."""


@pytest.fixture
def saves(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """The distances that are saved, with the file, all of them."""
    seen: list[tuple[str, int]] = []
    save = TableCheckpoint.save

    def note(self: TableCheckpoint, numbers: dict[str, Any], arrays: Sequence[Any]) -> None:
        save(self, numbers, arrays)
        seen.append((self.path.name, numbers["level"]))

    monkeypatch.setattr(TableCheckpoint, "save", note)
    monkeypatch.setattr(checkpoints, "INTERVAL", 0)
    return seen


@pytest.mark.parametrize(
    ("engine", "left"),
    [("planes", [".checkpoint"]), pytest.param("lean", [".checkpoint", ".checkpoint-log"], marks=pytest.mark.full)],
)
def test_a_killed_build_goes_on_within_a_table(
    engine: str, left: list[str], three_pieces: Path, tmp_path: Path, ask: Ask, saves: list[tuple[str, int]]
) -> None:
    """It does just the distances that are left; the files are those of an undisturbed build, with nothing beside them."""
    words = ["build", "doushouqi", "--material", "RCvW", "--solver", engine, "--workers", 1, "--data"]
    assert ask_fresh(*words, tmp_path, program=KILLED).code == -signal.SIGKILL
    assert sorted(drafts(tmp_path)) == [f".RCvW.h5{suffix}" for suffix in left]
    assert ask(*words, tmp_path).code == 0
    levels = [level for name, level in saves if "RCvW" in name]
    assert levels == list(range(8, levels[-1] + 1))
    assert drafts(tmp_path) == []
    expected = contents(three_pieces)
    assert contents(tmp_path) == {f"doushouqi/{name}.h5": expected[f"doushouqi/{name}.h5"] for name in ("2/CvW", "2/RvC", "3/RCvW")}
    saves.clear()
    assert ask(*words, tmp_path / "undisturbed").code == 0
    assert [level for name, level in saves if "RCvW" in name] == list(range(1, levels[-1] + 1))


@pytest.mark.parametrize("step", ["write_draft", "verify_table"])
def test_a_build_stopped_after_solving_goes_on(
    step: str, copied: Path, ask: Ask, saves: list[tuple[str, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """While a table is written and checked, its checkpoint is still there."""
    words = ["build", "doushouqi", "--material", "RCvW", "--data", copied]
    with monkeypatch.context() as patch:
        patch.setattr(slice_work, step, Mock(side_effect=KeyboardInterrupt))
        assert ask(*words).code == 130
    assert drafts(copied) == [".RCvW.h5.checkpoint"]
    assert len(saves) > 7
    saves.clear()
    assert ask(*words).code == 0
    assert (saves, drafts(copied)) == ([], [])


@pytest.fixture
def stopped(copied: Path, ask: Ask, saves: list[tuple[str, int]], monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tablebase with the checkpoint of a table that is missing."""
    with monkeypatch.context() as patch:
        patch.setattr(slice_work, "verify_table", Mock(side_effect=KeyboardInterrupt))
        assert ask("build", "doushouqi", "--material", "RCvW", "--solver", "lean", "--data", copied).code == 130
    assert sorted(drafts(copied)) == [".RCvW.h5.checkpoint", ".RCvW.h5.checkpoint-log"]
    saves.clear()
    return copied


def test_other_commands_leave_checkpoints_alone(stopped: Path, ask: Ask) -> None:
    """They neither mind nor remove those of missing tables."""
    before = {name: (stopped / "doushouqi" / "3" / name).read_bytes() for name in drafts(stopped)}
    table_of(stopped, "RvE").unlink()
    for words in (["build", "doushouqi", "--pieces", "2"], ["reindex"], ["prune", "--yes"], ["verify", "doushouqi"]):
        answer = ask(*words, "--data", stopped)
        assert (answer.code, answer.errors) == (0, [])
        assert {name: (stopped / "doushouqi" / "3" / name).read_bytes() for name in drafts(stopped)} == before


def test_a_build_with_another_solver_begins_again(stopped: Path, ask: Ask, saves: list[tuple[str, int]]) -> None:
    assert ask("build", "doushouqi", "--material", "RCvW", "--solver", "planes", "--data", stopped).code == 0
    assert saves[0] == (".RCvW.h5.checkpoint", 1)
    assert drafts(stopped) == []


def test_what_a_killed_build_has_forgotten_is_removed(stopped: Path, three_pieces: Path, ask: Ask) -> None:
    """A build that was killed right after it published a table; the next one removes the checkpoint, whatever it builds."""
    table_of(stopped, "RCvW").write_bytes(table_of(three_pieces, "RCvW").read_bytes())
    (stopped / FILE_NAME).unlink()
    assert ask("build", "doushouqi", "--pieces", "2", "--data", stopped).code == 0
    assert drafts(stopped) == []


def test_nobody_goes_on_from_wrong_codes(
    copied: Path, ask: Ask, saves: list[tuple[str, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slice_work, "solve_material", wrong_about_one(slice_work.solve_material))
    assert ask("build", "doushouqi", "--material", "RCvW", "--data", copied).code == CorruptTableError.exit_code
    assert saves
    assert drafts(copied) == []


def test_a_checkpoint_belongs_to_rules_and_children(copied: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With other values in the table of a child it is another one, and with the same ones again it is the same."""
    keys = []

    def note(*_: object, checkpoint: TableCheckpoint, **__: object) -> None:
        keys.append(checkpoint.key)
        raise KeyboardInterrupt

    monkeypatch.setattr(slice_work, "solve_material", note)

    def ask_for_key(name: str = "RCvW") -> str:
        with pytest.raises(KeyboardInterrupt):
            slice_work.make_table(GAME.name, copied, "auto", parse_material(GAME, name))
        return keys[-1]

    first = ask_for_key()
    assert ask_for_key("RCvC") != first
    for child in at_least_one(("CvW", "RvC")):
        path = table_of(copied, child)
        data = path.read_bytes()
        change_one_value(path, child)
        assert ask_for_key() != first, child
        path.write_bytes(data)
        assert ask_for_key() == first
    digest = GAME.digest
    monkeypatch.setattr(type(GAME), "digest", property(lambda _: digest[::-1]))
    with pytest.raises(Exception, match="with rules of doushouqi that differ"):
        ask_for_key()


def change_one_value(path: Path, name: str) -> None:
    """Let a sound table file say that one won or lost position is a draw."""
    material = parse_material(GAME, name)
    with closing(Table(path, GAME, material)) as table:
        codes, coding = {side: table.read(side) for side in table.header.summaries}, table.coding
    legal = layout_of(GAME, material).squares_many(np.arange(len(codes[0])))[1]
    for some in codes.values():
        some[~legal] = coding.void
    codes[0][np.flatnonzero(legal & (codes[0] != DRAW))[0]] = DRAW
    publish(write_draft(path, GAME, material, list(codes.values()), coding), path)
