"""Arrays in a tuple that a kernel reads without counting references.

Whenever a kernel takes an array out of a tuple, Numba counts a reference to it, with an atomic operation. In a loop that takes
some nanoseconds a turn this is most of the time. Arrays that are borrowed have no counter.
"""

from __future__ import annotations

from typing import Any

from llvmlite.ir import Constant
from numba import types

from tablebase.compute.jit import inline, instructions


@instructions(lambda arrays: arrays)
def _borrowed(_context: Any, arrays: Any) -> Any:
    """The tuple without counters."""

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
    """The same tuple, whose arrays are not counted; they must stay referenced by the caller for as long as it is used."""
    return _borrowed(arrays)
