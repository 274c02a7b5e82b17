"""Building: always the same bytes, nothing solved twice, nothing wrong published, and its stages."""

import errno
import math
import os
import shutil
from contextlib import closing
from itertools import groupby, pairwise
from pathlib import Path
from unittest.mock import Mock

import pytest
from support.builds import build
from support.catalogs import registered
from support.checks import thinned
from support.faults import wrong_about_one
from support.program import SOLVERS, Ask, assert_one_sentence, assert_refused, contents, drafts, make_old, table_of

from tablebase.building import slice_kind, slice_work
from tablebase.building.estimate import SpeedModel, memory
from tablebase.building.plan import plan
from tablebase.catalog.catalog import Catalog
from tablebase.catalog.sqlite import FILE_NAME
from tablebase.errors import CorruptTableError
from tablebase.positions.material import parse_material
from tablebase.system.compute import messages
from tablebase.system.compute.messages import Stage, watched
from tablebase.tables import writer
from tablebase_rules.doushouqi import game as doushouqi

GAME = doushouqi()


@pytest.mark.parametrize("solver", thinned(SOLVERS, 2))
def test_solvers_write_the_same_files(solver: str, three_pieces: Path, tmp_path: Path, ask: Ask) -> None:
    wanted = ["--material", "CvWD", "--material", "RCvW"]
    assert ask("build", "doushouqi", *wanted, "--solver", solver, "--data", tmp_path).code == 0
    expected = contents(three_pieces)
    written = contents(tmp_path)
    assert {Path(file).stem for file in written} == {"CvW", "WDvC", "RvC", "RCvW"}
    assert all(data == expected[name] for name, data in written.items())
    assert set(registered(tmp_path).values()) == {"planes" if solver == "lean" else solver}


def test_a_second_build_does_nothing(copied: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slice_work, "solve_material", Mock(side_effect=AssertionError("solved again")))
    before = {path: path.stat().st_mtime_ns for path in copied.rglob("*.h5")}
    rows = registered(copied)
    answer = ask("build", "doushouqi", "--pieces", "2", "--data", copied)
    assert (answer.code, answer.out) == (0, "")
    assert answer.err == f"nothing to do: all 10 tables are in {copied}, built and verified\n"
    assert {path: path.stat().st_mtime_ns for path in copied.rglob("*.h5")} == before
    assert registered(copied) == rows


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
    stray = table_of(copied, "CvW").with_name(".CvW.h5.12345.tmp")
    stray.write_bytes(b"half a table")
    table_of(copied, "CvW").unlink()
    assert drafts(copied) == [stray.name]
    assert ask("build", "doushouqi", "--pieces", "2", "--data", copied).code == 0
    assert drafts(copied) == []


