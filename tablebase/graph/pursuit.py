"""Counting in pursuits: which positions are reachable and by how many paths, tier by tier, forwards.

A tier holds a count for each position with the runner to move, in one row for each placement of the pursuers. Counts
are added modulo a prime that fits into 31 bits, or capped at 1 to mark what is reachable; in either case, a sum that
exceeds `limit` is reduced by `excess`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.positions.pursuit import NOWHERE, Pursuit
from tablebase.positions.pursuit_arrays import GRAIN, PursuitArrays, compile_pursuit, mark_escapes, rank_after, stands, unrank
from tablebase.positions.slice_arrays import Int8
from tablebase.system.compute.jit import jit
from tablebase.system.compute.threads import spread

Counts = NDArray[np.uint32]


class TierTotals(NamedTuple):
    """Sums of a tier's counts."""

    nodes: int  # over all positions, with either side to move; with counts capped at 1, the number of reachable ones
    over: int  # over the positions in which the game is over, that is, the games that end there
    lost: int  # over the positions in which the runner cannot move


def move_runner(pursuit: Pursuit, counts: Counts, limit: int, excess: int, pursuers_first: bool = False) -> TierTotals:
    """Move the runner of a tier, in place, and return the totals of the tier.

    `counts`, of shape (pursuit.rows, pursuit.length), are those with the runner to move; afterwards they are those with the
    pursuers to move, 0 where the game is over. With `pursuers_first` the given counts are with the pursuers to move, as in the
    tier of a start in which they are.
    """
    arrays = compile_pursuit(pursuit)

    def part(begin: int, end: int) -> tuple[int, int, int]:
        return _move_runner(arrays, counts, begin, end, limit, excess, pursuers_first)

    totals = spread(part, pursuit.rows, GRAIN)
    return TierTotals(*map(sum, zip(*totals, strict=True)))


def move_pursuers(pursuit: Pursuit, next_pursuit: Pursuit, counts: Counts, limit: int, excess: int) -> Counts:
    """The counts of the next tier, with the runner to move, from what `move_runner` leaves of this one."""
    arrays, next_arrays = compile_pursuit(pursuit), compile_pursuit(next_pursuit)
    origins = _origins(arrays.steps)
    next_counts = np.zeros((next_pursuit.rows, next_pursuit.length), dtype=np.uint32)

    def part(begin: int, end: int) -> None:
        _move_pursuers(next_arrays, arrays.advance, origins, counts, next_counts, begin, end, limit, excess)

    spread(part, next_pursuit.rows, GRAIN)
    return next_counts


def _origins(steps: Int8) -> Int8:
    """For each square, the squares from which a step leads to it, padded with `NOWHERE`."""
    lists: list[list[int]] = [[] for _ in range(len(steps))]
    for origin, targets in enumerate(steps.tolist()):
        for target in targets:
            if target != NOWHERE:
                lists[target].append(origin)
    origins = np.full((len(steps), max(map(len, lists), default=0)), NOWHERE, dtype=np.int8)
    for square, listed in enumerate(lists):
        origins[square, : len(listed)] = listed
    return origins


@jit
def _move_runner(
    arrays: PursuitArrays, counts: Counts, begin: int, end: int, limit: int, excess: int, pursuers_first: bool
) -> tuple[int, int, int]:
    pursuers, length, squares, places = arrays.pursuers, arrays.length, arrays.squares, arrays.places
    level, ways = arrays.level, arrays.ways
    advance, steps, runner_steps, row_place = arrays.advance, arrays.steps, arrays.runner_steps, arrays.row_place
    guards, near, room, escape_counts = arrays.guards, arrays.near, arrays.room, arrays.counts
    pursuer_squares, pursuer_places = np.zeros(pursuers, dtype=np.int8), np.zeros(pursuers, dtype=np.int64)
    occupied, escaped = np.zeros(length, dtype=np.bool_), np.zeros(length, dtype=np.bool_)
    open_words, open_steps = np.zeros(guards.shape[1], dtype=np.uint64), np.zeros(length, dtype=np.int64)
    after = np.zeros(length, dtype=np.int64)
    nodes, over, lost = np.int64(0), np.int64(0), np.int64(0)
    for number in range(begin, end):
        row = counts[number]
        if not row.any():
            continue
        unrank(number, pursuers, squares, level, ways, advance, pursuer_squares, pursuer_places)
        occupied[:] = False
        for i in range(pursuers):
            if row_place[pursuer_squares[i]] != NOWHERE:
                occupied[row_place[pursuer_squares[i]]] = True
        escapes = (escape_counts[0] or escape_counts[1]) and mark_escapes(
            guards, near, room, pursuer_squares, pursuers, length, open_words, escaped
        )
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
            ongoing = not (escapes and escape_counts[0] and escaped[f])
            for n in range(runner_steps.shape[1]):
                target = runner_steps[f, n]
                if target != NOWHERE and not occupied[target]:
                    stuck = False
                    if ongoing:
                        after[target] += paths
            if stuck or not ongoing:
                over += paths
            if stuck:
                lost += paths
        # The number of the pursuers' steps to squares without pursuers, in all and by the place of a runner in their way.
        total = 0
        open_steps[:] = 0
        for i in range(pursuers):
            for n in range(steps.shape[1]):
                target = steps[pursuer_squares[i], n]
                if target != NOWHERE and not stands(pursuer_places, pursuers, places[target]):
                    total += 1
                    if row_place[target] != NOWHERE:
                        open_steps[row_place[target]] += 1
        for f in range(length):
            # A loop, because several steps lead to a square; there are only a few.
            while after[f] > limit:
                after[f] -= excess
            nodes += after[f]
            ended = total == open_steps[f] or (escapes and escape_counts[1] and escaped[f])
            if ended:
                over += after[f]
            row[f] = 0 if ended else after[f]
    return int(nodes), int(over), int(lost)


@jit
def _move_pursuers(
    arrays: PursuitArrays,
    before: int,
    origins: Int8,
    counts: Counts,
    next_counts: Counts,
    begin: int,
    end: int,
    limit: int,
    excess: int,
) -> None:
    """`move_pursuers` for these rows of the next tier: each gathers from the rows that lead to it."""
    pursuers, length, squares, places = arrays.pursuers, arrays.length, arrays.squares, arrays.places
    level, ways = arrays.level, arrays.ways
    row_place = arrays.row_place
    pursuer_squares, pursuer_places = np.zeros(pursuers, dtype=np.int8), np.zeros(pursuers, dtype=np.int64)
    cap, less = np.uint32(limit), np.uint32(excess)
    for number in range(begin, end):
        unrank(number, pursuers, squares, level, ways, arrays.advance, pursuer_squares, pursuer_places)
        row = next_counts[number]
        for i in range(pursuers):
            for n in range(origins.shape[1]):
                origin = origins[pursuer_squares[i], n]
                if origin != NOWHERE and not stands(pursuer_places, pursuers, places[origin]):
                    source = counts[rank_after(pursuer_places, i, places[origin], pursuers, level, ways, before)]
                    for f in range(length):
                        total = np.uint32(row[f] + source[f])
                        row[f] = np.uint32(total - less) if total > cap else total
        # A source row may count the runner on a square where a pursuer stands now: pursuers step to empty squares only.
        for i in range(pursuers):
            if row_place[pursuer_squares[i]] != NOWHERE:
                row[row_place[pursuer_squares[i]]] = 0
