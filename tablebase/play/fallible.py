"""A player that makes mistakes: which move it chooses, and with what probability."""

from __future__ import annotations

from random import Random

from tablebase.errors import TablebaseError
from tablebase.probe.answers import Probe, RatedMove


def kept_moves(probe: Probe) -> tuple[RatedMove, ...]:
    """The moves that the table calls best: the first one and all that are worth as much in outcome and distance."""
    return tuple(one for one in probe.moves if one.value == probe.moves[0].value)


def weights(count: int, kept: int, fuzz: float) -> list[float]:
    """How likely each legal move is to be chosen.

    Parameters
    ----------
    count : int
        Number of legal moves, best first.
    kept : int
        How many of them, from the first on, are best; at least 1.
    fuzz : float
        What any move weighs, from 0 (only best moves) to 1 (all moves alike); a best one weighs 1.

    Returns
    -------
    list of float
        A probability for each move; together they are 1.

    Examples
    --------
    >>> weights(3, 1, 0.5)
    [0.5, 0.25, 0.25]
    """
    total = count * fuzz + kept * (1 - fuzz)
    return [1 / total] * kept + [fuzz / total] * (count - kept)


def check_fuzz(fuzz: float) -> None:
    """Raise `TablebaseError` for what is no number from 0 to 1."""
    # Written this way round so that not-a-number is refused as well.
    if not 0 <= fuzz <= 1:
        raise TablebaseError(f"the fuzz is a number from 0 (only best moves) to 1 (any move), not {fuzz:g}")


def choose(probe: Probe, fuzz: float, random: Random) -> RatedMove:
    """Draw a move with the probabilities of `weights`; there must be one."""
    return random.choices(probe.moves, weights(len(probe.moves), len(kept_moves(probe)), fuzz))[0]
