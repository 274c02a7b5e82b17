"""The scores of values in the checker of planes.

They are numbers of the type of the codes, the larger the better the value: `STUCK`, then losses, draws, a number that is never
assigned, and wins, up to the largest number, a win in one ply. Nothing here is shared with the solvers.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from tablebase.game import Game, Outcome
from tablebase.tables.values import STALEMATE, Codes, Coding, Value

STUCK = 0
"""The score where there is no move."""
NOBODY = -1

Bytes = NDArray[np.uint8]
Small = NDArray[np.int8]
Long = NDArray[np.int64]


def _rank(value: Value, scale: Coding) -> int:
    """The score of a value among scores of the type of a coding."""
    if value.distance is None:
        return scale.void // 2
    return value.distance // 2 if value.outcome is Outcome.LOSS else scale.void - value.distance // 2


def scores_of(game: Game, coding: Coding) -> Codes:
    """For each code the score that the moves of a position with that code must imply."""
    return _scores(game.no_move, coding)


@cache
def _scores(no_move: Outcome, coding: Coding) -> Codes:
    """The same for all games in which having no move is worth this."""
    scores = np.array([_rank(coding.value(code), coding) for code in range(coding.void + 1)], dtype=coding.dtype)
    impossible = coding.void // 2 + 1
    # Only a position without a move may be a stalemate, or a loss in 0, as the rules have it.
    drawn = no_move is Outcome.DRAW
    scores[STALEMATE] = STUCK if drawn else impossible
    scores[coding.code(Value(Outcome.LOSS, 0))] = impossible if drawn else STUCK
    scores[coding.void] = impossible
    return scores


@cache
def move_scores_of(coding: Coding, scale: Coding) -> Codes:
    """For each code the score of a move into a position with that code, among scores of the type of another coding."""
    return np.array([_rank(coding.value(code).reversed.later, scale) for code in range(coding.void + 1)], dtype=scale.dtype)
