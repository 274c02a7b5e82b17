"""What keeps a finished table through a power cut, readers of the catalog apart from its writer, and copies whole."""

import errno
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from tablebase.catalog.sqlite import FILE_NAME
from tablebase.errors import CorruptTableError, TablebaseError
from tablebase.files.outputs import publish
from tablebase.slices.indexing import layout_of
from tablebase.slices.location import sides_stored
from tablebase.slices.material import parse_material
from tablebase.tables.folder import link_or_copy, table_path
from tablebase.tables.values import NARROW
from tablebase.tables.writer import write_draft
from tablebase_rules.doushouqi import game as doushouqi

GAME = doushouqi()


def test_a_table_is_on_the_disk_before_it_has_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The draft is synced, sealed and whole, then it is renamed, then the folder is synced; nothing is written after that."""
    material = parse_material(GAME, "CvW")
    path = table_path(tmp_path, GAME, material)
    events: list[tuple[str, str]] = []
    contents: list[bytes] = []
    fsync, replace = os.fsync, os.replace

    def synced(handle: int) -> None:
        place = Path(os.readlink(f"/proc/self/fd/{handle}"))
        events.append(("sync", str(place)))
        contents.extend([place.read_bytes()] if place.is_file() else [])
        fsync(handle)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", lambda *paths: (events.append(("rename", str(paths[1]))), replace(*paths)))
    codes = [np.zeros(layout_of(GAME, material).size, dtype=NARROW.dtype) for _ in sides_stored(GAME, material)]
    draft = write_draft(path, GAME, material, codes, NARROW)
    assert events == [("sync", str(draft))]
    publish(draft, path)
    assert events[1:] == [("rename", str(path)), ("sync", str(path.parent))]
    assert contents == [path.read_bytes()]
    assert contents[0].startswith(b"tablebase 1 doushouqi CvW sha256=")


def test_the_catalog_is_one_file(two_pieces: Path) -> None:
    """Once it is closed, nothing that it needs is beside it, so that it can be copied, and read where nothing can be written."""
    assert [path.name for path in two_pieces.glob(f"{FILE_NAME}*")] == [FILE_NAME]
    with closing(sqlite3.connect(two_pieces / FILE_NAME)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)


def refused(*_: object, **__: object) -> None:
    """As between file systems."""
    raise OSError(errno.EXDEV, "Invalid cross-device link")


@pytest.mark.parametrize("links", [True, False], ids=["links", "no links"])
def test_a_file_is_linked_or_copied(links: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A copy has been synced to disk; what was in the way, such as a draft of a killed process, is replaced."""
    source, path, synced = tmp_path / "source", tmp_path / "path", []
    source.write_bytes(b"codes")
    path.write_bytes(b"half a copy")
    fsync = os.fsync
    monkeypatch.setattr(os, "fsync", lambda handle: (synced.append(os.fstat(handle).st_ino), fsync(handle)))
    if not links:
        monkeypatch.setattr(os, "link", refused)
    assert link_or_copy(source, path) is links
    assert path.read_bytes() == b"codes"
    assert path.samefile(source) is links
    assert synced == ([] if links else [path.stat().st_ino])


def test_a_symbolic_link_is_followed(tmp_path: Path) -> None:
    """What it leads to is linked, not the way there."""
    (tmp_path / "file").write_bytes(b"codes")
    (tmp_path / "link").symlink_to("file")
    assert link_or_copy(tmp_path / "link", tmp_path / "path")
    assert not (tmp_path / "path").is_symlink()
    assert (tmp_path / "path").samefile(tmp_path / "file")


def test_what_cannot_be_linked_is_named(tmp_path: Path) -> None:
    """A pipe is not waited for; of a file that is missing, the source is named, and not the place of the copy."""
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(CorruptTableError, match="is not a regular file"):
        link_or_copy(tmp_path / "pipe", tmp_path / "path")
    assert not (tmp_path / "path").exists()
    with pytest.raises(TablebaseError, match=f"^{tmp_path}/source cannot be used"):
        link_or_copy(tmp_path / "source", tmp_path / "path")
