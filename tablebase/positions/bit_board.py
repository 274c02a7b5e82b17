"""A position on a board of bits, and its moves: listed, counted, made and taken back.

This is the compiled twin of `tablebase.game.moves`. A board holds a kind on each square, and a set of squares for each side and
each kind. `set_up` puts a position on it, and the kernels change it in place.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tablebase.game.moves import Position
from tablebase.positions.rule_arrays import NOBODY, WORDS, Int8, Int32, Int64, RuleArrays, Words, words_of
from tablebase.system.compute.bits import ones, trailing_zeros
from tablebase.system.compute.jit import inline

EMPTY = -1
"""In `BitBoard.squares`: no piece."""
KEY, MATERIAL, SCORE, NUMBERS = 0, 1, 2, 3
"""Places in `BitBoard.numbers`, and how many there are."""
ONE = np.uint64(1)


class BitBoard(NamedTuple):
    """A position in which pieces are moved; the side to move is kept by the caller."""

    squares: Int8  # (S,) kind, or EMPTY
    sides: Words  # (2, 2) squares of each side
    kinds: Words  # (K, 2) squares of each kind
    counts: Int64  # (2,) pieces of each side
    numbers: Int64  # (NUMBERS,) two keys, material, and the sum of piece values from side 0's view


def set_up(rules: RuleArrays, position: Position, values: Int64 | None = None) -> BitBoard:
    """A board with a position; `values`, of shape (K, S), is what each piece adds to ``numbers[SCORE]``, seen from side 0."""
    kinds, squares = rules.zobrist.shape
    board = BitBoard(
        np.full(squares, EMPTY, dtype=np.int8),
        np.zeros((2, WORDS), dtype=np.uint64),
        np.zeros((kinds, WORDS), dtype=np.uint64),
        np.zeros(2, dtype=np.int64),
        np.zeros(NUMBERS, dtype=np.int64),
    )
    for kind, square in position.pieces:
        side, bits = int(rules.owner[kind]), np.array(words_of([square]), dtype=np.uint64)
        board.squares[square] = kind
        board.sides[side] |= bits
        board.kinds[kind] |= bits
        board.counts[side] += 1
        board.numbers[KEY] ^= rules.zobrist[kind, square]
        # An array, since scalars warn of the overflow that is meant here.
        board.numbers[MATERIAL : MATERIAL + 1] += rules.material[kind, square : square + 1]
        if values is not None:
            board.numbers[SCORE] += values[kind, square]
    if position.side == 1:
        board.numbers[KEY] ^= rules.to_move
    return board


def read_position(board: BitBoard, side: int) -> Position:
    """The position on a board; the inverse of `set_up`."""
    pieces = [(int(kind), square) for square, kind in enumerate(board.squares) if kind != EMPTY]
    return Position(tuple(sorted(pieces)), side)


@inline
def bit(square: int) -> Any:
    """The bit of a square in its word."""
    return ONE << np.uint64(square & 63)


@inline
def is_legal(rules: RuleArrays, board: BitBoard, step: int) -> Any:
    """Return whether a step of a piece that stands on its origin can be made."""
    if not rules.captures[step, board.squares[rules.target[step]] + 1]:
        return False
    if rules.plain[step]:
        return True
    blockers, sides = rules.blockers, board.sides
    return ((blockers[step, 0] & (sides[0, 0] | sides[1, 0])) | (blockers[step, 1] & (sides[0, 1] | sides[1, 1]))) == 0


@inline
def list_moves(rules: RuleArrays, board: BitBoard, side: int, moves: Int32) -> int:
    """Write the steps of the legal moves of a side, escapes aside, to `moves`, and return how many there are.

    `moves` has room for ``RuleArrays.most_moves``.
    """
    step_begin, squares = rules.step_begin, board.squares
    count = 0
    for word in range(WORDS):
        left = board.sides[side, word]
        while left:
            square = 64 * word + trailing_zeros(left)
            left &= left - ONE
            kind = squares[square]
            for step in range(step_begin[kind, square], step_begin[kind, square + 1]):
                if is_legal(rules, board, step):
                    moves[count] = step
                    count += 1
    return count


@inline
def count_moves(rules: RuleArrays, board: BitBoard, side: int) -> Any:
    """The number of legal moves of a side, escapes aside: quiet plain steps are counted by the word, the others one by one."""
    step_begin, squares, plain_targets, attacks = rules.step_begin, board.squares, rules.plain_targets, rules.attacks
    irregular, plain, target = rules.irregular, rules.plain, rules.target
    other0, other1 = board.sides[1 - side, 0], board.sides[1 - side, 1]
    free0, free1 = ~(board.sides[side, 0] | other0), ~(board.sides[side, 1] | other1)
    count = np.int64(0)
    for word in range(WORDS):
        left = board.sides[side, word]
        while left:
            square = 64 * word + trailing_zeros(left)
            left &= left - ONE
            kind = squares[square]
            count += ones(plain_targets[kind, square, 0] & free0)
            if free1 != 0:
                count += ones(plain_targets[kind, square, 1] & free1)
            attacked = (attacks[kind, square, 0] & other0) | (attacks[kind, square, 1] & other1)
            if irregular[kind, square] or attacked != 0:
                for step in range(step_begin[kind, square], step_begin[kind, square + 1]):
                    if not (plain[step] and squares[target[step]] == EMPTY):
                        count += is_legal(rules, board, step)
    return count


@inline
def put(board: BitBoard, side: int, kind: int, square: int) -> None:
    """Put a piece on an empty square, without keys and sums."""
    board.squares[square] = kind
    board.sides[side, square >> 6] |= bit(square)
    board.kinds[kind, square >> 6] |= bit(square)


@inline
def take(board: BitBoard, side: int, kind: int, square: int) -> None:
    """Take a piece off the board, without keys and sums."""
    board.squares[square] = EMPTY
    board.sides[side, square >> 6] &= ~bit(square)
    board.kinds[kind, square >> 6] &= ~bit(square)


@inline
def toggle(board: BitBoard, side: int, kind: int, origin: int, target: int, victim: int) -> None:
    """Change the sets of squares by a move, or back."""
    sides, kinds = board.sides, board.kinds
    sides[side, origin >> 6] ^= bit(origin)
    sides[side, target >> 6] ^= bit(target)
    kinds[kind, origin >> 6] ^= bit(origin)
    kinds[kind, target >> 6] ^= bit(target)
    if victim != EMPTY:
        sides[1 - side, target >> 6] ^= bit(target)
        kinds[victim, target >> 6] ^= bit(target)


@inline
def shift(rules: RuleArrays, board: BitBoard, side: int, move: int) -> Any:
    """Make a legal move without keys and sums, and return the captured kind or `EMPTY`."""
    origin, target, squares = rules.origin[move], rules.target[move], board.squares
    kind, victim = squares[origin], squares[target]
    squares[origin], squares[target] = EMPTY, kind
    board.counts[1 - side] -= victim != EMPTY
    toggle(board, side, kind, origin, target, victim)
    return victim


@inline
def shift_back(rules: RuleArrays, board: BitBoard, side: int, move: int, victim: int) -> None:
    """Take back a move that `shift` made."""
    origin, target, squares = rules.origin[move], rules.target[move], board.squares
    kind = squares[target]
    squares[origin], squares[target] = kind, victim
    board.counts[1 - side] += victim != EMPTY
    toggle(board, side, kind, origin, target, victim)


@inline
def make(rules: RuleArrays, board: BitBoard, values: Int64, side: int, move: int) -> Any:
    """Make a legal move, keys and sums included, and return the captured kind or `EMPTY`.

    `values` is the array that `set_up` was called with. To take the move back, use `shift_back` and restore `BitBoard.numbers`.
    """
    origin, target, numbers = rules.origin[move], rules.target[move], board.numbers
    victim = shift(rules, board, side, move)
    kind = board.squares[target]
    zobrist, material = rules.zobrist, rules.material
    numbers[KEY] ^= rules.to_move ^ zobrist[kind, origin] ^ zobrist[kind, target]
    numbers[MATERIAL] += material[kind, target] - material[kind, origin]
    numbers[SCORE] += values[kind, target] - values[kind, origin]
    if victim != EMPTY:
        numbers[KEY] ^= zobrist[victim, target]
        numbers[MATERIAL] -= material[victim, target]
        numbers[SCORE] -= values[victim, target]
    return victim


@inline
def has_escaped(rules: RuleArrays, board: BitBoard, side: int) -> Any:
    """Return whether a piece has escaped, with `side` to move; the twin of `tablebase.game.moves.has_escaped`."""
    if rules.runner == NOBODY or not rules.escape_counts[side]:
        return False
    guarded0, guarded1 = np.uint64(0), np.uint64(0)
    for word in range(WORDS):
        left = board.sides[0, word] | board.sides[1, word]
        while left:
            square = 64 * word + trailing_zeros(left)
            left &= left - ONE
            guarded0 |= rules.guards[board.squares[square], square, 0]
            guarded1 |= rules.guards[board.squares[square], square, 1]
    for word in range(WORDS):
        left = board.kinds[rules.runner, word] & ~(guarded1 if word else guarded0)
        while left:
            square = 64 * word + trailing_zeros(left)
            left &= left - ONE
            if not rules.escape_room or ((rules.near[square, 0] & ~guarded0) | (rules.near[square, 1] & ~guarded1)) != 0:
                return True
    return False


@inline
def can_win(rules: RuleArrays, board: BitBoard, side: int) -> Any:
    """Return whether a side has a step to a goal, were it to move."""
    step_begin, squares, wins = rules.step_begin, board.squares, rules.wins
    for word in range(WORDS):
        left = board.sides[side, word] & rules.winning_origins[side, word]
        while left:
            square = 64 * word + trailing_zeros(left)
            left &= left - ONE
            kind = squares[square]
            for step in range(step_begin[kind, square], step_begin[kind, square + 1]):
                if wins[step] and is_legal(rules, board, step):
                    return True
    return False
