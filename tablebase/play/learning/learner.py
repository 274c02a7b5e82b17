"""The player ``learner``, and its file: weights and how they were trained, written as a whole or not at all, checked when read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from io import BytesIO
from os.path import expanduser
from pathlib import Path
from random import Random
from typing import Any
from zipfile import ZipFile

import numpy as np

from tablebase.errors import TablebaseError, quoted
from tablebase.files.inputs import MEBIBYTE, check_regular, read_bytes
from tablebase.files.outputs import written
from tablebase.game import Game
from tablebase.game.moves import Position
from tablebase.play.learning.self_play import Measure, Training, best_moves
from tablebase.play.learning.value_function import ValueFunction
from tablebase.play.match import Match
from tablebase.play.player import Player, Seat

FORMAT = "learner 1"
OTHER = "name another file"
CURE = f"{OTHER}, or delete it"
LARGEST = 32 * MEBIBYTE
"""Bytes of the file, and of each part of it, unpacked; the largest weights take half of it."""


@dataclass
class Learner:
    """A value function, and how it was trained."""

    values: ValueFunction
    start: Position  # where its games began
    training: Training
    games: int = 0  # that it has learned from
    seconds: float = 0.0  # of training
    curve: list[Measure] = field(default_factory=list)


def new_learner(game: Game, start: Position, training: Training) -> Learner:
    """A learner that has not played yet."""
    return Learner(ValueFunction(game, training.order), start, training)


def save_learner(path: Path, learner: Learner) -> None:
    """Write a learner to a file, which is replaced only when all is written; the same learner always yields the same bytes."""
    about = {
        **_heading(learner.values.game, learner.start),
        "training": asdict(learner.training),
        "games": learner.games,
        "seconds": learner.seconds,
        "curve": [asdict(one) for one in learner.curve],
    }
    packed = BytesIO()
    np.savez_compressed(packed, about=np.frombuffer(json.dumps(about).encode(), np.uint8), weights=learner.values.weights)
    with written(path, "name another file with --output") as file:
        file.write(packed.getvalue())


def load_learner(path: Path, game: Game, start: Position | None = None) -> Learner:
    """A learner from a file; its games must have begun at `start`, if that is given.

    `TablebaseError` if the file cannot be read, is damaged, or belongs to another game or start.
    """
    check_regular(path, OTHER)
    content = read_bytes(path, CURE, LARGEST)
    try:
        about, weights = _parts(content)
    except Exception as fault:
        # Compression, NumPy and JSON have many errors for the same: the bytes are not what was written.
        raise _damaged(path) from fault
    if not isinstance(about, dict) or about.get("format") != FORMAT:
        raise _damaged(path)
    for key, expected in _heading(game, start).items():
        if about.get(key) != expected:
            raise TablebaseError(f"{path} is a learner of another {key} ({quoted(about.get(key))}, not {expected!r}): {CURE}")
    try:
        learner = _learner(about, game)
    except Exception as fault:
        raise _damaged(path) from fault
    if weights.shape != learner.values.weights.shape or weights.dtype != np.float32 or not np.isfinite(weights).all():
        raise _damaged(path)
    learner.values.weights = weights
    return learner


def _parts(content: bytes) -> tuple[Any, Any]:
    """The description of a learner in the bytes of a file, and its weights."""
    with ZipFile(BytesIO(content)) as parts:
        if any(part.file_size > LARGEST for part in parts.infolist()):
            raise ValueError("a part of the file is too large")
        about, weights = (np.load(BytesIO(parts.read(f"{name}.npy")), allow_pickle=False) for name in ("about", "weights"))
    return json.loads(about.tobytes()), weights


def _learner(about: Mapping[str, Any], game: Game) -> Learner:
    """A learner as a file describes it, still without its weights."""
    training = Training(**{name: type(value)(about["training"][name]) for name, value in asdict(Training()).items()})
    curve = [Measure(**one) for one in about["curve"]]
    values = ValueFunction(game, training.order)
    return Learner(values, game.parse(about["start"]), training, int(about["games"]), float(about["seconds"]), curve)


def _heading(game: Game, start: Position | None) -> dict[str, str]:
    """Fields in which a file must agree."""
    begins = {} if start is None else {"start": game.format(start)}
    return {"format": FORMAT, "game": game.name, "digest": game.digest, **begins}


def _damaged(path: Path) -> TablebaseError:
    return TablebaseError(f"{path} is not the file of a learner: {CURE}")


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
    return LearnerPlayer(load_learner(Path(expanduser(file)), seat.pieces))
