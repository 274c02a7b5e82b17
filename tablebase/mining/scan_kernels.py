"""Kernels of scans: counts of keys, and what the moves of positions amount to."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tablebase.compute.jit import inline, jit
from tablebase.slices.slice_arrays import Int32, Int64
from tablebase.tables import values

NONE = -1
"""No move."""
UNDECIDED = -2
"""Instead of the only move: a move of unknown value may keep the outcome as well."""
UNKNOWN = np.iinfo(np.uint16).max
"""The code of a move whose value is unknown; all codes here are in the coding `tablebase.tables.values.FULL`."""
STRIDE = 2
WON, DRAWN, LOST = 0, 1, 2
Int16 = NDArray[np.int16]

is_win = inline(values.is_win)
is_loss = inline(values.is_loss)


@jit
def count_keys(keys: NDArray[np.uint16], counts: Int64, places: Int64) -> None:
    """Count how often each key occurs, and note where it occurs last; `counts` is added to, and both are indexed by key."""
    for place in range(len(keys)):
        key = keys[place]
        counts[key] += 1
        places[key] = place


@jit
def judge(
    begin: Int64,
    steps: Int32,
    worth: values.Codes,
    positions: values.Codes,
    wins: Int16,
    draws: Int16,
    losses: Int16,
    only: Int32,
) -> None:
    """Count the moves of positions by outcome, and find the only one that keeps the outcome.

    `begin` and `steps` are as `list_moves` leaves them; `worth` has the value of each move, or `UNKNOWN`, and `positions` the
    value of each position. The other arrays, one number for each position, receive the number of moves with each outcome,
    `NONE` in all three if some value is unknown, and the step of the only move that keeps the outcome, `NONE` or `UNDECIDED`.
    """
    for place in range(len(positions)):
        wanted = _outcome(np.int64(positions[place]))
        won, drawn, lost, unknown, kept, right = 0, 0, 0, 0, 0, NONE
        for move in range(begin[place], begin[place + 1]):
            if worth[move] == UNKNOWN:
                unknown += 1
                continue
            outcome = _outcome(np.int64(worth[move]))
            won += outcome == WON
            drawn += outcome == DRAWN
            lost += outcome == LOST
            if outcome == wanted:
                kept += 1
                right = steps[move]
        only[place] = NONE if kept > 1 else UNDECIDED if unknown else right
        wins[place], draws[place], losses[place] = (NONE, NONE, NONE) if unknown else (won, drawn, lost)


@inline
def _outcome(code: Any) -> int:
    """Whether a code is that of a win, a draw or a loss."""
    if is_win(code, STRIDE):
        return WON
    return LOST if is_loss(code, STRIDE) else DRAWN
