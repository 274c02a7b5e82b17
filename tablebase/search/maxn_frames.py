"""What the kernel of `tablebase.search.maxn` works on: settings, tables, and space for the states on the way from the root."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.game.kernels import STATE, Int64, Kernels

SHARE_BITS = 30
"""Chances of tables are multiples of 2 to the power of minus this."""
WHO, COUNT, NEXT, BEST, SCORE, WEIGHTS, LEFT, ALPHA, BETA, FRAME = range(10)
"""What a frame holds: what `expand` has returned, how many rows are looked at and the next one, the best row so far and its
score, the sum of weights, the turns left, and the window; then how many there are."""
LEVEL, NODES, POSITIONS, LEAVES, COUNTS = range(5)
"""What a search counts: the level it is at; states, those that begin a turn or end the game, and those that were evaluated."""
RESULT_SEEN, RESULT_VALUES = 0, 1
"""Columns of the results of root moves: `NOT_SEEN`, `EXACT` or `BOUND`, then the values."""
NOT_SEEN, EXACT, BOUND = 0, 1, 2
DONE, PAUSED, TOO_DEEP = 0, 1, 2


class Settings(NamedTuple):
    """How to search.

    Parameters
    ----------
    turns : int
        The depth.
    lead : bool
        Whether players compare themselves with the best of the others, or look at their own value alone.
    stop : bool
        Whether a state in which another player has finished is a leaf.
    alpha_beta : bool
        For two players who compare themselves.
    sort : bool
        Whether moves are looked at in the order of the static values that they lead to.
    average : bool
        Whether chance is averaged, or one outcome is drawn.
    seed : int
        Decides, together with the state, which one.
    finished : int
        What the evaluation says of the root about who has finished.
    """

    turns: int
    lead: bool
    stop: bool
    alpha_beta: bool
    sort: bool
    average: bool
    seed: int
    finished: int


class Tables(NamedTuple):
    """What tables know about the states of a game of two players.

    Parameters
    ----------
    rules : ndarray of int64
        Those of all regions, one after the other.
    spans : ndarray of int64, shape (regions, 3)
        Where the rules of a region begin and end, and where its chances begin.
    chances : ndarray of int32, shape (2, states)
        The chances that the player to move and the other one can force, in units of `SHARE_BITS`. Where a table is missing they
        are 0: nothing is certain for either.
    """

    rules: Int64
    spans: Int64
    chances: NDArray[np.int32]


class Space(NamedTuple):
    """Space for a search.

    Parameters
    ----------
    rows : ndarray of int64, shape (levels, widest, STATE + fields)
        What follows the state of each level.
    frames : ndarray of int64, shape (levels, FRAME)
    order : ndarray of int64, shape (levels, widest)
        The rows in the order in which they are looked at.
    values : ndarray of int64, shape (levels, players)
        The best vector so far, or the sum of weighted ones.
    static : ndarray of int64, shape (2, max(widest, players))
        For sorting: the values of one state, and the scores of all rows.
    lines : ndarray of int64, shape (levels, levels)
        The best line from each level: labels of rows.
    lengths : ndarray of int64, shape (levels,)
    results : ndarray of int64, shape (widest, 1 + players)
        Of the moves in the root.
    counts : ndarray of int64, shape (COUNTS,)
    """

    rows: Int64
    frames: Int64
    order: Int64
    values: Int64
    static: Int64
    lines: Int64
    lengths: Int64
    results: Int64
    counts: Int64


def new_space(kernels: Kernels, players: int, levels: int) -> Space:
    """Space for as many states, one after the other, as `levels` says."""
    widest = kernels.widest
    return Space(
        rows=np.zeros((levels, widest, STATE + kernels.fields), np.int64),
        frames=np.zeros((levels, FRAME), np.int64),
        order=np.zeros((levels, widest), np.int64),
        values=np.zeros((levels, players), np.int64),
        static=np.zeros((2, max(widest, players)), np.int64),
        lines=np.zeros((levels, levels), np.int64),
        lengths=np.zeros(levels, np.int64),
        results=np.zeros((widest, RESULT_VALUES + players), np.int64),
        counts=np.zeros(COUNTS, np.int64),
    )
