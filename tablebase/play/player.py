"""What a player is: something that chooses moves in a match."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import ClassVar, Self

from tablebase.game import Game
from tablebase.game.moves import Move, Position
from tablebase.play.match import Ending, Match


@dataclass(frozen=True)
class Seat:
    """What a player plays.

    Parameters
    ----------
    game : Game
    start : Position
        Where its games begin.
    side : int
        The side it plays, 0 or 1.
    folder : Path
        The tablebase, for players that use tables.
    """

    game: Game
    start: Position
    side: int
    folder: Path = Path("data")


@dataclass(frozen=True)
class Command:
    """Something that a person may ask of a player."""

    about: str  # what it does, for a list of commands
    answer: Callable[[], str]  # returns the lines to print


class Player(ABC):
    """Chooses moves in matches; made by `tablebase.play.players.open_player`.

    Parameters
    ----------
    subject : str
        Who plays, with the verb: ``the tables play``.

    Attributes
    ----------
    learns : bool
        Whether games change it, so that a person plays several in a row.
    remark : str
        What it has to say about its last move, or about the game that has just ended; may be empty.
    """

    learns: ClassVar[bool] = False

    def __init__(self, subject: str) -> None:
        self.subject = subject
        self.remark = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @abstractmethod
    def choose(self, match: Match, random: Random) -> Move | None:
        """A legal move in the current position of a match that is not over; None to resign.

        Parameters
        ----------
        match : Match
            It is not changed.
        random : random.Random
            The source of all chance, so that a seed repeats a game.
        """

    def finish(self, match: Match, ending: Ending) -> None:
        """Take note of a match that is over."""
        del match, ending
        self.remark = ""

    def commands(self) -> Mapping[str, Command]:
        """What a person may ask of it, by the word to type."""
        return {}

    def close(self) -> None:
        """Give back what it holds; it chooses no move afterwards."""
        self.remark = ""
