"""The rules of a game as flat arrays, for the compiled move generator in `tablebase.positions.bit_board`.

A set of squares is two words of 64 bits, of which boards of up to 64 squares use one.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from random import Random
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.game import Game, Kind, Outcome, Step
from tablebase.positions.material import tiered_kinds

NOBODY = -1
"""In `RuleArrays.runner`: no piece can escape."""
WORDS = 2
SEED = 20_140_901
"""Of the keys, which are the same on every machine and in every version."""

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
    captures: Bool  # (T, K + 1) [t, k + 1]: whether it captures kind k; [t, 0]: whether it may end on an empty square
    plain: Bool  # (T,)
    wins: Bool  # (T,)
    blockers: Words  # (T, 2) squares that must be empty
    plain_targets: Words  # (K, S, 2)
    attacks: Words  # (K, S, 2) targets of plain steps that also capture
    irregular: Bool  # (K, S) whether a step from here is not plain
    winning_origins: Words  # (2, 2) by side: squares from which a step may win
    zobrist: Int64  # (K, S)
    to_move: int  # the number of side 1 to move
    material: Int64  # (K, S) what a piece adds to the number of the material
    no_move_loses: bool
    runner: int  # kind, or NOBODY
    escape_counts: Bool  # (2,) by side to move
    escape_room: bool
    guards: Words  # (K, S, 2) squares that a piece guards against the runner
    near: Words  # (S, 2) squares one step from the runner's
    most_moves: int  # an upper bound for a position


@cache
def compile_rules(game: Game) -> RuleArrays:
    """The arrays of a game, cached; they are read-only."""
    kinds, squares = game.kinds, len(game.board)
    steps = [(k, step) for k, kind in enumerate(kinds) for s in range(squares) for step in kind.steps_from.get(s, ())]
    plain = [_is_plain(kinds[k], step) for k, step in steps]
    flat = [k * squares + step.origin for k, step in steps]
    zobrist = _random_numbers(len(kinds), squares)
    most_steps = [max(map(len, kind.steps_from.values()), default=0) * kind.limit for kind in kinds]
    escape = game.escape
    runner = NOBODY if escape is None else game.by_symbol[escape.runner]
    arrays = RuleArrays(
        owner=np.array([kind.side for kind in kinds], dtype=np.int8),
        step_begin=np.searchsorted(flat, np.arange(len(kinds))[:, None] * squares + np.arange(squares + 1)).astype(np.int32),
        origin=np.array([step.origin for _, step in steps], dtype=np.int8),
        target=np.array([step.target for _, step in steps], dtype=np.int8),
        captures=_captures(game, steps),
        plain=np.array(plain, dtype=np.bool_),
        wins=np.array([step.wins for _, step in steps], dtype=np.bool_),
        blockers=np.array([words_of(step.empty) for _, step in steps], dtype=np.uint64).reshape(-1, WORDS),
        plain_targets=_targets(game, [(k, step) for (k, step), is_plain in zip(steps, plain, strict=True) if is_plain]),
        attacks=_targets(game, [(k, step) for (k, step), is_plain in zip(steps, plain, strict=True) if is_plain and step.victims]),
        irregular=np.zeros((len(kinds), squares), dtype=np.bool_),
        winning_origins=np.array(
            [words_of(step.origin for k, step in steps if step.wins and kinds[k].side == side) for side in (0, 1)], dtype=np.uint64
        ),
        zobrist=zobrist,
        to_move=int(_random_numbers(1, 1, SEED + 1)[0, 0]),
        material=_material_numbers(game),
        no_move_loses=game.no_move is Outcome.LOSS,
        runner=runner,
        escape_counts=np.array([escape is not None and side in escape.to_move for side in (0, 1)], dtype=np.bool_),
        escape_room=escape is not None and escape.room,
        guards=_guards(game),
        near=np.zeros((squares, WORDS), dtype=np.uint64),
        most_moves=max(sum(most for kind, most in zip(kinds, most_steps, strict=True) if kind.side == side) for side in (0, 1)),
    )
    for (k, step), is_plain in zip(steps, plain, strict=True):
        arrays.irregular[k, step.origin] |= not is_plain
        if k == runner:
            arrays.near[step.origin] |= np.array(words_of([step.target]), dtype=np.uint64)
    return arrays


def _captures(game: Game, steps: list[tuple[int, Step]]) -> Bool:
    captures = np.zeros((len(steps), len(game.kinds) + 1), dtype=np.bool_)
    for number, (_, step) in enumerate(steps):
        captures[number, [game.by_symbol[victim] + 1 for victim in step.victims]] = True
        captures[number, 0] = step.quiet
    return captures


def _is_plain(kind: Kind, step: Step) -> bool:
    parallel = [other for other in kind.steps_from[step.origin] if other.target == step.target]
    return step.quiet and not step.empty and len(parallel) == 1


def words_of(squares: Iterable[int]) -> list[int]:
    """A set of squares as words."""
    bits = sum(1 << square for square in set(squares))
    return [bits >> 64 * word & (1 << 64) - 1 for word in range(WORDS)]


def _targets(game: Game, steps: list[tuple[int, Step]]) -> Words:
    targets = np.zeros((len(game.kinds), len(game.board), WORDS), dtype=np.uint64)
    for k, step in steps:
        targets[k, step.origin] |= np.array(words_of([step.target]), dtype=np.uint64)
    return targets


def _guards(game: Game) -> Words:
    guards = np.zeros((len(game.kinds), len(game.board), WORDS), dtype=np.uint64)
    for symbol, zones in game.escape.guarded.items() if game.escape else ():
        for square, zone in zones.items():
            guards[game.by_symbol[symbol], square] = words_of(zone)
    return guards


def _random_numbers(rows: int, columns: int, seed: int = SEED) -> Int64:
    """Random numbers that do not depend on the version of NumPy."""
    random = Random(seed)
    return np.array([[random.getrandbits(64) for _ in range(columns)] for _ in range(rows)], dtype=np.uint64).view(np.int64)


def _material_numbers(game: Game) -> Int64:
    """List each piece's term in the number of its material: a number of its kind, and one for each level of a tiered kind."""
    numbers = _random_numbers(2, len(game.kinds), SEED + 2)
    added = np.repeat(numbers[0][:, None], len(game.board), axis=1)
    for kind in tiered_kinds(game, tuple(range(len(game.kinds)))):
        for square, level in (game.kinds[kind].levels or {}).items():
            added[kind, square] += np.int64(level) * (numbers[1, kind] >> 16)
    return added
