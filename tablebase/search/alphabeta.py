"""Alpha-beta: negamax with principal variation search, on an explicit stack.

The kernel can stop at any node and go on later: to obey a clock, or because a chunk of a table has to be read first. Each ply
has a row of numbers, its *frame*; a node is entered, its moves are searched one after another, and its score is returned to
the frame above.

In *exact* mode the score is that of plain minimax to the depth: entries of the transposition table count only at equal depth,
and nothing is reduced, extended or left out. In *play* mode, there are also:

- quiescence: beyond the depth, captures, and every reply to a threat to enter a goal;
- an extension by one ply for the replies to such a threat;
- null moves (Donninger 1993), which only reduce the depth by three plies when they fail high and never cut off by themselves,
  since zugzwang is frequent in these games (after Tabibi and Netanyahu, Verified null-move pruning, 2002);
- late quiet moves with a reduced depth first, but not for a side of two pieces or less.
"""

from __future__ import annotations

from typing import Any

from tablebase.positions.bit_board import EMPTY, KEY, NUMBERS, make, shift_back
from tablebase.search.evaluation import evaluate
from tablebase.search.frames import (
    ENTERING,
    LOOPING,
    NODES,
    NULL,
    PHASE,
    PLAIN,
    PLY,
    REDUCED,
    RETURNING,
    VALUE,
    ZERO_WINDOW,
    Task,
    push,
)
from tablebase.search.nodes import HAS_MOVES, LACKS, enter, pick, take_score
from tablebase.search.transposition import DECIDED, EXACT, LOWER, UPPER, from_node, pack, store
from tablebase.system.compute.jit import inline, jit
from tablebase.system.compute.pointers import borrowed

NULL_DEPTH, NULL_REDUCTION, NULL_PIECES = 3, 3, 3
LATE_DEPTH, LATE_MOVE, LATE_PIECES = 3, 4, 2
DONE, PAUSED, LACKS_TABLE = range(3)
"""Results of `run`: the search is over, has used up its nodes, or needs `TableCache.load`."""


@jit
def run(task: Task, nodes: int) -> int:
    """Search until the end, until `nodes` nodes were entered, or until a chunk is missing.

    The board and the memory are as `Searcher.search` or the last call has left them. Returns `DONE`, with the score in
    ``state[VALUE]`` and the best line in ``lines[0]``, `PAUSED` or `LACKS_TABLE`.
    """
    task = borrowed(task)
    state = task.memory.state
    last = state[NODES] + nodes
    while True:
        ply = state[PLY]
        side = task.settings.side ^ (ply & 1)
        if state[PHASE] == ENTERING:
            if state[NODES] >= last:
                return PAUSED
            entered = enter(task, ply, side)
            if entered == LACKS:
                return LACKS_TABLE
            state[NODES] += 1
            state[PHASE] = LOOPING if entered == HAS_MOVES else RETURNING
        elif state[PHASE] == LOOPING:
            if descend(task, ply, side):
                state[PLY] += 1
                state[PHASE] = ENTERING
            else:
                finish(task, ply)
                state[PHASE] = RETURNING
        elif ply == 0:
            return DONE
        else:
            state[PLY] -= 1
            state[PHASE] = ENTERING if absorb(task, ply - 1, side ^ 1) else LOOPING
            state[PLY] += state[PHASE] == ENTERING


