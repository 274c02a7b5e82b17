"""What a player of games of chance or of several players is: something that chooses moves in states."""

from __future__ import annotations

from abc import ABC, abstractmethod
from random import Random

from tablebase.game.stochastic import State


class StatePlayer(ABC):
    """Chooses moves in states; made by `tablebase.play.state_players.open_state_player`.

    Attributes
    ----------
    remark : str
        What it has to say about its last move; may be empty.
    """

    def __init__(self) -> None:
        self.remark = ""

    def __enter__(self) -> StatePlayer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @abstractmethod
    def choose(self, state: State, random: Random) -> int:
        """The code of a legal move in a state in which the game is not over.

        Parameters
        ----------
        state : tuple of int
        random : random.Random
            The source of all chance, so that a seed repeats a game.
        """

    def close(self) -> None:
        """Give back what it holds; it chooses no move afterwards."""
        self.remark = ""
