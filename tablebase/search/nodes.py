"""Nodes: a score at once, or a list of moves in an order; the better the order, the sooner a window closes."""

from __future__ import annotations

from typing import Any

import numpy as np

from tablebase.positions.bit_board import EMPTY, KEY, NUMBERS, can_win, count_moves, has_escaped, list_moves, make, shift_back
from tablebase.positions.rule_arrays import NOBODY
from tablebase.search import transposition as tt
from tablebase.search.evaluation import evaluate
from tablebase.search.frames import DRAWS, MOST_PLIES, NEVER, NODES, PLAIN, TABLE_HITS, VALUE, Memory, SearchSettings, Task
from tablebase.search.table_cache import NO_TABLE, look_up
from tablebase.system.compute.jit import inline

QUIESCENCE = 12
"""Plies beyond the depth to which threats are answered; captures run out by themselves."""
HISTORY_LIMIT = 1 << 20
HASH_FIRST, CAPTURE_FIRST, KILLER_FIRST = 1 << 30, 1 << 26, 1 << 25
"""Ranks of moves."""
HAS_VALUE, HAS_MOVES, LACKS = range(3)


@inline
def enter(task: Task, ply: int, side: int) -> int:
    """Enter a node: give it a score at once, or list its moves."""
    rules, board, memory, settings = task.rules, task.board, task.memory, task.settings
    state, frames = memory.state, memory.frames
    memory.lengths[ply] = 0
    memory.keys[settings.past + ply] = board.numbers[KEY]
    if ply > 0:
        if board.counts[0] + board.counts[1] <= task.tables.most_pieces:
            code = look_up(task.tables, board, side)
            if code >= 0:
                state[TABLE_HITS] += 1
                state[VALUE] = tt.code_score(code, ply)
                return HAS_VALUE
            if code != NO_TABLE:
                return LACKS
        if is_drawn_or_repeated(memory, settings, ply):
            return HAS_VALUE
        # No line is worth more than a win at the next ply, or by an escape now, or less than a loss now.
        frames[ply].alpha = max(frames[ply].alpha, ply - tt.WIN)
        frames[ply].beta = min(frames[ply].beta, tt.WIN - ply - (rules.runner == NOBODY))
        if frames[ply].alpha >= frames[ply].beta:
            state[VALUE] = frames[ply].alpha
            return HAS_VALUE
    frames[ply].low = frames[ply].alpha
    frames[ply].best, frames[ply].best_move = -tt.INFINITY, tt.NO_MOVE
    frames[ply].next_move = frames[ply].searched = 0
    frames[ply].threatened = False
    frames[ply].stage = PLAIN
    depth = frames[ply].depth
    if (settings.exact and depth <= 0) or ply >= MOST_PLIES - 2 or has_escaped(rules, board, side):
        state[VALUE] = leaf_score(task, ply, side)
        return HAS_VALUE
    if depth <= 0:
        return enter_quiescence(task, ply, side)
    hash_move = np.int64(tt.NO_MOVE)
    if settings.transpositions:
        data = tt.find(task.table, board.numbers[KEY])
        if data != 0:
            hash_move = tt.move_of(data)
            if ply > 0 and cuts_off(data, memory, settings, ply):
                return HAS_VALUE
    frames[ply].moves = list_moves(rules, board, side, memory.moves[ply])
    if ply == 0:
        leave_out_excluded(memory, settings)
    if ends_at_once(task, ply, side):
        return HAS_VALUE
    if not settings.exact:
        frames[ply].threatened = can_win(rules, board, 1 - side)
        if frames[ply].threatened and ply < MOST_PLIES // 2:
            frames[ply].depth = depth + 1
    if settings.ordering:
        rank_moves(task, ply, hash_move)
    if depth == 1 and settings.exact and settings.repetition == NEVER and settings.progress <= 0:
        # Only the evaluation or the end of the game decides the score of a child, unless a table has it.
        if board.counts[0] + board.counts[1] > task.tables.most_pieces + 1:
            search_last_ply(task, ply, side)
    return HAS_MOVES


@inline
def search_last_ply(task: Task, ply: int, side: int) -> None:
    """Search all moves of a node in a loop, without frames for its children; none of the moves wins at once."""
    rules, board, memory, frames = task.rules, task.board, task.memory, task.memory.frames
    for i in range(NUMBERS):
        frames[ply].saved[i] = board.numbers[i]
    while frames[ply].next_move < frames[ply].moves and frames[ply].alpha < frames[ply].beta:
        move = pick(task, ply)
        victim = make(rules, board, task.evaluation.values, side, move)
        score = -leaf_score(task, ply + 1, 1 - side)
        shift_back(rules, board, side, move, victim)
        for i in range(NUMBERS):
            board.numbers[i] = frames[ply].saved[i]
        memory.state[NODES] += 1
        memory.lengths[ply + 1] = 0
        take_score(memory, ply, move, victim, score)


