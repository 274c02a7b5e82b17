"""The player ``learner``, and what it has learned: weights, and how they were trained."""

from __future__ import annotations

import zlib
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import asdict
from os.path import expanduser
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from tablebase.errors import TablebaseError
from tablebase.game import Game
from tablebase.game.moves import Position
from tablebase.play.learning.knowledge import Knowledge
from tablebase.play.learning.self_play import Measure, Training, best_moves
from tablebase.play.learning.value_function import ValueFunction
from tablebase.play.match import Match
from tablebase.play.player import Player, Seat
from tablebase.system.files.inputs import MEBIBYTE

WEIGHT = np.dtype("<f4")
"""A weight in a file."""


class Learner(Knowledge):
    """A value function, and how it was trained: from how many games, in how many seconds; a new one has not played yet."""

    noun = "a learner"
    other = "choose another file with --output"
    fields = frozenset({"training", "games", "seconds", "curve", "weights"})
    largest = 32 * MEBIBYTE

    def __init__(self, game: Game, start: Position, training: Training | None = None) -> None:
        self.game, self.start, self.training = game, start, training or Training()
        self.values = ValueFunction(game, self.training.order)
        self.games, self.seconds = 0, 0.0
        self.curve: list[Measure] = []

    def content(self, path: Path) -> dict[str, Any]:
        """Return how it was trained, and its weights, packed."""
        del path
        return {
            "training": asdict(self.training),
            "games": self.games,
            "seconds": self.seconds,
            "curve": [asdict(one) for one in self.curve],
            "weights": b64encode(zlib.compress(self.values.weights.astype(WEIGHT).tobytes())).decode(),
        }

    def fill(self, content: Mapping[str, Any]) -> None:
        """Take over the training and the weights."""
        given = content["training"]
        training = Training(**{name: type(value)(given[name]) for name, value in asdict(Training()).items()})
        values = ValueFunction(self.game, training.order)
        unpacking, size = zlib.decompressobj(), values.weights.size * WEIGHT.itemsize
        # No more is unpacked than belongs there, whatever the file holds.
        unpacked = unpacking.decompress(b64decode(content["weights"], validate=True), size + 1)
        if len(unpacked) != size or not unpacking.eof:
            raise ValueError("wrong number of weights")
        values.weights = np.frombuffer(unpacked, WEIGHT).reshape(values.weights.shape).astype(np.float32)
        if not np.isfinite(values.weights).all():
            raise ValueError("some weights are not finite numbers")
        start, curve = self.game.parse(content["start"]), [Measure(**one) for one in content["curve"]]
        games, seconds = int(content["games"]), float(content["seconds"])
        self.start, self.training, self.values = start, training, values
        self.games, self.seconds, self.curve = games, seconds, curve


class LearnerPlayer(Player):
    """Looks one move ahead; of equally good moves, each is equally likely. It learns nothing in matches."""

    def __init__(self, learner: Learner) -> None:
        super().__init__(f"the learner of {learner.games:,} games plays")
        self._values = learner.values

    def choose(self, match: Match[Position], random: Random) -> str:
        """One of the best moves by its values."""
        best = best_moves(self._values, match.position, match.legal())
        own = best.expected if match.player == 0 else -best.expected
        self.remark = f"the learner expects a result of {own:+.2f}, from -1 (loss) to +1 (win)"
        return random.choice(best.moves)


def make(seat: Seat, file: str | Path | None = None) -> LearnerPlayer:
    """The player ``learner``."""
    if file is None:
        raise TablebaseError("the player 'learner' needs a file from 'tablebase train': add the file, as in learner:file=FILE")
    learner = Learner(seat.rules, seat.rules.initial)
    learner.load(Path(expanduser(file)), any_start=True)
    return LearnerPlayer(learner)
