"""Reindexing: the catalog made anew from the files, with what only the old one knew, or left as it was."""

import errno
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from support.catalogs import PATTERNS, SOLVERS, change, everything, forge, rows, snapshot
from support.checks import at_least_one
from support.program import Ask, assert_refused, drafts, flip, table_of
from support.tablebases import on_both

from tablebase.building import reindex
from tablebase.catalog.sqlite import FILE_NAME
from tablebase.errors import CorruptTableError


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
    """Solver, seconds and patterns of a table survive, but not where its rows are damaged."""
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
    """Who built a table is not said of a file that has taken its place."""
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
    other = tmp_path / "other"
    shutil.copytree(FIRST, other)
    (other / FILE_NAME).unlink()
    assert ask("reindex", "--data", other).code == 0
    for times in (1, 0):
        answer = ask(*(word.format(tmp_path) for word in words), "--data", first)
        assert answer.code == 0
        assert answer.err.count("made by an earlier version") == times
        assert answer.err.startswith(f"{first / FILE_NAME} was made") == bool(times)
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
    """The bytes of the catalog, if it is a file."""
    return (folder / FILE_NAME).read_bytes() if (folder / FILE_NAME).exists() else None


@on_both
@pytest.mark.parametrize(
    ("number", "fault", "code"),
    [
        (0, OSError(errno.ENOSPC, "No space left on device"), 3),
        (5, CorruptTableError("is torn", Path("RvC.h5")), 1),
        (9, KeyboardInterrupt(), 130),
    ],
    ids=["OSError", "CorruptTableError", "KeyboardInterrupt"],
)
def test_a_failure_half_way_changes_nothing(
    number: int, fault: BaseException, code: int, copied: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After so many tables: the old catalog has the same rows, a file the same bytes, and nothing is left beside it."""
    before = catalog_file(copied), everything(copied)
    enter, entered = reindex.enter, []

    def fail(*arguments: Any) -> None:
        if len(entered) == number:
            raise fault
        entered.append(arguments)
        enter(*arguments)

    monkeypatch.setattr(reindex, "enter", fail)
    assert_refused(ask("reindex", "--data", copied), code)
    assert (catalog_file(copied), everything(copied)) == before
    assert drafts(copied) == []


@on_both
def test_reindex_names_a_damaged_file(copied: Path, ask: Ask) -> None:
    """A damaged table is not entered; the error names its file, and the old catalog is as it was."""
    before, path = snapshot(copied), table_of(copied, "RvT")
    flip(path, 3000)
    assert_refused(ask("reindex", "--data", copied), 1, str(path))
    assert snapshot(copied) == before


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
