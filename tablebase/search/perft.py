"""Perft: how many lines of legal moves of each length a position has.

The last ply is counted in bulk. A line whose game is over before its last ply counts only at the ply where it ended.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from tablebase.functions.exact.paths import Depth, by_depth
from tablebase.game import Game
from tablebase.game.moves import Position, legal_moves, play, wins_at_once
from tablebase.game.notation import check_pieces, render_move
from tablebase.positions.bit_board import KEY, BitBoard, count_moves, has_escaped, list_moves, make, set_up, shift_back
from tablebase.positions.rule_arrays import Int64, RuleArrays, compile_rules
from tablebase.search.choices import RepeatedLines
from tablebase.system.compute.jit import jit
from tablebase.system.compute.pointers import borrowed


@jit
def count_leaves(rules: RuleArrays, board: BitBoard, side: int, depth: int, stop_repeated: bool, line: Int64) -> Any:
    """The leaves `depth` plies, at least one, below a position in which the game is not over; the board is left as it was.

    If repeated positions end a line, a position that the line has had before is a leaf; `line` has the keys of the positions that
    led here, the first one first.
    """
    rules, board = borrowed(rules), borrowed(board)
    if depth == 1:
        return count_moves(rules, board, side)
    before = len(line)
    keys = np.empty(before + depth, dtype=np.int64)
    keys[:before] = line
    moves = np.empty((depth, rules.most_moves), dtype=np.int32)
    counts, following = np.zeros(depth, dtype=np.int64), np.zeros(depth, dtype=np.int64)
    victims = np.zeros(depth, dtype=np.int64)
    saved = np.empty((depth, len(board.numbers)), dtype=np.int64)
    total, ply = np.int64(0), 0
    counts[0] = list_moves(rules, board, side, moves[0])
    keys[before] = board.numbers[KEY]
    while ply >= 0:
        if following[ply] == counts[ply]:
            ply -= 1
            if ply >= 0:
                side = 1 - side
                shift_back(rules, board, side, moves[ply, following[ply] - 1], victims[ply])
                board.numbers[:] = saved[ply]
            continue
        move = moves[ply, following[ply]]
        following[ply] += 1
        if rules.wins[move]:
            continue
        saved[ply] = board.numbers
        victims[ply] = make(rules, board, rules.zobrist, side, move)
        side = 1 - side
        repeated = False
        if stop_repeated:
            key = board.numbers[KEY]
            for earlier in range(before + ply - 3, -1, -2):
                repeated |= keys[earlier] == key
            keys[before + ply + 1] = key
        if repeated:
            total += 1
        elif not has_escaped(rules, board, side):
            if ply + 2 < depth:
                ply += 1
                counts[ply] = list_moves(rules, board, side, moves[ply])
                following[ply] = 0
                continue
            total += count_moves(rules, board, side)
        side = 1 - side
        shift_back(rules, board, side, move, victims[ply])
        board.numbers[:] = saved[ply]
    return total


def leaves(game: Game, position: Position, depth: int, repeated: RepeatedLines = RepeatedLines.CONTINUE, threads: int = 1) -> int:
    """The number of leaves at a depth of at least 1, that of `Depth`."""
    return sum(leaves_by_move(game, position, depth, repeated, threads).values())


def leaves_by_depth(
    game: Game, position: Position, depth: int, repeated: RepeatedLines = RepeatedLines.CONTINUE, threads: int = 1
) -> Iterator[Depth]:
    """The counts of depths 1, 2, … up to `depth`, each as soon as it is known.

    Examples
    --------
    >>> from tablebase.game import load_game
    >>> from tablebase.game.notation import parse
    >>> game = load_game("hexapawn")
    >>> [count.leaves for count in leaves_by_depth(game, parse(game, game.start), 4)]
    [3, 10, 28, 56]
    """
    # Compiled, if it has to be, before the clock runs.
    leaves(game, position, 2, repeated)
    return by_depth(lambda plies: leaves(game, position, plies, repeated, threads), depth)


def leaves_by_move(
    game: Game, position: Position, depth: int, repeated: RepeatedLines = RepeatedLines.CONTINUE, threads: int = 1
) -> dict[str, int]:
    """The leaves below each legal move, by the text of the move, sorted.

    The depth, from 1, is the plies of the lines, the legal move included; `threads` is how many moves are searched at a time.
    """
    rules, root = compile_rules(game), set_up(compile_rules(game), position)
    line = root.numbers[[KEY]]
    stop_repeated = repeated is RepeatedLines.LEAF

    def below_move(move_after: tuple[bool, Position]) -> int:
        over, after = move_after
        if depth == 1:
            return 1
        board = set_up(rules, after)
        if over or has_escaped(rules, board, after.side):
            return 0
        return int(count_leaves(rules, board, after.side, depth - 1, stop_repeated, line))

    check_pieces(game, position)
    moves = sorted(legal_moves(game, position), key=lambda move: render_move(game, move))
    children = [(wins_at_once(game, position, move), play(position, move)) for move in moves]
    with ThreadPoolExecutor(threads) as pool:
        counted = list(pool.map(below_move, children))
    below: dict[str, int] = {}
    for move, count in zip(moves, counted, strict=True):
        # Two ways between the same squares have one text.
        text = render_move(game, move)
        below[text] = below.get(text, 0) + count
    return below


LINES = leaves_by_move, leaves_by_depth
"""Functions that count lines of a depth by the first move, and of each depth."""
