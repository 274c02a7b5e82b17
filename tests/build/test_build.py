"""Building: always the same bytes, nothing solved twice, nothing wrong published, and harmless interruptions."""

from __future__ import annotations

import errno
import math
import os
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from support.program import SOLVERS, Answer, ask_fresh, contents, drafts, flip, middle_of_codes, reseal, start_fresh

from tablebase.build import tables as building
from tablebase.build.needs import memory
from tablebase.build.pace import Pace
from tablebase.build.plan import plan
from tablebase.catalog.catalog import Catalog
from tablebase.catalog.sqlite import FILE_NAME
from tablebase.errors import CorruptTableError
from tablebase.executors.executor import Limits
from tablebase.executors.local import LocalExecutor
from tablebase.executors.scheduler import run_graph
from tablebase.game import Outcome
from tablebase.slices.location import dependencies, stored_materials
from tablebase.slices.material import parse_material
from tablebase.tables.format import table_path
from tablebase.values import DRAW, Value
from tablebase_rules.doushouqi import game as doushouqi

GAME = doushouqi()
Ask = Callable[..., Answer]
CHILDREN = "/proc/{0}/task/{0}/children"
FIRST_TABLE_SECONDS = 120
"""Longer than the kernels take to compile."""


def registered(folder: Path) -> dict[str, str | None]:
    """The solver of each table in the catalog."""
    catalog = Catalog(folder)
    solvers = dict(catalog.sql("SELECT material, engine FROM tables")[1])
    catalog.close()
    return solvers


def path_of(folder: Path, name: str) -> Path:
    """The file of a table."""
    return table_path(folder, GAME, parse_material(GAME, name))