def test_a_published_table_is_not_solved_again(copied: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables that are on disk but not in the catalog are verified and registered as they are."""
    monkeypatch.setattr(slice_work, "solve_material", Mock(side_effect=AssertionError("solved again")))
    (copied / FILE_NAME).unlink()
    before = contents(copied)
    assert ask("build", "doushouqi", "--pieces", "2", "--data", copied).code == 0
    assert registered(copied) == dict.fromkeys((Path(file).stem for file in before), None)
    assert contents(copied) == before


def test_a_table_of_other_rules_is_left_alone(copied: Path, ask: Ask) -> None:
    """Every command that needs a table built under other rules ends with code 2 and a sentence; the file stays as it is."""
    path = table_of(copied, "RvE")
    make_old(path)
    before, rows, error = path.read_bytes(), registered(copied), f"{path} was built with rules of"
    for words in (["probe", "doushouqi", "7/7/7/7/3e3/7/7/R6/7 w"], ["reindex"]):
        assert_refused(ask(*words, "--data", copied), 2, error)
        assert registered(copied) == rows
    (copied / FILE_NAME).unlink()
    assert_refused(ask("build", "doushouqi", "--pieces", "2", "--data", copied), 2, error)
    assert path.read_bytes() == before


def test_wrong_codes_are_never_published(tmp_path: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slice_work, "solve_material", wrong_about_one(slice_work.solve_material))
    answer = ask("build", "doushouqi", "--material", "CvW", "--data", tmp_path)
    assert_refused(answer, CorruptTableError.exit_code, "which contradicts its moves and the values after them")
    assert (contents(tmp_path), drafts(tmp_path), (tmp_path / FILE_NAME).exists()) == ({}, [], False)


@pytest.mark.parametrize("resource", ["disk", "memory"])
def test_no_space_is_a_sentence(resource: str, tmp_path: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """If disk or memory runs out during a build, it ends with code 3 and one sentence, and leaves nothing half done."""
    if resource == "disk":
        monkeypatch.setattr(os, "fsync", Mock(side_effect=OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))))
    else:
        monkeypatch.setattr(slice_work, "solve_material", Mock(side_effect=MemoryError))
    assert_refused(ask("build", "doushouqi", "--material", "CvW", "--data", tmp_path), 3)
    assert (contents(tmp_path), drafts(tmp_path)) == ({}, [])


@pytest.mark.parametrize(
    "words", [["build", "doushouqi", "--pieces", "2"], ["prune", "--yes"], ["reindex"]], ids=lambda words: words[0]
)
def test_one_command_at_a_time_changes_a_folder(words: list[str], copied: Path, ask: Ask) -> None:
    """A second one ends with one sentence, and changes nothing; the first build continues."""
    for name in ("RvC", "RvE"):
        table_of(copied, name).unlink()
    first = build(GAME, plan(GAME, 2, []), copied)
    next(first)
    before = contents(copied), registered(copied)
    assert_one_sentence(ask(*words, "--data", copied), f"another build is running in {copied}")
    assert (contents(copied), registered(copied)) == before
    assert len(list(first)) == 1
    assert ask(*words, "--data", copied).code == 0


def test_only_the_main_process_publishes(copied: Path) -> None:
    """Work done elsewhere ends with a verified draft, so that no worker can add a table after the lock is free."""
    path, material = table_of(copied, "CvW"), parse_material(GAME, "CvW")
    data = path.read_bytes()
    path.unlink()
    made = slice_work.make_table(GAME.name, copied, "auto", material)
    assert (made.key, made.engine) == (material, "planes")
    assert made.draft is not None
    assert made.draft.read_bytes() == data
    assert not path.exists()
    made.draft.rename(path)
    found = slice_work.make_table(GAME.name, copied, "auto", material)
    assert (found.key, found.engine, found.bytes, found.draft) == (material, None, len(data), None)


def test_little_memory_gives_the_same_bytes(three_pieces: Path, tmp_path: Path, ask: Ask) -> None:
    """A table that does not fit with its codes is built without them; its file is the same, and nothing else is left."""
    material = parse_material(GAME, "RCvWE")
    folders = [tmp_path / name for name in ("plenty", "little")]
    for folder in folders:
        shutil.copytree(three_pieces, folder)
        limit = memory(GAME, material) - (folder.name == "little")
        assert ask("build", "doushouqi", "--material", "RCvWE", "--memory", limit, "--data", folder).code == 0
    assert [registered(folder)["RCvWE"] for folder in folders] == ["planes", "planes"]
    plenty, little = (contents(folder) for folder in folders)
    assert plenty == little
    assert len(plenty) == 10 + 42 + 1
    assert drafts(tmp_path / "little") == []


def test_a_machine_is_measured_by_building(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """How much slower it is shows in one table, built when all kernels are compiled."""
    monkeypatch.setattr(slice_kind, "mkdtemp", lambda: str(tmp_path))
    removed: list[object] = []
    monkeypatch.setattr(slice_kind, "rmtree", removed.append)
    monkeypatch.setattr(slice_kind, "MEASURED_BYTES", 300_050_000)
    factor = slice_kind.measure(GAME)
    with closing(Catalog(tmp_path / "second")) as catalog:
        [cost] = catalog.known(GAME).costs
    # Two rats: 34 of 61 squares up to the mirror, times 61; the table is self-paired.
    assert (cost.material, cost.codes) == ("RvR", 34 * 61)
    assert cost.seconds is not None
    assert math.isclose(factor, cost.seconds / SpeedModel(GAME, factor=1).seconds(parse_material(GAME, "RvR")))
    assert removed == [str(tmp_path)]


def test_a_build_goes_from_stage_to_stage(copied: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each stage comes once, with more done each time, up to all of it."""
    monkeypatch.setattr(messages, "INTERVAL", 0)
    monkeypatch.setattr(writer, "SLAB", 1)
    seen: list[Stage] = []
    with watched(seen.append):
        slice_work.make_table("doushouqi", copied, "planes", parse_material(doushouqi(), "RCvW"))
    found = [(name, list(group)) for name, group in groupby(seen, key=lambda stage: stage.name)]
    assert [name for name, _ in found] == ["loading", "looking up captures", "solving", "writing", "reading", "verifying"]
    for name, group in found:
        assert all(one.done < other.done for one, other in pairwise(group)), name
        assert len({stage.total for stage in group}) == 1, name
        assert name not in ("looking up captures", "writing", "verifying") or group[-1].done == group[-1].total, name
    assert len(dict(found)["writing"]) > 2
