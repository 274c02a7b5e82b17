"""Checkpoints: how far a solver has come with a table, in a hidden file beside the place of that table.

A file has a line with a CRC-32 of all that follows, a line of JSON, and the bytes of arrays one after another. A checksum that is
quick to compute is enough, because the table that comes of it is checked position by position like any other.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import sys
import time
import zlib
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from numpy.typing import NDArray

from tablebase.errors import CorruptTableError
from tablebase.system.files.outputs import DRAFT_SUFFIX, draft_of, publish
from tablebase.tables.folder import SUFFIX, free_space, reading

INTERVAL = 240.0
"""Seconds between two checkpoints of a table. At most ten minutes are lost if a distance, or writing and checking, takes six."""
CHECKPOINT_SUFFIX = ".checkpoint"
LOG_SUFFIX = ".checkpoint-log"
ROOM = 2
"""Times its size that must be free for a checkpoint, so that it leaves room for the table."""
BLOCK = 1 << 24
"""Bytes at a time."""
LONGEST = 1 << 26
"""The longest line of JSON that is read."""
HINT = "delete the file to start the table again, or use another folder"
"""For a checkpoint that cannot be read now, and may be hours of work."""
_FIRST = "tablebase checkpoint crc32={:08x}\n"

Array = NDArray[Any]


class TableCheckpoint:
    """The checkpoint of a table: how far the work on it has come."""

    def __init__(self, table: Path | None, *identity: str) -> None:
        """Of the table that will be there; its identity is all that the work depends on: rules, material, values of others.

        Without a table, nothing is kept.
        """
        self._table, self._keeps = table or Path(), table is not None
        self._identity = identity
        self._next = time.monotonic() + INTERVAL if table else math.inf

    @property
    def path(self) -> Path:
        """The file."""
        return _hidden(self._table, CHECKPOINT_SUFFIX)

    @property
    def log(self) -> Path:
        """A file for what only grows."""
        return _hidden(self._table, LOG_SUFFIX)

    @property
    def key(self) -> str:
        """A digest of the identity."""
        return hashlib.sha256("\0".join((*self._identity, sys.byteorder)).encode()).hexdigest()

    def of(self, *identity: str) -> TableCheckpoint:
        """A checkpoint in the same place that only resumes work of this identity as well."""
        return TableCheckpoint(self._table if self._keeps else None, *self._identity, *identity)

    def exists(self) -> bool:
        """Return whether work of this identity has been saved, damaged or not."""
        return self._saved() is not None

    def load(self) -> SavedArrays | None:
        """Load the saved arrays; None if there are none, they belong to other work, or are damaged."""
        saved = self._saved()
        return saved if saved is not None and saved.is_whole() else None

    def _saved(self) -> SavedArrays | None:
        saved = _read(self.path) if self._keeps else None
        return saved if saved is not None and saved.key == self.key else None

    def due(self) -> bool:
        """Return whether the interval has passed; if so, the next one begins."""
        now = time.monotonic()
        if now < self._next:
            return False
        self._next = now + INTERVAL
        return True

    def save(self, numbers: dict[str, Any], arrays: Sequence[Array]) -> None:
        """Replace what was saved; without room for it, or if it cannot be written, all stays as it was.

        `numbers` is all that JSON can hold, and each array is in one piece.
        """
        with suppress(OSError):
            self._save(numbers, [array.data.cast("B") for array in arrays])
        self._next = time.monotonic() + INTERVAL

    def _save(self, numbers: dict[str, Any], arrays: list[memoryview]) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if free_space(self.path.parent) < ROOM * sum(map(len, arrays)):
            return
        # It has the name of a draft, so that it is removed as one.
        draft = draft_of(self._table)
        line = json.dumps({"key": self.key, "numbers": numbers}).encode() + b"\n"
        try:
            with draft.open("wb") as file:
                _write(file, [memoryview(line), *arrays])
            publish(draft, self.path)
        finally:
            draft.unlink(missing_ok=True)


NO_CHECKPOINT = TableCheckpoint(None)


class SavedArrays(NamedTuple):
    """The file of a checkpoint."""

    path: Path
    crc: int
    key: str
    numbers: dict[str, Any]
    begin: int  # of the arrays, in bytes

    def is_whole(self) -> bool:
        """Return whether every byte is as it was written."""
        crc = 0
        with reading(self.path, HINT) as file:
            file.seek(len(_FIRST.format(0)))
            while block := file.read(BLOCK):
                crc = zlib.crc32(block, crc)
        return crc == self.crc

    def fill(self, arrays: Sequence[Array]) -> None:
        """Overwrite arrays with those that were saved, which have the same types and sizes."""
        with reading(self.path, HINT) as file:
            file.seek(self.begin)
            for array in arrays:
                if file.readinto(array.data.cast("B")) != array.nbytes:
                    raise CorruptTableError("changed while it was being read", self.path)


def discard(table: Path) -> None:
    """Remove the checkpoint of a table, if there is one."""
    for suffix in (CHECKPOINT_SUFFIX, LOG_SUFFIX):
        with suppress(OSError):
            _hidden(table, suffix).unlink(missing_ok=True)


def remove_drafts(folder: Path) -> None:
    """Delete what work has left behind in the folder of a game, except the checkpoints of tables that are still missing."""
    for path in folder.glob(f"*/.*{CHECKPOINT_SUFFIX}*"):
        table = path.with_name(path.stem[1:])
        if path.suffix in (CHECKPOINT_SUFFIX, LOG_SUFFIX) and table.suffix == SUFFIX and table.exists():
            discard(table)
    for draft in folder.glob(f"*/.*{DRAFT_SUFFIX}"):
        draft.unlink(missing_ok=True)


def _hidden(table: Path, suffix: str) -> Path:
    return table.with_name(f".{table.name}{suffix}")


def _write(file: BinaryIO, parts: list[memoryview]) -> None:
    """Write all parts behind their checksum, and sync the file."""
    crc = 0
    file.write(_FIRST.format(0).encode())
    for part in parts:
        for begin in range(0, len(part), BLOCK):
            block = part[begin : begin + BLOCK]
            crc = zlib.crc32(block, crc)
            file.write(block)
    file.seek(0)
    file.write(_FIRST.format(crc).encode())
    file.flush()
    os.fsync(file.fileno())


def _read(path: Path) -> SavedArrays | None:
    """A checkpoint without its arrays; None if there is none, or the file is none."""
    if not path.exists():
        return None
    try:
        with reading(path, HINT) as file:
            first = file.read(len(_FIRST.format(0)))
            line = json.loads(file.readline(LONGEST))
            saved = SavedArrays(path, int(first[-9:], 16), line["key"], line["numbers"], file.tell())
            return saved if first == _FIRST.format(saved.crc).encode() else None
    except (ValueError, LookupError, TypeError, CorruptTableError):
        return None
