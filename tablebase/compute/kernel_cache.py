"""Where compiled kernels are kept: one folder for each version of the files that they are compiled from.

The folder's name is a digest of the contents of these files, so all installations of the same version share it, and no
kernel is ever stale. Inside there is one file for each kernel and its types, written whole or not at all.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import shutil
import stat
import sys
import tempfile
import time
import uuid
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tablebase.compute.messages import say

PACKAGE = Path(__file__).resolve().parent.parent
COMPILES = os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")
"""Whether kernels are compiled. Numba reads this variable, too, but takes long to load."""
UNUSED = 30 * 86400
"""Seconds after which kernels that no process has used or is using are removed."""
DAY = 86400
_JIT = "tablebase.compute.jit"
_LOCK = "lock"
_CLAIMS = "claims"
PATIENCE = 60.0
"""Seconds that a process waits for another one to compile a kernel; that one may have failed, and live on."""
_USER = os.getuid() if sys.platform != "win32" else 0
_IMPORT = re.compile(r"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import[ \t]+(\([^)]*\)|[^\n]*)|import[ \t]+([^\n]*))", re.MULTILINE)
_WORD = re.compile(r"[A-Za-z_][\w.]*")


def kernel_sources() -> tuple[Path, ...]:
    """The files of this package that kernels are compiled from, sorted.

    These are the files that import `tablebase.compute.jit`, and all files of the package that they import, directly or
    indirectly.
    """
    modules = {_module_name(path): path for path in PACKAGE.rglob("*.py")}
    imports = {name: _imported(path) & modules.keys() for name, path in modules.items()}
    pending = [name for name, imported in imports.items() if _JIT in imported]
    reached: set[str] = set()
    while pending:
        name = pending.pop()
        if name not in reached:
            reached.add(name)
            pending += imports[name]
    return tuple(sorted(modules[name] for name in reached))


def _module_name(path: Path) -> str:
    """The dotted name of a file of the package."""
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imported(path: Path) -> set[str]:
    """Modules that a file may import, with their parent packages; some of the names may not be modules."""
    names: set[str] = set()
    for module, imported, modules in _IMPORT.findall(path.read_text(encoding="utf-8")):
        if module.startswith(PACKAGE.name):
            # A name imported from a package may be one of its modules.
            names.update(f"{module}.{word}" for word in _WORD.findall(imported))
        for name in [module] if module else _WORD.findall(modules):
            if name.startswith(PACKAGE.name):
                parts = name.split(".")
                names.update(".".join(parts[:count]) for count in range(2, len(parts) + 1))
    return names


def folder_name() -> str:
    """Name of this version's folder of kernels; it changes with the sources of the kernels."""
    digest = hashlib.sha256()
    for source in kernel_sources():
        digest.update(source.relative_to(PACKAGE).as_posix().encode() + b"\0" + source.read_bytes() + b"\0")
    return f"kernels-{digest.hexdigest()[:16]}"


class KernelCache:
    """The files of compiled kernels.

    If the folder cannot be used or written to, a private temporary folder is used instead, and a sentence on standard
    error says so. Processes started afterwards inherit that folder through ``TABLEBASE_CACHE``, so they stay silent.
    """

    def __init__(self, name: str) -> None:
        """The name is that of `folder_name`."""
        self._name = name
        self._locks: list[int] = []
        self._claims: int | None = None
        # None if not even a temporary folder can be used: then kernels are only kept in memory.
        self.folder: Path | None = None
        parent = cache_parent()
        try:
            if parent is None:
                raise FileNotFoundError(errno.ENOENT, "there is no home folder")
            self._use(parent)
        except OSError as fault:
            self._fall_back(parent, fault)

    def load(self, name: str) -> bytes | None:
        """The content of a file; None if it does not exist or is damaged."""
        if self.folder is None:
            return None
        try:
            data = (self.folder / name).read_bytes()
        except OSError:
            return None
        digest, content = data[:32], data[32:]
        return content if hashlib.sha256(content).digest() == digest else None

    def claim(self, name: str) -> bool:
        """Claim a file that is to be written; return whether another process had, for which this one has waited up to `PATIENCE`.

        A claim ends with `release`, or with this process.
        """
        if self.folder is None:
            return False
        if self._claims is None:
            self._claims = _opened(self.folder / _CLAIMS)
        waits, end = False, time.monotonic() + PATIENCE
        while not _claimed(self._claims, _place(name)) and time.monotonic() < end:
            waits = True
            time.sleep(0.05)
        return waits

    def release(self, name: str) -> None:
        """Let others have a file that this process has claimed."""
        if self._claims is not None:
            _unclaim(self._claims, _place(name))

    def save(self, name: str, content: bytes) -> None:
        """Write a file, whole or not at all; if that fails, in the temporary folder."""
        while self.folder is not None:
            try:
                _write(self.folder / name, hashlib.sha256(content).digest() + content)
                return
            except OSError as fault:
                self._fall_back(self.folder.parent, fault)

    def _use(self, parent: Path) -> None:
        """Create this version's folder in a parent folder, lock it, and remove other versions that nobody uses."""
        folder, now = parent / self._name, time.time()
        used = _last_use(folder)
        self._locks.append(_entered(folder))
        self.folder = folder
        # Not at each start.
        if now - used > DAY:
            with suppress(OSError):
                os.utime(folder / _LOCK)
            remove_unused(parent, now - UNUSED)

    def _fall_back(self, parent: Path | None, fault: OSError) -> None:
        """Keep kernels in a private temporary folder, or only in memory, and say so."""
        self.folder = None
        if self._claims is not None and self._claims >= 0:
            # What will be written elsewhere is nothing to wait for.
            os.close(self._claims)
        self._claims = None
        temporary = temporary_parent()
        if temporary is not None and parent != temporary:
            with suppress(OSError):
                _make_private(temporary)
                self._use(temporary)
                os.environ["TABLEBASE_CACHE"] = str(temporary)
        place = "" if parent is None else f" in {parent}"
        when = "" if self.folder is None else f" that {temporary} is emptied"
        say(
            f"cannot save compiled kernels{place} ({fault.strerror}): they will be compiled every time{when}; "
            "set TABLEBASE_CACHE to a folder that can be written to"
        )


