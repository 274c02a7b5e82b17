"""Base class of players, which choose moves in a match."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, ClassVar, Self

from tablebase.game.rules import Ending
from tablebase.play.match import Match

SEEDS = 1_000_000
"""Upper bound of randomly drawn seeds, which keeps them short to type."""


@dataclass(frozen=True)
class Seat:
    """Game and side of a player."""

    rules: Any
    start: Any  # the position with which its games begin
    side: int | None = None  # the side it plays, from 0; None if it may be any
    folder: Path = Path("data")  # the tablebase, for players that use tables


@dataclass(frozen=True)
class Command:
    """Something that a person may ask of a player."""

    about: str  # what it does, for a list of commands
    answer: Callable[[], str]  # returns the lines to print


class Player(ABC):
    """Chooses moves in matches; made by `tablebase.play.players.open_player`."""

    learns: ClassVar[bool] = False  # whether games change it, so that a person plays several in a row
    subject: str  # who plays, with the verb: ``the tables play``
    remark: str  # about its last move, or about the game that has just ended; may be empty

    def __init__(self, subject: str) -> None:
        self.subject = subject
        self.remark = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @abstractmethod
    def choose(self, match: Match[Any], random: Random) -> str | None:
        """A legal move in the current position of a match that is not over; None to resign.

        The match is not changed, and `random` is the source of all chance, so that a seed repeats a game.
        """

    def finish(self, match: Match[Any], ending: Ending) -> None:
        """Take note of a match that is over."""
        del match, ending
        self.remark = ""

    def hint(self, match: Match[Any]) -> str:
        """Return a hint on the position for the person who is to move against it; may be empty."""
        del match
        return ""

    def commands(self) -> Mapping[str, Command]:
        """Return a person's commands to it, by the word to type."""
        return {}

    def close(self) -> None:
        """Give back what it holds; it chooses no move afterwards."""
        self.remark = ""


class RandomPlayer(Player):
    """Makes any legal move."""

    def __init__(self, _seat: Seat) -> None:
        super().__init__("random moves play")

    def choose(self, match: Match[Any], random: Random) -> str:
        """One of the legal moves, each with the same probability."""
        return random.choice(list(match.legal()))
