"""Compile plain Python functions, with all plain functions that they call, for kernels that call them by address."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from types import CodeType, FunctionType, ModuleType
from typing import Any

from tablebase.system.compute.jit import callback, digest_of, inline


def compiled(function: Callable[..., Any], signature: Any, known: Mapping[Any, Any], **options: Any) -> Any:
    """Compile a function of whole numbers and arrays for kernels; the functions of its module that it calls are inlined.

    For the functions in `known`, there are kernels that do the same. Options of Numba, such as ``boundscheck``, are passed on.
    Raise `ValueError` if a function calls itself.
    """
    source = _digest(function, known)
    if source is not None and options:
        source += repr(sorted(options.items()))
    return callback(signature, source, **options)(_linked(function, source, dict(known), (), options))


def _linked(function: Any, source: str | None, made: dict[Any, Any], callers: tuple[Any, ...], options: Mapping[str, Any]) -> Any:
    """Copy a function; the functions that it calls become kernels."""
    if function in callers:
        raise ValueError(f"the function {function.__name__} calls itself")
    names = dict(function.__globals__)
    for name, used in _used(function):
        if isinstance(used, FunctionType):
            if used not in made:
                made[used] = inline(_linked(used, source, made, (*callers, function), options), source, **options)
            names[name] = made[used]
    copied = FunctionType(function.__code__, names, function.__name__, function.__defaults__, function.__closure__)
    copied.__module__, copied.__qualname__ = function.__module__, function.__qualname__
    return copied


def _used(function: Any) -> Iterator[tuple[str, Any]]:
    """Names outside a function that it uses, with their values."""
    for name in sorted(set(_names(function.__code__))):
        if name in function.__globals__:
            yield name, function.__globals__[name]


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _digest(function: Any, known: Mapping[Any, Any]) -> str | None:
    """Digest the files and the values that a function is compiled from; None if a function has no file."""
    files, values, pending = set(), set(), [function]
    seen = set(known)
    while pending:
        one = pending.pop()
        if one in seen:
            continue
        seen.add(one)
        files.add(digest_of(one.__code__.co_filename))
        for name, used in _used(one):
            if used.__hash__ and used in known:
                values.add(f"{name} = {known[used].__qualname__}")
            elif isinstance(used, FunctionType):
                # A name may stand for another function of the same file.
                values.add(f"{name} is {used.__qualname__}{used.__defaults__} at {used.__code__.co_firstlineno}")
                pending.append(used)
            elif not isinstance(used, ModuleType):
                values.add(f"{name} = {used!r}")
    if None in files:
        return None
    return hashlib.sha256(repr((sorted(map(str, files)), sorted(values))).encode()).hexdigest()