@inline
def descend(task: Task, ply: int, side: int) -> bool:
    """Make the next move of a node; return False if there is none left."""
    rules, board, frames = task.rules, task.board, task.memory.frames
    alpha, beta, depth = frames[ply].alpha, frames[ply].beta, frames[ply].depth
    if alpha >= beta:
        return False
    for i in range(NUMBERS):
        frames[ply].saved[i] = board.numbers[i]
    if may_pass(task, ply, side):
        frames[ply].stage = NULL
        board.numbers[KEY] ^= rules.to_move
        push(task.memory, ply, beta - 1, beta, depth - 1 - NULL_REDUCTION)
        frames[ply + 1].quiet_plies, frames[ply + 1].after_null = 0, 1
        return True
    if frames[ply].next_move == frames[ply].moves:
        return False
    move = pick(task, ply)
    victim = make(rules, board, task.evaluation.values, side, move)
    frames[ply].move, frames[ply].victim = move, victim
    frames[ply + 1].quiet_plies = frames[ply].quiet_plies + 1 if victim == EMPTY else 0
    frames[ply + 1].after_null = 0
    if frames[ply].searched == 0 or depth <= 0:
        frames[ply].stage = PLAIN
        push(task.memory, ply, alpha, beta, depth - 1)
    elif is_late(task, ply, side):
        frames[ply].stage = REDUCED
        push(task.memory, ply, alpha, alpha + 1, depth - 2)
    else:
        frames[ply].stage = ZERO_WINDOW
        push(task.memory, ply, alpha, alpha + 1, depth - 1)
    return True


@inline
def may_pass(task: Task, ply: int, side: int) -> Any:
    """Return whether to try a null move: once, before the first move, where it promises something."""
    board, frames = task.board, task.memory.frames
    if task.settings.exact or frames[ply].next_move > 0 or frames[ply].stage == NULL or frames[ply].after_null:
        return False
    beta = frames[ply].beta
    if frames[ply].depth < NULL_DEPTH or frames[ply].threatened or beta - frames[ply].alpha > 1 or abs(beta) > DECIDED:
        return False
    return board.counts[side] >= NULL_PIECES and evaluate(task.rules, task.evaluation, board, side, frames[ply].moves) >= beta


@inline
def is_late(task: Task, ply: int, side: int) -> Any:
    """Return whether the move just made is searched to a reduced depth first."""
    frames = task.memory.frames
    if task.settings.exact or frames[ply].depth < LATE_DEPTH or frames[ply].searched < LATE_MOVE or frames[ply].victim != EMPTY:
        return False
    return not frames[ply].threatened and task.board.counts[side] > LATE_PIECES


@inline
def absorb(task: Task, ply: int, side: int) -> bool:
    """Take the score of the node below; return True if its move has to be searched again."""
    board, frames = task.board, task.memory.frames
    score = -task.memory.state[VALUE]
    alpha, beta, depth, stage = frames[ply].alpha, frames[ply].beta, frames[ply].depth, frames[ply].stage
    if stage == REDUCED and score > alpha:
        frames[ply].stage = ZERO_WINDOW
        push(task.memory, ply, alpha, alpha + 1, depth - 1)
        return True
    if stage == ZERO_WINDOW and alpha < score < beta:
        frames[ply].stage = PLAIN
        push(task.memory, ply, alpha, beta, depth - 1)
        return True
    for i in range(NUMBERS):
        board.numbers[i] = frames[ply].saved[i]
    if stage == NULL:
        if score >= beta:
            frames[ply].depth = max(1, depth - NULL_REDUCTION)
        return False
    move = frames[ply].move
    shift_back(task.rules, board, side, move, frames[ply].victim)
    take_score(task.memory, ply, move, frames[ply].victim, score)
    return False


@inline
def finish(task: Task, ply: int) -> None:
    """Return the score of a node all of whose moves were searched, or enough, and store it."""
    memory, settings, frames = task.memory, task.settings, task.memory.frames
    best, depth = frames[ply].best, frames[ply].depth
    memory.state[VALUE] = best
    if not settings.transpositions or depth <= 0 or (ply == 0 and settings.excluded > 0):
        return
    bound = EXACT
    if best <= frames[ply].low:
        bound = UPPER
    elif best >= frames[ply].beta:
        bound = LOWER
    key = memory.keys[settings.past + ply]
    store(task.table, key, pack(frames[ply].best_move, depth, bound, settings.generation, from_node(best, ply)))
