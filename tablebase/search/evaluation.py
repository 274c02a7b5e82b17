"""The evaluation of a position, compiled from a game's data."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from tablebase.game import Evaluation, Game
from tablebase.positions.bit_board import ONE, SCORE, BitBoard, count_moves
from tablebase.positions.rule_arrays import WORDS, Int8, Int64, RuleArrays
from tablebase.system.compute.bits import trailing_zeros
from tablebase.system.compute.jit import inline

PIECE = 100
"""The value of any piece in a game without values of its own."""
FAR = 999
"""Steps to a square that cannot be reached."""


class EvaluationArrays(NamedTuple):
    """An evaluation as arrays; K kinds, S squares, D duels. Values are seen from side 0."""

    values: Int64  # (K, S) of a piece
    mobility: int
    hunter: Int8  # (D,) kind
    quarry: Int8  # (D,)
    duels: Int64  # (D, S, S) [d, s, t]: the hunter on square s, the quarry on square t
    goal: Int64  # (K, S) steps to the nearest goal of the piece's side
    guard: Int64  # (K, S) steps to the nearest square next to a goal of the other side
    race: Int64  # (N,)


def compile_evaluation(game: Game, evaluation: Evaluation | None = None) -> EvaluationArrays:
    """The arrays of an evaluation; by default the game's own, or material and mobility if it has none."""
    evaluation = evaluation or game.evaluation or material_and_mobility(game)
    squares = len(game.board)
    steps = [_distances(game, number) for number in range(len(game.kinds))]
    signs = [1 - 2 * kind.side for kind in game.kinds]
    values = [[sign * v for v in evaluation.squares[kind.symbol]] for kind, sign in zip(game.kinds, signs, strict=True)]
    hunters = [game.by_symbol[duel.hunter] for duel in evaluation.duels]
    duels = np.zeros((len(hunters), squares, squares), dtype=np.int64)
    for number, (hunter, duel) in enumerate(zip(hunters, evaluation.duels, strict=True)):
        worth = np.array([*duel.values, 0], dtype=np.int64)
        duels[number] = signs[hunter] * worth[np.minimum(steps[hunter], len(duel.values))]
    winning = [[step for kind in game.kinds if kind.side == side for step in kind.steps if step.wins] for side in (0, 1)]
    goals, gates = ([sorted({getattr(step, end) for step in steps}) for steps in winning] for end in ("target", "origin"))
    return EvaluationArrays(
        values=np.array(values, dtype=np.int64),
        mobility=evaluation.mobility,
        hunter=np.array(hunters, dtype=np.int8),
        quarry=np.array([game.by_symbol[duel.quarry] for duel in evaluation.duels], dtype=np.int8),
        duels=duels,
        goal=np.array([_nearest(steps[k], goals[kind.side]) for k, kind in enumerate(game.kinds)], dtype=np.int64),
        guard=np.array([_nearest(steps[k], gates[1 - kind.side]) for k, kind in enumerate(game.kinds)], dtype=np.int64),
        race=np.array(evaluation.race, dtype=np.int64),
    )


def material_and_mobility(game: Game) -> Evaluation:
    """A hundred for each piece, and one for each legal move."""
    return Evaluation({kind.symbol: (PIECE,) * len(game.board) for kind in game.kinds}, mobility=1)


@cache
def _distances(game: Game, number: int) -> Int64:
    """Steps that a piece of a kind needs from each square to each other on an empty board, shape (S, S); read-only."""
    kind, squares = game.kinds[number], len(game.board)
    distances = np.full((squares, squares), FAR, dtype=np.int64)
    for origin in range(squares):
        distances[origin, origin] = 0
        edge = [origin]
        for count in range(1, squares):
            reached = {step.target for square in edge for step in kind.steps_from.get(square, ())}
            edge = [square for square in reached if distances[origin, square] == FAR]
            distances[origin, edge] = count
    return distances


def _nearest(distances: Int64, targets: list[int]) -> Int64:
    nearest: Int64 = distances[:, targets].min(axis=1, initial=FAR)
    return nearest


@inline
def evaluate(rules: RuleArrays, arrays: EvaluationArrays, board: BitBoard, side: int, moves: int) -> Any:
    """The value of a position in which the game is not over, seen from the side to move, which has `moves` moves."""
    score = board.numbers[SCORE]
    hunter, quarry, duels, kinds = arrays.hunter, arrays.quarry, arrays.duels, board.kinds
    for number in range(len(hunter)):
        for word in range(WORDS):
            hunters = kinds[hunter[number], word]
            while hunters:
                square = 64 * word + trailing_zeros(hunters)
                hunters &= hunters - ONE
                for other in range(WORDS):
                    quarries = kinds[quarry[number], other]
                    while quarries:
                        score += duels[number, square, 64 * other + trailing_zeros(quarries)]
                        quarries &= quarries - ONE
    if arrays.mobility != 0:
        lead = arrays.mobility * (moves - count_moves(rules, board, 1 - side))
        score += lead if side == 0 else -lead
    if len(arrays.race) > 0:
        score += race_value(arrays, board, side)
    return score if side == 0 else -score


@inline
def race_value(arrays: EvaluationArrays, board: BitBoard, side: int) -> Any:
    """The value of the race for side 0, as defined in `tablebase.game.Evaluation`."""
    goal0, guard0 = _nearest_piece(arrays, board, 0)
    goal1, guard1 = _nearest_piece(arrays, board, 1)
    race = arrays.race
    # Who moves first arrives first; a guard that arrives at the same time comes too late if it moves second.
    if goal0 < len(race) and goal0 <= goal1 - side and goal0 <= guard1 - side:
        return race[goal0]
    if goal1 < len(race) and goal1 <= goal0 - (1 - side) and goal1 <= guard0 - (1 - side):
        return -race[goal1]
    return np.int64(0)


@inline
def _nearest_piece(arrays: EvaluationArrays, board: BitBoard, side: int) -> tuple[Any, Any]:
    """The least steps of a side's pieces to their goal, and to a square next to the other side's goal."""
    squares, goals, guards = board.squares, arrays.goal, arrays.guard
    goal, guard = np.int64(FAR), np.int64(FAR)
    for word in range(WORDS):
        left = board.sides[side, word]
        while left:
            square = 64 * word + trailing_zeros(left)
            left &= left - ONE
            goal = min(goal, goals[squares[square], square])
            guard = min(guard, guards[squares[square], square])
    return goal, guard
