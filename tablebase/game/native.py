"""The functions of a `CompiledGame` as machine code, which kernels call by address."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from tablebase.compute.bits import ones, trailing_zeros
from tablebase.compute.numba_internals import NumbaError
from tablebase.compute.plain_functions import compiled
from tablebase.errors import RulesError
from tablebase.game.compiled import CompiledGame
from tablebase.game.ranks import bits, lowest

_VECTOR = types.int64[::1]
_OF_POSITION = types.int64(_VECTOR, types.int64)
_FILLS = types.int64(_VECTOR, types.int64, _VECTOR)
SIGNATURES = {
    "to_move": _OF_POSITION,
    "moves": _FILLS,
    "tier": _OF_POSITION,
    "rank": _OF_POSITION,
    "unrank": types.int64(_VECTOR, types.int64, types.int64),
    "unmoves": _FILLS,
}
KNOWN = {bits: ones, lowest: trailing_zeros}
UNTOUCHED = -(1 << 62)
"""Stands behind the room for the moves of a position; no position is below 0."""


class Native(NamedTuple):
    """Compiled functions, see `tablebase.game.compiled.Functions`."""

    to_move: Any
    moves: Any
    tier: Any
    rank: Any
    unrank: Any
    unmoves: Any  # those of `moves` where a game has none


@cache
def native(game: CompiledGame) -> Native:
    """Compile the functions of a game; `RulesError` for what Numba cannot compile."""
    made = {}
    for name, signature in SIGNATURES.items():
        function = getattr(game.functions, name) or game.functions.moves
        try:
            made[name] = compiled(function, signature, KNOWN)
        except (NumbaError, ValueError) as fault:
            said = next((line.strip() for line in str(fault).splitlines() if line.strip()), type(fault).__name__)
            raise RulesError(
                f"{name} of {game.name} cannot be compiled ({said}): keep to whole numbers, loops and calls"
            ) from fault
    return Native(**made)


@cache
def rules_of(game: CompiledGame) -> NDArray[np.int64]:
    """Return the numbers of the rules as an array."""
    return np.ascontiguousarray(game.rules, np.int64)


def room(game: CompiledGame) -> NDArray[np.int64]:
    """Return room for twice the moves of a position, since compiled functions write without looking."""
    return np.full(2 * game.most_moves + 1, UNTOUCHED)


def has_overflowed(game: CompiledGame, out: NDArray[np.int64]) -> bool:
    """Return whether more positions have been filled in than `CompiledGame.most_moves`."""
    return bool(out[game.most_moves] != UNTOUCHED)
