"""The installed games: the entry points of the group ``tablebase.rules``.

A rules module provides a function that returns a `Game`. If the function has parameters, each with a default, the game
has *variants*: ``foxhounds-10x10`` or ``hasenspiel-8x10-early=none``. The parameter ``size`` is a pair of files and
ranks and is written without its name; other parameters are whole numbers or words. A name without a variant means the
defaults, and so does a name that spells them out.
"""

from __future__ import annotations

import inspect
import re
from dataclasses import replace
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from tablebase.errors import RulesError
from tablebase.game import Game

GROUP = "tablebase.rules"
SIZE = "size"
_SIZE = re.compile(r"([0-9]{1,3})x([0-9]{1,3})")


@cache
def _installed() -> dict[str, EntryPoint]:
    return {point.name: point for point in sorted(entry_points(group=GROUP), key=lambda point: point.name)}


def game_names() -> tuple[str, ...]:
    """Names of all installed games, sorted."""
    return tuple(_installed())


@cache
def load_game(name: str) -> Game:
    """The game of that name, such as ``foxhounds`` or ``foxhounds-10x10``.

    Raises
    ------
    RulesError
        If no such game is installed, it has no such variant, or its rules module does not return a `Game`.

    Examples
    --------
    >>> load_game("hexapawn-4x4").start
    'pppp/4/4/PPPP w'
    >>> load_game("hexapawn-3x3").name
    'hexapawn'
    """
    base, words = _split(name)
    point = _installed()[base]
    make = _load(point)
    options = _defaults(make, point)
    chosen: dict[str, Any] = {}
    for word in words:
        key, value = _option(base, word, options)
        if key in chosen:
            raise RulesError(f"{name!r} sets {key} twice")
        chosen[key] = value
    full = "-".join([base, *(_word(key, chosen[key]) for key in options if key in chosen and chosen[key] != options[key])])
    if full != name:
        return load_game(full)
    game = make(**chosen)
    if not isinstance(game, Game):
        raise RulesError(f"the entry point {point.value!r} of {base} must be a function that returns a Game")
    if game.name != base:
        raise RulesError(f"the entry point {point.value!r} calls its game {game.name!r}, not {base!r}")
    return replace(game, name=full) if chosen else game


def variants(name: str) -> tuple[str, ...]:
    """The parameters of a game's variants, each written with its default: ``8x8``, ``early=default``."""
    point = _installed()[name]
    return tuple(_word(key, value) for key, value in _defaults(_load(point), point).items())


def _load(point: EntryPoint) -> Any:
    """The object that an entry point names."""
    try:
        return point.load()
    except (ImportError, AttributeError) as fault:
        raise RulesError(f"the entry point {point.value!r} of {point.name} cannot be loaded: {fault}") from fault


def _split(name: str) -> tuple[str, list[str]]:
    """The name of the installed game, and the words of the variant after it."""
    bases = [base for base in _installed() if name == base or name.startswith(f"{base}-")]
    if not bases:
        raise RulesError(f"there is no game {name!r}; installed: {', '.join(game_names()) or 'none'}")
    base = max(bases, key=len)
    return base, name[len(base) :].split("-")[1:]


def _defaults(make: Any, point: EntryPoint) -> dict[str, Any]:
    """The parameters of an entry point's function, with their defaults."""
    try:
        defaults = {key: parameter.default for key, parameter in inspect.signature(make).parameters.items()}
    except (TypeError, ValueError):
        raise RulesError(f"the entry point {point.value!r} must be a function that returns a Game") from None
    if inspect.Parameter.empty in defaults.values():
        raise RulesError(f"the entry point {point.value!r} must be a function whose parameters all have defaults")
    return defaults


def _option(base: str, word: str, options: dict[str, Any]) -> tuple[str, Any]:
    """Read one word of a variant: the name and the value of a parameter."""
    key, _, text = word.rpartition("=")
    key = key or SIZE
    if key not in options:
        known = ", ".join(_word(name, value) for name, value in options.items())
        hint = f"its variants are written as in {known}" if known else "it has no variants"
        raise RulesError(f"{base} has no variant {word!r}: {hint}")
    default = options[key]
    if key == SIZE:
        size = _SIZE.fullmatch(text)
        if size is None:
            raise RulesError(f"{text!r} is not a size of {base}: write files and ranks, as in {_word(SIZE, default)}")
        return key, (int(size[1]), int(size[2]))
    if isinstance(default, int):
        if not text.isascii() or not text.isdigit():
            raise RulesError(f"{key} of {base} must be a whole number, not {text!r}")
        return key, int(text)
    return key, text


def _word(key: str, value: Any) -> str:
    """One word of a variant as text."""
    return "x".join(map(str, value)) if key == SIZE else f"{key}={value}"
