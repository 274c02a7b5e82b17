"""Contents of modules: names that are loaded when they are first used, and docstrings that Python has removed."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any


def lazy(package: str) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of a package, which loads what the package imports under ``if TYPE_CHECKING``."""

    @cache
    def homes() -> dict[str, tuple[str, str]]:
        tree = ast.parse(Path(sys.modules[package].__file__ or "").read_bytes())
        lines = [line for block in tree.body if isinstance(block, ast.If) for line in block.body]
        imports = [(line.module or "", one) for line in lines if isinstance(line, ast.ImportFrom) for one in line.names]
        return {one.asname or one.name: (home, one.name) for home, one in imports}

    def load_attribute(name: str) -> Any:
        # Names with underscores are asked for by Python and its tools.
        if name.startswith("__") or name not in homes():
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        home, own_name = homes()[name]
        # What a package does not have is one of its modules.
        found = None if home == package else getattr(import_module(home), own_name, None)
        return import_module(f"{home}.{own_name}") if found is None else found

    return load_attribute


def docstring(function: Callable[..., Any]) -> str:
    """The docstring of a function without its indentation, also under ``python -OO``; empty if it has none."""
    kept = inspect.getdoc(function)
    if kept or sys.flags.optimize < 2:
        return kept or ""
    code = inspect.unwrap(function).__code__
    return _docstrings_in(code.co_filename).get((code.co_name, code.co_firstlineno), "")


@cache
def _docstrings_in(path: str) -> dict[tuple[str, int], str]:
    """The docstrings of all functions in a file, by name and the line where each begins; none if it cannot be read."""
    try:
        with open(path, "rb") as file:
            tree = ast.parse(file.read())
    except (OSError, SyntaxError):
        return {}
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    # Decorators belong to the function.
    first = [min(part.lineno for part in (node, *node.decorator_list)) for node in functions]
    return {(node.name, line): ast.get_docstring(node) or "" for node, line in zip(functions, first, strict=True)}
