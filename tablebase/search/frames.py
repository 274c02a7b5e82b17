"""Search data: one frame of numbers for each ply, the state in which the search stands, and data to order the moves."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tablebase.positions.bit_board import NUMBERS, BitBoard
from tablebase.positions.rule_arrays import Int32, Int64, RuleArrays
from tablebase.search.evaluation import EvaluationArrays
from tablebase.search.table_cache import TableArrays
from tablebase.search.transposition import NO_MOVE
from tablebase.system.compute.jit import inline

MOST_PLIES = 128
MOST_DEPTH = MOST_PLIES - 8

FRAME = np.dtype(
    [
        ("alpha", np.int64),
        ("beta", np.int64),
        ("depth", np.int64),
        ("low", np.int64),  # alpha at first
        ("best", np.int64),
        ("best_move", np.int64),
        ("moves", np.int64),  # how many there are
        ("next_move", np.int64),
        ("searched", np.int64),  # moves
        ("stage", np.int64),
        ("move", np.int64),
        ("victim", np.int64),
        ("quiet_plies", np.int64),
        ("after_null", np.int64),
        ("threatened", np.int64),
        ("saved", np.int64, (NUMBERS,)),  # `BitBoard.numbers` before the move
    ]
)
"""State of a node on the way from the root."""
PLAIN, ZERO_WINDOW, REDUCED, NULL = range(4)
"""Stages of the search of a move."""

PLY, PHASE, VALUE, NODES, TABLE_HITS, STATE = range(6)
ENTERING, LOOPING, RETURNING = range(3)

NEVER, DRAWS, LOSES = range(3)
"""Status of a repeated position."""


class SearchSettings(NamedTuple):
    """Search settings."""

    exact: bool = False
    transpositions: bool = True
    ordering: bool = True
    repetition: int = NEVER
    progress: int = 0  # plies without a capture that draw; 0 for no limit
    past: int = 0  # positions of the game before the root
    side: int = 0  # to move at the root
    generation: int = 0  # of new entries of the transposition table
    excluded: int = 0  # moves at the root that are not searched


class Memory(NamedTuple):
    """Output of a thread's search; T steps."""

    state: Int64  # (STATE,)
    frames: Any  # (MOST_PLIES,) records of type `FRAME`
    moves: Int32  # (MOST_PLIES, most moves)
    ranks: Int64  # (MOST_PLIES, most moves) the highest first
    killers: Int32  # (MOST_PLIES, 2) quiet moves that cut off
    history: Int64  # (T,)
    lines: Int32  # (MOST_PLIES, MOST_PLIES) the best line from each ply
    lengths: Int64  # (MOST_PLIES,)
    keys: Int64  # (past + MOST_PLIES,) of the positions of the game and the line
    excluded: Int32  # (most moves,)


class Task(NamedTuple):
    """All that the kernels of a thread read and write."""

    rules: RuleArrays
    evaluation: EvaluationArrays
    tables: TableArrays
    board: BitBoard  # the position at which the search stands, at first and in the end the root's
    table: Int64  # the transposition table, which threads share
    memory: Memory
    settings: SearchSettings


def new_memory(rules: RuleArrays) -> Memory:
    """Empty arrays for the search of one thread."""
    return Memory(
        state=np.zeros(STATE, dtype=np.int64),
        frames=np.zeros(MOST_PLIES, dtype=FRAME).view(np.recarray),
        moves=np.zeros((MOST_PLIES, rules.most_moves), dtype=np.int32),
        ranks=np.zeros((MOST_PLIES, rules.most_moves), dtype=np.int64),
        killers=np.full((MOST_PLIES, 2), NO_MOVE, dtype=np.int32),
        history=np.zeros(len(rules.origin), dtype=np.int64),
        lines=np.zeros((MOST_PLIES, MOST_PLIES), dtype=np.int32),
        lengths=np.zeros(MOST_PLIES, dtype=np.int64),
        keys=np.zeros(MOST_PLIES, dtype=np.int64),
        excluded=np.zeros(rules.most_moves, dtype=np.int32),
    )


@inline
def push(memory: Memory, ply: int, alpha: int, beta: int, depth: int) -> None:
    """Set the window and depth of the node below, seen from this one."""
    frames = memory.frames
    frames[ply + 1].alpha, frames[ply + 1].beta, frames[ply + 1].depth = -beta, -alpha, depth