def cache_parent() -> Path | None:
    """The folder of all versions' kernels; None if no variable names it and there is no home folder."""
    chosen = os.environ.get("TABLEBASE_CACHE")
    if chosen:
        return Path(chosen).absolute()
    try:
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tablebase"
    except RuntimeError:
        return None


def temporary_parent() -> Path | None:
    """The temporary folder of this user's kernels; None if there is no place for temporary files."""
    try:
        return Path(tempfile.gettempdir()).absolute() / f"tablebase-{_USER}"
    except OSError:
        return None


def _make_private(folder: Path) -> None:
    """Create a folder that no other user can read or write to; raise PermissionError if another user has made it."""
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or (sys.platform != "win32" and (found.st_uid != _USER or found.st_mode & 0o077)):
        raise PermissionError


def remove_unused(parent: Path, before: float) -> None:
    """Remove folders of kernels last used before a time, in seconds since the epoch, unless a process uses them."""
    for folder in parent.glob("kernels-*"):
        if _last_use(folder) < before:
            with suppress(OSError), _locked_alone(folder) as alone:
                # Another process may have begun to use it, and ended, meanwhile.
                if alone and _last_use(folder) < before:
                    shutil.rmtree(folder, ignore_errors=True)


def _last_use(folder: Path) -> float:
    """When a folder of kernels was last used, to about a day; 0 if it does not exist."""
    # A folder that is just being made has no lock yet.
    for path in (folder / _LOCK, folder):
        with suppress(OSError):
            return path.stat().st_mtime
    return 0.0


def _place(name: str) -> int:
    """The byte of the file of claims that stands for a name."""
    return zlib.crc32(name.encode())


def _opened(path: Path) -> int:
    """A file that can be locked, opened for as long as the process lives; -1 if the folder is read-only."""
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError:
        return -1


def _write(path: Path, data: bytes) -> None:
    """Write a file under a temporary name and rename it."""
    draft = path.with_name(f".{path.name}.{uuid.uuid4().hex[:16]}")
    try:
        draft.write_bytes(data)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


try:
    import fcntl
except ImportError:
    # Windows.
    def _entered(folder: Path) -> int:
        """Create a folder; without locks, it is never removed."""
        folder.mkdir(parents=True, exist_ok=True)
        return -1

    @contextmanager
    def _locked_alone(folder: Path) -> Iterator[bool]:  # noqa: ARG001
        yield False

    def _claimed(file: int, place: int) -> bool:  # noqa: ARG001
        """There are no locks here, so no process waits."""
        return True

    def _unclaim(file: int, place: int) -> None:
        """There is nothing to give back."""

else:

    def _entered(folder: Path) -> int:
        """Create a folder and lock it, together with other processes, until this process ends; return the lock."""
        for _ in range(9):
            folder.mkdir(parents=True, exist_ok=True)
            # Opened for reading, since a folder full of kernels may be read-only.
            lock = os.open(folder / _LOCK, os.O_RDONLY | os.O_CREAT, 0o644)
            # Some network file systems have no locks.
            with suppress(OSError):
                fcntl.flock(lock, fcntl.LOCK_SH)
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(lock), (folder / _LOCK).stat()):
                    return lock
            # It was removed before it was locked.
            os.close(lock)
        raise OSError(errno.ESTALE, os.strerror(errno.ESTALE))

    @contextmanager
    def _locked_alone(folder: Path) -> Iterator[bool]:
        """Lock a folder that no process uses; False if one does."""
        try:
            lock = os.open(folder / _LOCK, os.O_RDONLY)
        except FileNotFoundError:
            yield True
            return
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            yield False
        else:
            yield True
        finally:
            os.close(lock)

    def _claimed(file: int, place: int) -> bool:
        """Lock a byte of a file for this process, which may have done so before; False if another one has."""
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
        except OSError as fault:
            # Anything else says that there are no locks here.
            return fault.errno not in (errno.EACCES, errno.EAGAIN)
        return True

    def _unclaim(file: int, place: int) -> None:
        """Unlock a byte of a file."""
        with suppress(OSError):
            fcntl.lockf(file, fcntl.LOCK_UN, 1, place)
