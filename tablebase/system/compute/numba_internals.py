"""The names of Numba outside its public interface; because of them `pyproject.toml` bounds Numba's version above.

No other module uses such names, which `tests/system/compute/test_numba_internals.py` checks one by one.
"""

from __future__ import annotations

import pickle
from typing import Any

from numba.core import event as event  # a timer: no public function tells when Numba compiles
from numba.core.ccallback import CFunc as CFunc  # `numba.cfunc`, which compiles before it can be given a cache
from numba.core.compiler import CompileResult  # `cache=True`, which finds kernels by path and time
from numba.core.errors import NumbaError as NumbaError  # what Numba raises for a function that it cannot compile
from numba.core.runtime.nrt import rtsys  # the first compilation, which loads SciPy
from numba.core.serialize import dumps  # `pickle.dumps`, which does not know Numba's types

start_runtime = rtsys.initialize


def set_cache(compiled: Any, cache: Any) -> None:
    """Give a function that Numba compiles a cache, instead of ``cache=True``."""
    compiled._cache = cache


def surroundings(function: Any, codegen: Any) -> tuple[Any, ...]:
    """Return the processor that code is generated for, and the values that a function has captured, instead of Numba's own key."""
    return codegen.magic_tuple(), dumps(tuple(cell.cell_contents for cell in function.__closure__ or ()))  # type: ignore[no-untyped-call]


def saved(key: Any, result: Any) -> bytes | None:
    """Serialize a compiled function with its key, or return None if its code holds addresses of this process."""
    return None if result.library.has_dynamic_globals else dumps((key, result._reduce()))  # type: ignore[no-untyped-call]


def loaded(content: bytes, key: Any, target: Any) -> Any:
    """Return the compiled function, or None if it has another key."""
    found, data = pickle.loads(content)
    return CompileResult._rebuild(target, *data) if found == key else None  # type: ignore[no-untyped-call]
