"""The functions of a `CompiledGame` as machine code, which kernels call by address."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from tablebase.errors import RulesError
from tablebase.game.compiled import CompiledGame, Functions
from tablebase.game.key_lists import unrank as unrank_listed
from tablebase.game.ranks import bits, lowest
from tablebase.system.compute.bits import ones, trailing_zeros
from tablebase.system.compute.jit import call_compiled
from tablebase.system.compute.numba_internals import NumbaError
from tablebase.system.compute.plain_functions import compiled

WORDS, TABLE = types.int64[::1], types.int64[:, ::1]
_OF_POSITION = types.int64(WORDS, types.int64)
_FILLS = types.int64(WORDS, types.int64, WORDS)
SIGNATURES = {
    "to_move": _OF_POSITION,
    "moves": _FILLS,
    "tier": _OF_POSITION,
    "rank": _OF_POSITION,
    "unrank": types.int64(WORDS, types.int64, types.int64),
    "unmoves": _FILLS,
    "canonical": _OF_POSITION,
}
KNOWN = {bits: ones, lowest: trailing_zeros}


def no_unmoves(_rules: Any, _position: int, _out: Any) -> int:
    """Return 0: a game without `unmoves` does not ask for them."""
    return 0


def canonical(_rules: Any, position: int) -> int:
    """Return the position itself."""
    return position


DEFAULTS = {"unmoves": no_unmoves, "canonical": canonical, "rank": canonical, "unrank": unrank_listed}
BLOCK = 1 << 14
"""Texts that are read together."""
UNTOUCHED = -(1 << 62)
"""Stands behind the room for the moves of a position; no position is below 0."""


class Native(NamedTuple):
    """Compiled functions, see `tablebase.game.compiled.Functions`."""

    to_move: Any
    moves: Any
    tier: Any
    rank: Any
    unrank: Any
    unmoves: Any
    canonical: Any


def native(game: CompiledGame) -> Native:
    """Compile the functions of a game; `RulesError` for what Numba cannot compile."""
    return _native(game.functions, game.name)


@cache
def _native(functions: Functions, game: str) -> Native:
    made = {}
    for name, signature in SIGNATURES.items():
        function: Any = getattr(functions, name) or DEFAULTS[name]
        made[name] = _compiled(f"{name} of {game}", function, signature)
    return Native(**made)


def _compiled(name: str, function: Any, signature: Any, **options: Any) -> Any:
    try:
        return compiled(function, signature, KNOWN, **options)
    except (NumbaError, ValueError) as error:
        # Numba's first line names its own stage.
        said = next((line.strip() for line in str(error).splitlines() if line.strip() and "pipeline" not in line), "")
        raise RulesError(f"{name} cannot be compiled ({said}): use only whole numbers, loops and function calls") from error


# Instead of these, a function that `derived` compiles calls those of the game.


def _of_game(_rules: Any, *_: Any) -> int:
    raise NotImplementedError


to_move = tier = stored = unrank = step = read = _of_game


def derived(game: CompiledGame, function: Any, signature: Any, moves: str = "moves", **options: Any) -> Any:
    """Compile a function that calls functions of a game: `to_move`, `tier`, `stored`, `unrank` and `step`.

    `stored` is `rank` or, without ranks, `canonical`; `step` is `moves` or `unmoves`. Calls by address cost more than most of these
    functions; this is a single one. See `compiled` for the options.
    """
    try:
        return _derived(game.functions, function, signature, moves, tuple(options.items()))
    except (NumbaError, ValueError):
        # The error of the function itself names it.
        native(game)
        raise


@cache
def _derived(functions: Functions, function: Any, signature: Any, moves: str, options: tuple[tuple[str, Any], ...]) -> Any:
    names = {
        "to_move": functions.to_move,
        "tier": functions.tier,
        "stored": functions.rank or functions.canonical or canonical,
        "unrank": functions.unrank or unrank_listed,
        "step": getattr(functions, moves) or no_unmoves,
    }
    copied = FunctionType(function.__code__, {**function.__globals__, **names}, function.__name__)
    return compiled(copied, signature, KNOWN, **dict(options))


@cache
def rules_of(game: CompiledGame) -> NDArray[np.int64]:
    """Return the numbers of the rules as an array; `RulesError` if they are too large."""
    try:
        return np.ascontiguousarray(game.rules, np.int64)
    except OverflowError as error:
        large = f"{game.name} needs numbers of more than 63 bits, which tables cannot store"
        raise RulesError(f"{large}: choose a smaller variant") from error


def read_texts(game: CompiledGame, texts: Sequence[Any]) -> NDArray[np.int64]:
    """Read texts by `CompiledGame.read`; -1 for other objects, and for texts that are left to `parse`."""
    numbers = np.full(len(texts), -1)
    for begin in range(0, 0 if game.read is None else len(texts), BLOCK):
        words = [text if isinstance(text, str) else "" for text in texts[begin : begin + BLOCK]]
        points = np.frombuffer("".join(words).encode("utf-32-le", "surrogatepass"), np.int32).astype(np.int64)
        ends = np.cumsum([*map(len, words)])
        call_compiled(_reader(game.read, game.name), rules_of(game), points, ends, numbers[begin : begin + BLOCK])
    return numbers


@cache
def _reader(function: Any, game: str) -> Any:
    copied = FunctionType(_read_all.__code__, {**globals(), "read": function}, _read_all.__name__)
    return _compiled(f"read of {game}", copied, types.int64(WORDS, WORDS, WORDS, WORDS), boundscheck=True)


def _read_all(rules: Any, points: Any, ends: Any, numbers: Any) -> int:
    begin = 0
    for place, end in enumerate(ends):
        try:
            numbers[place] = read(rules, points[begin:end]) if begin < end else -1
        except Exception:
            numbers[place] = -1
        begin = end
    return 0


def room(game: CompiledGame) -> NDArray[np.int64]:
    """Return room for twice the moves of a position, since compiled functions write without looking."""
    return np.full(2 * game.most_moves + 1, UNTOUCHED)


def has_overflowed(game: CompiledGame, out: NDArray[np.int64]) -> bool:
    """Return whether more positions have been filled in than `CompiledGame.most_moves`."""
    return bool(out[game.most_moves] != UNTOUCHED)


def call_all(game: CompiledGame, position: int) -> dict[str, Any]:
    """Call all functions of a game when compiled, for tests: `moves` and `unmoves` return the positions as well."""
    functions, rules, found = native(game), rules_of(game), dict[str, Any]()
    for name in ("to_move", "tier", "rank", "canonical"):
        if getattr(game.functions, name) is not None:
            found[name] = int(call_compiled(getattr(functions, name), rules, position))
    if game.is_ranked:
        found["unrank"] = int(call_compiled(functions.unrank, rules, found["tier"], found["rank"]))
    for name in ("moves", "unmoves"):
        if getattr(game.functions, name) is not None:
            out = room(game)
            count = int(call_compiled(getattr(functions, name), rules, position, out))
            found[name] = count, [] if has_overflowed(game, out) else out[: max(count, 0)].tolist()
    return found
