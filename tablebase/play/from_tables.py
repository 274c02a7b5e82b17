"""The players that look their moves up in the tables."""

from __future__ import annotations

from random import Random
from typing import Any

from tablebase.game.values import Bounds
from tablebase.play.fallible import draw, kept_moves, parse_fuzz
from tablebase.play.match import Match
from tablebase.play.player import Player, Seat
from tablebase.probe.prober import Prober


class TablesPlayer(Player):
    """Makes the best moves, each with the same probability; with a fuzz, other moves, too.

    Best are those of best outcome and distance; with chance, those with the best lower bound and of these the best upper bound,
    of which no one says which leads to an end. `TablebaseError` if there are no tables.
    """

    def __init__(self, seat: Seat, fuzz: float | str = 0.0) -> None:
        self.fuzz = parse_fuzz(fuzz)
        super().__init__(f"the tables{f' with fuzz {self.fuzz:.6g}' if self.fuzz else ''} play")
        self._prober = Prober(seat.folder)
        self._source = self._prober.of(seat.rules)
        self._source.require()

    def choose(self, match: Match[Any], random: Random) -> str:
        """A move drawn by its weight; errors are those of `Source.probe`."""
        answer = self._source.probe(match.position, strict=True)
        kept = kept_moves(answer)
        if isinstance(kept[0].value, Bounds):
            lower, upper = kept[0].value.chances.values()
            self.remark = f"the probability of winning is at least {lower} and at most {upper}"
            if not self.fuzz:
                # Another use of the generator than below, which seeds of old games rely on.
                return random.choice(kept).move
        return draw(answer.moves, len(kept), self.fuzz, random).move

    def close(self) -> None:
        """Close all files."""
        super().close()
        self._prober.close()
