"""What a state of Hare & Hedgehog is worth to each player: E = Ks·S + Kc·C + Kp·P, as a program of 2018 evaluates it.

S is about lettuces, C about carrots and P about the way that has been covered; the weights Ks, Kc and Kp are 1 by default. The
program's curves were shown as pictures that are lost. Those here are ours; they fit what its author says of them:

- P: three points a square.
- C: what the player is about to be paid counts as his. Each carrot more is worth less than the one before, more so in the second
  half of the way; and every carrot costs points once there are enough for the direct way home.
- S: by the lettuces that the player has and the lettuce squares ahead of him.

A player who has finished is worth 10,000 points less 1,000 for each player who was faster.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tablebase.errors import RulesError
from tablebase.game.kernels import POINT, StateEvaluation, borrowed, evaluates, inline
from tablebase_rules._harehedgehog import HOME, ahead, cost

PARTS = {"lettuces": "Ks", "carrots": "Kc", "squares": "Kp"}
MOST_WEIGHT = 100
SQUARE_POINTS = 3
FINISHED_POINTS, RANK_POINTS = 10_000, 1_000
LETTUCE_POINTS = (
    (0, 0, 0, 0, 0, 0),
    (-120, -50, -35, -25, -20, -15),
    (-240, -150, -90, -60, -45, -35),
    (-360, -260, -180, -120, -85, -60),
)
"""By the lettuces that a player has, and the lettuce squares ahead of him."""
MOST_CARROTS = cost(HOME)
"""What the way home costs from the start; more carrots count like this number."""

# Where the parameters are.
WEIGHTS = 0
"""Of lettuces, carrots and squares, in thousandths."""
HOMES, AHEAD = 3, 3 + 65
"""For each square, what the direct way home costs, and how many lettuce squares are ahead."""
SALADS = 3 + 2 * 65
FIRST_HALF = SALADS + 24
"""The curves of carrots, one after the other: before the middle of the board, from there on, and with enough for the way home."""
CURVE = 2081
MIDDLE = 32

# Numbers of a state, as the kernels of the game have them.
SQUARE, CARROTS, HELD, WAIT, RANK, PER_PLAYER = range(6)
READY, MISS, EAT, PAY = range(4)
PLAYERS, PAYS = 0, 32 + 65
UNIT = 10


def first_half(carrots: int) -> int:
    """C before the middle of the board."""
    return 240 * carrots // (carrots + 80)


def second_half(carrots: int) -> int:
    """C from the middle on."""
    return 240 * carrots // (carrots + 50)


def enough(carrots: int) -> int:
    """C of a player who could go home."""
    return 300 - 2 * carrots - carrots * carrots // 25


def evaluation(weights: Mapping[str, float]) -> StateEvaluation:
    """The evaluation with these weights; the others are 1.

    Raises
    ------
    RulesError
        If there is no such weight, or it is not a number from 0 to 100.
    """
    for name, weight in weights.items():
        if name not in PARTS:
            raise RulesError(f"the evaluation of harehedgehog has no weight {name}: choose among {', '.join(PARTS)}")
        # This comparison also rejects NaN.
        if not 0 <= weight <= MOST_WEIGHT:
            raise RulesError(f"the weight of {name} must be a number from 0 to {MOST_WEIGHT}, not {weight}")
    squares = range(HOME + 1)
    parts = [
        [round(POINT * weights.get(name, 1)) for name in PARTS],
        [cost(HOME - square) for square in squares],
        [len(ahead(square, "L")) for square in squares],
        [points for curve in LETTUCE_POINTS for points in curve],
        *([curve(carrots) for carrots in range(MOST_CARROTS + 1)] for curve in (first_half, second_half, enough)),
    ]
    return StateEvaluation(np.array([number for part in parts for number in part], np.int64), evaluate)


@inline
def _payments(rules: Any, state: Any, begin: Any, place: Any) -> Any:
    """How many times ten carrots for his place the player is about to be paid."""
    wait = state[begin + WAIT]
    if wait == MISS:
        return 0
    if wait == EAT:
        return 1 if state[begin + HELD] > 0 else 0
    return (rules[PAYS + state[begin + SQUARE]] >> place & 1) + (wait == PAY)


@evaluates
def evaluate(rules: Any, parameters: Any, state: Any, values: Any) -> Any:
    """The points of each player, and who has finished."""
    rules, parameters, state, values = borrowed(rules), borrowed(parameters), borrowed(state), borrowed(values)
    finished = 0
    for player in range(rules[PLAYERS]):
        begin = PER_PLAYER * player
        square, rank = state[begin + SQUARE], state[begin + RANK]
        if rank > 0:
            values[player] = (FINISHED_POINTS - RANK_POINTS * (rank - 1)) * POINT
            finished |= 1 << player
            continue
        place = 1
        for other in range(rules[PLAYERS]):
            place += state[PER_PLAYER * other + SQUARE] > square
        carrots = min(state[begin + CARROTS] + UNIT * place * _payments(rules, state, begin, place), CURVE - 1)
        curve = 2 if carrots >= parameters[HOMES + square] else 1 if square >= MIDDLE else 0
        values[player] = (
            parameters[WEIGHTS] * parameters[SALADS + 6 * state[begin + HELD] + parameters[AHEAD + square]]
            + parameters[WEIGHTS + 1] * parameters[FIRST_HALF + CURVE * curve + carrots]
            + parameters[WEIGHTS + 2] * SQUARE_POINTS * square
        )
    return finished
