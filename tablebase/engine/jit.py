"""Numba, with a cache that never serves yesterday's kernels.

Numba notices an edit in the file of a cached kernel, but not in a helper that the kernel
imports. So the cache folder's name carries a digest of every source that kernels are made of.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])
PACKAGE = Path(__file__).resolve().parent.parent


def cache_folder() -> Path:
    """Where this version's compiled kernels are kept; ``TABLEBASE_CACHE`` overrides the parent folder."""
    digest = hashlib.sha256()
    patterns = ("engine/*.py", "verify/*.py", "chase.py", "exits.py", "values.py")
    for source in sorted(path for pattern in patterns for path in PACKAGE.glob(pattern)):
        digest.update(source.name.encode() + b"\0" + source.read_bytes() + b"\0")
    default = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tablebase"
    parent = Path(os.environ.get("TABLEBASE_CACHE") or default)
    return parent / f"kernels-{digest.hexdigest()[:16]}"


os.environ["NUMBA_CACHE_DIR"] = str(cache_folder())

import numba  # noqa: E402  (the variable must be set first)

numba.config.CACHE_DIR = os.environ["NUMBA_CACHE_DIR"]  # type: ignore[attr-defined]


def jit(function: F) -> F:
    """Compile in nopython mode, keep the machine code on disk, let other threads run."""
    return cast(F, numba.njit(cache=True, nogil=True)(function))


def inline(function: F) -> F:
    """Compile a small helper so that it becomes part of its callers."""
    return cast(F, numba.njit(cache=True, nogil=True, forceinline=True)(function))