def forbid_solving(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make any attempt to solve a table fail the test."""

    def solve(*_: object, **__: object) -> None:
        raise AssertionError("this table must not be solved again")

    monkeypatch.setattr(building, "solve_material", solve)


def wait_for(condition: Callable[[], Any]) -> Any:
    """Wait until a condition is true, and return its value."""
    end = time.monotonic() + FIRST_TABLE_SECONDS
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.01)
    raise AssertionError("this took too long")


@pytest.mark.parametrize("solver", SOLVERS)
def test_solvers_write_the_same_files(solver: str, three_pieces: Path, tmp_path: Path, ask: Ask) -> None:
    """Every solver writes the same bytes for some three-piece tables and all that these depend on."""
    wanted = ["--material", "CvWD", "--material", "RCvW"][: 2 if solver == "sweep" else 4]
    assert ask("build", "doushouqi", *wanted, "--engine", solver, "--data", tmp_path).code == 0
    expected = contents(three_pieces)
    written = contents(tmp_path)
    assert {Path(file).stem for file in written} == {"CvW", "WDvC"} | (set() if solver == "sweep" else {"RvC", "RCvW"})
    assert all(data == expected[name] for name, data in written.items())
    assert set(registered(tmp_path).values()) == {solver}


def test_the_former_name_of_a_solver_is_accepted(tmp_path: Path, ask: Ask) -> None:
    """`chase` is `pursuit`; messages and the catalog give the name of today."""
    answer = ask("build", "foxhounds", "--size", "2x2", "--engine", "chase", "--data", tmp_path)
    assert (answer.code, answer.errors) == (0, [])
    assert "with pursuit" in answer.err
    assert set(registered(tmp_path).values()) == {"pursuit"}


def test_workers_write_the_same_files(two_pieces: Path, tmp_path: Path) -> None:
    """Two workers in separate processes write the same bytes as one, and leave no other files."""
    answer = ask_fresh("build", "doushouqi", "--pieces", "2", "--workers", "2", "--data", tmp_path)
    assert (answer.code, answer.out, answer.errors) == (0, "", [])
    assert contents(tmp_path) == contents(two_pieces)
    assert len(registered(tmp_path)) == 10
    assert drafts(tmp_path) == []


def test_a_second_build_does_nothing(copied: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """If everything has been built, nothing is solved, written or registered again, and a message says so."""
    forbid_solving(monkeypatch)
    before = {path: path.stat().st_mtime_ns for path in copied.rglob("*.h5")}
    rows = registered(copied)
    answer = ask("build", "doushouqi", "--pieces", "2", "--data", copied)
    assert (answer.code, answer.out) == (0, "")
    assert answer.err == f"nothing to do: all 10 tables are in {copied}, built and verified\n"
    assert {path: path.stat().st_mtime_ns for path in copied.rglob("*.h5")} == before
    assert registered(copied) == rows


@pytest.mark.parametrize("name", ["TvL", "RvC"])
def test_only_what_is_missing_is_built(name: str, copied: Path, two_pieces: Path, ask: Ask) -> None:
    """A table whose file is missing is built again, and no other is touched."""
    others = {path: path.stat().st_mtime_ns for path in copied.glob("*/2/*.h5") if path.stem != name}
    path_of(copied, name).unlink()
    answer = ask("build", "doushouqi", "--pieces", "2", "--data", copied)
    assert answer.code == 0
    assert "1 of 10 tables" in answer.err
    assert contents(copied) == contents(two_pieces)
    assert {path: path.stat().st_mtime_ns for path in others} == others


@pytest.mark.parametrize(
    ("material", "names"),
    [
        # The wolf captures the rat or the cat, which leaves CvW or RvW; the latter is an alias of RvC.
        ("RCvW", ["CvW", "RCvW", "RvC"]),
        # An alias: a rat and a weaker piece against a stronger one that does not jump.
        ("DRvP", ["CvW", "RCvW", "RvC"]),
        # Tiger against wolf or dog is, by colour swap, a weaker piece against a jumper: CvT. WDvT is an alias of CWvT.
        ("TvWD", ["CWvT", "CvT"]),
        # In the trap the cat captures either: LvC is CvT by colour swap, EvC is CvW. The first such pair is wolf and tiger.
        ("LEvC", ["CvT", "CvW", "WTvC"]),
        # Two pieces depend on nothing.
        ("DvP", ["CvW"]),
    ],
)
def test_a_material_is_built_with_its_dependencies(
    material: str, names: list[str], three_pieces: Path, tmp_path: Path, ask: Ask
) -> None:
    """Building one material also builds the tables that its captures lead to, under the names of their representatives."""
    assert ask("build", "doushouqi", "--material", material, "--data", tmp_path).code == 0
    assert sorted(registered(tmp_path)) == names
    expected = contents(three_pieces)
    written = contents(tmp_path)
    assert sorted(Path(file).stem for file in written) == names
    assert all(data == expected[file] for file, data in written.items())


def test_stray_drafts_are_removed(copied: Path, ask: Ask) -> None:
    """A build removes the drafts that an earlier build left behind."""
    stray = path_of(copied, "CvW").with_name(".CvW.h5.12345.tmp")
    stray.write_bytes(b"half a table")
    path_of(copied, "CvW").unlink()
    assert drafts(copied) == [stray.name]
    assert ask("build", "doushouqi", "--pieces", "2", "--data", copied).code == 0
    assert drafts(copied) == []


def test_a_published_table_is_not_solved_again(copied: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables that are on disk but not in the catalog are verified and registered as they are."""
    forbid_solving(monkeypatch)
    (copied / FILE_NAME).unlink()
    before = contents(copied)
    assert ask("build", "doushouqi", "--pieces", "2", "--data", copied).code == 0
    assert registered(copied) == dict.fromkeys((Path(file).stem for file in before), None)
    assert contents(copied) == before


@pytest.mark.parametrize("damage", ["a bit", "the end", "everything"])
def test_a_damaged_table_is_built_again(damage: str, copied: Path, two_pieces: Path, ask: Ask) -> None:
    """A damaged file that is not in the catalog is replaced."""
    (copied / FILE_NAME).unlink()
    path = path_of(copied, "RvE")
    size = path.stat().st_size
    if damage == "a bit":
        flip(path, size // 2)
    else:
        os.truncate(path, size // 2 if damage == "the end" else 0)
    assert ask("build", "doushouqi", "--pieces", "2", "--data", copied).code == 0
    assert contents(copied) == contents(two_pieces)
    assert [name for name, solver in registered(copied).items() if solver] == ["RvE"]


def test_a_table_of_other_rules_is_left_alone(copied: Path, ask: Ask) -> None:
    """Every command that needs a table built under other rules ends with code 2 and a sentence; the file stays as it is."""
    path = path_of(copied, "RvE")
    with h5py.File(path, "r+") as file:
        file.attrs.modify("rules_digest", file.attrs["rules_digest"][::-1])
    reseal(path)
    before, rows = path.read_bytes(), registered(copied)
    for words in (["probe", "doushouqi", "7/7/7/7/3e3/7/7/R6/7 w"], ["reindex"]):
        answer = ask(*words, "--data", copied)
        assert (answer.code, answer.out, len(answer.errors)) == (2, "", 1)
        assert f"{path} was built under other rules" in answer.err
        assert registered(copied) == rows
    (copied / FILE_NAME).unlink()
    answer = ask("build", "doushouqi", "--pieces", "2", "--data", copied)
    assert (answer.code, len(answer.errors)) == (2, 1)
    assert f"{path} was built under other rules" in answer.errors[0]
    assert path.read_bytes() == before


def test_wrong_codes_are_never_published(tmp_path: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """If a solver is wrong about one position, the build fails with a sentence that shows it, and leaves no file."""
    solve = building.solve_material

    def err(*arguments: Any, **options: Any) -> Any:
        codes, coding, solver = solve(*arguments, **options)
        codes[0][np.flatnonzero(codes[0] == coding.code(Value(Outcome.WIN, 9)))[0]] = DRAW
        return codes, coding, solver

    monkeypatch.setattr(building, "solve_material", err)
    answer = ask("build", "doushouqi", "--material", "CvW", "--data", tmp_path)
    assert answer.code == CorruptTableError.exit_code == 1
    assert len(answer.errors) == 1
    assert "which its moves contradict" in answer.err
    assert contents(tmp_path) == {}
    assert drafts(tmp_path) == []
    assert registered(tmp_path) == {}


def test_a_damaged_child_stops_the_build(copied: Path, ask: Ask) -> None:
    """A damaged table that others depend on is named, and nothing is built on it."""
    path = path_of(copied, "CvW")
    flip(path, middle_of_codes(path))
    answer = ask("build", "doushouqi", "--material", "RCvW", "--data", copied)
    assert answer.code == 1
    assert len(answer.errors) == 1
    assert str(path) in answer.errors[0]
    assert not path_of(copied, "RCvW").exists()


@pytest.mark.parametrize("resource", ["disk", "memory"])
def test_no_space_is_a_sentence(resource: str, tmp_path: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """If disk or memory runs out during a build, it ends with code 3 and one sentence, and leaves nothing half done."""

    def run_out(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)) if resource == "disk" else MemoryError

    monkeypatch.setattr(*((os, "fsync") if resource == "disk" else (building, "solve_material")), run_out)
    answer = ask("build", "doushouqi", "--material", "CvW", "--data", tmp_path)
    assert answer.code == 3
    assert len(answer.errors) == 1
    assert contents(tmp_path) == {}
    assert drafts(tmp_path) == []


def test_only_one_build_at_a_time(tmp_path: Path, ask: Ask) -> None:
    """A second build in the same folder ends with one sentence; the first continues."""
    first = building.build(GAME, plan(GAME, 2, []), tmp_path)
    next(first)
    answer = ask("build", "doushouqi", "--pieces", "2", "--data", tmp_path)
    assert answer.code == 2
    assert answer.errors == [f"error: another build is running in {tmp_path}: wait for it, or name another folder"]
    assert len(list(first)) == 9
    assert ask("build", "doushouqi", "--pieces", "2", "--data", tmp_path).code == 0


def test_children_come_first(tmp_path: Path) -> None:
    """Each table is built after all that it depends on, in whatever order they are requested."""
    wanted = [*stored_materials(GAME, 4)[:40], *stored_materials(GAME, 3), *stored_materials(GAME, 2)]
    graph = {material: tuple(child for child in dependencies(GAME, material) if child in wanted) for material in wanted}
    done = list(run_graph(graph, lambda material: material, LocalExecutor(Limits())))
    assert sorted(done) == sorted(wanted)
    place = {material: number for number, material in enumerate(done)}
    assert all(place[child] < place[material] for material, children in graph.items() for child in children)
    assert list(tmp_path.iterdir()) == []


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
    [("1", signal.SIGINT, 130, "interrupted"), ("2", signal.SIGHUP, 129, "hung up")],
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
from tablebase.build import tables
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


def test_only_the_main_process_publishes(copied: Path) -> None:
    """Work done elsewhere ends with a verified draft, so that no worker can add a table after the lock is free."""
    path, material = path_of(copied, "CvW"), parse_material(GAME, "CvW")
    data = path.read_bytes()
    path.unlink()
    built, draft = building.build_table(GAME.name, copied, "auto", material)
    assert (built.material, built.engine) == (material, "planes")
    assert draft is not None
    assert draft.read_bytes() == data
    assert not path.exists()
    draft.rename(path)
    found, draft = building.build_table(GAME.name, copied, "auto", material)
    assert (found.material, found.engine, found.bytes, draft) == (material, None, len(data), None)


def test_little_memory_gives_the_same_bytes(three_pieces: Path, tmp_path: Path, ask: Ask) -> None:
    """A table that does not fit with its codes is built without them; its file is the same, and nothing else is left."""
    material = parse_material(GAME, "RCvWE")
    folders = [tmp_path / name for name in ("plenty", "little")]
    for folder in folders:
        shutil.copytree(three_pieces, folder)
        limit = memory(GAME, material) - (folder.name == "little")
        assert ask("build", "doushouqi", "--material", "RCvWE", "--memory", limit, "--data", folder).code == 0
    assert [registered(folder)["RCvWE"] for folder in folders] == ["planes", "lean"]
    plenty, little = (contents(folder) for folder in folders)
    assert plenty == little
    assert len(plenty) == 10 + 42 + 1
    assert drafts(tmp_path / "little") == []


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


def test_a_machine_is_measured_by_building(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """How much slower it is shows in one table, built when all kernels are compiled."""
    monkeypatch.setattr(building, "mkdtemp", lambda: str(tmp_path))
    removed: list[object] = []
    monkeypatch.setattr(building, "rmtree", removed.append)
    monkeypatch.setattr(building, "MEASURED_BYTES", 300_050_000)
    factor = building.measure(GAME)
    with closing(Catalog(tmp_path / "second")) as catalog:
        [cost] = catalog.costs(GAME)
    # Two rats: 34 of 61 squares up to the mirror, times 61; the table is self-paired.
    assert (cost.material, cost.codes) == ("RvR", 34 * 61)
    assert cost.seconds is not None
    assert math.isclose(factor, cost.seconds / Pace(GAME).seconds(parse_material(GAME, "RvR")))
    assert removed == [str(tmp_path)]
