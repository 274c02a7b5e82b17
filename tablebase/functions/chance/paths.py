"""Counts of paths: in how many ways a game of chance or of several players can go on, by whole turns.

There is one path for each code of a move and for each different draw. Equal draws are one, whatever their probability. A
game that is over has no further turns, so that its path counts at the turn in which it ended, and not beyond.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np

from tablebase.functions.exact.paths import Depth, by_depth, following, merge_plainly
from tablebase.game.kernels import BEGINS, NOBODY, STATE, Int64, Kernels
from tablebase.game.stochastic import OVER, State, StochasticGame
from tablebase.system.compute.jit import jit

Walk = Callable[[State, int], int]
"""Counts the paths from a state that have a number of turns, of at least 1."""


def count_paths(game: StochasticGame, state: State, depth: int, threads: int = 1) -> int:
    """The number of paths of exactly `depth` turns; a turn that has begun counts as a whole one.

    Parameters
    ----------
    game : StochasticGame
    state : tuple of int
    depth : int
        From 1.
    threads : int
        How many moves are counted at a time, where the game has kernels.

    Examples
    --------
    With a coin and one point to win: a player passes, or tails or heads comes up.

    >>> from tablebase_rules import pig
    >>> game = pig.game(die=2, target=1)
    >>> [count_paths(game, game.start, depth) for depth in (1, 2, 3)]
    [3, 6, 12]
    """
    return sum(paths_by_code(game, state, depth, threads).values())


def paths_by_code(game: StochasticGame, state: State, depth: int, threads: int = 1) -> dict[str, int]:
    """The paths of `count_paths` below each move, by its code, or below each draw, by its label."""
    walk = _fastest_walk(game)
    after = following(game, state)

    def below(child: State) -> int:
        left = depth - game.begins_turn(child)
        return walk(child, left) if left else 1

    with ThreadPoolExecutor(threads) as pool:
        return dict(zip(after, pool.map(below, after.values()), strict=True))


def paths_by_depth(game: StochasticGame, state: State, depth: int, threads: int = 1) -> Iterator[Depth]:
    """The counts of depths 1, 2, … up to `depth`, each as soon as it is known."""
    # Compiled, if it has to be, before the clock runs.
    _fastest_walk(game)(state, 1)
    return by_depth(lambda turns: count_paths(game, state, turns, threads), depth)


LINES = paths_by_code, paths_by_depth
"""Functions that count paths of a depth by the first move, and of each depth."""


def _fastest_walk(game: StochasticGame) -> Walk:
    """By the game's compiled functions if it has any."""
    kernels = game.kernels()
    return partial(merge_plainly, game) if kernels is None else partial(walk, kernels)


def walk(kernels: Kernels, state: State, turns: int) -> int:
    """The paths from a state that have a number of turns, of at least 1."""
    rows = np.empty((kernels.widest, STATE + kernels.fields), np.int64)
    return int(_walk(kernels.expand, kernels.rules, np.array(state, np.int64), turns, rows))


@jit
def _walk(expand: Any, rules: Int64, state: Int64, turns: int, rows: Int64) -> Any:
    """Keep the states that are still to be expanded, with the turns that are left there, and take the last one first."""
    states = np.empty((len(rows), len(state)), np.int64)
    left = np.empty(len(states), np.int64)
    states[0], left[0] = state, turns
    waiting, total = 1, 0
    while waiting:
        waiting -= 1
        turns = left[waiting]
        who, count = expand(rules, states[waiting], NOBODY, rows)
        if who == OVER:
            continue
        if waiting + count > len(states):
            states, left = np.concatenate((states, states)), np.concatenate((left, left))
        for row in range(count):
            after = turns - rows[row, BEGINS]
            if after:
                states[waiting], left[waiting] = rows[row, STATE:], after
                waiting += 1
            else:
                total += 1
    return total
