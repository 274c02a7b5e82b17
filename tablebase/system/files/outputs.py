"""The one writer of outputs: a draft next to the file, renamed when it is whole; places that are refused by name; and locks."""

from __future__ import annotations

import io
import os
import re
import secrets
import stat
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from errno import EACCES, EAGAIN, ENOTDIR
from functools import partial
from glob import escape
from pathlib import Path
from shutil import rmtree
from typing import IO, Any, TextIO

from tablebase.errors import TablebaseError, system_error, system_errors
from tablebase.system.compute.processes import cleanup_on_exit

DRAFT_SUFFIX = ".tmp"
OLD = 86_400.0
"""Seconds after which a draft to which nothing is added is taken for one that a killed process has left."""
LONGEST_NAME = 60
"""Characters of a file's name that its drafts repeat, so that no name becomes too long."""
MARKS = ("catalog.sqlite", ".catalog-id")
"""Files by which the folder of a tablebase is known: the catalog, or the id of one in PostgreSQL."""
BEGINNING = b"tablebase "
"""Start of a table file."""


def draft_of(path: Path) -> Path:
    """Return a hidden name next to `path` that no other process uses, on any machine that shares the folder."""
    return path.with_name(f".{path.name[:LONGEST_NAME]}.{secrets.token_hex(8)}{DRAFT_SUFFIX}")


def publish(draft: Path, path: Path) -> None:
    """Rename a draft to its final path, and sync the folder."""
    os.replace(draft, path)
    # Windows cannot be asked to.
    if sys.platform != "win32":
        handle = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def check_output(
    path: Path, hint: str, *, inputs: Iterable[Path | None] = (), folder: Path | None = None, new: bool = False
) -> None:
    """Check, before any work, that a file can be written; `hint` is what to do otherwise, such as ``name another file``.

    Raise `TablebaseError` if it is a folder, a socket, one of `inputs` (files that the same command reads or writes), or in the
    folder of a tablebase, such as `folder`, which may not be there yet; if it is there and has to be `new`; if its own folder is
    missing; or if the system does not allow it. Devices and pipes are written to as they are.
    """
    with system_errors(path, hint):
        if _descriptor(path) is not None:
            return
        target = path.resolve()
        kind = target.stat().st_mode if target.exists() else None
        if kind is not None and stat.S_ISDIR(kind):
            raise TablebaseError(f"{path} is a folder, not a file: {hint}")
        if kind is not None and stat.S_ISSOCK(kind):
            raise TablebaseError(f"{path} is a socket, not a file: {hint}")
        if kind is not None and not stat.S_ISREG(kind):
            return
        if any(target == other.resolve() for other in inputs if other is not None):
            raise TablebaseError(f"{path} is already an input or output of this command: {hint}")
        _check_place(path, target, hint, folder)
        if new and kind is not None:
            raise TablebaseError(f"{path} already exists: {hint}")
        if not target.parent.is_dir():
            raise TablebaseError(f"the folder {path.parent} does not exist: create the folder, or {hint}")
        if not os.access(target.parent, os.W_OK) or (kind is not None and not os.access(target, os.W_OK)):
            raise system_error(PermissionError(EACCES, ""), path, hint)


def check_output_folder(path: Path, hint: str, *, folder: Path | None = None, new: bool = False) -> None:
    """Check that a folder can be made, or files in it; one that has to be `new` may be there if it is empty.

    Errors are those of `check_output`.
    """
    with system_errors(path, hint):
        target = path.resolve()
        if target.exists() and not target.is_dir():
            raise TablebaseError(f"{path} is a file, not a folder: {hint}")
        _check_place(path, target, hint, folder)
        if new and target.exists() and any(target.iterdir()):
            raise TablebaseError(f"the folder {path} is not empty: {hint}")
    check_writable(path, hint)


def check_writable(folder: Path, hint: str) -> None:
    """Raise `TablebaseError` unless a folder is there, or can be made, and can be written to; nothing is made."""
    with system_errors(folder, hint):
        there = next(one for one in (folder.resolve(), *folder.resolve().parents) if one.exists())
        if not there.is_dir():
            raise NotADirectoryError(ENOTDIR, "")
        if not os.access(there, os.W_OK):
            raise PermissionError(EACCES, "")


@contextmanager
def written(path: Path, hint: str, *, own: bool = False) -> Iterator[IO[bytes]]:
    """Open a file for what is written in the block; the file is replaced at its end, or not at all.

    Pipes, devices and names such as ``/dev/stdout`` are written to directly. See `check_output`, which is
    left out for a tablebase's `own` files.
    """
    if not own:
        check_output(path, hint)
    with system_errors(path, hint):
        stream = _stream(path)
        if stream is not None:
            with stream:
                yield stream
            return
        target = path.resolve()
        with _drafted(target) as draft, draft.open("xb") as file:
            if target.exists():
                with suppress(OSError):
                    os.chmod(draft, stat.S_IMODE(target.stat().st_mode))
            yield file
            file.flush()
            os.fsync(file.fileno())


