"""Counting what a start leads to: reachable positions and possible games, exactly.

A game is a path from the start to a position in which the game is over. There may be 10^55 of them and more, so they
are counted modulo several primes, and the Chinese remainder theorem puts the count together; enough primes are
taken for any number that there could be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.game import Game
from tablebase.game.moves import Position
from tablebase.game.notation import check_pieces, parse
from tablebase.graph.reachable import GOES_ON, Graph, check_finite, game_bits, reachable
from tablebase.graph.residues import combine, primes
from tablebase.slices.indexing import layout_of
from tablebase.slices.material import Material, material_of
from tablebase.slices.pursuit import Pursuit, pursuit_fault

Tick = Callable[[int, int], None]
"""Called with the steps done and the steps there are."""


class Count(NamedTuple):
    """What a start leads to.

    Parameters
    ----------
    reachable : int
        Different positions, the side to move among what makes them different, the start included.
    final : int
        Those in which the game is over.
    games : int
        Paths from the start to one of these.
    won : tuple of (int, int)
        Those that each side wins.
    """

    reachable: int
    final: int
    games: int
    won: tuple[int, int]


def count(game: Game, start: Position | None = None, tick: Tick | None = None) -> Count:
    """Count reachable positions and possible games.

    Parameters
    ----------
    game : Game
    start : Position, optional
        By default the initial position.
    tick : callable, optional
        Told of progress.

    Raises
    ------
    TablebaseError
        If the game may go on for ever.

    Examples
    --------
    >>> from tablebase.game import load_game
    >>> count(load_game("hexapawn"))
    Count(reachable=135, final=65, games=134, won=(64, 70))
    """
    start = parse(game, game.start) if start is None else start
    check_pieces(game, start)
    check_finite(game)
    if pursuit_fault(game, material_of(game, start)) is None:
        return count_pursuit(game, start, tick)
    return count_graph(reachable(game, start), game_bits(game, start))


def count_graph(graph: Graph, bits: int) -> Count:
    """Count in an explicit graph; `bits` are enough for the number of games."""
    results = graph.results()
    ends = [results != GOES_ON, results == 0, results == 1]
    moduli = primes(bits)
    residues = []
    for prime in moduli:
        paths = np.zeros(len(graph), dtype=np.int64)
        paths[0] = 1
        for stage in graph.stages:
            own = paths[stage.nodes] % prime
            paths[stage.nodes] = own
            for some in stage.moves:
                # A node has far fewer ways in than 2^31, so sums of residues fit.
                np.add.at(paths, some.nodes, own[some.rows])
        residues.append([sum(paths[some].tolist()) % prime for some in ends])
    games, first, second = (combine(list(some), moduli) for some in zip(*residues, strict=True))
    return Count(len(graph), int(ends[0].sum()), games, (first, second))


def count_pursuit(game: Game, start: Position, tick: Tick | None = None) -> Count:
    """Count tier after tier, with no more than two tiers in memory."""
    moduli = primes(game_bits(game, start))
    rounds = [(1, 1), *((prime - 1, prime) for prime in moduli)]
    tiers = list(_tiers(game, start))
    sums = []
    for number, (limit, excess) in enumerate(rounds):
        whole = np.zeros(3, dtype=object)
        for done, sizes in enumerate(_stream(tiers, start, limit, excess), start=1):
            whole += sizes
            if tick is not None:
                tick(number * len(tiers) + done, len(rounds) * len(tiers))
        sums.append(whole.tolist())
    (reached, over, _), *residues = sums
    games, lost = (combine([one[i] % prime for one, prime in zip(residues, moduli, strict=True)], moduli) for i in (1, 2))
    won = (games - lost, lost) if tiers[0].runner.side == 0 else (lost, games - lost)
    return Count(reached, over, games, won)


def _tiers(game: Game, start: Position) -> Iterator[Pursuit]:
    """The start's tier and those that follow."""
    material: Material | None = material_of(game, start)
    while material is not None:
        pursuit = Pursuit(layout_of(game, material))
        yield pursuit
        material = pursuit.next_tier.material if pursuit.next_tier is not None else None


def _stream(tiers: list[Pursuit], start: Position, limit: int, excess: int) -> Iterator[tuple[int, int, int]]:
    """What each tier amounts to: see `tablebase.graph.pursuit.Sizes`."""
    from tablebase.graph.pursuit import go_through, step_on

    own = tiers[0].own
    numbers: NDArray[np.uint32] = np.zeros((tiers[0].rows, tiers[0].length), dtype=np.uint32)
    index = own.index([start.pieces[piece][1] for piece in own.slots])
    numbers.reshape(-1)[index] = 1
    pursuers_first = start.side == tiers[0].pursuer.side
    for pursuit, after in zip(tiers, [*tiers[1:], None], strict=True):
        yield go_through(pursuit, numbers, limit, excess, pursuers_first)
        if after is not None:
            numbers = step_on(pursuit, after, numbers, limit, excess)
        pursuers_first = False
