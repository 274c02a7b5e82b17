"""What the system says of a file is no damage: only the content is; and what keeps a finished table through a power cut."""

import errno
import fcntl
import hashlib
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, cast
from unittest.mock import Mock

import numpy as np
import pytest
from support.program import Ask, assert_refused, contents, drafts, middle_of_codes, table_of
from support.tablebases import built_by
from zstandard import ZstdError

from tablebase.building.kind import table_kind
from tablebase.catalog.sqlite import FILE_NAME
from tablebase.errors import CapacityError, CorruptTableError, TablebaseError, UnusableFileError
from tablebase.functions.exact.files import ExactFile, exact_path
from tablebase.game import load_game
from tablebase.game.functions import FunctionGame
from tablebase.game.installed import load_rules
from tablebase.positions.indexing import layout_of
from tablebase.positions.location import sides_stored
from tablebase.positions.material import parse_material
from tablebase.system.files.outputs import publish
from tablebase.tables.checkpoints import TableCheckpoint
from tablebase.tables.folder import link_or_copy, table_path
from tablebase.tables.reader import RawFile, Table, read_error
from tablebase.tables.values import NARROW
from tablebase.tables.writer import write_draft

GAME = load_game("doushouqi")
NUMBERS = (errno.EACCES, errno.EAGAIN, errno.EINTR, errno.EIO, errno.EMFILE, errno.ENOLCK, errno.ENOMEM, errno.ESTALE)
HOLDER = "import h5py, sys; file = h5py.File(*sys.argv[1:]); print('held', flush=True); sys.stdin.read()"
POSITION = "7/7/7/7/3c3/7/7/R6/7 w"


@contextmanager
def held(path: Path, how: str) -> Iterator[None]:
    words = [sys.executable, "-c", HOLDER, str(path), how]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        try:
            yield
        finally:
            process.communicate("")


def test_a_locked_table_is_read(copied: Path, ask: Ask) -> None:
    before, path = contents(copied), table_of(copied, "RvC")
    with path.open() as backup:
        fcntl.flock(backup, fcntl.LOCK_EX)
        for words in (["probe", "doushouqi", POSITION], ["build", "doushouqi", "--pieces", "2"], ["verify", "doushouqi"]):
            answer = ask(*words, "--data", copied)
            assert answer.code == 0, answer.err
    assert (contents(copied), drafts(copied)) == (before, [])


def test_a_table_that_another_program_may_change_is_not_renamed(copied: Path, ask: Ask) -> None:
    """While HDF5 has it open for changes, a mark in its header makes it another file; afterwards it is as it was."""
    before, path = contents(copied), table_of(copied, "RvC")
    with held(path, "r+"):
        assert contents(copied) != before
        assert ask("probe", "doushouqi", POSITION, "--data", copied).code == 0
        assert_refused(ask("build", "doushouqi", "--pieces", "2", "--data", copied), 2, str(path), "locked by another program")
        answer = ask("verify", "doushouqi", "--data", copied)
        assert "locked by another program" in answer.err
        assert "delete" not in answer.err
    assert (contents(copied), drafts(copied)) == (before, [])
    assert "nothing to do" in ask("build", "doushouqi", "--pieces", "2", "--data", copied).err


@pytest.mark.parametrize("build", [["build", "noughts"], ["build", "pig-die=2-target=2"]], ids=["exact", "layers"])
def test_nor_are_files_of_other_sorts(build: list[str], tmp_path: Path, ask: Ask) -> None:
    """A build ends in one sentence while another program may change its file."""
    ask(*build, "--data", tmp_path)
    before = contents(tmp_path)
    with held(tmp_path / next(iter(before)), "r+"):
        assert_refused(ask(*build, "--data", tmp_path), 2, "locked by another program")
    assert (contents(tmp_path), drafts(tmp_path)) == (before, [])


def refuse_opening(patch: pytest.MonkeyPatch, error: OSError) -> None:
    opens, refuses = os.open, Mock(side_effect=error)
    patch.setattr(os, "open", lambda path, *more, **named: (refuses if str(path).endswith(".h5") else opens)(path, *more, **named))


REFUSALS: dict[str, Callable[[pytest.MonkeyPatch, OSError], None]] = {
    "opening": refuse_opening,
    "reading": lambda patch, error: patch.setattr(os, "pread", Mock(side_effect=error)),
    "hashing": lambda patch, error: patch.setattr(hashlib, "file_digest", Mock(side_effect=error)),
}


