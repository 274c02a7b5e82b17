"""FoxBoxes of Fox & Hounds, of many positions at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tablebase.errors import CapacityError
from tablebase.game import Game, Kind

WORD_BITS = 64


def reaches_of(hounds: Kind) -> dict[int, frozenset[int]]:
    """For each square, the squares that a hound on it can reach on an empty board, including its own."""
    reaches: dict[int, frozenset[int]] = {}
    for square in reversed(hounds.squares):
        reaches[square] = frozenset({square}).union(*(reaches[step.target] for step in hounds.steps_from.get(square, ())))
    return reaches


def foxbox(rules: Game, squares: NDArray[np.int8]) -> NDArray[np.bool_]:
    """Whether each position is a FoxBox, in which the hounds contain the fox.

    The area that the fox can reach by moving around the hounds is a single square, or lies within the squares that the
    hounds can still reach.

    Parameters
    ----------
    rules : Game
        A game of this module; its board must have at most 64 squares.
    squares : ndarray of int8, shape (positions, 1 + hounds)
        The fox's square, then the hounds'.

    Raises
    ------
    CapacityError
        If the board has more squares.

    Notes
    -----
    Flood fill of all positions at once; a set of squares is a 64-bit word.
    """
    fox, hounds = rules.kinds
    if len(rules.board) > WORD_BITS:
        raise CapacityError("a FoxBox", "take a smaller board", needed=len(rules.board), allowed=WORD_BITS, unit="squares")
    bits = np.uint64(1) << np.arange(len(rules.board), dtype=np.uint64)
    reaches = reaches_of(hounds)
    guarded = np.array([sum(1 << square for square in reaches[origin]) for origin in hounds.squares], dtype=np.uint64)
    occupied = np.bitwise_or.reduce(bits[squares[:, 1:]], axis=1)
    within_reach = np.bitwise_or.reduce(guarded[squares[:, 1:]], axis=1)
    area = bits[squares[:, 0]]
    while True:
        grown = area | (_stepped(fox, area) & ~occupied)
        if np.array_equal(grown, area):
            break
        area = grown
    contained: NDArray[np.bool_] = (area == bits[squares[:, 0]]) | (area & ~within_reach == 0)
    return contained


def _stepped(kind: Kind, area: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The squares one step away from sets of squares; sets are bits of words."""
    origins_by_shift: dict[int, int] = {}
    for step in kind.steps:
        shift = step.target - step.origin
        origins_by_shift[shift] = origins_by_shift.get(shift, 0) | 1 << step.origin
    targets = np.zeros_like(area)
    for shift, origins in origins_by_shift.items():
        moving = area & np.uint64(origins)
        targets |= moving << np.uint64(shift) if shift > 0 else moving >> np.uint64(-shift)
    return targets
