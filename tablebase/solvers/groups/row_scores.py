"""Scores: what a move is worth to the mover, as numbers of the codes' own type that are the larger the better.

They are, from 0 on: no move; losses, the shortest first; a draw; a draw because there is no legal move; and wins, the shortest
last. A position is kept as the score of a move into it, so that the best of a position's moves is a maximum.

Distances go up to one ply more than the coding reaches: the best move of such a position makes it too long for the coding.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from tablebase.game import Game, Outcome
from tablebase.tables.values import DRAW, STALEMATE, Codes, Coding, Value

NOTHING = 0
"""The score where there is no move, or no position."""


class Scores(NamedTuple):
    """The scores of a coding."""

    of_code: Codes  # for each code the score of a move into such a position; `NOTHING` for void
    codes: Codes  # the code of a position by the score of a move into it; void for `NOTHING`
    after: Codes  # by the score of a position's best move, that of a move into the position
    draw: int
    won: int  # of a win in one ply
    lost: int  # of a move that loses in one ply, if there is one
    late_loss: int  # of a loss one ply beyond the coding; that of such a win if there is none
    late_win: int  # of a win one ply beyond the coding; that of such a loss if there is none


def scores_of(game: Game, coding: Coding) -> Scores:
    """The scores of a coding, and what having no move is worth in a game."""
    return _scores(game.no_move, coding)


@cache
def _scores(no_move: Outcome, coding: Coding) -> Scores:
    """The same for all games in which having no move is worth this."""
    values = _values(coding)
    number = {value: score for score, value in enumerate(values)}
    stalemate = number[_DRAW] + 1
    of_code = np.full(coding.void + 1, NOTHING, dtype=coding.dtype)
    codes = np.full(len(values), coding.void, dtype=coding.dtype)
    after = np.full(len(values), number[_DRAW], dtype=coding.dtype)
    for code in range(coding.code(Value(Outcome.LOSS, coding.reach)) + 1):
        of_code[code] = stalemate if code == STALEMATE else number[coding.value(code).reversed.later]
        codes[of_code[code]] = code
    codes[number[_DRAW]] = DRAW
    for score, value in enumerate(values):
        if value is not None and value.distance is not None and value.distance <= coding.reach:
            after[score] = number[value.reversed.later]
    after[NOTHING] = stalemate if no_move is Outcome.DRAW else number[Value(Outcome.WIN, 1)]
    late = [number.get(Value(outcome, coding.reach + 1)) for outcome in (Outcome.LOSS, Outcome.WIN)]
    late_loss, late_win = (found if found is not None else other for found, other in zip(late, reversed(late), strict=True))
    assert late_loss is not None
    assert late_win is not None
    lost = number.get(Value(Outcome.LOSS, 1), NOTHING)
    return Scores(of_code, codes, after, number[_DRAW], number[Value(Outcome.WIN, 1)], lost, late_loss, late_win)


_DRAW = Value(Outcome.DRAW, None)


def _values(coding: Coding) -> list[Value | None]:
    plies = range(1, coding.reach + 2)
    # With stride 1 losses are even, and wins odd.
    losses = [Value(Outcome.LOSS, d) for d in plies if coding.stride == 2 or d % 2 == 0]
    wins = [Value(Outcome.WIN, d) for d in plies if coding.stride == 2 or d % 2 == 1]
    return [None, *losses, _DRAW, None, *reversed(wins)]
