"""Many positions of one slice."""

from __future__ import annotations

import numpy as np
import pytest

from tablebase.slices.material import parse_material
from tablebase.slices.mixed import Positions
from tablebase_rules.doushouqi import game as doushouqi

GAME = doushouqi()


@pytest.mark.parametrize("side", [0, 1])
def test_some_of_them_are_of_the_same_slice(side: int) -> None:
    """What is taken has the same game, pieces and side to move, in the order asked for."""
    material = parse_material(GAME, "RvC")
    positions = Positions(GAME, material, side, np.array([[0, 1], [2, 3], [4, 5]], dtype=np.int8))
    taken = positions.take(np.array([2, 0]))
    assert (taken.game, taken.material, taken.side) == (GAME, material, side)
    assert taken.squares.tolist() == [[4, 5], [0, 1]]
