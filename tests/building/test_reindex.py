"""Reindexing: the catalog made anew from the files; and damaged tables, which are built again."""

import errno
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from support.catalogs import PATTERNS, SOLVERS, change, everything, forge, opened, registered, rows, snapshot
from support.checks import at_least_one
from support.faults import damage_after_look
from support.program import Answer, Ask, assert_refused, contents, drafts, flip, middle_of_codes, table_of
from support.tablebases import on_both, once_on_postgresql

from tablebase.building import make_tables, reindex, slice_work, table_plan
from tablebase.building.options import BuildOptions, TableQuery
from tablebase.building.slice_kind import SliceTables
from tablebase.building.table_plan import plan_tables
from tablebase.catalog.sqlite import FILE_NAME
from tablebase.errors import CorruptTableError
from tablebase.positions.material import material_name
from tablebase_rules.doushouqi import game as doushouqi


@pytest.mark.parametrize("old", ["no catalog", "a catalog", "an empty file"])
def test_reindex_needs_only_the_files(old: str, copied: Path, ask: Ask) -> None:
    """A catalog made anew from the tables says the same; only the old one can say who built them, and in how much time."""
    before, solvers = snapshot(copied), rows(copied, SOLVERS)
    if old != "a catalog":
        (copied / FILE_NAME).unlink()
    if old == "an empty file":
        (copied / FILE_NAME).touch()
    answer = ask("reindex", "--data", copied)
    assert (answer.code, answer.out) == (0, "")
    assert "10 tables of doushouqi" in answer.err
    assert snapshot(copied) == before
    unknown = [{**row, "engine": None, "seconds": None} for row in at_least_one(solvers)]
    assert rows(copied, SOLVERS) == (solvers if old == "a catalog" else unknown) != []
    assert drafts(copied) == []


@on_both
def test_what_only_the_catalog_knows_is_kept(copied: Path, ask: Ask) -> None:
    assert ask("patterns", "doushouqi", *[f"--material={name}" for name in ("CvW", "RvC")], "--data", copied).code == 0
    solvers, patterns = rows(copied, SOLVERS), rows(copied, PATTERNS)
    assert {row["material"] for row in patterns} == {"CvW", "RvC"}
    change(
        copied,
        "UPDATE distances SET placements = placements + 1 WHERE outcome = 'win' AND distance = 3 AND solution_id ="
        " (SELECT solution_id FROM slices WHERE material = 'CvW')",
    )
    assert ask("reindex", "--data", copied).code == 0
    for row in at_least_one(solvers):
        if row["material"] == "CvW":
            row.update(engine=None, seconds=None)
    assert rows(copied, SOLVERS) == solvers
    assert rows(copied, PATTERNS) == [row for row in patterns if row["material"] == "RvC"] != []


@on_both
def test_nothing_is_kept_about_another_file(copied: Path, ask: Ask) -> None:
    forge(copied, "UPDATE tables SET file_sha256 = 'other' WHERE material = 'CvW'")
    assert ask("reindex", "--data", copied).code == 0
    assert [row["material"] for row in rows(copied, SOLVERS) if row["engine"] is None] == ["CvW"]


DAMAGED = {
    "a text": lambda _: b"This is no database.\n" * 100,
    "cut off": lambda data: data[:-5000],
    "a header that forbids writing": lambda data: data[:18] + b"\x03" + data[19:],
    "a page overwritten": lambda data: data[:8192] + b"\xff" * 4096 + data[12288:],
}


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        ("a text", ["reindex"]),
        ("a header that forbids writing", ["reindex"]),
        ("cut off", ["build", "doushouqi", "--pieces", "2"]),
        ("a page overwritten", ["prune", "--yes"]),
    ],
    ids=lambda value: value if isinstance(value, str) else value[0],
)
def test_a_file_that_cannot_be_opened_is_set_aside(damage: str, words: list[str], copied: Path, ask: Ask) -> None:
    """It is renamed, never over an earlier one, and a new catalog says the same as the old one did."""
    sound, path = snapshot(copied), copied / FILE_NAME
    for ending in (".damaged", ".damaged.2"):
        data = DAMAGED[damage](path.read_bytes())
        path.write_bytes(data)
        assert_refused(ask("stats", "doushouqi", "--data", copied), 2, f"run 'tablebase reindex --data {copied}'")
        answer = ask(*words, "--data", copied)
        assert answer.code == 0
        assert f"{path}{ending}" in answer.err
        assert (copied / f"{FILE_NAME}{ending}").read_bytes() == data
        assert snapshot(copied) == sound
    assert ask(*words, "--data", copied).code == 0
    assert len(list(copied.glob(f"{FILE_NAME}*"))) == 3


FIRST = Path(__file__).parents[1] / "data" / "version-1"


