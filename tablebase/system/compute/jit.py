"""Compile kernels with Numba, and keep the machine code in `kernel_cache`.

Numba's own cache finds a kernel by the path of its source, does not notice changes of a helper or a constant that it
imports, and may exchange kernels when two processes compile at the same time. Kernels of this package therefore have a
cache of their own, found by content; the cache of a user's own Numba functions is left alone.

With ``NUMBA_DISABLE_JIT=1`` in the environment nothing is compiled: kernels are plain functions, for a debugger and to measure
coverage. They are a thousand times as slow.
"""

from __future__ import annotations

import hashlib
import sys
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import llvmlite
import numba
import numpy as np
from numba import types
from numba.extending import intrinsic, typeof_impl

from tablebase.system.compute import numba_internals as internals
from tablebase.system.compute.kernel_cache import COMPILES, KernelCache, folder_name

F = TypeVar("F", bound=Callable[..., Any])

KERNELS = folder_name()
"""Changes with the sources of the kernels."""
CACHE = KernelCache(KERNELS)
OPTIONS: Any = {"nogil": True, "no_cfunc_wrapper": True}
"""A wrapper for C, which only a `callback` has a use for, would take an eighth of the time to compile."""
_VERSIONS = (numba.__version__, llvmlite.__version__, sys.implementation.cache_tag, getattr(sys, "abiflags", ""))


def jit(function: F, source: str | None = None, **more: Any) -> F:
    """Compile in nopython mode, cache the machine code on disk, release the GIL."""
    if not COMPILES:
        return _uncompiled(function)
    return cast(F, _cached(numba.njit(**OPTIONS, **more)(function), function, source))


def inline(function: F, source: str | None = None, **more: Any) -> F:
    """Compile a small function to be inlined into its callers; `source` is a digest of its code (by default, of its file)."""
    return jit(function, source, forceinline=True, **more)


def callback(signature: Any, source: str | None = None, **more: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function whose address other kernels call, as `numba.cfunc` does; see `inline` for the source."""

    def compiled(function: Callable[..., Any]) -> Any:
        if not COMPILES:
            return _uncompiled(function)
        made = _Callback(function, (signature.args, signature.return_type), locals={}, options=more)
        made.type = types.FunctionType(signature)
        _cached(made, function, source).compile()
        return made

    return compiled


class _Callback(internals.CFunc):
    """A compiled function that caches its Numba type, which speeds up calls to kernels that take it as an argument."""

    type: Any


@typeof_impl.register(_Callback)
def _type_of(function: _Callback, _: Any) -> Any:
    return function.type


def instructions(plain: Callable[..., Any]) -> Callable[[Callable[..., Any]], Any]:
    """Make a function for kernels of the LLVM instructions that the decorated one generates; uncompiled, it is `plain`."""
    return intrinsic if COMPILES else lambda _: plain


def _uncompiled(function: F) -> F:
    """Let words overflow without a warning, as they do in machine code."""
    return np.errstate(over="ignore")(function)


def _cached(compiled: Any, function: Callable[..., Any], source: str | None = None) -> Any:
    """Give a function that Numba compiles the cache of this package, if its source is a file."""
    source = source or digest_of(function.__code__.co_filename)
    if source is not None:
        internals.set_cache(compiled, _Cache(function, source))
    return compiled


@cache
def digest_of(path: str) -> str | None:
    """A digest of a file's content; None if there is no such file."""
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except OSError:
        return None


class _Cache:
    """The methods that Numba calls of a cache, on top of `CACHE`."""

    def __init__(self, function: Any, source: str) -> None:
        self._py_func = function
        self._source = source
        self._prefix = f"{function.__module__}.{function.__qualname__}".replace("<", "").replace(">", "")

    @property
    def cache_path(self) -> str:
        """The folder of the kernels."""
        return str(CACHE.folder)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled function for a signature, or None."""
        # Machine code needs nothing else of Numba; the rest, which loads SciPy, is left to the first kernel that is compiled.
        internals.start_runtime(target_context)
        name, key = self._name_and_key(sig, target_context.codegen())
        content = CACHE.load(name)
        if content is None and CACHE.claim(name):
            content = CACHE.load(name)
        if content is None:
            return None
        CACHE.release(name)
        return internals.loaded(content, key, target_context)

    def save_overload(self, sig: Any, data: Any) -> None:
        """Save a compiled function."""
        name, key = self._name_and_key(sig, data.codegen)
        content = internals.saved(key, data)
        if content is not None:
            CACHE.save(name, content)
        # Without a file, others have nothing to wait for.
        CACHE.release(name)
        if content is None:
            warnings.warn(f"{self._prefix} cannot be cached, because it uses an address or a large array", stacklevel=2)

    def flush(self) -> None:
        """Nothing: what is saved for other processes stays valid."""

    def _name_and_key(self, sig: Any, codegen: Any) -> tuple[str, tuple[Any, ...]]:
        """The file of a compiled function, and all that it depends on apart from the sources of all kernels."""
        # The bytecode is left out: it follows from the source, and is another one without docstrings (``PYTHONOPTIMIZE=2``).
        function = self._py_func
        key = (*_VERSIONS, self._source, function.__code__.co_firstlineno, sig, *internals.surroundings(function, codegen))
        return f"{self._prefix[-150:]}-{hashlib.sha256(repr(key).encode()).hexdigest()[:32]}.nbc", key


@jit
def call_compiled(function: Any, *given: Any) -> Any:
    """Call a function of `callback` for a caller that is not compiled: called by itself, it would run as Python."""
    return function(*given)
