"""The games by name: the entry points of the group ``tablebase.rules``, and those of rules files.

A rules module provides a function that returns a `Game` or a `StochasticGame`. If the function has parameters, each with
a default, the game has *variants*: ``foxhounds-10x10`` or ``hasenspiel-8x10-early=none``. The parameter ``size`` is a pair
of files and ranks and is written without its name; other parameters are whole numbers or words. A name without a variant
means the defaults, and so does a name that spells them out. A parameter whose default is a `FileWord` may be given as a
file, which `full_name` reads.
"""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Sequence
from contextlib import AbstractContextManager
from functools import cache
from importlib.metadata import EntryPoint
from typing import Any

from tablebase.errors import RULES_FILES, ArgumentTypeError, RulesError, did_you_mean, quoted
from tablebase.game import Game
from tablebase.game.companions import errors_as_sentences, installed_games
from tablebase.game.file_words import FileWord, names_file
from tablebase.game.notation import WHOLE_NUMBER, whole_number
from tablebase.game.rules import Rules
from tablebase.game.rules_files import SUFFIX, VARIABLE, RulesFile, listed_files, read_rules

Point = EntryPoint | RulesFile
SIZE = "size"
_SIZE = re.compile(r"([0-9]{1,3})x([0-9]{1,3})")


@cache
def _installed(files: str) -> dict[str, Point]:
    """The games by name: those installed, and those of these files, separated as in the environment variable."""
    points: dict[str, Point] = dict(installed_games())
    for one in dict.fromkeys(map(read_rules, filter(None, files.split(os.pathsep)))):
        # `hexapawn-4x4` would be a variant of `hexapawn`.
        for name in points:
            if f"{one.name}-".startswith(f"{name}-"):
                taken = f"the name {name!r} is used by {_origin(points[name])}"
                raise RulesError(f"the rules file {one.given} defines the game {one.name!r}, but {taken}: rename the game")
        points[one.name] = one
        RULES_FILES.setdefault(one.name, one.given)
    return dict(sorted(points.items()))


def _games() -> dict[str, Point]:
    return _installed(listed_files())


def use_rules(file: str) -> str:
    """Make the game of a rules file known to this process and its children, and return the game's name; raises `RulesError`."""
    found = read_rules(file)
    if _games().get(found.name) is not found:
        files = os.pathsep.join(filter(None, [listed_files(), found.value]))
        _installed(files)
        os.environ[VARIABLE] = files
    RULES_FILES[found.name] = file
    return found.name


def game_names() -> tuple[str, ...]:
    """Return the names of all installed games, in alphabetical order."""
    return tuple(_games())


def is_known(name: str) -> bool:
    """Return whether a name is that of a game, or of a variant, even of one that the game does not have."""
    return bool(_bases(name))


def load_game(name: str | Rules[Any]) -> Game:
    """Return the game with this name (case-insensitive), or the given game object; the game must have pieces on squares.

    Raises
    ------
    RulesError
        If the game or its variant is unknown, its rules module does not return a game, or the game is defined by functions.

    Examples
    --------
    >>> load_game("hexapawn-4x4").start
    'pppp/4/4/PPPP w'
    >>> load_game("hexapawn-3x3").name
    'hexapawn'
    """
    game: Any = load_rules(name) if isinstance(name, str) else name
    if isinstance(game, Game):
        return game
    if not isinstance(game, Rules):
        raise ArgumentTypeError(f"invalid game of type {type(game).__name__}: expected a name or a Game object")
    raise RulesError(f"{game.name} is not a game with pieces on squares: choose another game")


def full_name(game: str, size: str | None, variant: Sequence[str] | None) -> str:
    """The name of a game, or of the game of a rules file, with its size and variant; what a file says becomes a part of the name.

    Here files are read, and never for a name: a server's visitors must not make it read files.
    """
    game = use_rules(game) if game.endswith(SUFFIX) else game
    return "-".join([game, *([size] if size else []), *(_without_file(game, word) for word in variant or [])])


def _without_file(game: str, word: str) -> str:
    """One word of a variant, with what its file says if it names one."""
    key, _, given = word.partition("=")
    if not names_file(given):
        return word
    point = _games()[_split(game)[0]]
    default = _defaults(_load(point), point).get(key)
    return f"{key}={default.read(given)}" if isinstance(default, FileWord) else word


