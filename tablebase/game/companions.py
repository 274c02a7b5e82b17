"""Modules next to those of rules, found by their names: ``pig_pictures`` next to ``pig``. They are not part of the rules."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
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
    with errors_as_sentences(f"the {what} of {module} in {name} cannot be used"):
        return import_module(name)


@contextmanager
def errors_as_sentences(what: str, *passing: type[BaseException], path: str = "") -> Iterator[None]:
    """Turn any exception of an author's code into one sentence, with the line if it is in the file at `path`.

    Ctrl-C and the exceptions of the classes `passing` are left as they are.
    """
    try:
        yield
    except BaseException as error:
        if isinstance(error, (KeyboardInterrupt, *passing)):
            raise
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == path]
        # The text of a SyntaxError names its file and line.
        line = f" ({Path(path).name}, line {lines[-1]})" if lines and not isinstance(error, SyntaxError) else ""
        said = " ".join(f"{what}: {type(error).__name__}: {error}{line}".split())
        raise RulesError(said).naming(getattr(error, "path", None)) from error
