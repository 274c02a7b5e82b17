"""Features that every game has."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from tablebase.features import Feature, Positions, Values, feature
from tablebase.game import Game
from tablebase.indexing import layout
from tablebase.stepping import Stepper


@feature()
def mobility(positions: Positions) -> Values:
    """Number of moves of the side to move."""
    return _count_moves(positions, captures_only=False)


@feature()
def captures(positions: Positions) -> Values:
    """Number of captures that the side to move can make."""
    return _count_moves(positions, captures_only=True)


@feature(pieces=1, kind="bool")
def capturable(positions: Positions, piece: int) -> Values:
    """Whether the piece can be taken by the side to move."""
    own = layout(positions.game, positions.material)
    found = np.zeros(len(positions), dtype=bool)
    for rows, victim in _moves(positions):
        if victim is not None and own.slots[victim] == piece:
            found[rows] = True
    return found


GENERAL = (mobility, captures, capturable)


def features_of(game: Game, own: tuple[Feature, ...] = ()) -> tuple[Feature, ...]:
    """The features of a game: those of every game, of its rules, and of a user; of one name the last counts."""
    found = {one.name: one for one in (*GENERAL, *game.features, *own)}
    return tuple(found.values())


def _count_moves(positions: Positions, *, captures_only: bool) -> Values:
    counts = np.zeros(len(positions), dtype=np.int16)
    for rows, victim in _moves(positions):
        if victim is not None or not captures_only:
            counts[rows] += 1
    return counts


def _moves(positions: Positions) -> Iterator[tuple[NDArray[np.int64], int | None]]:
    """Positions that have a move in common, and the slot that it takes."""
    own = layout(positions.game, positions.material)
    squares = positions.squares[:, list(own.slots)]
    stepper = Stepper(own, positions.side)
    # Where a piece has escaped the game is over, and nobody moves.
    going = np.flatnonzero(~stepper.escaped(squares))
    for landing in stepper.landings(squares[going]):
        yield going[landing.rows], landing.victim
