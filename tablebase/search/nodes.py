"""Entering a node: a score at once, or a list of moves."""

from __future__ import annotations

from typing import Any

import numpy as np

from tablebase.compute.jit import inline
from tablebase.search.evaluation import EvaluationArrays, evaluate
from tablebase.search.frames import (
    ALPHA,
    BEST,
    BEST_MOVE,
    BETA,
    DEPTH,
    DRAWS,
    FLIPPED,
    LOW,
    MOST_PLIES,
    MOVES,
    NAME,
    NEVER,
    NEXT_MOVE,
    NODES,
    PLAIN,
    QUIET_PLIES,
    SAVED,
    SEARCHED,
    STAGE,
    TABLE_HITS,
    THREATENED,
    VALUE,
    Memory,
    Settings,
)
from tablebase.search.ordering import pick, rank_moves, take_score
from tablebase.search.probing import NO_TABLE, TableArrays, look_up
from tablebase.search.scores import INFINITY, REPEATER_LOSES, WIN, code_score, from_root, no_move_score
from tablebase.search.transposition import EXACT, LOWER, NO_MOVE, UPPER, bound_of, depth_of, find, move_of, score_of
from tablebase.slices.bit_board import (
    EMPTY,
    KEY,
    MIRRORED_KEY,
    NUMBERS,
    Board,
    can_win,
    count_moves,
    has_escaped,
    list_moves,
    make,
    shift_back,
)
from tablebase.slices.rule_arrays import NOBODY, Int64, RuleArrays

QUIESCENCE = 12
"""Plies beyond the depth to which threats are answered; captures run out by themselves."""
HAS_VALUE, HAS_MOVES, LACKS = range(3)


@inline
def enter(
    rules: RuleArrays,
    evaluation: EvaluationArrays,
    tables: TableArrays,
    board: Board,
    table: Int64,
    memory: Memory,
    settings: Settings,
    ply: int,
    side: int,
) -> int:
    """Enter a node: give it a score at once, or list its moves."""
    state, frames, counts = memory.state, memory.frames, board.counts
    memory.lengths[ply] = 0
    memory.keys[settings.past + ply] = board.numbers[KEY]
    if ply > 0:
        if counts[0] + counts[1] <= tables.most_pieces:
            code = look_up(tables, board, side)
            if code >= 0:
                state[TABLE_HITS] += 1
                state[VALUE] = code_score(code, ply)
                return HAS_VALUE
            if code != NO_TABLE:
                return LACKS
        if is_drawn_or_repeated(memory, settings, ply):
            return HAS_VALUE
        # No line is worth more than a win at the next ply, or by an escape now, or less than a loss now.
        frames[ply, ALPHA] = max(frames[ply, ALPHA], ply - WIN)
        frames[ply, BETA] = min(frames[ply, BETA], WIN - ply - (rules.runner == NOBODY))
        if frames[ply, ALPHA] >= frames[ply, BETA]:
            state[VALUE] = frames[ply, ALPHA]
            return HAS_VALUE
    frames[ply, LOW] = frames[ply, ALPHA]
    frames[ply, BEST], frames[ply, BEST_MOVE] = -INFINITY, NO_MOVE
    frames[ply, NEXT_MOVE] = frames[ply, SEARCHED] = 0
    frames[ply, THREATENED] = False
    frames[ply, STAGE] = PLAIN
    depth = frames[ply, DEPTH]
    if (settings.exact and depth <= 0) or ply >= MOST_PLIES - 2 or has_escaped(rules, board, side):
        state[VALUE] = leaf_score(rules, evaluation, board, ply, side)
        return HAS_VALUE
    if depth <= 0:
        return enter_quiescence(rules, evaluation, board, memory, ply, side)
    hash_move = np.int64(NO_MOVE)
    if settings.transpositions:
        name_position(board, memory, settings, ply)
        data = find(table, frames[ply, NAME])
        if data != 0:
            hash_move = move_of(data)
            if hash_move != NO_MOVE and frames[ply, FLIPPED]:
                hash_move = np.int64(rules.image[hash_move])
            if ply > 0 and cuts_off(data, memory, settings, ply):
                return HAS_VALUE
    frames[ply, MOVES] = list_moves(rules, board, side, memory.moves[ply])
    if ply == 0:
        leave_out_excluded(memory, settings)
    if ends_at_once(rules, board, memory, ply, side):
        return HAS_VALUE
    if not settings.exact:
        frames[ply, THREATENED] = can_win(rules, board, 1 - side)
        if frames[ply, THREATENED] and ply < MOST_PLIES // 2:
            frames[ply, DEPTH] = depth + 1
    if settings.ordering:
        rank_moves(rules, evaluation, board, memory, ply, hash_move)
    if depth == 1 and are_leaves_plain(tables, board, settings):
        search_last_ply(rules, evaluation, board, memory, settings, ply, side)
    return HAS_MOVES


@inline
def are_leaves_plain(tables: TableArrays, board: Board, settings: Settings) -> Any:
    """Whether nothing but the evaluation or the end of the game decides the score of a node's children."""
    if not settings.exact or settings.repetition != NEVER or settings.progress > 0:
        return False
    return board.counts[0] + board.counts[1] > tables.most_pieces + 1


