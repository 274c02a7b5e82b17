"""The file of a checkpoint: whole or not used, on the disk before it replaces another, and never a reason to fail."""

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.checks import at_least_one
from support.program import flip

from tablebase.errors import CorruptTableError
from tablebase.tables import checkpoints
from tablebase.tables.checkpoints import INTERVAL, SavedArrays, TableCheckpoint, discard, remove_drafts

NUMBERS = {"level": 3, "fresh": [1, 2]}
NAME, LOG = ".RvC.h5.checkpoint", ".RvC.h5.checkpoint-log"


def some_arrays() -> list[Any]:
    return [np.arange(24, dtype=np.uint8).reshape(2, 12), np.arange(5, dtype=np.int64) - 2, np.array([7], dtype=np.uint16)]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return tmp_path / "doushouqi" / "2" / "RvC.h5"


@pytest.fixture
def checkpoint(table: Path) -> TableCheckpoint:
    made = TableCheckpoint(table, "rules", "children")
    made.save(NUMBERS, some_arrays())
    return made


def names(checkpoint: TableCheckpoint) -> list[str]:
    return sorted(path.name for path in checkpoint.path.parent.iterdir())


def assert_loads(checkpoint: TableCheckpoint, numbers: dict[str, Any], arrays: list[Any]) -> None:
    saved = checkpoint.load()
    assert isinstance(saved, SavedArrays)
    assert saved.numbers == numbers
    filled = [np.full_like(array, 99) for array in arrays]
    saved.fill(filled)
    for one, other in zip(filled, arrays, strict=True):
        assert np.array_equal(one, other)


def test_what_was_saved_comes_back(checkpoint: TableCheckpoint) -> None:
    assert names(checkpoint) == [NAME]
    assert_loads(checkpoint, NUMBERS, some_arrays())
    other = [array + 1 for array in some_arrays()]
    checkpoint.save({"level": 4}, other)
    assert names(checkpoint) == [NAME]
    assert_loads(checkpoint, {"level": 4}, other)


def test_arrays_are_written_in_blocks(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for block in (1, 7, 8, 24):
        monkeypatch.setattr(checkpoints, "BLOCK", block)
        made = TableCheckpoint(table, str(block))
        made.save(NUMBERS, some_arrays())
        assert_loads(made, NUMBERS, some_arrays())


def test_only_the_same_work_goes_on(table: Path, checkpoint: TableCheckpoint) -> None:
    assert not TableCheckpoint(table.with_name("RvE.h5"), "rules", "children").exists()
    assert TableCheckpoint(table, "rules").of("children").exists()
    assert_loads(TableCheckpoint(table, "rules").of("children"), NUMBERS, some_arrays())
    others = [("rules",), ("other rules", "children"), ("rules", "other children"), ("rules", "children", ""), ("ruleschildren",)]
    for identity in others:
        assert TableCheckpoint(table, *identity).load() is None
        assert not TableCheckpoint(table, *identity).exists()
    assert checkpoint.load() is not None


def test_a_damaged_file_is_not_used(checkpoint: TableCheckpoint) -> None:
    data = checkpoint.path.read_bytes()
    for place in at_least_one(range(len(data))):
        flip(checkpoint.path, place)
        assert checkpoint.load() is None, place
        checkpoint.path.write_bytes(data[:place])
        assert checkpoint.load() is None, place
        checkpoint.path.write_bytes(data)
    checkpoint.path.write_bytes(data + b"\0")
    assert checkpoint.load() is None
    checkpoint.path.write_bytes(data)
    assert_loads(checkpoint, NUMBERS, some_arrays())


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo])
def test_what_is_no_file_is_not_used(make: Callable[[Path], None], checkpoint: TableCheckpoint) -> None:
    checkpoint.path.unlink()
    make(checkpoint.path)
    assert checkpoint.load() is None
    discard(checkpoint.path.with_name("RvC.h5"))


