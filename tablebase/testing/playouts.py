"""Random play of a `StochasticGame`: where most cases of its checks come from.

All outcomes of chance are equally likely here, whatever their probabilities, so that rare ones are seen, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from random import Random

from tablebase.game.stochastic import CHANCE, OVER, State, StochasticGame

RESTART = 1000
"""After this many states, random play begins anew."""


def following(game: StochasticGame, state: State) -> list[State]:
    """All states that come right after one."""
    mover = game.to_move(state)
    if mover == OVER:
        return []
    return [draw.state for draw in game.draws(state)] if mover == CHANCE else list(game.moves(state).values())


def playout(game: StochasticGame, rng: Random) -> Iterator[State]:
    """The states of random play from the start until the game is over."""
    state = game.start
    while True:
        yield state
        after = following(game, state)
        if not after:
            return
        state = rng.choice(after)


def playouts(game: StochasticGame, states: int, rng: Random) -> Iterator[list[State]]:
    """Games of random play, broken off where they are long, that have a number of states together."""
    while states > 0:
        played = list(islice(playout(game, rng), min(RESTART, states)))
        states -= len(played)
        yield played