@cache
def load_rules(name: str) -> Rules[Any]:
    """The game of that name, of any kind; otherwise like `load_game`."""
    base, words = _split(name)
    point = _games()[base]
    make = _load(point)
    options = _defaults(make, point)
    chosen: dict[str, Any] = {}
    for word in words:
        key, value = _option(base, word, options)
        if key in chosen:
            raise RulesError(f"{quoted(name)} sets {key} twice: set {key} only once")
        chosen[key] = value
    full = "-".join([base, *(_word(key, chosen[key]) for key in options if key in chosen and chosen[key] != options[key])])
    if full != name:
        return load_rules(full)
    # A `RulesError` of its own is about the variant.
    with _errors_of(point, "fails", RulesError):
        game = make(**chosen)
    if not isinstance(game, Rules):
        raise RulesError(f"{_origin(point)} of {base} must be a function that returns a game, not {quoted(game)}")
    game.check_parts()
    if game.name != base:
        raise RulesError(f"{_origin(point)} returns a game with the name {game.name!r} instead of {base!r}: rename the game")
    return game.renamed(full) if chosen else game


def variants(name: str) -> tuple[str, ...]:
    """The parameters of a game's variants, each written with its default: ``8x8``, ``early=default``."""
    point = _games()[name]
    return tuple(_word(key, value) for key, value in _defaults(_load(point), point).items())


def _load(point: Point) -> Any:
    with _errors_of(point, "cannot be loaded"):
        return point.load()


def _errors_of(point: Point, failed: str, *passing: type[BaseException]) -> AbstractContextManager[None]:
    return errors_as_sentences(f"{_origin(point)} of {point.name} {failed}", *passing, path=point.value)


def _origin(point: Point) -> str:
    if isinstance(point, RulesFile):
        return f"the rules file {RULES_FILES.get(point.name, point.given)}"
    return f"the entry point {point.value!r}"


def _bases(name: str) -> list[str]:
    return [base for base in _games() if name == base or name.startswith(f"{base}-")]


def _split(name: str) -> tuple[str, list[str]]:
    bases = _bases(name)
    if not bases and name != name.lower():
        return _split(name.lower())
    if not bases:
        if name.endswith(SUFFIX):
            file = quoted(name)
            raise RulesError(f"unknown game {file}: to use a rules file in Python, pass tablebase.load({file}) as the game")
        meant = did_you_mean(name.partition("-")[0], game_names())
        raise RulesError(f"unknown game {quoted(name)}{meant}: choose {', '.join(game_names()) or 'a game with installed rules'}")
    base = max(bases, key=len)
    return base, name[len(base) :].split("-")[1:]


def _defaults(make: Any, point: Point) -> dict[str, Any]:
    try:
        defaults = {key: parameter.default for key, parameter in inspect.signature(make).parameters.items()}
    except (TypeError, ValueError):
        raise RulesError(f"{_origin(point)} must be a function that returns a game") from None
    # Compared by identity, because a default may be anything.
    if any(default is inspect.Parameter.empty for default in defaults.values()):
        raise RulesError(f"{_origin(point)} has a parameter without a default: give every parameter a default")
    size = defaults.get(SIZE, (0, 0))
    if not (isinstance(size, tuple) and len(size) == 2 and all(isinstance(number, int) for number in size)):
        raise RulesError(f"{_origin(point)} has an invalid default for its parameter {SIZE}: use a pair of numbers, such as (8, 8)")
    return defaults


def _option(base: str, word: str, options: dict[str, Any]) -> tuple[str, Any]:
    key, _, text = word.rpartition("=")
    key = key or SIZE
    if key not in options:
        known = ", ".join(_word(name, value) for name, value in options.items())
        hint = f"write a variant such as {known}" if known else f"use {base!r}, which has no variants"
        raise RulesError(f"unknown variant {quoted(word)} of {base}: {hint}")
    default = options[key]
    if key == SIZE:
        size = _SIZE.fullmatch(text)
        if size is None:
            raise RulesError(f"invalid size {quoted(text)} for {base}: expected files and ranks, as in {_word(SIZE, default)}")
        return key, (int(size[1]), int(size[2]))
    if isinstance(default, int):
        number = whole_number(text)
        if number is None:
            raise RulesError(f"the option {key} of {base} must be {WHOLE_NUMBER}, not {quoted(text)}")
        return key, number
    return key, text


def _word(key: str, value: Any) -> str:
    return "x".join(map(str, value)) if key == SIZE else f"{key}={value}"
