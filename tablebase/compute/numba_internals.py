"""The names of Numba outside its public interface; because of them `pyproject.toml` bounds Numba's version above.

No other module uses such names, which `tests/compute/test_numba_internals.py` checks one by one.
"""

from __future__ import annotations

import pickle
from typing import Any

from numba.core import event as event  # a timer: no public function tells when Numba compiles
from numba.core.ccallback import CFunc as CFunc  # `numba.cfunc`, which compiles before it can be given a cache
from numba.core.compiler import CompileResult  # `cache=True`, which finds kernels by path and time
from numba.core.runtime.nrt import rtsys  # the first compilation, which loads SciPy
from numba.core.serialize import dumps  # `pickle.dumps`, which does not know Numba's types


def set_cache(compiled: Any, cache: Any) -> None:
    """Give a function that Numba compiles a cache, instead of the one of ``cache=True``."""
    compiled._cache = cache


def processor(codegen: Any) -> tuple[Any, ...]:
    """Return the system, the processor and its features, instead of those of `llvmlite`, which Numba's settings may change."""
    return tuple(codegen.magic_tuple())


def captured(function: Any) -> bytes:
    """Serialize the values that a function has captured, instead of with `pickle`, which does not know functions."""
    return dumps(tuple(cell.cell_contents for cell in function.__closure__ or ()))  # type: ignore[no-untyped-call, no-any-return]


def can_be_saved(result: Any) -> bool:
    """Whether machine code holds no addresses of this process, instead of the warning of ``cache=True``."""
    return not result.library.has_dynamic_globals


def saved(key: Any, result: Any) -> bytes:
    """Serialize a compiled function with its key, instead of ``cache=True``."""
    return dumps((key, result._reduce()))  # type: ignore[no-untyped-call, no-any-return]


def loaded(content: bytes, key: Any, target: Any) -> Any:
    """Return the compiled function, or None if it has another key."""
    found, data = pickle.loads(content)
    return CompileResult._rebuild(target, *data) if found == key else None  # type: ignore[no-untyped-call]


def start_runtime(target: Any) -> None:
    """Let loaded machine code run, without what only a compiler needs."""
    rtsys.initialize(target)
