"""Second files of a first: links, copies, and what is neither."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from tablebase.errors import CorruptTableError, TablebaseError
from tablebase.tables.folder import link_or_copy


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


def test_a_pipe_is_not_linked(tmp_path: Path) -> None:
    """Nor waited for."""
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(CorruptTableError, match="is not a regular file"):
        link_or_copy(tmp_path / "pipe", tmp_path / "path")
    assert not (tmp_path / "path").exists()


def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    """The source, and not the place of the copy."""
    with pytest.raises(TablebaseError, match=f"^{tmp_path}/source cannot be used"):
        link_or_copy(tmp_path / "source", tmp_path / "path")
