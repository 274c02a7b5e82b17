"""What modules hand out: names that are loaded when they are first used, and docstrings that Python has removed."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Any

Place = tuple[str, int]
"""Name of a function and the line where it begins."""


def lazy(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """The ``__getattr__`` of the package of this name, which re-exports names lazily.

    Their homes are the full dotted names of the modules that define them, or that they stand for.
    """

    def load_attribute(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = import_module(homes[name])
        return module if homes[name] == f"{package}.{name}" else getattr(module, name)

    return load_attribute


def docstring(function: Callable[..., Any]) -> str:
    """The docstring of a function without its indentation, also under ``python -OO``; empty if it has none."""
    kept = inspect.getdoc(function)
    if kept or sys.flags.optimize < 2:
        return kept or ""
    code = inspect.unwrap(function).__code__
    return _docstrings_in(code.co_filename).get((code.co_name, code.co_firstlineno), "")


@cache
def _docstrings_in(path: str) -> dict[Place, str]:
    """The docstrings of all functions in a file; none if it cannot be read."""
    try:
        with open(path, "rb") as file:
            tree = ast.parse(file.read())
    except (OSError, SyntaxError):
        return {}
    return dict(_documented(tree))


def _documented(tree: ast.Module) -> Iterator[tuple[Place, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            # Decorators belong to the function.
            first = min(part.lineno for part in (node, *node.decorator_list))
            yield (node.name, first), ast.get_docstring(node) or ""
