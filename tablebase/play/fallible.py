"""A fallible player: which move it chooses, and with what probability."""

from __future__ import annotations

from random import Random

from tablebase.errors import TablebaseError
from tablebase.probe.answers import Probe, RatedMove


def kept_moves(probe: Probe) -> tuple[RatedMove, ...]:
    """The best moves: the first one and all others of equal outcome and distance."""
    return tuple(move for move in probe.moves if move.value == probe.moves[0].value)


def weights(count: int, kept: int, fuzz: float) -> list[float]:
    """The probability of each legal move.

    Parameters
    ----------
    count : int
        Number of legal moves, best first.
    kept : int
        Number of best moves, at least 1; they come first.
    fuzz : float
        Weight of a move that is not best, from 0 (only best moves) to 1 (all moves alike); a best move has weight 1.

    Returns
    -------
    list of float
        A probability for each move; their sum is 1.

    Examples
    --------
    >>> weights(3, 1, 0.5)
    [0.5, 0.25, 0.25]
    """
    total = count * fuzz + kept * (1 - fuzz)
    return [1 / total] * kept + [fuzz / total] * (count - kept)


def check_fuzz(fuzz: float) -> None:
    """Raise `TablebaseError` unless the fuzz is a number from 0 to 1."""
    # This comparison also rejects NaN.
    if not 0 <= fuzz <= 1:
        raise TablebaseError(f"the fuzz must be a number from 0 (only best moves) to 1 (any move), not {fuzz:g}")


def choose(probe: Probe, fuzz: float, random: Random) -> RatedMove:
    """Draw a move with the probabilities of `weights`; there must be a legal move."""
    return random.choices(probe.moves, weights(len(probe.moves), len(kept_moves(probe)), fuzz))[0]
