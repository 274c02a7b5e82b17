"""Vectors in kernels: eight words at a time, or 64 codes.

A *unit* is eight 64-bit words, one cache line. *Lanes* are the 64 elements of an array of ``uint8`` or ``uint16`` from some
place on. LLVM turns operations on them into the widest vector instructions of the machine, whatever it has.

Units and lanes have ``&``, ``|`` and ``~``, lanes also ``+`` and ``-``. The comparisons ``==``, ``!=`` and ``>`` of lanes return a
word with a bit for each element. Arrays may also be pointers (see `tablebase.system.compute.pointers`). All indices are those of
single elements, without a check of bounds, and may lie before the array. `tests/twins/vectors.py` has the same in plain Python.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from inspect import Parameter, Signature
from inspect import signature as signature_of
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, lower_builtin, models, register_model, type_callable

from tablebase.system.compute.jit import inline

# Numba's own functions have no annotations.
_lower: Any = lower_builtin
_type_callable: Any = type_callable

WORDS = 8
"""Words of a unit."""
ELEMENTS = 64
"""Elements of lanes."""
LINE = 64
"""Bytes of a cache line."""

_BIT, _I8, _I32, _WORD = (ir.IntType(bits) for bits in (1, 8, 32, 64))
_BITS = ir.VectorType(_BIT, ELEMENTS)


class Vector(types.Type):
    """The type of units and of lanes."""

    def __init__(self, bits: int, count: int) -> None:
        """So many elements of so many bits each."""
        self.bits = bits
        self.count = count
        super().__init__(name=f"Vector({bits}, {count})")

    @property
    def value(self) -> Any:
        """LLVM's type."""
        return ir.VectorType(ir.IntType(self.bits), self.count)


@register_model(Vector)
class _VectorModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, kind.value)  # type: ignore[no-untyped-call]


UNIT = Vector(64, WORDS)
_LANES = {types.uint8: Vector(8, ELEMENTS), types.uint16: Vector(16, ELEMENTS)}


def _constant(kind: Any, value: int) -> Any:
    return ir.Constant(kind, [value] * kind.count)


def _spread(builder: Any, value: Any, count: int) -> Any:
    kind = ir.VectorType(value.type, count)
    first = builder.insert_element(ir.Constant(kind, ir.Undefined), value, _I32(0))
    return builder.shuffle_vector(first, ir.Constant(kind, ir.Undefined), ir.Constant(ir.VectorType(_I32, count), [0] * count))


def _function(builder: Any, name: str, result: Any, arguments: list[Any]) -> Any:
    kind = ir.FunctionType(result, [argument.type for argument in arguments])
    function = builder.module.globals.get(name) or ir.Function(builder.module, kind, name)
    return builder.call(function, arguments)


def _place(context: Any, builder: Any, kind: Any, array: Any, index: Any, element: Any) -> Any:
    """A pointer to the element of an array, or a pointer, with this index, as one to another type."""
    data = context.make_helper(builder, kind, array).data if isinstance(kind, types.Array) else array
    return builder.bitcast(builder.gep(data, [index]), ir.PointerType(element))


def _operation(name: str, result: Callable[..., Any], emit: Callable[..., Any]) -> Any:
    """An operation of kernels.

    Of the types of the arguments, `result` makes the type of the result and the types that the arguments are converted to;
    of context, builder, types and values of the arguments, `emit` makes the value of the result.
    """

    def typed(_context: Any, *kinds: Any) -> Any:
        returned, *expected = result(*kinds)

        def generate(context: Any, builder: Any, typing: Any, values: Any) -> Any:
            made = emit(context, builder, typing.args, values)
            return context.get_dummy_value() if made is None else made

        return returned(*expected), generate

    parameters = signature_of(result).parameters.values()
    typed.__name__ = typed.__qualname__ = name
    typed.__signature__ = Signature([Parameter("_context", Parameter.POSITIONAL_ONLY), *parameters])  # type: ignore[attr-defined]
    return intrinsic(typed)


