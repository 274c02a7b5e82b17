"""Cache of compiled kernels: one folder for each version of the files that they are compiled from.

The folder's name is a digest of the contents of these files, so all installations of the same version share it, and no
kernel is ever stale. Inside there is one file for each kernel and its types, written whole or not at all.
Folders of other versions stay until ``tablebase prune --kernels`` removes them.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import stat
import sys
import tempfile
import time
import uuid
import zlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree

from tablebase.system.compute.messages import say

PACKAGE = Path(__file__).resolve().parents[2]
COMPILES = os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")
"""True if kernels are compiled. Numba reads this variable, too, but takes long to load."""
_JIT = "tablebase.system.compute.jit"
PATIENCE = 60.0
"""Seconds that a process waits for another one to compile a kernel; that one may have failed, and live on."""
_USER = os.getuid() if sys.platform != "win32" else 0
_IMPORT = re.compile(r"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import[ \t]+(\([^)]*\)|[^\n]*)|import[ \t]+([^\n]*))", re.MULTILINE)
_WORD = re.compile(r"[A-Za-z_][\w.]*")


def kernel_sources() -> tuple[Path, ...]:
    """The files of this package that kernels are compiled from, sorted.

    These are the files that import `tablebase.system.compute.jit`, and all files of the package that they import, directly or
    indirectly.
    """
    modules: dict[str, Path] = {}
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        modules[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    imports = {name: _imported(path) & modules.keys() for name, path in modules.items()}
    pending = [name for name, imported in imports.items() if _JIT in imported]
    reached: set[str] = set()
    while pending:
        name = pending.pop()
        if name not in reached:
            reached.add(name)
            pending += imports[name]
    return tuple(sorted(modules[name] for name in reached))


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
        self._claims = -1
        # None if not even a temporary folder can be used: then kernels are only kept in memory.
        self.folder: Path | None = None
        parent = cache_parent()
        try:
            if parent is None:
                raise FileNotFoundError(errno.ENOENT, "the home folder is unknown")
            self._use(parent)
        except OSError as error:
            self._fall_back(parent, error)

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
        if self._claims < 0:
            # In a folder that can only be read there is nothing to claim.
            with suppress(OSError):
                self._claims = os.open(self.folder / "claims", os.O_RDWR | os.O_CREAT, 0o644)
        waits, end = False, time.monotonic() + PATIENCE
        while not _locked(self._claims, name) and time.monotonic() < end:
            waits = True
            time.sleep(0.05)
        return waits

    def release(self, name: str) -> None:
        """Let others have a file that this process has claimed."""
        _locked(self._claims, name, release=True)

    def save(self, name: str, content: bytes) -> None:
        """Write a file, whole or not at all; if that fails, in the temporary folder."""
        while self.folder is not None:
            try:
                _write(self.folder / name, hashlib.sha256(content).digest() + content)
                return
            except OSError as error:
                self._fall_back(self.folder.parent, error)

    def _use(self, parent: Path) -> None:
        folder = parent / self._name
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder

    def _fall_back(self, parent: Path | None, error: OSError) -> None:
        """Keep kernels in a private temporary folder, or only in memory, and say so."""
        self.folder = None
        if self._claims >= 0:
            # What will be written elsewhere is nothing to wait for.
            os.close(self._claims)
            self._claims = -1
        with suppress(OSError):
            temporary = _private_folder()
            if parent != temporary:
                self._use(temporary)
                os.environ["TABLEBASE_CACHE"] = str(temporary)
        place = "" if parent is None else f" in {parent}"
        when = "" if self.folder is None else f" that {self.folder.parent} is emptied"
        say(
            f"cannot save compiled kernels{place} ({error.strerror}): the kernels will be compiled every time{when}; "
            "set TABLEBASE_CACHE to a writable folder"
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


def _private_folder() -> Path:
    """Create a temporary folder that no other user can read or write to; raise PermissionError if another user has made it."""
    folder = Path(tempfile.gettempdir()).absolute() / f"tablebase-{_USER}"
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or (sys.platform != "win32" and (found.st_uid != _USER or found.st_mode & 0o077)):
        raise PermissionError
    return folder


@dataclass(frozen=True)
class OldKernels:
    """A folder of kernels of another version; its fields are named as in ``prune --kernels --format json``."""

    folder: str
    files: int
    bytes: int


def prune_kernels(parent: Path, agreed: Callable[[list[OldKernels]], bool]) -> bool:
    """Remove the folders of kernels that the installed program does not use, if there are any and that is agreed to."""
    found, own = [], folder_name()
    for folder in sorted(parent.glob("kernels-*")):
        if folder.name != own and not folder.is_symlink() and folder.is_dir():
            sizes = [file.stat().st_size for file in folder.iterdir()]
            found.append(OldKernels(str(folder), len(sizes), sum(sizes)))
    if not found or not agreed(found):
        return False
    for old in found:
        rmtree(old.folder)
    return True


def _write(path: Path, data: bytes) -> None:
    """Write a file under a temporary name and rename it."""
    # Another process may have removed the folder of an older version.
    path.parent.mkdir(exist_ok=True)
    draft = path.with_name(f".{path.name}.{uuid.uuid4().hex[:16]}")
    try:
        draft.write_bytes(data)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def _locked(file: int, name: str, *, release: bool = False) -> bool:
    """Lock or release the byte of a file that stands for a name; False if another process has locked it."""
    if sys.platform == "win32" or file < 0:
        return True
    import fcntl

    try:
        fcntl.lockf(file, fcntl.LOCK_UN if release else fcntl.LOCK_EX | fcntl.LOCK_NB, 1, zlib.crc32(name.encode()))
    except OSError as error:
        # Anything else says that there are no locks here.
        return error.errno not in (errno.EACCES, errno.EAGAIN)
    return True
