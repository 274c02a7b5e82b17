"""Pig for two players as compiled functions.

The rules are the target, and what each face adds to the total of a turn: 0 loses it, and the last one adds most. The states
in which a player is to move are stored, by the total of the turn, the player's own score and the other's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tablebase.game.kernels import (
    BEGINS,
    CHANCE,
    LABEL,
    OVER,
    STATE,
    WEIGHT,
    Int64,
    Kernels,
    Layer,
    Region,
    expands,
    indexes,
    inline,
    lists_states,
)


def kernels(target: int, faces: Mapping[str, int]) -> Kernels:
    """The rules of `tablebase_rules.pig`."""
    return Kernels(
        rules=_rules(target, faces),
        expand=expand,
        index=index,
        state_at=state_at,
        fields=5,
        widest=max(2, len(faces)),
        deepest=1,
        labels=tuple(faces),
        module=__name__,
    )


def region(target: int, faces: Mapping[str, int]) -> Region:
    """All states. Those of two scores are a block, the largest total last."""
    totals = target + max(faces.values())
    return Region("all", {}, _rules(target, faces), (Layer("all", 0, totals * target**2),), totals)


def _rules(target: int, faces: Mapping[str, int]) -> Int64:
    return np.array([target, *faces.values()], np.int64)


@inline
def _put(row: Int64, label: int, begins: bool, first: int, second: int, player: int, total: int, rolling: int) -> None:
    """Fill in what follows a state."""
    row[LABEL], row[WEIGHT], row[BEGINS] = label, 1, begins
    row[STATE], row[STATE + 1], row[STATE + 2], row[STATE + 3], row[STATE + 4] = first, second, player, total, rolling


@expands
def expand(rules: Int64, state: Int64, _attacker: int, rows: Int64) -> Any:
    """The moves, or the faces of the die."""
    target, first, second, player, total = rules[0], state[0], state[1], state[2], state[3]
    if first >= target or second >= target:
        return OVER, 0 if first >= target else 1
    if state[4]:
        for face in range(len(rules) - 1):
            points = rules[1 + face]
            if points:
                _put(rows[face], face, False, first, second, player, total + points, 0)
            else:
                _put(rows[face], face, True, first, second, 1 - player, 0, 0)
        return CHANCE, len(rules) - 1
    held_first, held_second = first + total * (1 - player), second + total * player
    _put(rows[0], 0, True, held_first, held_second, 1 - player, 0, 0)
    if held_first >= target or held_second >= target:
        return player, 1
    _put(rows[1], 1, False, first, second, player, total, 1)
    return player, 2


@indexes
def index(rules: Int64, state: Int64) -> Any:
    """Numbered as if the player to move were the first one."""
    target, player = rules[0], state[2]
    if state[0] >= target or state[1] >= target or state[4]:
        return -1, -1
    return (state[player] * target + state[1 - player]) * (target + rules[-1]) + state[3], player


@lists_states
def state_at(rules: Int64, number: int, state: Int64) -> Any:
    """The first player is to move; scores and totals that no roll leads to have numbers, but no state."""
    target = rules[0]
    totals = target + rules[-1]
    state[0], state[1], state[2] = number // totals // target, number // totals % target, 0
    state[3], state[4] = number % totals, 0
    return state[0] + state[3] < totals