def _operator(function: Any, cases: list[tuple[Any, ...]], emit: Callable[..., Any]) -> None:
    """Let a Python operator work on vectors; each case has the types of the result and the operands."""
    results = {tuple(operands): result for result, *operands in cases}
    _type_callable(function)(lambda _context: lambda *operands: results.get(operands))
    for operands in results:
        _lower(function, *operands)(lambda _context, builder, _typing, values: emit(builder, *values))


def _mask(builder: Any, truth: Any) -> Any:
    return builder.bitcast(truth, _WORD)


_lanes = list(_LANES.values())
_alike = [(kind, kind, kind) for kind in (UNIT, *_lanes)]
_compared = [(types.uint64, kind, kind) for kind in _lanes]
_operator(operator.and_, _alike, lambda builder, one, other: builder.and_(one, other))
_operator(operator.or_, _alike, lambda builder, one, other: builder.or_(one, other))
_operator(operator.invert, [(kind, kind) for kind in (UNIT, *_lanes)], lambda builder, one: builder.not_(one))
_operator(operator.add, _alike[1:], lambda builder, one, other: builder.add(one, other))
_operator(operator.sub, _alike[1:], lambda builder, one, other: builder.sub(one, other))
_operator(operator.eq, _compared, lambda builder, one, other: _mask(builder, builder.icmp_unsigned("==", one, other)))
_operator(operator.ne, _compared, lambda builder, one, other: _mask(builder, builder.icmp_unsigned("!=", one, other)))
_operator(operator.gt, _compared, lambda builder, one, other: _mask(builder, builder.icmp_unsigned(">", one, other)))


# Memory


def _vector_in(array: Any) -> Any:
    """The vectors that an array is made of."""
    return UNIT if array.dtype == types.uint64 else _LANES[array.dtype]


