"""What a position is worth to a search that cannot see its end, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Duel:
    """What it is worth that one piece is near another.

    Parameters
    ----------
    hunter, quarry : str
        Symbols of the kinds; the value counts for the hunter's side.
    values : tuple of int
        By the number of steps that the hunter needs to the quarry's square, from 0; beyond the last one, nothing.
    """

    hunter: str
    quarry: str
    values: tuple[int, ...]


@dataclass(frozen=True)
class Evaluation:
    """Values of a game's positions, in hundredths of a piece; a search adds them up for each side.

    Parameters
    ----------
    squares : mapping of str to tuple of int
        For each kind, by its symbol, the value of a piece on each square of the board.
    mobility : int
        The value of a legal move more than the other side has.
    duels : tuple of Duel
    race : tuple of int
        The value of a race that is won, by the steps that the winner's piece is away from its goal, from 0; beyond the last
        one, nothing. A side wins the race if a piece of it can reach its goal before any piece of the other side reaches
        its own goal or a square next to that goal, were nothing in their way.
    """

    squares: Mapping[str, tuple[int, ...]]
    mobility: int = 0
    duels: tuple[Duel, ...] = ()
    race: tuple[int, ...] = ()
