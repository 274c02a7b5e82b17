"""A game's rules as flat arrays, and a position on a board of bits, as the kernels of the search read them.

`compile_rules` turns a `Game` into arrays once; `set_up` puts a position on a board, which `tablebase.search.moves` then
changes in place. A board is a kind on each square, and a set of squares for each side and each kind: two words of 64 bits, of
which boards of up to 64 squares use one.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from random import Random
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.errors import RulesError
from tablebase.game import Game, Kind, Outcome, Step
from tablebase.game.moves import Position
from tablebase.slices.material import tiered_kinds

EMPTY = -1
"""In `Board.squares`: no piece."""
NOBODY = -1
"""In `RuleArrays.runner`: no piece can escape."""
MOST_KINDS = 64
"""Kinds that a capture's set of victims has bits for."""
MOST_STEPS = (1 << 16) - 1
"""Steps that an entry of the transposition table has numbers for."""
WORDS = 2
SEED = 20_140_901
"""Of the keys, which are the same on every machine and in every version."""

KEY, MIRRORED_KEY, MATERIAL, SCORE, NUMBERS = 0, 1, 2, 3, 4
"""Places in `Board.numbers`, and how many there are."""

Int8 = NDArray[np.int8]
Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]
Bool = NDArray[np.bool_]
Words = NDArray[np.uint64]


class RuleArrays(NamedTuple):
    """The rules of a game; K kinds, S squares, T steps.

    A move is the number of its step. A *plain* step is one without blockers that ends on an empty square, and the only one
    of its kind between its two squares.
    """

    owner: Int8  # (K,)
    step_begin: Int32  # (K, S + 1) steps of kind k from square s are step_begin[k, s]:step_begin[k, s + 1]
    origin: Int8  # (T,)
    target: Int8  # (T,)
    quiet: Bool  # (T,)
    plain: Bool  # (T,)
    wins: Bool  # (T,)
    victims: Words  # (T,) bit k: kind k is captured
    blockers: Words  # (T, 2) squares that must be empty
    image: Int32  # (T,) the step's mirror image, itself where there is no mirror
    plain_targets: Words  # (K, S, 2)
    attacks: Words  # (K, S, 2) targets of plain steps that also capture
    irregular: Bool  # (K, S) whether a step from here is not plain
    winning_origins: Words  # (2, 2) by side: squares from which a step may win
    zobrist: Int64  # (K, S)
    mirrored_zobrist: Int64  # (K, S) the numbers of the mirror images
    to_move: int  # the number of side 1 to move
    material: Int64  # (K, S) what a piece adds to the number of the material
    no_move_loses: bool
    runner: int  # kind, or NOBODY
    escape_counts: Bool  # (2,) by side to move
    escape_room: bool
    guards: Words  # (K, S, 2) squares that a piece guards against the runner
    near: Words  # (S, 2) squares one step from the runner's
    most_moves: int


class Board(NamedTuple):
    """A position in which pieces are moved; the side to move is kept by the caller."""

    squares: Int8  # (S,) kind, or EMPTY
    sides: Words  # (2, 2) squares of each side
    kinds: Words  # (K, 2) squares of each kind
    counts: Int64  # (2,) pieces of each side
    numbers: Int64  # (NUMBERS,) two keys, material, and the sum of piece values from side 0's view


@cache
def compile_rules(game: Game) -> RuleArrays:
    """The arrays of a game, cached; they are read-only.

    Raises
    ------
    RulesError
        If the game has more than 64 kinds of pieces, or 65,535 steps.
    """
    kinds, squares = game.kinds, len(game.board)
    if len(kinds) > MOST_KINDS:
        raise RulesError(
            f"{game.name}: the search takes games of up to {MOST_KINDS} kinds of pieces, and this one has {len(kinds)}"
        )
    steps = [(k, step) for k, kind in enumerate(kinds) for s in range(squares) for step in kind.steps_from.get(s, ())]
    if len(steps) > MOST_STEPS:
        raise RulesError(f"{game.name}: the search takes games of up to {MOST_STEPS:,} steps, not of {len(steps):,}")
    plain = [_is_plain(kinds[k], step) for k, step in steps]
    flat = [k * squares + step.origin for k, step in steps]
    zobrist = _random_numbers(len(kinds), squares)
    mirror = list(range(squares) if game.mirror is None else game.mirror)
    escape = game.escape
    runner = NOBODY if escape is None else game.by_symbol[escape.runner]
    arrays = RuleArrays(
        owner=np.array([kind.side for kind in kinds], dtype=np.int8),
        step_begin=np.searchsorted(flat, np.arange(len(kinds))[:, None] * squares + np.arange(squares + 1)).astype(np.int32),
        origin=np.array([step.origin for _, step in steps], dtype=np.int8),
        target=np.array([step.target for _, step in steps], dtype=np.int8),
        quiet=np.array([step.quiet for _, step in steps], dtype=np.bool_),
        plain=np.array(plain, dtype=np.bool_),
        wins=np.array([step.wins for _, step in steps], dtype=np.bool_),
        victims=np.array([sum(1 << game.by_symbol[v] for v in step.victims) for _, step in steps], dtype=np.uint64),
        blockers=np.array([_words(step.empty) for _, step in steps], dtype=np.uint64).reshape(-1, WORDS),
        image=_images(game, steps),
        plain_targets=_targets(game, [(k, step) for (k, step), is_plain in zip(steps, plain, strict=True) if is_plain]),
        attacks=_targets(game, [(k, step) for (k, step), is_plain in zip(steps, plain, strict=True) if is_plain and step.victims]),
        irregular=np.zeros((len(kinds), squares), dtype=np.bool_),
        winning_origins=np.array(
            [_words(step.origin for k, step in steps if step.wins and kinds[k].side == side) for side in (0, 1)], dtype=np.uint64
        ),
        zobrist=zobrist,
        mirrored_zobrist=zobrist[:, mirror],
        to_move=int(_random_numbers(1, 1, SEED + 1)[0, 0]),
        material=_material_numbers(game),
        no_move_loses=game.no_move is Outcome.LOSS,
        runner=runner,
        escape_counts=np.array([escape is not None and side in escape.to_move for side in (0, 1)], dtype=np.bool_),
        escape_room=escape is not None and escape.room,
        guards=_guards(game),
        near=np.zeros((squares, WORDS), dtype=np.uint64),
        most_moves=max(_most_moves(game, side) for side in (0, 1)),
    )
    for (k, step), is_plain in zip(steps, plain, strict=True):
        arrays.irregular[k, step.origin] |= not is_plain
        if k == runner:
            arrays.near[step.origin] |= np.array(_words([step.target]), dtype=np.uint64)
    return arrays