def test_a_file_that_shrinks_meanwhile_is_an_error(checkpoint: TableCheckpoint) -> None:
    """Arrays that were not read are never taken for read."""
    saved = checkpoint.load()
    assert saved is not None
    os.truncate(checkpoint.path, saved.begin + 20)
    with pytest.raises(CorruptTableError, match="changed while it was being read"):
        saved.fill(some_arrays())


def test_it_is_due_once_an_interval(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # It leaves six minutes for the distance in progress: at most ten are lost.
    assert 0 < INTERVAL + 360 <= 600
    clock = {"now": 0.0}
    monkeypatch.setattr(checkpoints.time, "monotonic", lambda: clock["now"])
    checkpoint = TableCheckpoint(table, "rules")

    def due(now: float) -> bool:
        clock["now"] = now
        return checkpoint.due()

    assert [due(now) for now in (0, INTERVAL - 1, INTERVAL, INTERVAL + 1)] == [False, False, True, False]
    clock["now"] = INTERVAL + 50
    checkpoint.save(NUMBERS, some_arrays())
    assert [due(now) for now in (2 * INTERVAL + 49, 2 * INTERVAL + 50)] == [False, True]


def test_without_room_all_stays_as_it_was(checkpoint: TableCheckpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes twice the size of the arrays, so that as much is left as was taken; one byte less is too little."""
    arrays = [np.full(1000, 5, dtype=np.uint8)]
    monkeypatch.setattr(checkpoints, "free_space", lambda _: 1999)
    checkpoint.save({}, arrays)
    assert_loads(checkpoint, NUMBERS, some_arrays())
    monkeypatch.setattr(checkpoints, "free_space", lambda _: 2000)
    checkpoint.save({}, arrays)
    assert_loads(checkpoint, {}, arrays)
    assert names(checkpoint) == [NAME]


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_failure_leaves_nothing_behind(step: str, checkpoint: TableCheckpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither does an interruption, which goes on."""

    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(os, step, fail)
    error: BaseException = OSError(errno.EIO, os.strerror(errno.EIO))
    checkpoint.save({}, some_arrays())
    error = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        checkpoint.save({}, some_arrays())
    assert names(checkpoint) == [NAME]
    assert_loads(checkpoint, NUMBERS, some_arrays())


def test_it_is_on_the_disk_before_it_replaces_another(checkpoint: TableCheckpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is synced first is the whole file, then it is renamed, then the folder is synced."""
    events: list[str] = []
    fsync, replace = os.fsync, os.replace
    seen = []

    def synced(handle: int) -> None:
        path = Path(os.readlink(f"/proc/self/fd/{handle}"))
        events.append("folder" if path.is_dir() else "file")
        seen.extend([path.read_bytes()] if path.is_file() else [])
        fsync(handle)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", lambda *paths: (events.append("rename"), replace(*paths)))
    checkpoint.save({}, some_arrays())
    assert events == ["file", "rename", "folder"]
    assert seen == [checkpoint.path.read_bytes()]


def test_only_those_of_finished_tables_are_discarded(checkpoint: TableCheckpoint, table: Path) -> None:
    """That of a missing table stays, and so do files of other programs."""
    checkpoint.log.write_bytes(b"entries")
    finished = TableCheckpoint(table.with_name("RvE.h5"), "rules")
    finished.save(NUMBERS, some_arrays())
    table.with_name("RvE.h5").write_bytes(b"a table")
    table.with_name("notes").write_bytes(b"mine")
    table.with_name(".notes.checkpoint").write_bytes(b"mine")
    table.with_name(".RvE.h5.checkpoints").write_bytes(b"mine")
    others = {"notes", ".notes.checkpoint", ".RvE.h5.checkpoints", "RvE.h5"}
    assert set(names(checkpoint)) == {NAME, LOG, finished.path.name, *others}
    remove_drafts(table.parent.parent)
    assert set(names(checkpoint)) == {NAME, LOG, *others}
