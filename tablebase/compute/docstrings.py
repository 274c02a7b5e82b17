"""Docstrings of functions, also where Python removes them (``python -OO``, ``PYTHONOPTIMIZE=2``)."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

Place = tuple[str, int]
"""Name of a function and the line where it begins."""


def docstring(function: Callable[..., Any]) -> str:
    """The docstring of a function without its indentation; empty if it has none."""
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
