"""The order in which moves are searched; the better it is, the sooner a window closes."""

from __future__ import annotations

from typing import Any

import numpy as np

from tablebase.compute.jit import inline
from tablebase.search.frames import Memory, Task
from tablebase.slices.bit_board import EMPTY

HISTORY_LIMIT = 1 << 20
HASH_FIRST, CAPTURE_FIRST, KILLER_FIRST = 1 << 30, 1 << 26, 1 << 25


@inline
def rank_moves(task: Task, ply: int, hash_move: Any) -> None:
    """Rank the moves: the transposition table's, captures by value, killers, the others by history."""
    rules, memory, squares, values = task.rules, task.memory, task.board.squares, task.evaluation.values
    killers, history = memory.killers, memory.history
    moves, ranks = memory.moves, memory.ranks
    for i in range(memory.frames[ply].moves):
        move = moves[ply, i]
        origin, target = rules.origin[move], rules.target[move]
        victim = squares[target]
        if move == hash_move:
            rank = np.int64(HASH_FIRST)
        elif victim != EMPTY:
            rank = CAPTURE_FIRST + 16 * abs(values[victim, target]) - abs(values[squares[origin], origin])
        elif move == killers[ply, 0]:
            rank = np.int64(KILLER_FIRST + 1)
        elif move == killers[ply, 1]:
            rank = np.int64(KILLER_FIRST)
        else:
            rank = history[move]
        ranks[ply, i] = rank


@inline
def pick(task: Task, ply: int) -> Any:
    """Bring the highest-ranked move that is left to the front, and return it."""
    memory = task.memory
    moves, ranks, first = memory.moves, memory.ranks, memory.frames[ply].next_move
    if task.settings.ordering or memory.frames[ply].depth <= 0:
        best = first
        for i in range(first + 1, memory.frames[ply].moves):
            if ranks[ply, i] > ranks[ply, best]:
                best = i
        moves[ply, first], moves[ply, best] = moves[ply, best], moves[ply, first]
        ranks[ply, first], ranks[ply, best] = ranks[ply, best], ranks[ply, first]
    memory.frames[ply].next_move += 1
    return moves[ply, first]


@inline
def remember(memory: Memory, ply: int, move: int, depth: int) -> None:
    """Note a quiet move that cut off, for the order of later moves."""
    killers, history = memory.killers, memory.history
    if killers[ply, 0] != move:
        killers[ply, 1] = killers[ply, 0]
        killers[ply, 0] = move
    history[move] += depth * depth
    if history[move] > HISTORY_LIMIT:
        for i in range(len(history)):
            history[i] >>= 1


@inline
def take_score(memory: Memory, ply: int, move: int, victim: int, score: int) -> None:
    """Note the score of a move: the best one so far, the best line, and a quiet move that cuts off."""
    frames = memory.frames
    frames[ply].searched += 1
    if score > frames[ply].best:
        frames[ply].best, frames[ply].best_move = score, move
        if score > frames[ply].alpha:
            frames[ply].alpha = score
            extend_line(memory, ply, move)
            if score >= frames[ply].beta and victim == EMPTY and frames[ply].depth > 0:
                remember(memory, ply, move, frames[ply].depth)


@inline
def extend_line(memory: Memory, ply: int, move: int) -> None:
    """The best line of a ply is a move and the best line of the next ply."""
    lines, lengths = memory.lines, memory.lengths
    lines[ply, 0] = move
    for i in range(lengths[ply + 1]):
        lines[ply, i + 1] = lines[ply + 1, i]
    lengths[ply] = lengths[ply + 1] + 1
