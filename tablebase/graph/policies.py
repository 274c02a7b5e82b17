"""Policies: the moves that a player considers, and how a fallible player fares."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tablebase.graph.forcing import Measures
from tablebase.graph.stages import DRAWN, ONGOING, Flags, Graph, GraphStage

RESULT_BITS = 61
"""The bits that scores are shifted by, so that a result outweighs any score."""
PRECISION = 1e-5
"""The precision of a fuzz found by bisection, as in Leslie-Hurd's article."""
Chances = NDArray[np.float64]


@dataclass(frozen=True)
class Policy:
    """The moves that a player keeps, including all ties.

    `kept` holds which moves are kept in each stage with the player to move, by its first node; one array for each of
    `GraphStage.edges`.
    """

    graph: Graph
    side: int  # the player
    kept: dict[int, list[Flags]]


def keep_best(graph: Graph, side: int, score: Measures) -> Policy:
    """The policy of a player, `side`, who moves to positions with the highest score; `score` has the shape (nodes,)."""
    kept = {}
    for stage in graph.stages:
        if stage.side == side and stage.edges:
            best = stage.best_after(score, larger=True)
            kept[stage.first] = [score[edges.nodes] == best[edges.rows] for edges in stage.edges]
    return Policy(graph, side, kept)


def result_first(side: int, winner: NDArray[np.int8], score: Measures) -> Measures:
    """Scores by which any better result for a side outweighs any score, whose absolute value must be less than 2^60.

    `winner` is the side that wins or `DRAWN`, as in `tablebase.graph.forcing.NodeValues`; both arrays have the shape (nodes,).
    """
    result = np.select([winner == side, winner == DRAWN], [2, 1], 0).astype(np.int64)
    return (result << RESULT_BITS) + score


def chance_against(policy: Policy, fuzz: float) -> Chances:
    """Probability at each node that a perfect player wins against a fallible opponent, whose policy is given.

    The player always makes the move with the highest probability of winning. `fuzz` is p, from 0 to 1: of n moves of the opponent,
    k of which are kept, each has weight p, and each kept move has an additional weight of 1 - p; the weights add up to
    n p + k (1 - p).
    """
    graph, player = policy.graph, 1 - policy.side
    chance = np.zeros(len(graph))
    for stage in reversed(graph.stages):
        over = stage.result != ONGOING
        stage_chance = np.where(over, stage.result == player, 0.0)
        if stage.edges:
            if stage.side == player:
                moved = stage.best_after(chance, larger=True)
            else:
                moved = _after_random_move(stage, policy.kept[stage.first], chance, fuzz)
            stage_chance = np.where(over, stage_chance, moved)
        chance[stage.nodes] = stage_chance
    return chance


def _after_random_move(stage: GraphStage, kept: list[Flags], chance: Chances, fuzz: float) -> Chances:
    total, weight = np.zeros(len(stage)), np.zeros(len(stage))
    for edges, keeps in zip(stage.edges, kept, strict=True):
        weights = fuzz + keeps * (1 - fuzz)
        total[edges.rows] += weights * chance[edges.nodes]
        weight[edges.rows] += weights
    return np.divide(total, weight, out=np.zeros(len(stage)), where=weight > 0)


def even_chance(chance: Callable[[float], float], precision: float = PRECISION) -> float:
    """The fuzz at which a chance that grows with it reaches one half, by bisection; it is too small by less than `precision`."""
    low, high = 0.0, 1.0
    while high - low >= precision:
        middle = (low + high) / 2
        low, high = (middle, high) if chance(middle) < 0.5 else (low, middle)
    return low
