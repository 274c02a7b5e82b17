"""Names that a package hands on from its modules, which are loaded only when one of the names is used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """A package's ``__getattr__``.

    Parameters
    ----------
    package : str
        Its ``__name__``.
    homes : mapping of str to str
        For each name the module that has it, as a full dotted name.
    """

    def find(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(homes[name]), name)

    return find