@inline
def search_last_ply(
    rules: RuleArrays, evaluation: EvaluationArrays, board: Board, memory: Memory, settings: Settings, ply: int, side: int
) -> None:
    """Search all moves of a node in a loop, without frames for its children; none of the moves wins at once."""
    frames, state = memory.frames, memory.state
    for i in range(NUMBERS):
        frames[ply, SAVED + i] = board.numbers[i]
    while frames[ply, NEXT_MOVE] < frames[ply, MOVES] and frames[ply, ALPHA] < frames[ply, BETA]:
        move = pick(memory, settings, ply)
        victim = make(rules, board, evaluation.values, side, move)
        score = -leaf_score(rules, evaluation, board, ply + 1, 1 - side)
        shift_back(rules, board, side, move, victim)
        for i in range(NUMBERS):
            board.numbers[i] = frames[ply, SAVED + i]
        state[NODES] += 1
        memory.lengths[ply + 1] = 0
        take_score(memory, ply, move, victim, score)


@inline
def is_drawn_or_repeated(memory: Memory, settings: Settings, ply: int) -> bool:
    """Whether the options of play end the game here; the score is then in the state."""
    quiet_plies = memory.frames[ply, QUIET_PLIES]
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
                memory.state[VALUE] = 0 if settings.repetition == DRAWS else REPEATER_LOSES
                return True
    return False


@inline
def leaf_score(rules: RuleArrays, evaluation: EvaluationArrays, board: Board, ply: int, side: int) -> Any:
    """The score of a position that is not searched: the result if the game is over, else the evaluation."""
    moves = count_moves(rules, board, side)
    if moves == 0:
        return no_move_score(rules, ply)
    if has_escaped(rules, board, side):
        return WIN - ply if rules.owner[rules.runner] == side else ply - WIN
    return evaluate(rules, evaluation, board, side, moves)


@inline
def wins_now(rules: RuleArrays, board: Board, side: int, move: int) -> Any:
    """Whether a legal move reaches a goal or captures the last piece."""
    return rules.wins[move] or (board.counts[1 - side] == 1 and board.squares[rules.target[move]] != EMPTY)


@inline
def leave_out_excluded(memory: Memory, settings: Settings) -> None:
    """Take the excluded moves off the root's list."""
    moves, kept = memory.moves[0], 0
    for i in range(memory.frames[0, MOVES]):
        excluded = False
        for j in range(settings.excluded):
            excluded |= memory.excluded[j] == moves[i]
        if not excluded:
            moves[kept] = moves[i]
            kept += 1
    memory.frames[0, MOVES] = kept


@inline
def ends_at_once(rules: RuleArrays, board: Board, memory: Memory, ply: int, side: int) -> bool:
    """Whether a node has no move, or one that wins; its score is then in the state, and that move is its line."""
    moves = memory.moves[ply]
    if memory.frames[ply, MOVES] == 0:
        memory.state[VALUE] = no_move_score(rules, ply)
        return True
    for i in range(memory.frames[ply, MOVES]):
        if wins_now(rules, board, side, moves[i]):
            memory.state[VALUE] = memory.frames[ply, BEST] = WIN - ply - 1
            memory.frames[ply, BEST_MOVE] = moves[i]
            memory.lines[ply, 0] = moves[i]
            memory.lengths[ply] = 1
            return True
    return False


@inline
def enter_quiescence(rules: RuleArrays, evaluation: EvaluationArrays, board: Board, memory: Memory, ply: int, side: int) -> int:
    """Enter a node beyond the depth: its score is at least that of the position as it stands, unless there is a threat."""
    frames, moves = memory.frames, memory.moves[ply]
    frames[ply, MOVES] = list_moves(rules, board, side, moves)
    if ends_at_once(rules, board, memory, ply, side):
        return HAS_VALUE
    frames[ply, THREATENED] = can_win(rules, board, 1 - side) and frames[ply, DEPTH] > -QUIESCENCE
    if not frames[ply, THREATENED]:
        standing = evaluate(rules, evaluation, board, side, frames[ply, MOVES])
        if standing >= frames[ply, BETA]:
            memory.state[VALUE] = standing
            return HAS_VALUE
        frames[ply, BEST] = standing
        frames[ply, ALPHA] = max(frames[ply, ALPHA], standing)
        captures = 0
        for i in range(frames[ply, MOVES]):
            if board.squares[rules.target[moves[i]]] != EMPTY:
                moves[captures] = moves[i]
                captures += 1
        frames[ply, MOVES] = captures
        if captures == 0:
            memory.state[VALUE] = standing
            return HAS_VALUE
    rank_moves(rules, evaluation, board, memory, ply, NO_MOVE)
    return HAS_MOVES


@inline
def name_position(board: Board, memory: Memory, settings: Settings, ply: int) -> None:
    """Decide under which key the transposition table knows the position."""
    key, mirrored = board.numbers[KEY], board.numbers[MIRRORED_KEY]
    flipped = settings.mirror_keys and mirrored < key
    memory.frames[ply, NAME] = mirrored if flipped else key
    memory.frames[ply, FLIPPED] = flipped


@inline
def cuts_off(data: int, memory: Memory, settings: Settings, ply: int) -> bool:
    """Whether an entry decides a node with an open window of one; its score is then in the state."""
    frames = memory.frames
    alpha, beta, depth = frames[ply, ALPHA], frames[ply, BETA], frames[ply, DEPTH]
    enough = depth_of(data) == depth if settings.exact else depth_of(data) >= depth
    if not enough or beta - alpha > 1:
        return False
    score, bound = from_root(score_of(data), ply), bound_of(data)
    if bound == EXACT or (bound == LOWER and score >= beta) or (bound == UPPER and score <= alpha):
        memory.state[VALUE] = score
        return True
    return False
