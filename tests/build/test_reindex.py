"""Reindexing: the catalog made anew from the files, with what only the old one knew, or left as it was."""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from support.catalogs import change, everything, forge, rows, snapshot
from support.checks import at_least_one
from support.program import Answer, drafts, flip, open_files
from support.tablebases import on_both

from tablebase.build import reindex
from tablebase.build.tables import lock
from tablebase.catalog.sqlite import FILE_NAME
from tablebase.errors import CorruptTableError
from tablebase.slices.material import parse_material
from tablebase.tables.format import table_path
from tablebase_rules.doushouqi import game as doushouqi

GAME = doushouqi()
Ask = Callable[..., Answer]
SOLVERS = "SELECT material, engine, seconds FROM tables ORDER BY material"
PATTERNS = "SELECT material, side, features, gain, positions FROM pattern_gains ORDER BY material, side, id"


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
def test_what_only_the_catalog_knows_is_kept_as_far_as_seals_hold(copied: Path, ask: Ask) -> None:
    """Solver, seconds and patterns of a table survive, but not where its rows were changed, nor patterns that were."""
    assert ask("patterns", "doushouqi", *[f"--material={name}" for name in ("CvW", "RvC", "EvT")], "--data", copied).code == 0
    solvers, patterns = rows(copied, SOLVERS), rows(copied, PATTERNS)
    assert {row["material"] for row in patterns} == {"CvW", "RvC", "EvT"}
    change(
        copied,
        "UPDATE distances SET placements = placements + 1 WHERE outcome = 'win' AND distance = 3 AND solution_id ="
        " (SELECT solution_id FROM slices WHERE material = 'CvW')",
        "UPDATE pattern_gains SET gain = 1 WHERE material = 'EvT'",
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


def test_damaged_pages_lose_only_what_is_on_them(copied: Path, ask: Ask) -> None:
    """Where SQLite cannot read some rows at all, those of other tables are kept."""
    path = copied / FILE_NAME
    with closing(sqlite3.connect(path)) as connection:
        (page,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'solutions'").fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    data = bytearray(path.read_bytes())
    # The last row is the first on its page.
    start = int.from_bytes(data[(page - 1) * size + 5 : (page - 1) * size + 7])
    data[(page - 1) * size + start + 2] = 0x7F
    path.write_bytes(data)
    assert ask("stats", "doushouqi", "--data", copied).code == 1
    assert ask("reindex", "--data", copied).code == 0
    assert sum(row["engine"] is None for row in rows(copied, SOLVERS)) == 1


def catalog_file(folder: Path) -> bytes | None:
    """The bytes of the catalog, if it is a file."""
    return (folder / FILE_NAME).read_bytes() if (folder / FILE_NAME).exists() else None


def interrupted_after(number: int, monkeypatch: pytest.MonkeyPatch, fault: BaseException) -> None:
    """Let `reindex` fail when this many tables have been entered."""
    enter, entered = reindex.enter_known, []

    def fail(*arguments: Any) -> None:
        if len(entered) == number:
            raise fault
        entered.append(arguments)
        enter(*arguments)

    monkeypatch.setattr(reindex, "enter_known", fail)


@on_both
@pytest.mark.parametrize("number", [0, 5, 9])
@pytest.mark.parametrize(
    ("fault", "code"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), 3),
        (CorruptTableError("is torn", Path("RvC.h5")), 1),
        (KeyboardInterrupt(), 130),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_failure_half_way_changes_nothing(
    fault: BaseException, code: int, number: int, copied: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever fails and whenever: the old catalog has the same rows, a file the same bytes, and nothing is left beside it."""
    before = catalog_file(copied), everything(copied)
    interrupted_after(number, monkeypatch, fault)
    answer = ask("reindex", "--data", copied)
    assert (answer.code, len(answer.errors)) == (code, 1)
    assert (catalog_file(copied), everything(copied)) == before
    assert drafts(copied) == []


def test_what_a_killed_reindex_leaves_is_removed(copied: Path, ask: Ask) -> None:
    """An unfinished catalog of an earlier run does no harm."""
    for ending in ("", "-journal"):
        (copied / f".{FILE_NAME}.123.tmp{ending}").write_text("unfinished")
    assert ask("reindex", "--data", copied).code == 0
    assert drafts(copied) == []


@on_both
def test_reindex_waits_for_no_build(copied: Path, ask: Ask) -> None:
    """While a build has the folder, the catalog is not replaced under it."""
    before = everything(copied)
    with lock(copied):
        answer = ask("reindex", "--data", copied)
    assert answer.code == 2
    assert "another build is running" in answer.err
    assert everything(copied) == before


def test_the_new_catalog_is_on_the_disk_before_it_has_its_name(copied: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is renamed when it is complete, and then the folder is synced; a stale journal has gone before."""
    journal = copied / f"{FILE_NAME}-journal"
    journal.write_bytes(b"stale")
    events = []
    replace, fsync = os.replace, os.fsync

    def renamed(source: Path, target: Path) -> None:
        events.append(("rename", Path(target).name, journal.exists()))
        with closing(sqlite3.connect(source)) as connection:
            assert connection.execute("SELECT count(*) FROM tables").fetchone() == (10,)
        replace(source, target)

    def synced(handle: int) -> None:
        events.append(("sync", Path(os.readlink(f"/proc/self/fd/{handle}")).name, journal.exists()))
        fsync(handle)

    monkeypatch.setattr(os, "replace", renamed)
    monkeypatch.setattr(os, "fsync", synced)
    assert ask("reindex", "--data", copied).code == 0
    assert events == [("rename", FILE_NAME, False), ("sync", copied.name, False)]


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc to count open files")
def test_reindex_opens_few_files_at_a_time(copied: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many tables there are, only a few are open at any time."""
    enter, counts = reindex.enter_known, []

    def count(*arguments: Any) -> None:
        counts.append(len([name for name in open_files(copied) if name.endswith(".h5")]))
        enter(*arguments)

    monkeypatch.setattr(reindex, "enter_known", count)
    assert ask("reindex", "--data", copied).code == 0
    assert len(counts) == 10
    assert max(counts) <= 4


@on_both
def test_reindex_names_a_damaged_file(copied: Path, ask: Ask) -> None:
    """A damaged table is not entered; the error names its file, and the old catalog is as it was."""
    before = snapshot(copied)
    path = table_path(copied, GAME, parse_material(GAME, "RvT"))
    flip(path, 3000)
    answer = ask("reindex", "--data", copied)
    assert answer.code == 1
    assert len(answer.errors) == 1
    assert str(path) in answer.err
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
