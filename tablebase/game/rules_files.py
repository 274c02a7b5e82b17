"""Games from rules files: a Python file with a game, used without installing it.

A file is imported as a module under its stem. Its folder is added to the end of the path, so that it can import its neighbours.
The environment variable TABLEBASE_RULES lists all files, so that processes started by this one know their games by name.
"""

from __future__ import annotations

import linecache
import os
import sys
import threading
from collections.abc import Callable
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from tablebase.errors import RulesError, TablebaseError, quoted
from tablebase.game.companions import errors_as_sentences
from tablebase.game.rules import Rules
from tablebase.system.compute.processes import fork_safe
from tablebase.system.files.inputs import MEBIBYTE, read_text

VARIABLE = "TABLEBASE_RULES"
"""Files, separated as in PATH."""
SUFFIX = ".py"
_loaded: dict[str, RulesFile] = {}
_loading: list[str] = []
_lock = fork_safe(threading.RLock())


class RulesFile(NamedTuple):
    """A game from a file, with the fields of an entry point."""

    name: str
    value: str  # the absolute path
    given: str  # the path, as it was first named
    make: Callable[..., Any]
    source: str

    def load(self) -> Callable[..., Any]:
        """The function that returns the game."""
        return self.make


def listed_files() -> str:
    """Value of TABLEBASE_RULES."""
    return os.environ.get(VARIABLE, "")


def read_rules(given: str) -> RulesFile:
    """Load the game of a file, once in a process.

    `RulesError` if the file cannot be read or run, hides another module, does not define one game, or has changed.
    """
    path, stem = os.path.abspath(given), Path(given).stem
    if not given.endswith(SUFFIX) or not stem.isidentifier():
        raise RulesError(f"invalid rules file name {quoted(given)}: use letters, digits and underscores, as in nim.py")
    if os.pathsep in path:
        raise RulesError(f"the path {quoted(path)} contains {os.pathsep!r}, which separates paths in {VARIABLE}: move the file")
    try:
        source = read_text(Path(given), "check the path of the rules file", MEBIBYTE)
    except TablebaseError as error:
        raise RulesError(str(error)) from error
    with _lock:
        if path not in _loaded:
            if _is_taken(stem, path):
                raise RulesError(f"the rules file {given} shadows the Python module {stem!r}: rename the file")
            if path in _loading:
                raise RulesError(f"the rules file {given} loads itself: call load() below 'if __name__ == \"__main__\":'")
            _loading.append(path)
            try:
                _loaded[path] = _read(given, path, stem, source)
            finally:
                _loading.remove(path)
        found = _loaded[path]
    if found.source != source:
        raise RulesError(f"the rules file {given} has changed since it was loaded: restart Python")
    return found


def _is_taken(stem: str, path: str) -> bool:
    """Return whether the name of a module is that of another one than this file."""
    if stem in sys.modules:
        origin = getattr(sys.modules[stem], "__file__", None) or "built-in"
    else:
        spec = find_spec(stem)
        # A folder without code, such as one in which the file is, has no origin.
        origin = spec.origin if spec is not None and spec.origin is not None else path
    return not (os.path.exists(origin) and os.path.samefile(origin, path))


def _read(given: str, path: str, stem: str, source: str) -> RulesFile:
    what, before = f"the rules file {given} cannot be loaded", sys.modules.get(stem)
    try:
        with errors_as_sentences(what, path=path):
            module = _imported(path, stem, source)
        make = _game_in(module, given)
        with errors_as_sentences(what, path=path):
            game = make()
            if isinstance(game, Rules):
                game.check_parts()
        if not isinstance(game, Rules):
            needed = "an object of a class based on FunctionGame or Game (docs/your-own-game.md)"
            raise RulesError(f"game() in the rules file {given} must return {needed}, not {quoted(game)}")
        if not all(part.isidentifier() and part == part.lower() for part in game.name.split("-")):
            raise RulesError(f"invalid game name {quoted(game.name)} in the rules file {given}: choose a name such as 'nim'")
    except BaseException:
        # The next attempt begins without it.
        sys.modules.pop(stem, None)
        if before is not None:
            sys.modules[stem] = before
        raise
    return RulesFile(game.name, path, given, make, source)


def _imported(path: str, stem: str, source: str) -> ModuleType:
    """The file as a new module.

    Its code is compiled from the source that the digest is of: a cached one may be older by less than a second, and
    `inspect` would read a later source from the file.
    """
    spec = spec_from_file_location(stem, path)
    assert spec is not None
    module = sys.modules[stem] = module_from_spec(spec)
    text = source if source.endswith("\n") else f"{source}\n"
    linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)
    if os.path.dirname(path) not in sys.path:
        sys.path.append(os.path.dirname(path))
    exec(compile(text, path, "exec", dont_inherit=True), vars(module))
    return module


def _game_in(module: ModuleType, given: str) -> Callable[..., Any]:
    found: Any = getattr(module, "game", None)
    if found is None:
        values = list(vars(module).values())
        kinds = [one for one in values if isinstance(one, type) and issubclass(one, Rules) and one.__module__ == module.__name__]
        games: list[Any] = list({id(one): one for one in values if isinstance(one, Rules)}.values())
        games = games or [one for one in kinds if not any(one in other.__mro__[1:] for other in kinds)]
        if len(games) != 1:
            hint = "add a function game() that returns one game"
            raise RulesError(f"the rules file {given} must define one game, not {len(games)}: {hint}")
        found = games[0]
    if isinstance(found, Rules):
        return lambda: found
    if not callable(found):
        raise RulesError(f"'game' in the rules file {given} must be a function that returns a game, not {quoted(found)}")
    make: Callable[..., Any] = found
    return make
