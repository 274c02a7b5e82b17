"""The player ``random``: it makes any legal move, each with the same probability."""

from __future__ import annotations

from random import Random
from typing import Any

from tablebase.play.match import Match
from tablebase.play.player import Player, Seat


class RandomPlayer(Player):
    """Makes any legal move."""

    def choose(self, match: Match[Any], random: Random) -> str:
        """One of the legal moves, each with the same probability."""
        return random.choice(list(match.legal()))


def make(_seat: Seat) -> RandomPlayer:
    """The player ``random``."""
    return RandomPlayer("random moves play")