@inline
def is_drawn_or_repeated(memory: Memory, settings: SearchSettings, ply: int) -> bool:
    """Return whether the options of play end the game here; the score is then in the state."""
    quiet_plies = memory.frames[ply].quiet_plies
    if settings.progress > 0 and quiet_plies >= settings.progress:
        memory.state[VALUE] = 0
        return True
    if settings.repetition == NEVER:
        return False
    here = settings.past + ply
    seen = 0
    for earlier in range(here - 4, max(-1, here - quiet_plies - 1), -2):
        if memory.keys[earlier] == memory.keys[here]:
            # Once within the search is taken for what it can become.
            seen += 2 if earlier >= settings.past else 1
            if seen >= 2:
                memory.state[VALUE] = 0 if settings.repetition == DRAWS else tt.REPEATER_LOSES
                return True
    return False


@inline
def leaf_score(task: Task, ply: int, side: int) -> Any:
    """The score of a position that is not searched: the result if the game is over, else the evaluation."""
    rules, board = task.rules, task.board
    moves = count_moves(rules, board, side)
    if moves == 0:
        return tt.no_move_score(rules, ply)
    if has_escaped(rules, board, side):
        return tt.WIN - ply if rules.owner[rules.runner] == side else ply - tt.WIN
    return evaluate(rules, task.evaluation, board, side, moves)


@inline
def leave_out_excluded(memory: Memory, settings: SearchSettings) -> None:
    """Take the excluded moves off the root's list."""
    moves, kept = memory.moves[0], 0
    for i in range(memory.frames[0].moves):
        excluded = False
        for j in range(settings.excluded):
            excluded |= memory.excluded[j] == moves[i]
        if not excluded:
            moves[kept] = moves[i]
            kept += 1
    memory.frames[0].moves = kept


@inline
def ends_at_once(task: Task, ply: int, side: int) -> bool:
    """Return whether a node has no move, or one that wins; its score is then in the state, and that move is its line."""
    rules, board, memory, moves = task.rules, task.board, task.memory, task.memory.moves[ply]
    if memory.frames[ply].moves == 0:
        memory.state[VALUE] = tt.no_move_score(rules, ply)
        return True
    for i in range(memory.frames[ply].moves):
        takes_last = board.counts[1 - side] == 1 and board.squares[rules.target[moves[i]]] != EMPTY
        if rules.wins[moves[i]] or takes_last:
            memory.state[VALUE] = memory.frames[ply].best = tt.WIN - ply - 1
            memory.frames[ply].best_move = moves[i]
            memory.lines[ply, 0] = moves[i]
            memory.lengths[ply] = 1
            return True
    return False


@inline
def enter_quiescence(task: Task, ply: int, side: int) -> int:
    """Enter a node beyond the depth: its score is at least that of the position as it stands, unless there is a threat."""
    rules, board, memory = task.rules, task.board, task.memory
    frames, moves = memory.frames, memory.moves[ply]
    frames[ply].moves = list_moves(rules, board, side, moves)
    if ends_at_once(task, ply, side):
        return HAS_VALUE
    frames[ply].threatened = can_win(rules, board, 1 - side) and frames[ply].depth > -QUIESCENCE
    if not frames[ply].threatened:
        standing = evaluate(rules, task.evaluation, board, side, frames[ply].moves)
        if standing >= frames[ply].beta:
            memory.state[VALUE] = standing
            return HAS_VALUE
        frames[ply].best = standing
        frames[ply].alpha = max(frames[ply].alpha, standing)
        captures = 0
        for i in range(frames[ply].moves):
            if board.squares[rules.target[moves[i]]] != EMPTY:
                moves[captures] = moves[i]
                captures += 1
        frames[ply].moves = captures
        if captures == 0:
            memory.state[VALUE] = standing
            return HAS_VALUE
    rank_moves(task, ply, tt.NO_MOVE)
    return HAS_MOVES


@inline
def cuts_off(data: int, memory: Memory, settings: SearchSettings, ply: int) -> bool:
    """Return whether an entry decides a node with an open window of one; its score is then in the state."""
    frames = memory.frames
    alpha, beta, depth = frames[ply].alpha, frames[ply].beta, frames[ply].depth
    enough = tt.depth_of(data) == depth if settings.exact else tt.depth_of(data) >= depth
    if not enough or beta - alpha > 1:
        return False
    score, bound = tt.from_root(tt.score_of(data), ply), tt.bound_of(data)
    if bound == tt.EXACT or (bound == tt.LOWER and score >= beta) or (bound == tt.UPPER and score <= alpha):
        memory.state[VALUE] = score
        return True
    return False


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
            lines, lengths = memory.lines, memory.lengths
            lines[ply, 0] = move
            for i in range(lengths[ply + 1]):
                lines[ply, i + 1] = lines[ply + 1, i]
            lengths[ply] = lengths[ply + 1] + 1
            if score >= frames[ply].beta and victim == EMPTY and frames[ply].depth > 0:
                remember(memory, ply, move, frames[ply].depth)