@pytest.mark.parametrize(("number", "code"), [(errno.EIO, 2), (errno.ENOMEM, 3)], ids=["EIO", "ENOMEM"])
@pytest.mark.parametrize("refuse", REFUSALS.values(), ids=REFUSALS)
def test_a_build_renames_only_what_is_damaged(
    refuse: Callable[[pytest.MonkeyPatch, OSError], None],
    number: int,
    code: int,
    copied: Path,
    ask: Ask,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It ends with the system's words, whatever these are about."""
    before, words = contents(copied), os.strerror(number)
    with monkeypatch.context() as patch:
        refuse(patch, OSError(number, words))
        answer = ask("build", "doushouqi", "--pieces", "2", "--data", copied)
        assert_refused(answer, code, str(copied / "doushouqi"), words)
    assert (contents(copied), drafts(copied)) == (before, [])


@pytest.mark.parametrize("number", NUMBERS, ids=lambda number: errno.errorcode[number])
def test_what_the_system_says_is_said(number: int, two_pieces: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, kind = table_of(two_pieces, "RvC"), CapacityError if number == errno.ENOMEM else UnusableFileError
    refused = Mock(side_effect=OSError(number, os.strerror(number)))
    with closing(Table(path, GAME, parse_material(GAME, "RvC"))) as table, monkeypatch.context() as patch:
        patch.setattr(os, "pread", refused)
        for read in (lambda: table.chunk(0, 0), lambda: table.read(1), lambda: Table(path, GAME, table.material)):
            with pytest.raises(kind, match=os.strerror(number)) as caught:
                read()
            assert str(path) in str(caught.value)


def read_slices(folder: Path) -> None:
    with closing(Table(table_of(folder, "RvC"), GAME, parse_material(GAME, "RvC"))) as table:
        table.check_values()


def read_layer(folder: Path) -> None:
    (path,) = folder.glob("pig-die=2-target=2/*/*.h5")
    with closing(table_kind(load_rules("pig-die=2-target=2")).opened(path, {"layer": path.stem})) as file:
        file.read()


def read_exact(folder: Path) -> None:
    with closing(ExactFile(exact_path(folder, "noughts"), cast(FunctionGame[Any], load_rules("noughts")))) as file:
        file.read()


one_of_each = built_by("build noughts", "build pig-die=2-target=2", base="two_pieces")


@pytest.mark.parametrize("read", [read_slices, read_layer, read_exact])
def test_each_call_may_fail(read: Callable[[Path], None], one_of_each: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever part of a file the system does not read, HDF5 does not take it for missing or damaged."""
    read_at, calls = RawFile.read_at, 0

    def counted(file: RawFile, size: int, offset: int) -> bytes:
        nonlocal calls
        calls += 1
        if calls == failing:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return read_at(file, size, offset)

    monkeypatch.setattr(RawFile, "read_at", counted)
    failing = 0
    read(one_of_each)
    total, calls = calls, 0
    assert total > 5
    for number in range(1, total + 1):
        failing, calls = number, 0
        with pytest.raises(UnusableFileError, match="Input/output error"):
            read(one_of_each)


@pytest.mark.parametrize(
    "error",
    [
        ZstdError("decompression error: Allocation error : not enough memory"),
        RuntimeError("Unable to get chunk info (memory allocation failed for page buffer)"),
    ],
    ids=["zstandard", "HDF5"],
)
def test_want_of_memory_is_no_damage(error: Exception) -> None:
    """Libraries only say in words that they got no memory."""
    assert isinstance(read_error(Path("RvC.h5"), error), CapacityError)


def test_a_checkpoint_that_cannot_be_read_now_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing begins again, and replaces it, because of an error that may pass."""
    checkpoint = TableCheckpoint(tmp_path / "RvC.h5", "rules")
    checkpoint.save({}, [np.arange(3)])
    saved = checkpoint.load()
    assert saved is not None
    monkeypatch.setattr(os, "open", Mock(side_effect=OSError(errno.EIO, os.strerror(errno.EIO))))
    for load in (checkpoint.load, checkpoint.exists, saved.is_whole, lambda: saved.fill([np.arange(3)])):
        with pytest.raises(UnusableFileError, match=r"checkpoint cannot be used \(Input/output error\): delete the file"):
            load()
    assert checkpoint.path.exists()


def test_no_catalog_is_rebuilt_without_a_table_that_cannot_be_read_now(
    copied: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A damaged table is left out of a new catalog; of another one, nothing is known."""
    damaged = b"no catalog" * 100
    (copied / "catalog.sqlite").write_bytes(damaged)
    monkeypatch.setattr(os, "pread", Mock(side_effect=OSError(errno.EIO, os.strerror(errno.EIO))))
    assert_refused(ask("build", "doushouqi", "--pieces", "2", "--data", copied), 2, "Input/output error")
    assert (copied / "catalog.sqlite").read_bytes() == damaged


def test_a_process_may_end_with_open_tables(copied: Path) -> None:
    """HDF5 closes what is open when the process ends, at which time it can no longer read through Python."""
    path = table_of(copied, "RvC")
    data, middle = bytearray(path.read_bytes()), middle_of_codes(path)
    data[middle : middle + 64] = bytes([255]) * 64
    path.write_bytes(data)
    words = [sys.executable, "-m", "tablebase", "probe", "doushouqi", POSITION, "--data", copied]
    ended = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (ended.returncode, "cannot be read" in ended.stderr) == (1, True)


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


@pytest.mark.parametrize("links", [True, False], ids=["links", "no links"])
def test_a_file_is_linked_or_copied(links: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A copy has been synced to disk; what was in the way, such as a draft of a killed process, is replaced."""
    source, path, synced = tmp_path / "source", tmp_path / "path", []
    source.write_bytes(b"codes")
    path.write_bytes(b"half a copy")
    fsync = os.fsync
    monkeypatch.setattr(os, "fsync", lambda handle: (synced.append(os.fstat(handle).st_ino), fsync(handle)))
    if not links:
        # As between file systems.
        monkeypatch.setattr(os, "link", Mock(side_effect=OSError(errno.EXDEV, "Invalid cross-device link")))
    assert link_or_copy(source, path) is links
    assert path.read_bytes() == b"codes"
    assert path.samefile(source) is links
    assert synced == ([] if links else [path.stat().st_ino])


def test_a_symbolic_link_is_followed(tmp_path: Path) -> None:
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
