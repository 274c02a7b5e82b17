"""Random play by any rules: where most cases of the checks of a game come from.

All outcomes of chance are equally likely here, whatever their probabilities, so that rare ones are seen, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from random import Random

from tablebase.game.rules import CHANCE, OVER, P, Rules

RESTART = 1000
"""After this many positions, random play begins anew."""


def following(rules: Rules[P], position: P) -> list[P]:
    """All positions that come right after one."""
    mover = rules.to_move(position)
    if mover == OVER:
        return []
    return [draw.state for draw in rules.draws(position)] if mover == CHANCE else list(rules.moves(position).values())


def playout(rules: Rules[P], rng: Random, start: P | None = None) -> Iterator[P]:
    """The positions of random play until the game is over, by default from the start."""
    position = rules.initial if start is None else start
    while True:
        yield position
        after = following(rules, position)
        if not after:
            return
        position = rng.choice(after)


def playouts(rules: Rules[P], positions: int, rng: Random) -> Iterator[list[P]]:
    """Games of random play, broken off where they are long, that have a number of positions together."""
    while positions > 0:
        played = list(islice(playout(rules, rng), min(RESTART, positions)))
        positions -= len(played)
        yield played
