"""Features of positions of Dou Shou Qi."""

from __future__ import annotations

from functools import cache

import numpy as np

from tablebase.features import Feature, Positions, Values, feature
from tablebase.game import Game
from tablebase_rules._jungle import DENS, TRAPS, WATER

FAR = 99
"""Number of steps to an unreachable square."""


@feature(pieces=2)
def distance(positions: Positions, one: int, other: int) -> Values:
    """Manhattan distance between two pieces: difference in files plus difference in ranks."""
    return _of_squares(_distances(positions.game), positions, one, other)


@feature(pieces=2, kind="bool")
def even(positions: Positions, one: int, other: int) -> Values:
    """Whether the Manhattan distance between two pieces is even."""
    return _of_squares(_distances(positions.game) % 2 == 0, positions, one, other)


@feature(pieces=2, words=("weaker", "equal", "stronger"))
def relation(positions: Positions, one: int, other: int) -> Values:
    """Strength of the first piece: stronger if only it can capture the other in the open, weaker if only the other can, else equal.

    Two pieces of one side are always equal, since neither can capture the other.
    """
    game, kinds = positions.game, positions.kinds
    return np.array([1 + _takes(game, kinds[one], kinds[other]) - _takes(game, kinds[other], kinds[one])])


@feature(pieces=1)
def to_den(positions: Positions, piece: int) -> Values:
    """Fewest steps of the piece to the enemy den on an otherwise empty board, jumps included; 99 if it cannot get there."""
    return np.array(_steps_to_goal(positions.game, positions.kinds[piece])).take(positions.squares[:, piece])


@feature(pieces=1)
def to_home(positions: Positions, piece: int) -> Values:
    """Manhattan distance from the piece to its own den."""
    cells = np.array(positions.game.board.cells)
    away = np.abs(cells - cells[DENS[positions.game.side_of(positions.kinds[piece])]]).sum(axis=1)
    distances: Values = away.take(positions.squares[:, piece])
    return distances


@feature(words=("mover", "other", "nobody"))
def first(positions: Positions) -> Values:
    """Which side would win an unobstructed race to the enemy den: the side to move (mover), the other, or nobody."""
    mover, other = (_nearest(positions, side) for side in (positions.side, 1 - positions.side))
    return np.where(np.minimum(mover, other) == FAR, 2, np.where(mover <= other, 0, 1))


@feature(pieces=1, kind="bool")
def swims(positions: Positions, piece: int) -> Values:
    """Whether the piece is in the water; only a rat can be."""
    return _on(positions, piece, WATER)


@feature(pieces=1, words=("home", "river", "away", "trap"))
def region(positions: Positions, piece: int) -> Values:
    """Part of the board from the owner's view: its own three ranks (home), the river's, the enemy's (away), or an enemy trap."""
    game = positions.game
    ranks = np.array([rank // 3 for _, rank in game.board.cells])
    side = game.side_of(positions.kinds[piece])
    third = (ranks if side == 0 else 2 - ranks).take(positions.squares[:, piece])
    return np.where(_on(positions, piece, TRAPS[1 - side]), 3, third)


@feature(pieces=2, words=("behind", "beside", "ahead"))
def passing(positions: Positions, one: int, other: int) -> Values:
    """Whether the second piece's rank is behind, beside or ahead of the first's, as the first's owner looks at the enemy den."""
    ranks = np.array([rank for _, rank in positions.game.board.cells], dtype=np.int8)
    side = positions.game.side_of(positions.kinds[one])
    ahead = np.sign(ranks.take(positions.squares[:, other]) - ranks.take(positions.squares[:, one]))
    place: Values = 1 + (ahead if side == 0 else -ahead)
    return place


@cache
def _distances(game: Game) -> Values:
    """Manhattan distance of each two squares, shape (squares, squares)."""
    cells = np.array(game.board.cells, dtype=np.int8)
    distances: Values = np.abs(cells[:, None] - cells).sum(axis=2, dtype=np.int8)
    return distances


def _of_squares(table: Values, positions: Positions, one: int, other: int) -> Values:
    """What a table says of the squares of two pieces."""
    row, column = positions.squares[:, one], positions.squares[:, other]
    return table.ravel().take(row * np.int16(len(table)) + column)


def _on(positions: Positions, piece: int, squares: frozenset[int] | tuple[int, ...]) -> Values:
    """Whether the piece stands on one of these squares."""
    wanted = np.zeros(len(positions.game.board), dtype=bool)
    wanted[list(squares)] = True
    return wanted.take(positions.squares[:, piece])


def _nearest(positions: Positions, side: int) -> Values:
    """Steps to the enemy den of the side's piece nearest to it."""
    game, kinds = positions.game, positions.kinds
    steps = [to_den.function(positions, piece) for piece, kind in enumerate(kinds) if game.side_of(kind) == side]
    nearest: Values = np.min(steps, axis=0)
    return nearest


@cache
def _takes(game: Game, taker: int, victim: int) -> bool:
    """Whether a kind captures another in the open: with most of its steps."""
    steps = game.kinds[taker].steps
    taking = sum(game.kinds[victim].symbol in step.victims for step in steps)
    return 2 * taking > len(steps)


@cache
def _steps_to_goal(game: Game, kind: int) -> tuple[int, ...]:
    """Fewest steps from each square, the winning one included; `FAR` where there is no way."""
    steps = game.kinds[kind].steps
    fewest = [FAR] * len(game.board)
    for _ in game.board.cells:
        for step in steps:
            beyond = 0 if step.wins else fewest[step.target]
            fewest[step.origin] = min(fewest[step.origin], beyond + 1)
    return tuple(min(steps_to_goal, FAR) for steps_to_goal in fewest)


FEATURES: tuple[Feature, ...] = (distance, even, relation, to_den, to_home, first, swims, region, passing)
ANYWHERE: tuple[Feature, ...] = (distance, even, relation, to_den, first, passing)
"""Those of any board; the others are about the river, the ranks and the one den of the usual board."""
