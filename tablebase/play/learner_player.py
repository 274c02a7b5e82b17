"""The player ``learner``: it makes the moves of which it has learned to expect most."""

from __future__ import annotations

from pathlib import Path
from random import Random

from tablebase.errors import TablebaseError
from tablebase.game.moves import Position
from tablebase.play.learner_file import Learner, load_learner
from tablebase.play.match import Match
from tablebase.play.player import Player, Seat
from tablebase.play.self_play import best_moves


class LearnerPlayer(Player):
    """Looks one move ahead; of equally good moves, each is equally likely. It learns nothing in matches."""

    def __init__(self, learner: Learner) -> None:
        super().__init__(f"the learner of {learner.games:,} games plays")
        self._values = learner.values

    def choose(self, match: Match[Position], random: Random) -> str:
        """One of the best moves by its values."""
        best = best_moves(self._values, match.position, match.legal())
        own = best.expected if match.player == 0 else -best.expected
        self.remark = f"it expects {own:+.2f}, between -1 for a loss and +1 for a win"
        return random.choice(best.moves)


def make(seat: Seat, file: str | Path | None = None) -> LearnerPlayer:
    """The player ``learner``."""
    if file is None:
        raise TablebaseError("the player learner needs what 'tablebase train' has written: name it as in learner:file=FILE")
    return LearnerPlayer(load_learner(Path(file), seat.pieces))
