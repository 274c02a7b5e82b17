"""What the kernel of `tablebase.search.maxn` works on: settings, tables, and space for the states on the way from the root."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.game.kernels import STATE, Int64, Kernels

SHARE_BITS = 30
"""Chances of tables are multiples of 2 to the power of minus this."""
FRAME = np.dtype(
    [
        ("who", np.int64),  # to move, as `expand` returns it
        ("count", np.int64),  # rows that are looked at
        ("next", np.int64),  # row
        ("best", np.int64),  # row so far
        ("score", np.int64),  # of that row
        ("weights", np.int64),  # their sum
        ("left", np.int64),  # turns
        ("alpha", np.int64),
        ("beta", np.int64),
    ]
)
"""What is known of a state on the way from the root."""
LEVEL, NODES, POSITIONS, LEAVES, SORTED, COUNTS = range(6)
"""What a search counts: its level; states, those that begin a turn or end the game, leaves, and states evaluated to order moves."""
RESULT_SEEN, RESULT_VALUES = 0, 1
"""Columns of the results of root moves: `NOT_SEEN`, `EXACT` or `BOUND`, then the values."""
NOT_SEEN, EXACT, BOUND = 0, 1, 2
DONE, PAUSED, TOO_DEEP = 0, 1, 2


class Settings(NamedTuple):
    """How to search."""

    turns: int  # the depth
    lead: bool  # whether players compare themselves with the best of the others, or look at their own value alone
    stop: bool  # whether a state in which another player has finished is a leaf
    alpha_beta: bool  # for two players who compare themselves
    sort: bool  # whether moves are looked at in the order of the static values that they lead to
    average: bool  # whether chance is averaged, or one outcome is drawn
    seed: int  # decides, together with the state, which one
    finished: int  # what the evaluation says of the root about who has finished


class Tables(NamedTuple):
    """What tables know about the states of a game of two players."""

    rules: Int64  # those of all regions, one after the other
    spans: Int64  # (regions, 3) where the rules of a region begin and end, and where its chances begin
    # (2, states) the chances that the player to move and the other one can force, in units of `SHARE_BITS`. Where a table is
    # missing they are 0: nothing is certain for either.
    chances: NDArray[np.int32]


class Task(NamedTuple):
    """What a search needs to know; it changes none of it."""

    expand: Any  # the first three are compiled functions of `Kernels` and `StateEvaluation`
    index: Any
    evaluate: Any
    rules: Int64  # what they are given
    parameters: Int64  # what `evaluate` is given beside the rules
    tables: Tables
    settings: Settings
    # For each turn, and the last one for all later ones: how many of the moves that seem best are looked at, 0 for all.
    cuts: Int64


class Space(NamedTuple):
    """Space for a search."""

    rows: Int64  # (levels, widest, STATE + fields) what follows the state of each level
    frames: Any  # (levels,) records of type `FRAME`
    order: Int64  # (levels, widest) the rows in the order in which they are looked at
    values: Int64  # (levels, players) the best vector so far, or the sum of weighted ones
    static: Int64  # (2, max(widest, players)) for sorting: the values of one state, and the scores of all rows
    lines: Int64  # (levels, levels) the best line from each level: labels of rows
    lengths: Int64  # (levels,)
    results: Int64  # (widest, 1 + players) of the moves in the root
    counts: Int64  # (COUNTS,)


def new_space(kernels: Kernels, players: int, levels: int) -> Space:
    """Space for as many states, one after the other, as `levels` says."""
    widest = kernels.widest
    return Space(
        rows=np.zeros((levels, widest, STATE + kernels.fields), np.int64),
        frames=np.zeros(levels, FRAME).view(np.recarray),
        order=np.zeros((levels, widest), np.int64),
        values=np.zeros((levels, players), np.int64),
        static=np.zeros((2, max(widest, players)), np.int64),
        lines=np.zeros((levels, levels), np.int64),
        lengths=np.zeros(levels, np.int64),
        results=np.zeros((widest, RESULT_VALUES + players), np.int64),
        counts=np.zeros(COUNTS, np.int64),
    )
