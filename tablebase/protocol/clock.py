"""How long to think about a move when a clock runs."""

from __future__ import annotations

MOVES = 30
"""Moves that the time left has to last for, if nothing is said about that."""
SHARE = 0.75
"""The part of the increment that is spent at once."""
LEAST = 0.001
"""Seconds that a move is given in any case."""


def seconds_for_move(left: int, increment: int, moves: int | None, overhead: int) -> float:
    """The time for a move.

    An even share of the time left, and most of the increment; never more than what is left without the overhead.

    Parameters
    ----------
    left, increment : int
        Of the side to move, in milliseconds.
    moves : int or None
        Moves until the next time control; None if the time left is for all of the game.
    overhead : int
        Milliseconds that a move takes beside the thinking, such as those that lines need on their way.

    Returns
    -------
    float
        In seconds.

    Examples
    --------
    >>> seconds_for_move(60_000, 1_000, None, 0)
    2.75
    >>> seconds_for_move(1_000, 0, 1, 100)
    0.9
    """
    share = left / min(moves or MOVES, MOVES) + SHARE * increment
    return max(LEAST, min(share, left - overhead) / 1000)
