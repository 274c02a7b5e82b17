"""Modules next to those of rules, found by their names: ``pig_pictures`` next to ``pig``. They are not part of the rules."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from typing import Any

from tablebase.errors import RulesError

GROUP = "tablebase.rules"


@cache
def installed_games() -> dict[str, EntryPoint]:
    """The installed games by name, sorted."""
    return {point.name: point for point in sorted(entry_points(group=GROUP), key=lambda point: point.name)}


@cache
def companions(ending: str, what: str) -> tuple[Any, ...]:
    """The modules with an ending next to those of the installed games, in the order of the games."""
    found = (companion(name, ending, what) for name in dict.fromkeys(point.module for point in installed_games().values()))
    return tuple(module for module in found if module is not None)


def companion(module: str, ending: str, what: str) -> Any:
    """The module with an ending after the name of a module of rules; None without one, `RulesError` if it cannot be loaded."""
    name = f"{module}{ending}"
    try:
        if find_spec(name) is None:
            return None
    # The package cannot be loaded, or the module was not imported by its name.
    except Exception:
        return None
    try:
        return import_module(name)
    except Exception as fault:
        raise unusable(module, name, what, fault) from fault


def unusable(module: str, name: str, what: str, fault: Exception) -> RulesError:
    """The error for a module that fails."""
    return RulesError(f"the {what} of {module} in {name} cannot be used: {' '.join(f'{type(fault).__name__}: {fault}'.split())}")
