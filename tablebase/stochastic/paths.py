"""Counts of paths: in how many ways a game of chance or of several players can go on, by whole turns.

There is one path for each code of a move and for each different draw. Equal draws are one, whatever their probability. A
game that is over has no further turns, so that its path counts at the turn in which it ended, and not beyond.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from tablebase.game.stochastic import CHANCE, OVER, State, StochasticGame

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
    after = _after(game, state)

    def below(child: State) -> int:
        left = depth - game.begins_turn(child)
        return walk(child, left) if left else 1

    with ThreadPoolExecutor(threads) as pool:
        return dict(zip(after, pool.map(below, after.values()), strict=True))


def _after(game: StochasticGame, state: State) -> dict[str, State]:
    """What comes right after a state, by code or label."""
    mover = game.to_move(state)
    if mover == OVER:
        return {}
    if mover == CHANCE:
        return {draw.label: draw.state for draw in game.draws(state)}
    return {str(code): after for code, after in game.moves(state).items()}


def _fastest_walk(game: StochasticGame) -> Walk:
    """By the game's compiled functions if it has any."""
    kernels = game.kernels()
    if kernels is None:
        return partial(walk_plainly, game)
    from tablebase.stochastic.walk import walk

    return partial(walk, kernels)


def walk_plainly(game: StochasticGame, state: State, turns: int) -> int:
    """Count with the plain functions of a game."""
    total = 0
    waiting: list[tuple[State, int]] = [(state, turns)]
    while waiting:
        now, left = waiting.pop()
        for after in _after(game, now).values():
            turns_after = left - game.begins_turn(after)
            if turns_after:
                waiting.append((after, turns_after))
            else:
                total += 1
    return total