def write_text(path: Path, text: str, hint: str, *, own: bool = False) -> None:
    """Write a text as `written` does."""
    with written(path, hint, own=own) as file:
        file.write(text.encode())


@contextmanager
def written_folder(path: Path, hint: str) -> Iterator[Path]:
    """A folder for files that are written in the block; it is renamed at its end, or removed."""
    check_output_folder(path, hint, new=True)
    target = path.resolve()
    with system_errors(path, hint):
        target.parent.mkdir(parents=True, exist_ok=True)
        with _drafted(target) as draft:
            draft.mkdir()
            yield draft
            if target.exists():
                target.rmdir()


@contextmanager
def _drafted(target: Path) -> Iterator[Path]:
    """A draft that is published at the end of the block, or removed; so are drafts whose writers have ended without that."""
    for old in target.parent.glob(f".{escape(target.name[:LONGEST_NAME])}.{16 * '[0-9a-f]'}{DRAFT_SUFFIX}"):
        with suppress(OSError):
            if old.stat().st_mtime < time.time() - OLD:
                _remove(old)
    draft = draft_of(target)
    with cleanup_on_exit(partial(_remove, draft)):
        yield draft
        publish(draft, target)


def _remove(draft: Path) -> None:
    if draft.is_dir():
        rmtree(draft, ignore_errors=True)
    else:
        draft.unlink(missing_ok=True)


def appended(path: Path, hint: str, *, folder: Path | None = None, inputs: Iterable[Path | None] = (), new: bool = False) -> TextIO:
    """Open a file to which lines are added, each of which is there at once; see `check_output`."""
    check_output(path, hint, inputs=inputs, folder=folder, new=new)
    with system_errors(path, hint):
        return io.TextIOWrapper(io.BufferedWriter(_Appended(path, hint)), encoding="utf-8", line_buffering=True)


class _Appended(io.FileIO):
    """A file that is written at its end, and named by errors of the system, also when what is left is written as it is closed."""

    def __init__(self, path: Path, hint: str) -> None:
        super().__init__(path, "a")
        self._path, self._hint = path, hint

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except OSError as error:
            raise system_error(error, self._path, self._hint) from error


def lock_of(path: Path) -> Path:
    """The lock of a file that several processes may write: a hidden file beside it, which stays there."""
    return path.with_name(f".{path.name}.lock")


@contextmanager
def locked(file: Path, refusal: str, patience: float = 0.0) -> Iterator[None]:
    """Hold a lock in the block, and at the latest until this process ends.

    Raise `TablebaseError` if another one holds it, and does not release it within `patience` seconds.
    """
    # Imported here because it takes long to load.
    from filelock import FileLock, Timeout

    lock = FileLock(file, thread_local=False)
    try:
        lock.acquire(timeout=patience)
    except Timeout:
        raise TablebaseError(refusal) from None
    except OSError as error:
        raise system_error(error, file.parent) from error
    try:
        yield
    finally:
        lock.release()


def is_locked(handle: int) -> bool:
    """Return whether another program has locked an open file, as far as the system and the file system have locks."""
    if sys.platform == "win32":
        return False
    import fcntl

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno in (EACCES, EAGAIN)
    return False


def tablebase_of(path: Path) -> Path | None:
    """Return the folder of the tablebase that a file, given by its real path, would be in; None if it would be in none."""
    for folder in path.parents:
        if any((folder / mark).exists() for mark in MARKS):
            return folder
    tables = path.parent.glob("*.h5") if path.parent.is_dir() else ()
    for file in tables:
        if file.is_file():
            with file.open("rb") as opened:
                if opened.read(len(BEGINNING)) == BEGINNING:
                    return path.parent
    return None


def _check_place(path: Path, target: Path, hint: str, folder: Path | None) -> None:
    home = folder if folder is not None and folder.resolve() in target.parents else tablebase_of(target)
    if home is not None:
        raise TablebaseError(f"{path} is in the tablebase folder {home}, which is only for tables: {hint}")


def _descriptor(path: Path) -> int | None:
    """The number of the open file that a name such as ``/dev/stdout`` or ``/dev/fd/3`` stands for."""
    if str(path) in ("/dev/stdout", "/dev/stderr"):
        return 1 if path.name == "stdout" else 2
    found = re.fullmatch(r"/(?:dev|proc/self)/fd/([0-9]+)", str(path))
    return None if found is None else int(found[1])


def _stream(path: Path) -> IO[bytes] | None:
    """The stream that is written to directly; None for a regular file."""
    number = _descriptor(path)
    if number is not None:
        # A copy shares its place in the file with standard output, whose buffer comes first.
        sys.stdout.flush()
        return os.fdopen(os.dup(number), "wb")
    return path.open("wb") if path.exists() and not path.is_file() else None
