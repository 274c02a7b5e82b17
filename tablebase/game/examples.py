"""Examples for the help of commands and the description of the server's interface, which the installed games give."""

from __future__ import annotations

from functools import cache
from typing import Any

from tablebase.game.companions import companions


@cache
def _known() -> dict[str, Any]:
    """The examples by name: those of modules ``NAME_examples`` next to rules, of equal names that of the first game."""
    modules = reversed(companions("_examples", "examples"))
    return {name: one for module in modules for name, one in getattr(module, "EXAMPLES", {}).items()}


def examples(name: str) -> list[Any]:
    """The example of that name, in a list; empty if no installed game has one."""
    return [_known()[name]] if name in _known() else []


def example(name: str) -> dict[str, Any]:
    """Return the extra entry of a description if there is an example of that name."""
    return {"example": _known()[name]} if name in _known() else {}
