"""Numba, with a cache that never serves stale kernels.

Numba notices an edit to the file of a cached kernel, but not to a helper or a constant that the kernel
imports. The name of the cache folder therefore contains a digest of every source file that a kernel can depend on.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])
PACKAGE = Path(__file__).resolve().parent.parent
_IMPORT = re.compile(r"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import[ \t]+(\([^)]*\)|[^\n]*)|import[ \t]+([^\n]*))", re.MULTILINE)
_WORD = re.compile(r"[A-Za-z_][\w.]*")


def kernel_sources() -> tuple[Path, ...]:
    """The files of this package that kernels are compiled from, sorted.

    These are the files that import this module, and all files of the package that they import, directly or indirectly.
    """
    modules = {_module_name(path): path for path in PACKAGE.rglob("*.py")}
    imports = {name: _imported(path) & modules.keys() for name, path in modules.items()}
    pending = [name for name, imported in imports.items() if __name__ in imported]
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


def cache_folder() -> Path:
    """The folder of this version's compiled kernels; ``TABLEBASE_CACHE`` overrides its parent."""
    digest = hashlib.sha256()
    for source in kernel_sources():
        digest.update(source.relative_to(PACKAGE).as_posix().encode() + b"\0" + source.read_bytes() + b"\0")
    default = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tablebase"
    parent = Path(os.environ.get("TABLEBASE_CACHE") or default)
    return parent / f"kernels-{digest.hexdigest()[:16]}"


KERNELS = cache_folder()
"""Where the kernels of this process are kept; the last part of its name changes with their sources."""
os.environ["NUMBA_CACHE_DIR"] = str(KERNELS)

import numba  # noqa: E402  (the variable must be set first)

numba.config.CACHE_DIR = os.environ["NUMBA_CACHE_DIR"]  # type: ignore[attr-defined]


def jit(function: F) -> F:
    """Compile in nopython mode, cache the machine code on disk, release the GIL."""
    return cast(F, numba.njit(cache=True, nogil=True)(function))


def inline(function: F) -> F:
    """Compile a small helper that is inlined into its callers."""
    return cast(F, numba.njit(cache=True, nogil=True, forceinline=True)(function))
