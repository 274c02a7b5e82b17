"""The folder of a tablebase: whether it is there, whether it can be written to, and a second file of a first in it."""

from __future__ import annotations

import os
import shutil
import time
from contextlib import suppress
from itertools import count
from pathlib import Path
from shutil import disk_usage

from tablebase.errors import TablebaseError, system_error
from tablebase.tables.format import open_file

PATIENCE = 90.0
"""Seconds for which a network file system may remember that a file was missing; usually 60 at most."""
INTERVAL = 0.5
"""Seconds between two looks at a file."""
BLOCK = 1 << 20
"""Bytes that are copied at a time."""


def default_folder() -> Path:
    """The folder of the tables if none is named."""
    return Path(os.environ.get("TABLEBASE_DATA") or "data")


def default_catalog() -> str | None:
    """The URL of the catalog if none is named; None for the file in the folder."""
    return os.environ.get("TABLEBASE_CATALOG") or None


def check_folder(folder: Path, *, built: bool = False) -> None:
    """Raise `TablebaseError` if this is a file; or, if it must have been built already, unless it is there."""
    if folder.exists() and not folder.is_dir():
        raise TablebaseError(f"{folder} is a file: name a folder for the tables")
    if built and not folder.exists():
        raise missing_tablebase(folder)


def missing_tablebase(folder: Path) -> TablebaseError:
    """The error for a folder in which nothing has been built."""
    return TablebaseError(f"there is no tablebase in {folder}: build one with 'tablebase build GAME --data {folder}'")


def free_space(folder: Path) -> int:
    """Bytes that are free where a folder is, or would be made."""
    there = folder.resolve()
    while not there.exists():
        there = there.parent
    return disk_usage(there).free


def make_folder(folder: Path) -> None:
    """Make a folder that can be written to; `TablebaseError` if that is impossible."""
    check_folder(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".writable"
        probe.touch()
        probe.unlink()
    except OSError as fault:
        raise system_error(fault, folder, "name another folder with --data") from fault


def free_name(path: Path) -> Path:
    """A name beside a damaged file, to rename it to; no file has it yet."""
    names = (path.with_name(f"{path.name}.damaged{'' if number == 1 else f'.{number}'}") for number in count(1))
    return next(name for name in names if not os.path.lexists(name))


def await_file(path: Path, patience: float = PATIENCE) -> bool:
    """Wait for some seconds until a file can be seen that another machine has just written; whether it can."""
    end = time.monotonic() + patience
    while not path.exists():
        if time.monotonic() > end:
            return False
        time.sleep(INTERVAL)
    return True


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