def _load(context: Any, builder: Any, kinds: Any, values: Any) -> Any:
    kind = _vector_in(kinds[0])
    return builder.load(_place(context, builder, kinds[0], values[0], values[1], kind.value), align=kind.bits // 8)


def _store(context: Any, builder: Any, kinds: Any, values: Any) -> None:
    place = _place(context, builder, kinds[0], values[0], values[1], kinds[2].value)
    builder.store(values[2], place, align=kinds[2].bits // 8)


def _gather(context: Any, builder: Any, kinds: Any, values: Any) -> Any:
    words, base, order, begin = values
    unit = ir.Constant(UNIT.value, ir.Undefined)
    for i in range(WORDS):
        place = builder.load(_place(context, builder, kinds[2], order, builder.add(begin, _WORD(i)), _WORD))
        word = builder.load(_place(context, builder, kinds[0], words, builder.add(base, place), _WORD))
        unit = builder.insert_element(unit, word, _I32(i))
    return unit


load: Any = _operation("load", lambda array, _index: (_vector_in(array), array, types.int64), _load)
"""The unit, or the lanes, that begin at an index of an array."""
store: Any = _operation("store", lambda array, _index, vector: (types.void, array, types.int64, vector), _store)
"""Write a unit, or lanes, to an array from an index on."""
gather: Any = _operation("gather", lambda words, _base, order, _begin: (UNIT, words, types.int64, order, types.int64), _gather)
"""Of (words, base, order, begin): the unit of the words at ``base + order[begin]`` to ``base + order[begin + 7]``."""


# Units


def _rows(_context: Any, builder: Any, _kinds: Any, values: Any) -> Any:
    truth = builder.icmp_unsigned("!=", values[0], _constant(UNIT.value, 0))
    return builder.zext(builder.bitcast(truth, _I8), _WORD)


def _rows_kept(_context: Any, builder: Any, _kinds: Any, values: Any) -> Any:
    truth = builder.bitcast(builder.trunc(values[1], _I8), ir.VectorType(_BIT, WORDS))
    return builder.select(truth, values[0], _constant(UNIT.value, 0))


def _rotated(_context: Any, builder: Any, _kinds: Any, values: Any) -> Any:
    by = _spread(builder, builder.and_(values[1], _WORD(63)), WORDS)
    return _function(builder, "llvm.fshr.v8i64", UNIT.value, [values[0], values[0], by])


unit_of: Any = _operation(
    "unit_of", lambda _word: (UNIT, types.uint64), lambda _, builder, __, word: _spread(builder, word[0], WORDS)
)
"""The unit with this word everywhere."""
rows: Any = _operation("rows", lambda _unit: (types.int64, UNIT), _rows)
"""Bit i is set if word i of a unit is not 0."""
rows_kept: Any = _operation("rows_kept", lambda _unit, _mask: (UNIT, UNIT, types.int64), _rows_kept)
"""A unit with word i set to 0 unless bit i of a number is set."""
rotated: Any = _operation("rotated", lambda _unit, _by: (UNIT, UNIT, types.int64), _rotated)
"""A unit with each word rotated down by a number of bits, or up by a negative number."""


# Lanes


def _lanes_of(_context: Any, builder: Any, kinds: Any, values: Any) -> Any:
    kind = _LANES[kinds[1].dtype]
    return _spread(builder, builder.trunc(values[0], ir.IntType(kind.bits)), kind.count)


def _chosen(_context: Any, builder: Any, _kinds: Any, values: Any) -> Any:
    return builder.select(builder.bitcast(values[0], _BITS), values[1], values[2])


def _halved(_context: Any, builder: Any, kinds: Any, values: Any) -> Any:
    return builder.lshr(values[0], _constant(kinds[0].value, 1))


def _extreme(comparison: str) -> Callable[..., Any]:
    def emit(_context: Any, builder: Any, _kinds: Any, values: Any) -> Any:
        return builder.select(builder.icmp_unsigned(comparison, *values), *values)

    return emit


def _least(_context: Any, builder: Any, kinds: Any, values: Any) -> Any:
    bits = kinds[0].bits
    least = _function(builder, f"llvm.vector.reduce.umin.v{ELEMENTS}i{bits}", ir.IntType(bits), [values[0]])
    return builder.zext(least, _WORD)


lanes_of: Any = _operation("lanes_of", lambda _value, array: (_LANES[array.dtype], types.int64, array), _lanes_of)
"""Lanes with this value everywhere, for use with an array."""
chosen: Any = _operation("chosen", lambda _word, one, _other: (one, types.uint64, one, one), _chosen)
"""Of (word, one, other): elements of one where the word has its bit set, else of the other."""
halved: Any = _operation("halved", lambda lanes: (lanes, lanes), _halved)
"""The elements of lanes divided by two, without the remainders."""
larger: Any = _operation("larger", lambda one, _other: (one, one, one), _extreme(">"))
"""Elementwise maximum of lanes."""
smaller: Any = _operation("smaller", lambda one, _other: (one, one, one), _extreme("<"))
"""Elementwise minimum of lanes."""
least: Any = _operation("least", lambda lanes: (types.int64, lanes), _least)
"""The least element of lanes."""


@inline
def fill(codes: Any, begin: Any, word: Any, value: Any) -> None:
    """Set those of the 64 elements from `begin` on to a value whose bit in the word is set."""
    store(codes, begin, chosen(word, lanes_of(value, codes), load(codes, begin)))


def rooms(*shapes: tuple[int, Any]) -> list[Any]:
    """Uninitialized arrays of these sizes and types, which begin on cache lines, in one block of memory.

    Vectors may be read and written up to `ELEMENTS` elements before and behind each. NumPy asks for huge pages for large blocks.
    """
    widths = [np.dtype(dtype).itemsize for _, dtype in shapes]
    lengths = [(-(-size // ELEMENTS) + 2) * ELEMENTS * width for (size, _), width in zip(shapes, widths, strict=True)]
    whole = np.empty(sum(lengths) + LINE, dtype=np.uint8)
    begin = -whole.ctypes.data % LINE
    arrays = []
    for (size, dtype), width, length in zip(shapes, widths, lengths, strict=True):
        arrays.append(whole[begin + ELEMENTS * width : begin + (ELEMENTS + size) * width].view(dtype))
        begin += length
    return arrays


def room(size: int, dtype: Any) -> Any:
    """A single array of `rooms`."""
    return rooms((size, dtype))[0]
