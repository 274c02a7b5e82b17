"""Arrays in a tuple that a kernel reads, without counters of references or as bare pointers.

Whenever a kernel takes an array out of a tuple, Numba counts a reference to it, with an atomic operation. In a loop that takes
some nanoseconds a turn this is most of the time. Arrays that are borrowed have no counter.

An array has seven members, among them a counter of references. A kernel of dozens of arrays and helpers takes minutes to compile
with them, and seconds with pointers. A pointer has elements, ``a[i]``, and nothing else: no length, no bounds, no second axis.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite.ir import Constant
from numba import types

from tablebase.system.compute.jit import inline, instructions

# Numba's own functions have no annotations.
_types: Any = types


def _bare_type(kind: Any) -> Any:
    if isinstance(kind, types.Array):
        return _types.CPointer(kind.dtype)
    if isinstance(kind, _types.BaseNamedTuple):
        return _types.NamedTuple([_bare_type(member) for member in kind], kind.instance_class)
    return kind


def _bare_value(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    if isinstance(kind, types.Array):
        return context.make_helper(builder, kind, value).data
    if isinstance(kind, _types.BaseNamedTuple):
        values = [_bare_value(context, builder, one, builder.extract_value(value, place)) for place, one in enumerate(kind)]
        return context.make_tuple(builder, _bare_type(kind), values)
    return value


def _typed(_context: Any, arrays: Any) -> Any:
    value = _bare_type(arrays)(arrays)
    return value, lambda context, builder, _signature, arguments: _bare_value(context, builder, arrays, arguments[0])


def _flat(value: Any) -> Any:
    if isinstance(value, tuple):
        return value._make(map(_flat, value))  # type: ignore[attr-defined]
    return value.reshape(-1) if isinstance(value, np.ndarray) else value


bare: Any = instructions(_flat)(_typed)
"""The same named tuple with pointers for its arrays, which the caller must keep; also inside of named tuples in it."""


@instructions(lambda arrays: arrays)
def _borrowed(_context: Any, arrays: Any) -> Any:
    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return _without_counters(context, builder, arrays, arguments[0])

    return arrays(arrays), generate


def _without_counters(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """The value of a type, without the counters of its arrays; tuples may contain tuples."""
    if isinstance(kind, types.Array):
        array = context.make_helper(builder, kind, value)
        array.meminfo = Constant(array.meminfo.type, None)
        array.parent = Constant(array.parent.type, None)
        return array._getvalue()
    if isinstance(kind, types.BaseTuple):
        members: Any = kind
        for place, member in enumerate(members):
            inner = _without_counters(context, builder, member, builder.extract_value(value, place))
            value = builder.insert_value(value, inner, place)
    return value


@inline
def borrowed(arrays: Any) -> Any:
    """Return a tuple of arrays without reference counting; the original arrays must stay alive while the tuple is in use."""
    return _borrowed(arrays)
