"""What keeps a finished table through a power cut, and readers of the catalog apart from its writer."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from tablebase.catalog.sqlite import FILE_NAME
from tablebase.files.outputs import publish
from tablebase.slices.indexing import layout_of
from tablebase.slices.location import sides_stored
from tablebase.slices.material import parse_material
from tablebase.tables.folder import table_path
from tablebase.tables.values import NARROW
from tablebase.tables.writer import write_draft
from tablebase_rules.doushouqi import game as doushouqi

GAME = doushouqi()


def test_a_table_is_on_the_disk_before_it_has_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """First the draft's bytes are synced, then it is renamed, then the folder is synced; nothing is written after that."""
    material = parse_material(GAME, "CvW")
    path = table_path(tmp_path, GAME, material)
    events: list[tuple[str, str]] = []
    fsync, replace = os.fsync, os.replace

    def synced(handle: int) -> None:
        events.append(("sync", os.readlink(f"/proc/self/fd/{handle}")))
        fsync(handle)

    def renamed(source: Path, target: Path) -> None:
        events.append(("rename", str(target)))
        contents.append(Path(source).read_bytes())
        replace(source, target)

    contents: list[bytes] = []
    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", renamed)
    codes = [np.zeros(layout_of(GAME, material).size, dtype=NARROW.dtype) for _ in sides_stored(GAME, material)]
    draft = write_draft(path, GAME, material, codes, NARROW)
    assert events == [("sync", str(draft))]
    publish(draft, path)
    assert events[1:] == [("rename", str(path)), ("sync", str(path.parent))]
    assert contents == [path.read_bytes()]


def test_the_draft_is_whole_when_it_is_synced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The seal is in the file when the disk is waited for, and the file does not change afterwards."""
    material = parse_material(GAME, "CvW")
    seen: list[bytes] = []
    monkeypatch.setattr(os, "fsync", lambda handle: seen.append(Path(f"/proc/self/fd/{handle}").read_bytes()))
    codes = [np.zeros(layout_of(GAME, material).size, dtype=NARROW.dtype) for _ in sides_stored(GAME, material)]
    draft = write_draft(table_path(tmp_path, GAME, material), GAME, material, codes, NARROW)
    assert seen == [draft.read_bytes()]
    assert seen[0].startswith(b"tablebase 1 doushouqi CvW sha256=")


def test_the_catalog_is_one_file(two_pieces: Path) -> None:
    """Once it is closed, nothing that it needs is beside it, so that it can be copied, and read where nothing can be written."""
    assert [path.name for path in two_pieces.glob(f"{FILE_NAME}*")] == [FILE_NAME]
    with closing(sqlite3.connect(two_pieces / FILE_NAME)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)
