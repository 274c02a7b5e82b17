"""A move with what it forces and the possible games after it, as the article about Hasenspiel has them side by side."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple

RANKS = {"win": 3, "draw": 2, None: 1, "loss": 0}


class RankedMove(NamedTuple):
    """What is known of a move, for the side that makes it."""

    move: str
    outcome: str | None  # that it forces; None if that is not known
    distance: int | None  # plies to the end, the move included; None for a draw
    games: int  # possible games after it
    won: tuple[int, int]  # how many of them each side wins
    share: Fraction  # the share of them that the side wins


def ranked_move(move: str, outcome: str | None, distance: int | None, games: int, won: tuple[int, int], mover: int) -> RankedMove:
    """A move of a side."""
    return RankedMove(move, outcome, distance, games, won, Fraction(won[mover], games))


def by_rank(moves: Iterable[RankedMove]) -> list[RankedMove]:
    """The moves as the player ``ranking`` prefers them: by outcome, a soon win or a late loss, and the share of won games."""

    def rank(one: RankedMove) -> tuple[int, int, Fraction]:
        plies = one.distance or 0
        return RANKS[one.outcome], -plies if one.outcome == "win" else plies, one.share

    return sorted(moves, key=rank, reverse=True)
