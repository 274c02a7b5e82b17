"""The folder of a tablebase: whether it is there and can be used, and the names, versions and seals of the files in it.

The first 512 bytes of a table file (HDF5 calls them the user block) hold a line with the SHA-256 of the rest, so that a file
can be checked on its own.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from io import BufferedReader
from itertools import count
from pathlib import Path
from shutil import disk_usage

from tablebase.errors import CorruptTableError, TablebaseError, UnusableFileError, shell_word, system_errors
from tablebase.game import Game
from tablebase.positions.material import Material, material_name
from tablebase.system.files.outputs import is_locked, locked

FORMAT_VERSION = 1
USER_BLOCK = 512
HDF5_BEGINNING = b"\x89HDF\r\n\x1a\n\x03"
"""Bytes after the user block: HDF5's signature, and the version in which all its metadata have checksums."""
SUFFIX = ".h5"
TOKEN = ".cluster"
"""A file that a process that builds with workers elsewhere writes into the folder, for these to read."""
PATIENCE = 90.0
"""Seconds for which a network file system may remember that a file was missing; usually 60 at most."""
INTERVAL = 0.5
"""Seconds between two looks at a file."""
BLOCK = 1 << 20
"""Bytes that are copied at a time."""
OTHER_FILE = "is not the file listed in the catalog (SHA-256 differs)"
"""Predicate of a sentence about a file that a catalog lists."""


def default_folder() -> Path:
    """The folder of the tables if none is named."""
    return Path(os.environ.get("TABLEBASE_DATA") or "data")


def default_catalog() -> str | None:
    """The URL of the catalog if none is named; None for the file in the folder."""
    return os.environ.get("TABLEBASE_CATALOG") or None


def check_folder(folder: Path, *, built: bool = False) -> None:
    """Raise `TablebaseError` if this is a file; or, if it must have been built already, unless it is there."""
    if folder.exists() and not folder.is_dir():
        raise TablebaseError(f"{folder} is a file, not a folder: choose a folder for the tables")
    if built and not folder.exists():
        raise missing_tablebase(folder)


def missing_tablebase(folder: Path) -> TablebaseError:
    """The error for a folder in which nothing has been built."""
    return TablebaseError(f"no tablebase in {folder}: run 'tablebase build GAME --data {shell_word(folder)}'")


def free_space(folder: Path) -> int:
    """Bytes that are free where a folder is, or would be made; no limit on a file system that does not count them."""
    there = folder.resolve()
    while not there.exists():
        there = there.parent
    usage = disk_usage(there)
    return usage.free if usage.total else sys.maxsize


def make_folder(folder: Path) -> None:
    """Make a folder that can be written to; `TablebaseError` if that is impossible."""
    check_folder(folder)
    with system_errors(folder, "choose another folder for --data"):
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".writable"
        probe.touch()
        probe.unlink()


def lock(folder: Path) -> AbstractContextManager[None]:
    """Lock the folder, so that nothing else changes its tables; the lock ends with this process at the latest."""
    return locked(folder / ".lock", f"another build is running in {folder}: wait until that build ends, or choose another folder")


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
    """Return whether two folders are on the same file system, so that hard links may be possible."""
    return one.stat().st_dev == other.stat().st_dev


def link_or_copy(source: Path, path: Path) -> bool:
    """Make a regular file the same as another one, and return whether both are now the same one; a copy is synced to disk."""
    with system_errors(source, "copy the file yourself"):
        descriptor = open_file(source)
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


def table_path(folder: Path, game: Game, material: Material) -> Path:
    """The path of a material's table in a tablebase."""
    return slice_folder(folder, game, material.pieces) / (material_name(game, material) + SUFFIX)


def slice_folder(folder: Path, game: Game, pieces: int) -> Path:
    """The folder of the tables with this number of pieces."""
    return folder / game.name / str(pieces)


def open_file(path: Path) -> int:
    """Open a table file for reading; return the descriptor.

    Raise `CorruptTableError` for a folder, a pipe or a device, which might keep a reader waiting or never end.
    """
    # A pipe without a writer would block.
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise CorruptTableError("is not a regular file", path)
    return descriptor


@contextmanager
def reading(path: Path, hint: str = "use another folder") -> Iterator[BufferedReader]:
    """Open a table file for reading in the block; errors are those of `open_file` and `system_error`."""
    with system_errors(path, hint), os.fdopen(open_file(path), "rb") as file:
        yield file


def file_sha256(path: Path, begin: int = 0) -> str:
    """SHA-256 (hexadecimal) of a whole file, or of all bytes from a place on."""
    with reading(path) as file:
        file.seek(begin)
        return hashlib.file_digest(file, "sha256").hexdigest()


def check_bytes(path: Path, title: str, sha256: str) -> None:
    """Raise an error unless a file is the one that was registered with this SHA-256, under a seal that fits."""
    if not path.exists():
        raise missing_file(path)
    if file_sha256(path) != sha256:
        raise content_error(path, OTHER_FILE)
    check_seal(path, title)


def content_error(path: Path, error: str) -> TablebaseError:
    """The error for a file whose content is wrong: it is damaged, unless another program has it open, and may be changing it."""
    with reading(path) as file:
        if is_locked(file.fileno()):
            return UnusableFileError(f"{path} {error}, and is locked by another program: close that program, and try again")
    return CorruptTableError(error, path)


def missing_file(path: Path) -> TablebaseError:
    """The error for a file that a catalog lists."""
    return TablebaseError(f"{path} is missing, although the catalog lists it: rebuild the table, or run 'tablebase reindex'")


def title(game: Game, material: Material) -> str:
    """Return the title in a table's seal."""
    return f"{game.name} {material_name(game, material)}"


def seal(title: str, digest: str) -> bytes:
    """The user block of a file of this title whose other bytes have this digest."""
    return f"tablebase {FORMAT_VERSION} {title} sha256={digest}\n".encode().ljust(USER_BLOCK, b"\0")


def check_seal(path: Path, title: str) -> None:
    """Raise `CorruptTableError` unless every byte of the file is as it was written."""
    expected = seal(title, file_sha256(path, USER_BLOCK))
    with reading(path) as file:
        if file.read(USER_BLOCK) != expected:
            raise content_error(path, "has changed since it was written (SHA-256 differs)")
