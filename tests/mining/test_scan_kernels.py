"""The kernel of scans against plain loops."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablebase.game import Game
from tablebase.mining.scan_kernels import spread_rows
from tablebase.slices.indexing import layout_of
from tablebase.slices.material import parse_materials
from tablebase_rules.doushouqi import game as doushouqi
from tablebase_rules.hexapawn import game as hexapawn

JUNGLE, PAWNS = doushouqi(), hexapawn()


@pytest.mark.parametrize(("game", "material"), [(JUNGLE, "RCvE"), (JUNGLE, "CvR"), (PAWNS, "PPvPP"), (PAWNS, "PvPPP")])
@given(st.data())
def test_rows_are_spread(game: Game, material: str, data: st.DataObject) -> None:
    """Any ascending indices from anywhere on have the squares that the layout gives them one by one."""
    layout = layout_of(game, data.draw(st.sampled_from(parse_materials(game, material))))
    begin = data.draw(st.integers(0, layout.size - 1))
    count = data.draw(st.integers(1, min(300, layout.size - begin)))
    offsets = np.array(sorted(data.draw(st.sets(st.integers(0, count - 1)))), dtype=np.int64)
    rows = np.arange(begin // layout.row_length, (begin + count - 1) // layout.row_length + 1)
    squares = np.full((len(offsets), len(layout.slots)), -1, dtype=np.int8, order="F")
    digits = np.full(len(offsets), -1)
    spread_rows(layout.row_squares(rows), begin, layout.row_length, offsets, squares, digits)
    last = layout.groups[-1]
    squares[:, last.slots.start :] = last.unrank_many(digits)
    for offset, found in zip(offsets.tolist(), squares.tolist(), strict=True):
        expected = layout.squares(begin + offset)
        assert expected is None or found == list(expected)
