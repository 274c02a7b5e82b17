"""Features that every game has."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from tablebase.game import Game
from tablebase.game.features import Feature, Values, feature
from tablebase.slices.indexing import layout_of
from tablebase.slices.movegen import MoveGenerator
from tablebase.slices.positions import Positions


@feature()
def mobility(positions: Positions) -> Values:
    """Number of moves of the side to move."""
    return _moves(positions).number


@feature()
def captures(positions: Positions) -> Values:
    """Number of captures that the side to move can make."""
    return _moves(positions).captures


@feature(pieces=1, kind="bool")
def capturable(positions: Positions, piece: int) -> Values:
    """Whether the piece can be taken by the side to move."""
    return _moves(positions).taken[:, piece]


GENERAL = (mobility, captures, capturable)


def features_of(game: Game, own: tuple[Feature, ...] = ()) -> tuple[Feature, ...]:
    """The features of a game: those of every game, of its rules, and of a user; of one name the last counts."""
    found = {one.name: one for one in (*GENERAL, *game.features, *own)}
    return tuple(found.values())


class _Moves(NamedTuple):
    """What the side to move can do in each position."""

    number: NDArray[np.int16]
    captures: NDArray[np.int16]
    taken: NDArray[np.bool_]
    """Whether a piece can be taken, shape (positions, pieces)."""


_known: WeakKeyDictionary[Positions, _Moves] = WeakKeyDictionary()


def _moves(positions: Positions) -> _Moves:
    """The moves, counted once for all features that ask for them."""
    if positions not in _known:
        _known[positions] = _count(positions)
    return _known[positions]


def _count(positions: Positions) -> _Moves:
    own = layout_of(positions.game, positions.material)
    count, captures = np.zeros((2, len(positions)), dtype=np.int16)
    taken = np.zeros(positions.squares.shape, dtype=bool, order="F")
    for rows, victim in _landings(positions):
        count[rows] += 1
        if victim is not None:
            captures[rows] += 1
            taken[rows, own.slots[victim]] = True
    return _Moves(count, captures, taken)


def _landings(positions: Positions) -> Iterator[tuple[NDArray[np.int64], int | None]]:
    """Positions that have a move in common, and the slot that it takes."""
    own = layout_of(positions.game, positions.material)
    squares = positions.squares[:, list(own.slots)]
    generator = MoveGenerator(own, positions.side)
    # Where a piece has escaped the game is over, and nobody moves.
    going = np.flatnonzero(~generator.escaped(squares))
    for landing in generator.landings(squares[going]):
        yield going[landing.rows], landing.victim
