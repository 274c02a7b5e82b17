"""What can be forced, and how a fallible player fares: analyses of all positions that a start leads to.

They work on the graph of `tablebase.graph`, stage by stage from the end, with values taken from tables. A measure or
a policy is an array with an entry for each node, so any question that can be put as one is open to them. Of their
uses, Fox & Hounds' FoxBox is in `rules.foxhounds`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.graph import DRAWN, GOES_ON, Flags, Graph, Moves, Stage
from tablebase.indexing import Squares
from tablebase.material import material_name, material_of
from tablebase.probe import Tablebase

NEVER = np.iinfo(np.int32).max
"""Plies to what cannot be forced."""
PLIES_BITS = 16
"""Of a measure and the plies until then in one number."""
RESULT_BITS = 61
"""A result outweighs any score."""
PRECISION = 1e-5
"""Of a fuzz found by bisection, as in Leslie-Hurd's article."""

Plies = NDArray[np.int32]
Measures = NDArray[np.int64]
Chances = NDArray[np.float64]


class Values(NamedTuple):
    """Outcomes and distances of all nodes.

    Parameters
    ----------
    winner : ndarray of int8
        The side that wins, -1 for a draw.
    distance : ndarray of int32
        Plies to the result, -1 for a draw.
    """

    winner: NDArray[np.int8]
    distance: Plies


def values(graph: Graph, tables: Tablebase) -> Values:
    """Look all positions of a graph up.

    Raises
    ------
    MissingTableError
        If a table has not been built.
    """
    winner = np.full(len(graph), -1, dtype=np.int8)
    distance = np.full(len(graph), -1, dtype=np.int32)
    for stage in graph.stages:
        if stage.final:
            # The move that led here has won.
            winner[stage.nodes], distance[stage.nodes] = 1 - stage.side, 0
        else:
            outcomes, plies = _look_up(graph, stage, tables)
            winner[stage.nodes] = np.choose(outcomes + 1, [1 - stage.side, -1, stage.side])
            distance[stage.nodes] = plies
    return Values(winner, distance)


def _look_up(graph: Graph, stage: Stage, tables: Tablebase) -> tuple[NDArray[np.int8], NDArray[np.int16]]:
    """Outcomes and distances of a stage's positions."""
    squares = stage.squares()
    by_piece = np.empty_like(squares)
    by_piece[:, list(stage.layout.slots)] = squares
    name = material_name(graph.game, material_of(graph.game, graph.position(stage.first)))
    return tables.probe_squares(graph.game, name, stage.side, by_piece)


def mark(graph: Graph, predicate: Callable[[Squares], Flags]) -> Flags:
    """The nodes of which a predicate holds.

    Parameters
    ----------
    graph : Graph
    predicate : callable
        Of an array of squares, shape (positions, pieces), the pieces in the order of `Material.kinds`; called
        once for each stage.
    """
    found = np.zeros(len(graph), dtype=bool)
    for stage in graph.stages:
        squares = stage.squares()
        by_piece = np.empty_like(squares)
        by_piece[:, list(stage.layout.slots)] = squares
        found[stage.nodes] = predicate(by_piece)
    return found


def plies_to_force(graph: Graph, side: int, wanted: Flags) -> Plies:
    """In how many plies a side can force a position that is wanted; `NEVER` where it cannot.

    The side hurries and the other delays. A position that is wanted counts as soon as it is reached.
    """
    found = np.full(len(graph), NEVER, dtype=np.int32)
    for stage in reversed(graph.stages):
        if stage.moves:
            best, start = (np.minimum, NEVER) if stage.side == side else (np.maximum, -1)
            plies = np.full(len(stage), start, dtype=np.int32)
            for some in stage.moves:
                plies[some.rows] = best(plies[some.rows], found[some.nodes])
            # No moves, no plies: a position that is over forces nothing.
            found[stage.nodes] = np.where((plies == NEVER) | (plies < 0), NEVER, plies + 1)
        found[stage.nodes][wanted[stage.nodes]] = 0
    return found


@dataclass(frozen=True)
class Later:
    """The best of a measure that a side can still reach, and in how many plies, for each node.

    Parameters
    ----------
    merit : ndarray of int64
        Grows with how good the pair is: a larger value, or as large a one sooner.
    """

    merit: Measures

    @property
    def value(self) -> Measures:
        """The values."""
        return -(-self.merit >> PLIES_BITS)

    @property
    def plies(self) -> Measures:
        """Plies until then."""
        return (self.value << PLIES_BITS) - self.merit


def best_later(graph: Graph, side: int, measure: NDArray[np.integer]) -> Later:
    """The larger of a measure here and what a side can still reach, the other side playing against it.

    Parameters
    ----------
    graph : Graph
    side : int
        Who maximises.
    measure : ndarray of int, shape (nodes,)
        None negative.
    """
    merit = measure.astype(np.int64) << PLIES_BITS
    for stage in reversed(graph.stages):
        if stage.moves:
            best, start = (np.maximum, -1) if stage.side == side else (np.minimum, np.iinfo(np.int64).max)
            reached = np.full(len(stage), start, dtype=np.int64)
            for some in stage.moves:
                reached[some.rows] = best(reached[some.rows], merit[some.nodes])
            going = stage.result == GOES_ON
            own = merit[stage.nodes]
            # A ply later is a little worse.
            own[going] = np.maximum(own[going], reached[going] - 1)
    return Later(merit)


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
