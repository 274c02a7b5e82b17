"""Features that every game has."""

from __future__ import annotations

from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from tablebase.errors import TablebaseError
from tablebase.game import Game
from tablebase.game.features import Feature, Values, feature
from tablebase.game.functions import FunctionGame
from tablebase.positions.indexing import layout_of
from tablebase.positions.movegen import MoveGenerator
from tablebase.positions.position_arrays import Positions


@feature()
def mobility(positions: Positions) -> Values:
    """Number of moves of the side to move."""
    return _counts(positions).moves


@feature()
def captures(positions: Positions) -> Values:
    """Number of captures that the side to move can make."""
    return _counts(positions).captures


@feature(pieces=1, kind="bool")
def capturable(positions: Positions, piece: int) -> Values:
    """Return whether the side to move can capture the piece."""
    return _counts(positions).capturable[:, piece]


GENERAL = (mobility, captures, capturable)


def features_of(game: Game | FunctionGame[Any], user_features: tuple[Feature, ...] = ()) -> tuple[Feature, ...]:
    """The common features of pieces, the game's and the user's; of several with the same name, the last replaces the others."""
    has_pieces = "materials" in game.can
    by_name = {each.name: each for each in (*(GENERAL if has_pieces else ()), *game.features, *user_features)}
    for each in by_name.values() if not has_pieces else ():
        if each.pieces:
            error = f"the feature {each.name} describes pieces, but {game.name} has no pieces on squares"
            raise TablebaseError(f"{error}: leave out the pieces and write @feature()")
    return tuple(by_name.values())


class _Counts(NamedTuple):
    # Number of moves, and of captures among them. Shape (positions,).
    moves: NDArray[np.int16]
    captures: NDArray[np.int16]
    # Whether a move captures the piece. Shape (positions, pieces).
    capturable: NDArray[np.bool_]


_counts_cache: WeakKeyDictionary[Positions, _Counts] = WeakKeyDictionary()


def _counts(positions: Positions) -> _Counts:
    """Counts of the moves of these positions, made once for all features that need them."""
    if positions not in _counts_cache:
        _counts_cache[positions] = _count(positions)
    return _counts_cache[positions]


def _count(positions: Positions) -> _Counts:
    layout = layout_of(positions.game, positions.material)
    squares = positions.squares[:, list(layout.slots)]
    generator = MoveGenerator(layout, positions.side)
    moves, captures = np.zeros((2, len(positions)), dtype=np.int16)
    capturable = np.zeros(positions.squares.shape, dtype=bool, order="F")
    # After an escape the game is over, and there are no moves.
    unfinished = np.flatnonzero(~generator.escaped(squares))
    # Each batch has one move of some positions.
    for batch in generator.moves(squares[unfinished]):
        rows = unfinished[batch.rows]
        moves[rows] += 1
        if batch.victim is not None:
            captures[rows] += 1
            capturable[rows, layout.slots[batch.victim]] = True
    return _Counts(moves, captures, capturable)
