"""Features of positions of Fox & Hounds."""

from __future__ import annotations

from tablebase.features import Feature, Positions, Values, feature
from tablebase.game import Board
from tablebase_rules import _foxboxes


@feature(kind="bool")
def foxbox(positions: Positions) -> Values:
    """Whether the position is a FoxBox, in which the hounds contain the fox."""
    return _foxboxes.foxbox(positions.game, positions.squares)


def features_of(board: Board) -> tuple[Feature, ...]:
    """The features on a board."""
    return (foxbox,) if len(board) <= _foxboxes.WORD_BITS else ()