def _is_plain(kind: Kind, step: Step) -> bool:
    parallel = [other for other in kind.steps_from[step.origin] if other.target == step.target]
    return step.quiet and not step.empty and len(parallel) == 1


def _words(squares: Iterable[int]) -> list[int]:
    """A set of squares as words."""
    bits = sum(1 << square for square in set(squares))
    return [bits >> 64 * word & (1 << 64) - 1 for word in range(WORDS)]


def _targets(game: Game, steps: list[tuple[int, Step]]) -> Words:
    """Targets of these steps by kind and origin."""
    targets = np.zeros((len(game.kinds), len(game.board), WORDS), dtype=np.uint64)
    for k, step in steps:
        targets[k, step.origin] |= np.array(_words([step.target]), dtype=np.uint64)
    return targets


def _images(game: Game, steps: list[tuple[int, Step]]) -> Int32:
    """The number of each step's mirror image."""
    numbers = np.arange(len(steps), dtype=np.int32)
    if game.mirror is None:
        return numbers
    mirror = game.mirror
    keys = {(k, step): number for number, (k, step) in enumerate(steps)}
    for number, (k, step) in enumerate(steps):
        image = Step(
            mirror[step.origin], mirror[step.target], frozenset(mirror[s] for s in step.empty), step.quiet, step.victims, step.wins
        )
        numbers[number] = keys[k, image]
    return numbers


def _guards(game: Game) -> Words:
    guards = np.zeros((len(game.kinds), len(game.board), WORDS), dtype=np.uint64)
    for symbol, zones in game.escape.guarded.items() if game.escape else ():
        for square, zone in zones.items():
            guards[game.by_symbol[symbol], square] = _words(zone)
    return guards


def _random_numbers(rows: int, columns: int, seed: int = SEED) -> Int64:
    """Random numbers that do not depend on the version of NumPy."""
    random = Random(seed)
    return np.array([[random.getrandbits(64) for _ in range(columns)] for _ in range(rows)], dtype=np.uint64).view(np.int64)


def _material_numbers(game: Game) -> Int64:
    """What each piece adds to the number of its material: a number of its kind, and one for each level of a tiered kind."""
    numbers = _random_numbers(2, len(game.kinds), SEED + 2)
    added = np.repeat(numbers[0][:, None], len(game.board), axis=1)
    for kind in tiered_kinds(game, tuple(range(len(game.kinds)))):
        for square, level in (game.kinds[kind].levels or {}).items():
            added[kind, square] += np.int64(level) * (numbers[1, kind] >> 16)
    return added


def _most_moves(game: Game, side: int) -> int:
    """An upper bound on the moves of a position."""
    return sum(max(map(len, kind.steps_from.values()), default=0) * kind.limit for kind in game.kinds if kind.side == side)


def set_up(rules: RuleArrays, position: Position, values: Int64 | None = None) -> Board:
    """A board with a position.

    Parameters
    ----------
    rules : RuleArrays
    position : Position
    values : ndarray of int64, shape (K, S), optional
        What each piece adds to ``numbers[SCORE]``, seen from side 0.
    """
    kinds, squares = rules.zobrist.shape
    board = Board(
        np.full(squares, EMPTY, dtype=np.int8),
        np.zeros((2, WORDS), dtype=np.uint64),
        np.zeros((kinds, WORDS), dtype=np.uint64),
        np.zeros(2, dtype=np.int64),
        np.zeros(NUMBERS, dtype=np.int64),
    )
    for kind, square in position.pieces:
        side, bits = int(rules.owner[kind]), np.array(_words([square]), dtype=np.uint64)
        board.squares[square] = kind
        board.sides[side] |= bits
        board.kinds[kind] |= bits
        board.counts[side] += 1
        board.numbers[KEY] ^= rules.zobrist[kind, square]
        board.numbers[MIRRORED_KEY] ^= rules.mirrored_zobrist[kind, square]
        # An array, since scalars warn of the overflow that is meant here.
        board.numbers[MATERIAL : MATERIAL + 1] += rules.material[kind, square : square + 1]
        if values is not None:
            board.numbers[SCORE] += values[kind, square]
    if position.side == 1:
        board.numbers[[KEY, MIRRORED_KEY]] ^= rules.to_move
    return board


def read_position(board: Board, side: int) -> Position:
    """The position on a board; the inverse of `set_up`."""
    pieces = [(int(kind), square) for square, kind in enumerate(board.squares) if kind != EMPTY]
    return Position(tuple(sorted(pieces)), side)
