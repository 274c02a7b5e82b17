"""The players that look their moves up in the tables: those of values, or those of bounds where chance takes part."""

from __future__ import annotations

from random import Random

from tablebase.game.moves import Position
from tablebase.game.stochastic import State
from tablebase.play.fallible import choose, draw, parse_fuzz
from tablebase.play.match import Match
from tablebase.play.player import Player, Seat, pieces_of
from tablebase.probe.prober import Prober
from tablebase.stochastic.state_prober import StateProber
from tablebase.tables.folder import check_folder

FUZZ = 0.1
"""The fuzz of the player ``fuzzy`` if none is set."""
SUBJECT = "the tables play"


class TablesPlayer(Player):
    """Makes the moves of best outcome and distance, each with the same probability; with a fuzz, other moves, too.

    Examples
    --------
    >>> from tablebase.play.players import open_player
    >>> with open_player("tables", seat) as player:  # doctest: +SKIP
    ...     player.choose(match, Random(1))
    """

    def __init__(self, seat: Seat, fuzz: float = 0.0) -> None:
        super().__init__(SUBJECT)
        check_folder(seat.folder, built=True)
        self.fuzz = fuzz
        self._game, self._prober = seat.pieces, Prober(seat.folder)

    def choose(self, match: Match[Position], random: Random) -> str:
        """A move drawn by its weight; errors are those of `Prober.probe`."""
        return choose(self._prober.probe(self._game, match.position, strict=True), self.fuzz, random).move

    def close(self) -> None:
        """Close all files."""
        self._prober.close()


class BoundsPlayer(Player):
    """Makes one of the moves with the best lower bound, and of these with the best upper bound; with a fuzz, other moves, too.

    `TablebaseError` if the folder has no table of the game.
    """

    def __init__(self, seat: Seat, fuzz: float = 0.0) -> None:
        super().__init__(SUBJECT)
        self.fuzz = fuzz
        self._prober = StateProber(seat.folder, seat.functions)

    def choose(self, match: Match[State], random: Random) -> str:
        """Of equally good moves any one, since bounds do not say which leads to an end."""
        moves = self._prober.probe(match.position).moves
        best = moves[0].bounds
        self.remark = f"its chance is at least {best.lower:.6f} and at most {best.upper:.6f}"
        kept = [move for move in moves if move.bounds == best]
        if not self.fuzz:
            return str(random.choice(kept).code)
        others = [move for move in moves if move.bounds != best]
        return str(draw([*kept, *others], len(kept), self.fuzz, random).code)

    def close(self) -> None:
        """Close all files."""
        super().close()
        self._prober.close()


def make(seat: Seat, fuzz: float | str = 0.0) -> Player:
    """The player ``tables``."""
    number = parse_fuzz(fuzz)
    return TablesPlayer(seat, number) if pieces_of(seat.rules) else BoundsPlayer(seat, number)


def make_fuzzy(seat: Seat, fuzz: float | str = FUZZ) -> Player:
    """The player ``fuzzy``."""
    return make(seat, fuzz)
