"""Positions as text, where rows of several slices come mixed."""

from __future__ import annotations

from functools import partial

import pyarrow as pa

from tablebase.game.notation import read, render
from tablebase.mining.board_text import board_texts
from tablebase.mining.columns import columns, columns_of_moves
from tablebase.mining.position_text import PositionWriter
from tablebase.slices.location import slices
from tablebase_rules.doushouqi import game as doushouqi

GAME = doushouqi()


def test_rows_of_several_slices_keep_their_order() -> None:
    """Each row gets the text of its own position, in whatever order the slices come."""
    known = slices(GAME, 2)
    of_positions = columns(GAME, known, ())
    of_moves = columns_of_moves(GAME, known, of_positions)
    writer = PositionWriter(GAME, {one.material for one in known}, of_positions, of_moves)
    rows = [("RvC", "a1", "b2"), ("CvW", "a2", "b1"), ("RvW", "c3", "a9"), ("RvC", "g7", "a1"), ("CvW", "g1", "g2")]
    materials, first, second = zip(*rows, strict=True)
    squares = pa.array([list(pair) for pair in zip(first, second, strict=True)])
    texts = writer._write(partial(board_texts, "position"), pa.array(materials), pa.array(["w"] * len(rows)), squares)
    assert texts.to_pylist() == [
        "7/7/7/7/7/7/7/1c5/R6 w",
        "7/7/7/7/7/7/7/C6/1w5 w",
        "w6/7/7/7/7/7/2R4/7/7 w",
        "7/7/6R/7/7/7/7/7/c6 w",
        "7/7/7/7/7/7/7/6w/6C w",
    ]
    assert all(render(GAME, read(GAME, text)) == text for text in texts.to_pylist())
