"""Lazy re-exports: a package's module is loaded only when one of its names is first used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


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
