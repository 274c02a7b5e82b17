"""The features of one position, as words and numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from tablebase.game.features import Feature, PositionList
from tablebase.positions.indexing import is_buildable
from tablebase.positions.material import material_of
from tablebase.positions.position_arrays import Positions


def features_at(game: Any, position: Any) -> list[tuple[Feature, bool | int | float | str]]:
    """Return the game's features of a position, each with its value; none after a move that has won."""
    wanted = [feature for feature in game.features if not feature.pieces]
    positions: Any = PositionList(game, [position] if wanted else [])
    if wanted and "materials" in game.can:
        material = material_of(game, position)
        squares = np.array([[square for _, square in position.pieces]], dtype=np.int8)
        is_stored = not position.won and is_buildable(game, material)
        positions = Positions(game, material, position.side, squares) if is_stored else []
    values = [(feature, feature.values(positions, ()).item()) for feature in wanted if len(positions)]
    return [(feature, feature.words[value] if feature.words else value) for feature, value in values]
