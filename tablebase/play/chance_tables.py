"""The player ``tables`` of games of chance: it makes the move whose chance is the best for certain."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from random import Random

from tablebase.game.stochastic import State, StochasticGame
from tablebase.game.values import Bounds
from tablebase.play.state_players import StatePlayer
from tablebase.probe.prober import Prober


class ChanceTablesPlayer(StatePlayer):
    """Makes one of the moves with the best lower bound, and of these with the best upper bound.

    For games of two players; `TablebaseError` if the folder has no table of the game.
    """

    def __init__(self, game: StochasticGame, folder: Path) -> None:
        super().__init__()
        self._prober = Prober(folder)
        self._source = self._prober.of(game)
        self._source.require()

    def choose(self, state: State, random: Random) -> int:
        """Of equally good moves any one, since bounds do not say which leads to an end."""
        moves = self._source.probe(state).moves
        best = moves[0].value
        assert isinstance(best, Bounds)
        self.remark = f"its chance is at least {best.lower:.6f} and at most {best.upper:.6f}"
        return random.choice([int(move.move) for move in moves if move.value == best])

    def close(self) -> None:
        """Close all files."""
        super().close()
        self._prober.close()


def make(game: StochasticGame, folder: Path, _settings: Mapping[str, str]) -> ChanceTablesPlayer:
    """The player ``tables``."""
    return ChanceTablesPlayer(game, folder)
