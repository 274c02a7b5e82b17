"""The stored positions of a game by functions, known by their numbers: a kind of table gives them to mining by this interface."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from tablebase.game.rules import Rules
from tablebase.game.values import AnyValue

P = TypeVar("P")
Numbers = NDArray[np.int64]


class StoredTable(NamedTuple):
    """One of the tables."""

    words: Mapping[str, str]  # its name, by column; empty if it is the only one
    begin: int  # its first number
    end: int


class Stored(ABC, Generic[P]):
    """The stored positions of a game; nothing is read or computed that is not asked for. Safe to use from several threads."""

    rules: Rules[P]
    tables: Sequence[StoredTable]

    def occupied(self, numbers: Numbers) -> Numbers:
        """The numbers among some that have a position; by default all."""
        return numbers

    @abstractmethod
    def values(self, numbers: Numbers) -> Mapping[str, NDArray[Any]]:
        """The values of positions for the player to move, by column; they are read without the rules.

        Exact values are ``final`` (whether the game is over, where they are those for the first player), ``outcome`` (1, 0 or -1
        for a win, draw or loss) and ``distance`` (plies, -1 for a draw); bounds on the chance to win are ``lower`` and ``upper``.
        """

    @abstractmethod
    def positions(self, numbers: Numbers) -> Sequence[P]:
        """The positions themselves."""

    @abstractmethod
    def moves(self, numbers: Numbers) -> Sequence[Sequence[tuple[str, AnyValue]]]:
        """The moves of each position, with their values for the mover."""

    def representative(self, position: P) -> P:
        """The stored position that stands for a position; the position itself if none does."""
        return position

    def texts(self, numbers: Numbers) -> Sequence[str]:
        """The positions as text."""
        return [self.rules.format(position) for position in self.positions(numbers)]
