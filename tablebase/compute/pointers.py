"""Arrays in a tuple as bare pointers, for kernels with many arrays.

An array has seven members, among them a counter of references. A kernel of dozens of arrays and helpers takes minutes to compile
with them, and seconds with pointers. A pointer has elements, ``a[i]``, and nothing else: no length, no bounds, no second axis.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.np import arrayobj

from tablebase.compute.jit import instructions

# Numba's own functions have no annotations.
_arrays: Any = arrayobj
_types: Any = types


def _bare_type(kind: Any) -> Any:
    """The type of a value with its arrays as pointers."""
    if isinstance(kind, types.Array):
        return _types.CPointer(kind.dtype)
    if isinstance(kind, _types.BaseNamedTuple):
        return _types.NamedTuple([_bare_type(member) for member in kind], kind.instance_class)
    return kind


def _bare_value(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """The value of such a type."""
    if isinstance(kind, types.Array):
        return _arrays.make_array(kind)(context, builder, value).data
    if isinstance(kind, _types.BaseNamedTuple):
        values = [_bare_value(context, builder, one, builder.extract_value(value, place)) for place, one in enumerate(kind)]
        return context.make_tuple(builder, _bare_type(kind), values)
    return value


def _typed(_context: Any, arrays: Any) -> Any:
    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return _bare_value(context, builder, arrays, arguments[0])

    return _bare_type(arrays)(arrays), generate


def _flat(value: Any) -> Any:
    """A named tuple with its arrays in one dimension."""
    if isinstance(value, tuple):
        return value._make(map(_flat, value))  # type: ignore[attr-defined]
    return value.reshape(-1) if isinstance(value, np.ndarray) else value


bare: Any = instructions(_flat)(_typed)
"""The same named tuple with pointers for its arrays, which the caller must keep; also inside of named tuples in it."""
