"""Policies: the moves that a player keeps to, and how a fallible player fares."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tablebase.graph.forcing import Measures
from tablebase.graph.reachable import DRAWN, GOES_ON, Flags, Graph, Moves, Stage

RESULT_BITS = 61
"""A result outweighs any score."""
PRECISION = 1e-5
"""Of a fuzz found by bisection, as in Leslie-Hurd's article."""
Chances = NDArray[np.float64]


@dataclass(frozen=True)
class Policy:
    """The moves that a player keeps to, ties included.

    Parameters
    ----------
    graph : Graph
    side : int
        The player.
    kept : dict of int to list of ndarray of bool
        For each stage of the player's, by its first node: for each of `Stage.moves`, which are kept.
    """

    graph: Graph
    side: int
    kept: dict[int, list[Flags]]


def keep_best(graph: Graph, side: int, score: Measures) -> Policy:
    """The policy of moving to positions of the highest score.

    Parameters
    ----------
    graph : Graph
    side : int
        The player.
    score : ndarray of int64, shape (nodes,)
        Of the positions that the player's moves lead to.
    """
    kept = {}
    for stage in graph.stages:
        if stage.side == side and stage.moves:
            best = np.full(len(stage), np.iinfo(np.int64).min, dtype=np.int64)
            for some in stage.moves:
                best[some.rows] = np.maximum(best[some.rows], score[some.nodes])
            kept[stage.first] = [score[some.nodes] == best[some.rows] for some in stage.moves]
    return Policy(graph, side, kept)


def keep_result(graph: Graph, side: int, winner: NDArray[np.int8], score: Measures) -> Policy:
    """The policy of keeping the best result that can be had, and of those moves the ones of the highest score.

    Parameters
    ----------
    graph : Graph
    side : int
        The player.
    winner : ndarray of int8, shape (nodes,)
        From `values`.
    score : ndarray of int64, shape (nodes,)
        Less than 2^60 from 0 either way.
    """
    result = np.select([winner == side, winner == DRAWN], [2, 1], 0).astype(np.int64)
    return keep_best(graph, side, (result << RESULT_BITS) + score)


def chance_against(policy: Policy, fuzz: float) -> Chances:
    """Probability that a player wins who always makes the likeliest move, against an opponent with faults.

    Parameters
    ----------
    policy : Policy
        Of the opponent; the other side is free to choose.
    fuzz : float
        p, from 0 to 1: with n moves of which k are kept, each move has weight p and each kept one 1 - p more, of
        n p + k (1 - p) in all.
    """
    graph, player = policy.graph, 1 - policy.side
    chance = np.zeros(len(graph))
    for stage in reversed(graph.stages):
        over = stage.result != GOES_ON
        own = np.where(over, stage.result == player, 0.0)
        if stage.moves:
            moved = _best_reply(stage, chance) if stage.side == player else _drawn(stage, policy.kept[stage.first], chance, fuzz)
            own = np.where(over, own, moved)
        chance[stage.nodes] = own
    return chance


def _best_reply(stage: Stage, chance: Chances) -> Chances:
    best = np.zeros(len(stage))
    for some in stage.moves:
        best[some.rows] = np.maximum(best[some.rows], chance[some.nodes])
    return best


def _drawn(stage: Stage, kept: list[Flags], chance: Chances, fuzz: float) -> Chances:
    """The chance after a move that is drawn by weight."""
    total, weight = np.zeros(len(stage)), np.zeros(len(stage))
    for some, keeps in zip(stage.moves, kept, strict=True):
        each = _weights(some, keeps, fuzz)
        total[some.rows] += each * chance[some.nodes]
        weight[some.rows] += each
    return np.divide(total, weight, out=np.zeros(len(stage)), where=weight > 0)


def _weights(some: Moves, keeps: Flags, fuzz: float) -> Chances:
    found: Chances = np.full(len(some.rows), fuzz) + keeps * (1 - fuzz)
    return found


def even_chance(chance: Callable[[float], float], precision: float = PRECISION) -> float:
    """The fuzz at which a chance that grows with it comes to one half, by bisection.

    Parameters
    ----------
    chance : callable
        Of the fuzz.
    precision : float
        The fuzz is less than this below the one at which the chance is even.
    """
    low, high = 0.0, 1.0
    while high - low >= precision:
        middle = (low + high) / 2
        low, high = (middle, high) if chance(middle) < 0.5 else (low, middle)
    return low