@pytest.mark.parametrize(
    "words",
    [
        ["build", "hexapawn", "--pieces", "3"],
        ["prune", "--yes"],
        ["patterns", "hexapawn", "--material", "PvPP", "--depth", "0"],
        ["batch", "{}/work.toml"],
        ["merge", "{}/other"],
    ],
    ids=lambda words: words[0],
)
def test_the_catalog_of_the_first_version(words: list[str], first: Path, tmp_path: Path, ask: Ask) -> None:
    """What writes rebuilds the catalog and says so, once, in one line before all else."""
    other = Path(shutil.copytree(FIRST, tmp_path / "other"))
    (other / FILE_NAME).unlink()
    assert ask("reindex", "--data", other).code == 0
    for times in (1, 0):
        answer = ask(*(word.format(tmp_path) for word in words), "--data", first)
        assert answer.code == 0
        assert answer.err.count("created by an earlier version") == times
        assert answer.err.startswith(f"{first / FILE_NAME} was created") == bool(times)
    assert snapshot(first) == snapshot(other)


@pytest.fixture
def first(tmp_path: Path) -> Path:
    """Tables with a catalog of the first version, and a batch file."""
    (tmp_path / "work.toml").write_text('[[build]]\ngame = "hexapawn"\npieces = "3"\n')
    return Path(shutil.copytree(FIRST, tmp_path / "first"))


@on_both
def test_what_is_left_out_is_said(copied: Path, ask: Ask) -> None:
    """Rows whose files are elsewhere, files that are damaged, and those of games that are not installed."""
    table_of(copied, "RvC").unlink()
    flip(table_of(copied, "CvW"), 3000)
    shutil.copytree(copied / "doushouqi" / "2", copied / "go" / "2")
    change(copied, "UPDATE solutions SET wins = wins + 1 WHERE id = 3")
    answer = ask("prune", "--yes", "--data", copied)
    assert answer.code == 0
    line = answer.err.splitlines()[0]
    for said in ("rebuilt from 8 table files", "doushouqi/2/RvC.h5 is not in the folder", "doushouqi/2/CvW.h5 ", "go/2/"):
        assert said in line
    assert len({row["stored_as"] for row in rows(copied, "SELECT stored_as FROM slice_counts")}) == 8


def catalog_file(folder: Path) -> bytes | None:
    return (folder / FILE_NAME).read_bytes() if (folder / FILE_NAME).exists() else None


