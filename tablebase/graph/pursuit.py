"""Counting in pursuits: which positions a start leads to and by how many ways, tier after tier, forwards.

A tier holds one number for each position with the runner to move, a row for each placement of the pursuers. Numbers are
added up modulo a prime that fits into 32 bits, or capped at 1 to tell only what is reached; in both cases a sum
that exceeds `limit` has `excess` taken off it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.compute.jit import jit
from tablebase.compute.threads import spread
from tablebase.slices.pursuit import NOWHERE, Pursuit
from tablebase.solvers.compiled import Int8
from tablebase.solvers.pursuit_arrays import GRAIN, PursuitArrays, compile_pursuit, mark_escapes, rank_after, stands, unrank

Sums = NDArray[np.uint32]


class Sizes(NamedTuple):
    """What a tier amounts to.

    Parameters
    ----------
    nodes : int
        Sum over positions that are reached, of either side to move; with numbers capped at 1 how many there are.
    over : int
        Sum over those in which the game is over; the games that end there.
    lost : int
        Sum over those in which the runner cannot move.
    """

    nodes: int
    over: int
    lost: int


def go_through(pursuit: Pursuit, runs: Sums, limit: int, excess: int, pursuers_first: bool = False) -> Sizes:
    """Let the runner of a tier move, in place, and tell what the tier amounts to.

    Parameters
    ----------
    pursuit : Pursuit
        Of the tier.
    runs : ndarray of uint32, shape (pursuit.rows, pursuit.length)
        Numbers with the runner to move; afterwards, with the pursuers to move, of positions that go on.
    limit, excess : int
    pursuers_first : bool
        Whether the numbers given are with the pursuers to move, as in the tier of a start in which they are.
    """
    arrays = compile_pursuit(pursuit)

    def part(begin: int, end: int) -> tuple[int, int, int]:
        return _run(arrays, runs, begin, end, limit, excess, pursuers_first)

    found = spread(part, pursuit.rows, GRAIN)
    return Sizes(*map(sum, zip(*found, strict=True)))


def step_on(pursuit: Pursuit, after: Pursuit, runs: Sums, limit: int, excess: int) -> Sums:
    """The numbers of the next tier, the runner to move, from what `go_through` leaves.

    Parameters
    ----------
    pursuit, after : Pursuit
        Of this tier and the next.
    runs : ndarray of uint32, shape (pursuit.rows, pursuit.length)
    limit, excess : int
    """
    arrays, target = compile_pursuit(pursuit), compile_pursuit(after)
    backs = _back_steps(arrays.steps)
    found = np.zeros((after.rows, after.length), dtype=np.uint32)
    spread(lambda begin, end: _step(target, arrays.advance, backs, runs, found, begin, end, limit, excess), after.rows, GRAIN)
    return found


def _back_steps(steps: Int8) -> Int8:
    """For each square those from which there is a step to it, filled up with `NOWHERE`."""
    origins: list[list[int]] = [[] for _ in range(len(steps))]
    for origin, targets in enumerate(steps.tolist()):
        for target in targets:
            if target != NOWHERE:
                origins[target].append(origin)
    found = np.full((len(steps), max(map(len, origins), default=0)), NOWHERE, dtype=np.int8)
    for square, some in enumerate(origins):
        found[square, : len(some)] = some
    return found


@jit
def _run(
    arrays: PursuitArrays, runs: Sums, begin: int, end: int, limit: int, excess: int, pursuers_first: bool
) -> tuple[int, int, int]:
    """`go_through` for these rows: sums over all positions and over those that are over or lost to the runner."""
    pursuers, length, squares, places, level, ways = (
        arrays.pursuers,
        arrays.length,
        arrays.squares,
        arrays.places,
        arrays.level,
        arrays.ways,
    )
    advance, steps, runner_steps, row_place = arrays.advance, arrays.steps, arrays.runner_steps, arrays.row_place
    guards, near, room, counts = arrays.guards, arrays.near, arrays.room, arrays.counts
    stand, at = np.zeros(pursuers, dtype=np.int8), np.zeros(pursuers, dtype=np.int64)
    taken, away = np.zeros(length, dtype=np.bool_), np.zeros(length, dtype=np.bool_)
    open_words, open_steps = np.zeros(guards.shape[1], dtype=np.uint64), np.zeros(length, dtype=np.int64)
    after = np.zeros(length, dtype=np.int64)
    nodes, over, lost = np.int64(0), np.int64(0), np.int64(0)
    for number in range(begin, end):
        row = runs[number]
        if not row.any():
            continue
        unrank(number, pursuers, squares, level, ways, advance, stand, at)
        taken[:] = False
        for i in range(pursuers):
            if row_place[stand[i]] != NOWHERE:
                taken[row_place[stand[i]]] = True
        escapes = (counts[0] or counts[1]) and mark_escapes(guards, near, room, stand, pursuers, length, open_words, away)
        after[:] = 0
        for f in range(length):
            paths = np.int64(row[f])
            if paths == 0:
                continue
            if pursuers_first:
                after[f] = paths
                continue
            nodes += paths
            stuck = True
            going = not (escapes and counts[0] and away[f])
            for n in range(runner_steps.shape[1]):
                target = runner_steps[f, n]
                if target != NOWHERE and not taken[target]:
                    stuck = False
                    if going:
                        after[target] += paths
            if stuck or not going:
                over += paths
            if stuck:
                lost += paths
        # How many pursuers' steps are open, wherever the runner stands, and which ones it bars.
        total = 0
        open_steps[:] = 0
        for i in range(pursuers):
            for n in range(steps.shape[1]):
                target = steps[stand[i], n]
                if target != NOWHERE and not stands(at, pursuers, places[target]):
                    total += 1
                    if row_place[target] != NOWHERE:
                        open_steps[row_place[target]] += 1
        for f in range(length):
            # There are no more steps to a square than there are from it, a handful.
            while after[f] > limit:
                after[f] -= excess
            nodes += after[f]
            ended = total == open_steps[f] or (escapes and counts[1] and away[f])
            if ended:
                over += after[f]
            row[f] = 0 if ended else after[f]
    return int(nodes), int(over), int(lost)


@jit
def _step(
    arrays: PursuitArrays, before: int, backs: Int8, runs: Sums, found: Sums, begin: int, end: int, limit: int, excess: int
) -> None:
    """`step_on` for these rows of the next tier: each gathers from the rows that lead to it."""
    pursuers, length, squares, places, level, ways = (
        arrays.pursuers,
        arrays.length,
        arrays.squares,
        arrays.places,
        arrays.level,
        arrays.ways,
    )
    row_place = arrays.row_place
    stand, at = np.zeros(pursuers, dtype=np.int8), np.zeros(pursuers, dtype=np.int64)
    cap, less = np.uint32(limit), np.uint32(excess)
    for number in range(begin, end):
        unrank(number, pursuers, squares, level, ways, arrays.advance, stand, at)
        row = found[number]
        for i in range(pursuers):
            for n in range(backs.shape[1]):
                origin = backs[stand[i], n]
                if origin != NOWHERE and not stands(at, pursuers, places[origin]):
                    source = runs[rank_after(at, i, places[origin], pursuers, level, ways, before)]
                    for f in range(length):
                        total = np.uint32(row[f] + source[f])
                        row[f] = np.uint32(total - less) if total > cap else total
        # The runner cannot stand where a pursuer has come from elsewhere; a pursuer steps to empty squares only.
        for i in range(pursuers):
            if row_place[stand[i]] != NOWHERE:
                row[row_place[stand[i]]] = 0
