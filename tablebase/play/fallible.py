"""A fallible player: which move it chooses, and with what probability."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TypeVar

from tablebase.errors import ArgumentError, quoted
from tablebase.play.players import all_players
from tablebase.probe.answers import Probe, RatedMove

FAIR = "fair"
"""Instead of a number: the fuzz that gives a perfect opponent an even chance."""
MUST = "the fuzz must be a number from 0 (only best moves) to 1 (random moves), not"
Item = TypeVar("Item")


def kept_moves(probe: Probe) -> tuple[RatedMove, ...]:
    """The best moves: the first one and all others of equal outcome and distance."""
    return tuple(move for move in probe.moves if move.value == probe.moves[0].value)


def weights(count: int, kept: int, fuzz: float) -> list[float]:
    """The probability of each of `count` legal moves; the first `kept` of them, at least one, are the best ones.

    A best move has weight 1, any other one the weight `fuzz`, from 0 (only best moves) to 1 (all moves alike).
    """
    total = count * fuzz + kept * (1 - fuzz)
    return [1 / total] * kept + [fuzz / total] * (count - kept)


def parse_fuzz(fuzz: float | str) -> float:
    """The number that a fuzz is given as; `TablebaseError` if it is not a number from 0 to 1."""
    try:
        number = float(fuzz)
    except ValueError:
        takers = ", ".join(record.name for record in all_players() if record.fair)
        fair = f"; only the players {takers} accept {FAIR!r}" if fuzz == FAIR else ""
        raise ArgumentError(f"{MUST} {quoted(str(fuzz))}{fair}") from None
    # This comparison also rejects NaN.
    if not 0 <= number <= 1:
        raise ArgumentError(f"{MUST} {number:g}")
    return number


def check_fair(fuzz: float | str) -> None:
    """Raise `TablebaseError` unless the fuzz is ``fair`` or a number from 0 to 1."""
    if fuzz != FAIR:
        parse_fuzz(fuzz)


def draw(moves: Sequence[Item], kept: int, fuzz: float, random: Random) -> Item:
    """Draw one of the moves with the probabilities of `weights`; there must be a move."""
    return random.choices(moves, weights(len(moves), kept, fuzz))[0]
