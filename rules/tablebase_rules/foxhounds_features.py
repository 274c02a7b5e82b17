"""Features of positions of Fox & Hounds."""

from __future__ import annotations

from math import comb

from tablebase.features import Feature, Positions, Values, feature
from tablebase.game import Board
from tablebase_rules import _foxboxes

MOST = 1 << 22
"""The most positions of a board of which all are looked at for B, which takes a few seconds."""


@feature(kind="bool")
def foxbox(positions: Positions) -> Values:
    """Whether the position is a FoxBox, in which the hounds contain the fox."""
    return _foxboxes.foxbox(positions.game, positions.squares)


@feature()
def b(positions: Positions) -> Values:
    """B, the number of plies in which the hounds can force a FoxBox that is won for them; -1 if the fox wins."""
    return _measures(positions)[:, 0]


@feature()
def max_b(positions: Positions) -> Values:
    """Max B, the largest B that the fox can still bring about; -1 if the fox wins."""
    return _measures(positions)[:, 1]


@feature()
def max_b_plies(positions: Positions) -> Values:
    """The number of plies until the fox has brought about max B; -1 if the fox wins."""
    return _measures(positions)[:, 2]


def _measures(positions: Positions) -> Values:
    """B, max B and the plies until then."""
    # Games are loaded without what looks ahead in them.
    from tablebase_rules.foxhounds_boxes import measures

    return measures(positions)


def features_of(board: Board) -> tuple[Feature, ...]:
    """The features on a board."""
    squares, hounds = len(board), board.width // 2
    boxes = (foxbox,) if squares <= _foxboxes.WORD_BITS else ()
    return (*boxes, b, max_b, max_b_plies) if 2 * squares * comb(squares - 1, hounds) <= MOST else boxes
