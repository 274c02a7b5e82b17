"""Making a second file of a first: a hard link where possible, and otherwise a copy."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path

from tablebase.errors import system_error
from tablebase.tables.format import open_file

BLOCK = 1 << 20
"""Bytes that are copied at a time."""


def on_one_file_system(one: Path, other: Path) -> bool:
    """Whether two folders are on the same file system, so that hard links may be possible."""
    return one.stat().st_dev == other.stat().st_dev


def link_or_copy(source: Path, path: Path) -> bool:
    """Make a regular file the same as another one, and return whether both are now the same one; a copy is synced to disk."""
    try:
        descriptor = open_file(source)
    except OSError as fault:
        raise system_error(fault, source, "copy it yourself") from fault
    with os.fdopen(descriptor, "rb") as file:
        path.unlink(missing_ok=True)
        # Another file system, one without hard links, or a file of somebody else.
        with suppress(OSError):
            os.link(source.resolve(), path)
            return True
        with path.open("xb") as copy:
            shutil.copyfileobj(file, copy, BLOCK)
            copy.flush()
            os.fsync(copy.fileno())
    return False
