"""Pruning: what is listed, what is removed, what is never touched, and who is asked."""

import shutil
import sys
from io import StringIO
from pathlib import Path

import pytest
from support.catalogs import forge, forget, rows, snapshot
from support.program import Answer, Ask, assert_refused, contents, drafts, make_old, table_of
from support.tablebases import on_both

from tablebase.catalog.sqlite import FILE_NAME

OLD, UNREGISTERED, BROKEN = "built with different rules", "not in the catalog", "damaged and not in the catalog"
DRAFT = "left by an interrupted command"


@pytest.fixture
def littered(copied: Path) -> Path:
    """A tablebase with some of everything that may go, and with much that may not."""
    make_old(table_of(copied, "CvW"))
    forge(
        copied,
        "UPDATE tables SET rules_digest = 'other' WHERE material IN ('CvW', 'TvT', 'TvE')",
        "UPDATE tables SET material = 'gone', file = 'doushouqi/2/gone.h5' WHERE material = 'TvT'",
    )
    forget(copied, "doushouqi/2/RvC.h5", "doushouqi/2/RvE.h5")
    table_of(copied, "RvE").write_bytes(table_of(copied, "RvE").read_bytes()[:600] + b"torn")
    (copied / "doushouqi" / "2" / ".RvL.h5.4711.tmp").write_bytes(b"half a table")
    return copied


EXPECTED = {
    "doushouqi/2/.RvL.h5.4711.tmp": DRAFT,
    "doushouqi/2/CvW.h5": OLD,
    "doushouqi/2/TvE.h5": UNREGISTERED,
    "doushouqi/2/RvC.h5": UNREGISTERED,
    "doushouqi/2/RvE.h5": BROKEN,
    "doushouqi/2/TvT.h5": UNREGISTERED,
    "doushouqi/2/gone.h5": OLD,
}


def add_others(folder: Path) -> dict[Path, bytes]:
    """Files that are not the program's, or belong to a game that is not installed; what they hold."""
    others = {
        "notes.txt": b"mine",
        "doushouqi/notes.h5": b"mine",
        "doushouqi/2/notes.h5": b"mine",
        "doushouqi/2/CvL.h5": b"tablebase 1 doushouqi CvT sha256=0123",
        "doushouqi/2/.hidden.tmp": b"mine",
        "doushouqi/2/.RvC.h5.tmp": b"mine",
        "doushouqi/2/RvC.h5.bak": b"mine",
        "doushouqi/mine/RvC.h5": b"tablebase 1 doushouqi RvC sha256=0123",
        "chess/2/KvK.h5": b"tablebase 1 chess KvK sha256=0123",
        f"{FILE_NAME}.bak": b"mine",
    }
    for name, content in others.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    elsewhere = Path(shutil.copy(table_of(folder, "RvC"), folder.with_name("elsewhere.h5")))
    table_of(folder, "DvP").symlink_to(elsewhere)
    return {folder / name: content for name, content in others.items()}


@on_both
def test_all_is_listed_with_its_size_and_reason(littered: Path, ask: Ask) -> None:
    """Tables of old rules, drafts, and tables that the catalog does not list; without a terminal nothing is removed."""
    add_others(littered)
    before = contents(littered), snapshot(littered)
    answer = ask("prune", "--format", "json", "--data", littered)
    assert {row["file"]: row["reason"] for row in answer.json} == EXPECTED
    sizes = {row["file"]: row["bytes"] for row in answer.json}
    assert sizes.pop("doushouqi/2/gone.h5") == 0
    assert sizes == {name: (littered / name).stat().st_size for name in sizes}
    assert_refused(answer, 2, "run the command again with --yes")
    assert (contents(littered), snapshot(littered)) == before


@on_both
def test_what_is_listed_is_removed_and_nothing_else(littered: Path, ask: Ask) -> None:
    others = add_others(littered)
    kept = {name: data for name, data in contents(littered).items() if name not in EXPECTED}
    answer = ask("prune", "--yes", "--data", littered)
    assert answer.code == 0
    assert f"removed from {littered}: {len(EXPECTED)} files" in answer.err
    assert contents(littered) == kept
    assert {path: path.read_bytes() for path in others} == others
    assert table_of(littered, "DvP").is_symlink()
    registered = {row["file"] for row in rows(littered, "SELECT file FROM tables")}
    assert registered == {f"doushouqi/2/{name}.h5" for name in ("CvC", "CvT", "RvR", "RvT", "TvL")}
    assert ask("prune", "--yes", "--data", littered).err == f"nothing to remove in {littered}\n"
    assert ask("build", "doushouqi", "--pieces", "2", "--data", littered).code == 0
    assert ask("verify", "doushouqi", "--data", littered).code == 0


@on_both
def test_a_sound_tablebase_has_nothing_to_remove(hexapawns: Path, copied: Path, ask: Ask) -> None:
    """Of several games, too; and a game of which nothing is left is no longer listed."""
    shutil.copytree(hexapawns / "hexapawn", copied / "hexapawn")
    assert ask("reindex", "--data", copied).code == 0
    before = contents(copied)
    assert ask("prune", "--yes", "--data", copied) == Answer(0, "", f"nothing to remove in {copied}\n")
    assert contents(copied) == before
    forge(copied, "UPDATE tables SET rules_digest = 'other' WHERE game = 'hexapawn'")
    assert ask("prune", "--yes", "--data", copied).code == 0
    assert rows(copied, "SELECT name FROM games") == [{"name": "doushouqi"}]
    assert set(contents(copied)) == {name for name in before if name.startswith("doushouqi/")}


@pytest.mark.parametrize(("reply", "left"), [("y", 0), ("Yes", 0), ("n", 1), ("", 1), ("yesterday", 1)])
def test_a_terminal_is_asked(reply: str, left: int, copied: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    (copied / "doushouqi" / "2" / ".RvL.h5.4711.tmp").write_bytes(b"half a table")
    monkeypatch.setattr(sys, "stdin", StringIO(f"{reply}\n"))
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    answer = ask("prune", "--data", copied)
    assert answer.code == 0
    assert "remove 1 files, 12 bytes? [y/N] " in answer.err
    assert len(drafts(copied)) == left
    assert ("nothing was removed" in answer.err) == bool(left)


@pytest.mark.parametrize("place", [".", "nowhere"], ids=["no catalog", "no folder"])
def test_without_a_catalog_nothing_is_removed(place: str, littered: Path, ask: Ask) -> None:
    """Without it no file can be said to be needed or not."""
    (littered / FILE_NAME).unlink()
    before = contents(littered), drafts(littered)
    assert_refused(ask("prune", "--yes", "--data", littered / place), 2)
    assert (contents(littered), drafts(littered)) == before
    assert not (littered / "nowhere").exists()


def test_a_broken_catalog_is_rebuilt_first(littered: Path, ask: Ask) -> None:
    """Tables that can be used are then in the catalog, and stay; what is broken, or of other rules, goes."""
    (littered / FILE_NAME).write_bytes((littered / FILE_NAME).read_bytes()[:-5000])
    usable = {name: data for name, data in contents(littered).items() if Path(name).stem not in ("CvW", "RvE")}
    assert ask("prune", "--yes", "--data", littered).code == 0
    assert contents(littered) == usable
    assert {row["file"] for row in rows(littered, "SELECT file FROM tables")} == set(usable)
