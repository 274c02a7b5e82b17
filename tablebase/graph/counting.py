"""Exact counts of reachable positions and possible games.

A game is a path from the start to a position in which the game is over. There may be more than 10^55 of them, so they are
counted modulo several primes, and the Chinese remainder theorem combines the residues; there are enough primes for the largest
possible count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from math import isqrt, prod

import numpy as np
from numpy.typing import NDArray

from tablebase.functions.exact.paths import GameCounts
from tablebase.game import Game
from tablebase.game.moves import Position
from tablebase.game.notation import check_pieces, parse
from tablebase.graph.reachable import check_finite, game_bits, reachable
from tablebase.graph.stages import ONGOING, Flags, Graph
from tablebase.positions.indexing import layout_of
from tablebase.positions.material import material_of
from tablebase.positions.pursuit import Pursuit, pursuit_error, pursuit_of

Tick = Callable[[int, int], None]
"""Called with the number of steps done and the total number of steps."""
PRIME_BITS = 31
"""The sum of two residues fits into 32 bits."""


def count(game: Game, start: Position | None = None, tick: Tick | None = None) -> GameCounts:
    """Count reachable positions and possible games, by default from the initial position; `tick` is called after each step.

    Raise `TablebaseError` if the game may never end.

    Examples
    --------
    >>> from tablebase.game import load_game
    >>> count(load_game("hexapawn"))
    GameCounts(reachable=135, final=65, games=134, won=(64, 70))
    """
    start = parse(game, game.start) if start is None else start
    check_pieces(game, start)
    check_finite(game)
    if pursuit_error(game, material_of(game, start)) is None:
        return count_pursuit(game, start, tick)
    return count_graph(reachable(game, start), game_bits(game, start))


def count_graph(graph: Graph, bits: int) -> GameCounts:
    """Count in a graph; `bits` must suffice for the number of games."""
    results = graph.results()
    ends = [results != ONGOING, results == 0, results == 1]
    moduli = primes(bits)
    residues = []
    for prime in moduli:
        paths = np.zeros(len(graph), dtype=np.int64)
        paths[0] = 1
        for stage in graph.stages:
            stage_paths = paths[stage.nodes] % prime
            paths[stage.nodes] = stage_paths
            for edges in stage.edges:
                # Far fewer than 2^31 moves lead to a node, so sums of residues fit.
                np.add.at(paths, edges.nodes, stage_paths[edges.rows])
        residues.append([sum(paths[nodes].tolist()) % prime for nodes in ends])
    games, first, second = (combine(list(total), moduli) for total in zip(*residues, strict=True))
    return GameCounts(len(graph), int(ends[0].sum()), games, (first, second))


def games_from(graph: Graph, ends: Flags) -> NDArray[np.object_]:
    """The number of paths from each node to the final positions that `ends` marks, as integers of any size."""
    games = ends.astype(object) * 1
    for stage in reversed(graph.stages):
        stage_games = games[stage.nodes]
        for edges in stage.edges:
            stage_games[edges.rows] += games[edges.nodes]
    return games


def count_pursuit(game: Game, start: Position, tick: Tick | None = None) -> GameCounts:
    """Count tier by tier, with at most two tiers in memory."""
    moduli = primes(game_bits(game, start))
    # The first pass counts positions, by counts capped at 1; the others count games modulo a prime.
    passes = [(1, 1), *((prime - 1, prime) for prime in moduli)]
    tiers = [pursuit_of(layout_of(game, material_of(game, start)))]
    while (following := tiers[-1].next_tier) is not None:
        tiers.append(pursuit_of(layout_of(game, following.material)))
    sums = []
    for number, (limit, excess) in enumerate(passes):
        total = np.zeros(3, dtype=object)
        for done, tier_totals in enumerate(_tier_totals(tiers, start, limit, excess), start=1):
            total += tier_totals
            if tick is not None:
                tick(number * len(tiers) + done, len(passes) * len(tiers))
        sums.append(total.tolist())
    (reached, over, _), *residues = sums
    games, lost = (combine([totals[i] % prime for totals, prime in zip(residues, moduli, strict=True)], moduli) for i in (1, 2))
    won = (games - lost, lost) if tiers[0].runner.side == 0 else (lost, games - lost)
    return GameCounts(reached, over, games, won)


def _tier_totals(tiers: list[Pursuit], start: Position, limit: int, excess: int) -> Iterator[tuple[int, int, int]]:
    from tablebase.graph.pursuit import move_pursuers, move_runner

    layout = tiers[0].layout
    counts: NDArray[np.uint32] = np.zeros((tiers[0].rows, tiers[0].length), dtype=np.uint32)
    index = layout.index([start.pieces[piece][1] for piece in layout.slots])
    counts.reshape(-1)[index] = 1
    pursuers_first = start.side == tiers[0].pursuer.side
    for pursuit, next_pursuit in zip(tiers, [*tiers[1:], None], strict=True):
        yield move_runner(pursuit, counts, limit, excess, pursuers_first)
        if next_pursuit is not None:
            counts = move_pursuers(pursuit, next_pursuit, counts, limit, excess)
        pursuers_first = False


def primes(bits: int) -> list[int]:
    """The largest primes of `PRIME_BITS` bits, as many as it takes for their product to have more than `bits` bits."""
    moduli: list[int] = []
    while prod(moduli).bit_length() <= bits:
        moduli.append(_prime_below(moduli[-1] if moduli else (1 << PRIME_BITS) + 1))
    return moduli


@cache
def _prime_below(odd: int) -> int:
    candidate = odd - 2
    while not all(candidate % divisor for divisor in _divisors()):
        candidate -= 2
    return candidate


@cache
def _divisors() -> tuple[int, ...]:
    """The odd primes of which one divides any odd number of `PRIME_BITS` bits that is not prime."""
    return tuple(n for n in range(3, isqrt(1 << PRIME_BITS) + 1, 2) if all(n % d for d in range(3, isqrt(n) + 1, 2)))


def combine(residues: list[int], moduli: list[int]) -> int:
    """The number below the product of the moduli with these residues (Chinese remainder theorem)."""
    number, step = 0, 1
    for residue, modulus in zip(residues, moduli, strict=True):
        number += step * ((residue - number) * pow(step, -1, modulus) % modulus)
        step *= modulus
    return number
