"""Compile kernels with Numba, and keep the machine code in `kernel_cache`.

Numba's own cache finds a kernel by the path of its source, does not notice changes of a helper or a constant that it
imports, and may exchange kernels when two processes compile at the same time. Kernels of this package therefore have a
cache of their own, found by content; the cache of a user's own Numba functions is left alone.

With ``NUMBA_DISABLE_JIT=1`` in the environment nothing is compiled: kernels are plain functions, for a debugger and to measure
coverage. They are a thousand times as slow.

This is the only file that uses private names of Numba's caches, so `pyproject.toml` bounds Numba's version above.
"""

from __future__ import annotations

import hashlib
import pickle
import sys
import warnings
from collections.abc import Callable
from functools import cache, cached_property
from pathlib import Path
from typing import Any, TypeVar, cast

import llvmlite
import numba
import numpy as np
from numba.core import sigutils
from numba.core.caching import FunctionCache
from numba.core.ccallback import CFunc
from numba.core.compiler import CompileResult
from numba.core.runtime.nrt import rtsys
from numba.core.serialize import dumps
from numba.experimental.function_type import typeof_function_type as _typeof_function
from numba.extending import intrinsic, typeof_impl

from tablebase.compute.kernel_cache import COMPILES, KernelCache, folder_name

F = TypeVar("F", bound=Callable[..., Any])

KERNELS = folder_name()
"""Changes with the sources of the kernels."""
CACHE = KernelCache(KERNELS)
OPTIONS: Any = {"nogil": True, "no_cfunc_wrapper": True}
"""A wrapper for C, which only a `callback` has a use for, would take an eighth of the time to compile."""
_VERSIONS = (numba.__version__, llvmlite.__version__, sys.implementation.cache_tag, getattr(sys, "abiflags", ""))


def jit(function: F) -> F:
    """Compile in nopython mode, cache the machine code on disk, release the GIL."""
    if not COMPILES:
        return _uncompiled(function)
    return cast(F, _cached(numba.njit(**OPTIONS)(function), function))


def inline(function: F) -> F:
    """Compile a small helper that is inlined into its callers."""
    if not COMPILES:
        return _uncompiled(function)
    return cast(F, _cached(numba.njit(**OPTIONS, forceinline=True)(function), function))


def callback(signature: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function whose address other kernels call, as `numba.cfunc` does."""

    def compiled(function: Callable[..., Any]) -> Any:
        if not COMPILES:
            return _uncompiled(function)
        made = _Callback(function, sigutils.normalize_signature(signature), locals={}, options={})  # type: ignore[no-untyped-call]
        _cached(made, function).compile()
        return made

    return compiled


class _Callback(CFunc):
    """A function with its type, which Numba would otherwise make anew whenever a kernel is given the function."""

    @cached_property
    def type(self) -> Any:
        """The type of the function."""
        return _typeof_function(self, None)  # type: ignore[no-untyped-call]


@typeof_impl.register(_Callback)
def _type_of(function: _Callback, _: Any) -> Any:
    return function.type


def instructions(plain: Callable[..., Any]) -> Callable[[Callable[..., Any]], Any]:
    """Make a function for kernels of the LLVM instructions that the decorated one generates; uncompiled, it is `plain`."""
    return intrinsic if COMPILES else lambda _: plain


def _uncompiled(function: F) -> F:
    """Let words overflow without a warning, as they do in machine code."""
    return np.errstate(over="ignore")(function)


def _cached(compiled: Any, function: Callable[..., Any]) -> Any:
    """Give a function that Numba compiles the cache of this package, if its source is a file."""
    source = _digest_of(function.__code__.co_filename)
    if source is not None:
        compiled._cache = _Cache(function, source)
    return compiled


@cache
def _digest_of(path: str) -> str | None:
    """A digest of a file's content; None if there is no such file."""
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except OSError:
        return None


class _Cache(FunctionCache):
    """Numba's interface of a cache, on top of `CACHE`."""

    def __init__(self, function: Any, source: str) -> None:
        self._py_func = function
        self._source = source
        self._prefix = f"{function.__module__}.{function.__qualname__}".replace("<", "").replace(">", "")
        self.enable()  # type: ignore[no-untyped-call]

    @property
    def cache_path(self) -> str:
        """The folder of the kernels."""
        return str(CACHE.folder)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled function for a signature, or None."""
        # Machine code needs nothing else of Numba; the rest, which loads SciPy, is left to the first kernel that is compiled.
        rtsys.initialize(target_context)
        name, key = self._name_and_key(sig, target_context.codegen())
        content = CACHE.load(name)
        if content is None and CACHE.claim(name):
            content = CACHE.load(name)
        if content is None:
            return None
        CACHE.release(name)
        found, data = pickle.loads(content)
        return CompileResult._rebuild(target_context, *data) if found == key else None  # type: ignore[no-untyped-call]

    def save_overload(self, sig: Any, data: Any) -> None:
        """Save a compiled function."""
        name, key = self._name_and_key(sig, data.codegen)
        if data.library.has_dynamic_globals:
            # No file will come for which others could wait.
            CACHE.release(name)
            warnings.warn(f"{self._prefix} cannot be cached, since it uses an address or a large array", stacklevel=2)
            return
        CACHE.save(name, dumps((key, data._reduce())))  # type: ignore[no-untyped-call]
        CACHE.release(name)

    def flush(self) -> None:
        """Nothing: what is saved for other processes stays valid."""

    def _name_and_key(self, sig: Any, codegen: Any) -> tuple[str, tuple[Any, ...]]:
        """The file of a compiled function, and all that it depends on apart from the sources of all kernels."""
        # Numba's part: the types, the processor with its features, and what the function has captured. Its bytecode is left out:
        # it follows from the source, and is another one without docstrings (``PYTHONOPTIMIZE=2``), for the same kernel.
        types, processor, (_, captured) = self._index_key(sig, codegen)  # type: ignore[no-untyped-call]
        key = (*_VERSIONS, self._source, self._py_func.__code__.co_firstlineno, types, processor, captured)
        return f"{self._prefix[-150:]}-{hashlib.sha256(repr(key).encode()).hexdigest()[:32]}.nbc", key
