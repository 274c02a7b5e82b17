"""Scores: wins and losses by their distance from the root, everything else in hundredths of a piece."""

from __future__ import annotations

from typing import Any

import numpy as np

from tablebase.compute.jit import inline
from tablebase.slices.rule_arrays import RuleArrays
from tablebase.tables import values
from tablebase.tables.values import FIRST, FULL

distance_of = inline(values.distance_of)
is_win = inline(values.is_win)

INFINITY = 1_500_000
WIN = 1_000_000
"""The score of a win in 0; a win in d plies scores d less."""
DECIDED = 900_000
"""Scores beyond this one are wins and losses, and the others hundredths of a piece."""
REPEATER_LOSES = DECIDED - 1
"""The score against a side that has repeated a position, if that loses; not a win, since the search stops at the second time."""
_STRIDE = FULL.stride


@inline
def code_score(code: int, ply: int) -> Any:
    """The score of a table's code in the coding `FULL`, seen from the root."""
    if code < FIRST:
        return np.int64(0)
    distance = distance_of(code, _STRIDE)
    return WIN - ply - distance if is_win(code, _STRIDE) else ply + distance - WIN


@inline
def no_move_score(rules: RuleArrays, ply: int) -> Any:
    """The score of a position without a legal move."""
    return ply - WIN if rules.no_move_loses else np.int64(0)


@inline
def from_root(score: int, ply: int) -> Any:
    """A score of the transposition table, distances counted from the root."""
    if score > DECIDED:
        return score - ply
    return score + ply if score < -DECIDED else score


@inline
def from_node(score: int, ply: int) -> Any:
    """The inverse of `from_root`."""
    if score > DECIDED:
        return score + ply
    return score - ply if score < -DECIDED else score
