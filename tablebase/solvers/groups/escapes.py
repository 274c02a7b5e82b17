"""Which cells of a row show that a piece has escaped."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tablebase.positions.pursuit_arrays import flag_words
from tablebase.positions.slice_arrays import NOBODY, Int8, Int64
from tablebase.solvers.groups.arrays import Words, last_squares
from tablebase.solvers.groups.row_scores import Scores
from tablebase.solvers.problem import CompiledSlice
from tablebase.tables.values import Codes


class Escapes(NamedTuple):
    """`Game.escape` for the kernels; P slots, S squares, W words, N cells of a row. All arrays are flat."""

    runner: int  # slot
    room: bool
    counts: Int8  # (2,) by side to move
    worth: Codes  # (2,) the score of a move into a position with this side to move in which the runner has escaped
    guards: Words  # (P * S * W,) the squares that a slot guards from a square
    near: Words  # (S * W,) the squares that a step of the runner leads to
    cell_guards: Words  # (N * W,) the squares that the pieces of a cell guard
    cell_runner: Int64  # (N,) the runner's square in a cell, if it belongs to the last group


def compile_escapes(problem: CompiledSlice, scores: Scores, words: int) -> Escapes | None:
    """The escapes of a slice; None if there are none, so that the kernels are compiled without them."""
    escape, layout = problem.arrays.escape, problem.layout
    squares = len(problem.game.board)
    if escape.runner == NOBODY:
        return None
    guards = flag_words(escape.guards.reshape(-1, squares)).reshape(len(layout.slots), squares, words)
    near = np.zeros((squares, squares), dtype=bool)
    for step in layout.game.kinds[layout.material.kinds[layout.slots[escape.runner]]].steps:
        near[step.origin, step.target] = True
    placed = last_squares(layout)
    cell_guards = np.zeros((len(placed), words), dtype=np.uint64)
    for slot, column in zip(layout.groups[-1].slots, placed.T, strict=True):
        cell_guards |= guards[slot, column]
    return Escapes(
        runner=escape.runner,
        room=escape.room,
        counts=escape.counts.astype(np.int8),
        worth=np.array([scores.lost if escape.winner == side else scores.won for side in (0, 1)], dtype=problem.coding.dtype),
        guards=guards.reshape(-1),
        near=flag_words(near).reshape(-1),
        cell_guards=cell_guards.reshape(-1),
        cell_runner=placed[:, 0].astype(np.int64),
    )
