"""The players that look their moves up in the tables."""

from __future__ import annotations

from random import Random

from tablebase.game.moves import Move
from tablebase.play.fallible import choose, parse_fuzz
from tablebase.play.match import Match
from tablebase.play.player import Player, Seat
from tablebase.probe.prober import Prober
from tablebase.tables.folder import check_folder

FUZZ = 0.1
"""The fuzz of the player ``fuzzy`` if none is set."""


class TablesPlayer(Player):
    """Makes the moves of best outcome and distance, each with the same probability; with a fuzz, other moves, too.

    Examples
    --------
    >>> from tablebase.play.players import open_player
    >>> with open_player("tables", seat) as player:  # doctest: +SKIP
    ...     player.choose(match, Random(1))
    """

    def __init__(self, seat: Seat, fuzz: float = 0.0) -> None:
        super().__init__("the tables play")
        check_folder(seat.folder, built=True)
        self.fuzz = fuzz
        self._prober = Prober(seat.folder)

    def choose(self, match: Match, random: Random) -> Move:
        """A move drawn by its weight; errors are those of `Prober.probe`."""
        chosen = choose(self._prober.probe(match.game, match.position, strict=True), self.fuzz, random)
        return match.legal()[chosen.move]

    def close(self) -> None:
        """Close all files."""
        self._prober.close()


def make(seat: Seat, fuzz: float | str = 0.0) -> TablesPlayer:
    """The player ``tables``."""
    return TablesPlayer(seat, parse_fuzz(fuzz))


def make_fuzzy(seat: Seat, fuzz: float | str = FUZZ) -> TablesPlayer:
    """The player ``fuzzy``."""
    return TablesPlayer(seat, parse_fuzz(fuzz))