@on_both
@pytest.mark.parametrize(
    ("number", "error", "code"),
    [
        (0, OSError(errno.ENOSPC, "No space left on device"), 3),
        (5, CorruptTableError("is torn", Path("RvC.h5")), 1),
        (9, KeyboardInterrupt(), 130),
    ],
    ids=["OSError", "CorruptTableError", "KeyboardInterrupt"],
)
def test_a_failure_half_way_changes_nothing(
    number: int, error: BaseException, code: int, copied: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = catalog_file(copied), everything(copied)
    enter, entered = reindex.enter, []

    def fail(*arguments: Any) -> None:
        if len(entered) == number:
            raise error
        entered.append(arguments)
        enter(*arguments)

    monkeypatch.setattr(reindex, "enter", fail)
    assert_refused(ask("reindex", "--data", copied), code)
    assert (catalog_file(copied), everything(copied)) == before
    assert drafts(copied) == []


def test_a_copied_journal_is_not_played_back(copied: Path, tmp_path: Path, ask: Ask) -> None:
    """A catalog that was copied in the middle of a change, with its journal, is read as it was before, and reindexed."""
    before, torn = snapshot(copied), tmp_path / "torn"
    with closing(sqlite3.connect(copied / FILE_NAME, isolation_level=None)) as writer:
        writer.execute("PRAGMA cache_size = 1")
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("UPDATE distances SET placements = 0")
        writer.execute("UPDATE slices SET material = 'none' || id")
        shutil.copytree(copied, torn)
    assert (torn / f"{FILE_NAME}-journal").stat().st_size > 0
    assert (torn / FILE_NAME).read_bytes() != (copied / FILE_NAME).read_bytes()
    assert snapshot(torn) == before
    assert (torn / f"{FILE_NAME}-journal").exists()
    assert ask("reindex", "--data", torn).code == 0
    assert snapshot(torn) == before
    assert not (torn / f"{FILE_NAME}-journal").exists()


GAME = doushouqi()
Patch = pytest.MonkeyPatch
DAMAGES: dict[str, Callable[[Path], object]] = {
    "cut": lambda path: path.write_bytes(path.read_bytes()[:100]),
    "emptied": lambda path: path.write_bytes(b""),
    "a CSV file": lambda path: path.write_text("material,side\nCvC,w\n", encoding="utf-8"),
    "a bit of its codes": lambda path: flip(path, middle_of_codes(path)),
    "longer": lambda path: path.write_bytes(path.read_bytes() + b"\0"),
}


def check_repair(answer: Answer, path: Path, broken: bytes, sound: dict[str, bytes], folder: Path, aside: str = "") -> None:
    """A build has renamed one damaged file, said so in one line, and built the table again."""
    name = aside or f"{path.name}.damaged"
    assert answer.code == 0, answer.err
    assert [str(path) in line for line in answer.err.splitlines() if name in line] == [True]
    assert path.with_name(name).read_bytes() == broken
    assert contents(folder) == sound


@once_on_postgresql("damage", DAMAGES)
def test_a_damaged_table_is_built_again(damage: Callable[[Path], object], copied: Path, two_pieces: Path, ask: Ask) -> None:
    path, before = table_of(copied, "RvE"), snapshot(copied)
    damage(path)
    broken = path.read_bytes()
    answer = ask("build", "doushouqi", "--pieces", "2", "--data", copied)
    check_repair(answer, path, broken, contents(two_pieces), copied)
    assert snapshot(copied) == before
    assert "nothing to do" in ask("build", "doushouqi", "--pieces", "2", "--data", copied).err


def test_no_file_is_overwritten(copied: Path, two_pieces: Path, ask: Ask) -> None:
    """A second damaged file has a name of its own; so has one that is not in the catalog."""
    path, names = table_of(copied, "RvE"), ["RvE.h5.damaged", "RvE.h5.damaged.2", "RvE.h5.damaged.3"]
    for aside in names:
        path.write_bytes(aside.encode())
        if aside.endswith("3"):
            (copied / "catalog.sqlite").unlink()
        answer = ask("build", "doushouqi", "--material", "EvR", "--data", copied)
        check_repair(answer, path, aside.encode(), contents(two_pieces), copied, aside)
    assert [path.with_name(name).read_text() for name in names] == names


def test_a_damaged_table_is_not_counted(copied: Path, ask: Ask, monkeypatch: Patch) -> None:
    """From the moment in which its file is renamed, the catalog does not list it."""
    table_of(copied, "RvE").write_bytes(b"")
    monkeypatch.setattr(slice_work, "solve_material", Mock(side_effect=KeyboardInterrupt))
    ask("build", "doushouqi", "--pieces", "2", "--data", copied)
    assert table_of(copied, "RvE").with_name("RvE.h5.damaged").exists()
    assert len(registered(copied)) == 9
    assert "RvE" not in registered(copied)


def test_large_tables_are_read_where_they_are_used(copied: Path, two_pieces: Path, ask: Ask, monkeypatch: Patch) -> None:
    """Of tables that are too large to read all of them, those that a missing one needs are; the others are said not to be."""
    monkeypatch.setattr(table_plan, "SEALED_BYTES", 0)
    path = table_of(copied, "CvW")
    flip(path, middle_of_codes(path))
    broken = path.read_bytes()
    answer = ask("build", "doushouqi", "--pieces", "2", "--data", copied)
    assert (answer.code, path.read_bytes()) == (0, broken)
    assert "tablebase verify doushouqi" in answer.err
    DAMAGES["longer"](table_of(copied, "RvR"))
    for names, damaged in ((("CvW", "RvR"), {"RvR"}), (("RCvW",), {"CvW"})):
        found = plan_tables(SliceTables(GAME), TableQuery(materials=names), BuildOptions(copied)).examined
        assert {material_name(GAME, one) for one in found.damaged} == damaged
    answer = ask("build", "doushouqi", "--material", "RCvW", "--data", copied)
    assert answer.code == 0
    assert path.with_name("CvW.h5.damaged").read_bytes() == broken
    sound = contents(two_pieces)
    assert {file: data for file, data in contents(copied).items() if file in sound and "RvR" not in file} == {
        file: data for file, data in sound.items() if "RvR" not in file
    }
    assert ask("verify", "doushouqi", "--material", "RCvW", "--data", copied).code == 0


def test_a_disk_that_damages_a_table_twice_ends_the_build(copied: Path, ask: Ask, monkeypatch: Patch) -> None:
    """Building it again and again would not help."""
    path = table_of(copied, "CvW")
    damage_after_look(monkeypatch, make_tables, "examine", lambda: path.write_bytes(b""), look=None)
    assert_refused(ask("build", "doushouqi", "--material", "RCvW", "--data", copied), 1, str(path))


def test_another_file_of_the_same_table(copied: Path, ask: Ask) -> None:
    """A sound file that is not the registered one, such as a packed one, is verified and registered, not renamed."""
    other = copied.with_name("other")
    assert ask("pack", "doushouqi", "--to", other, "--data", copied).code == 0
    path = table_of(copied, "RvE")
    packed = table_of(other, "RvE").read_bytes()
    assert path.read_bytes() != packed
    path.write_bytes(packed)
    answer = ask("build", "doushouqi", "--pieces", "2", "--data", copied)
    assert (answer.code, "damaged" in answer.err) == (0, False)
    assert path.read_bytes() == packed
    with closing(opened(copied)) as catalog:
        assert {one.material: one.bytes for one in catalog.known(GAME).costs}["RvE"] == len(packed)
