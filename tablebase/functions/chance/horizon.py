"""Finite horizons: the exact chance of winning within a number of turns, and that of not losing within them.

All that can follow is looked at. There is a frame for each state on the way; see `tablebase.functions.chance.formulas` for why
there is no recursion.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tablebase.errors import CapacityError, RulesError
from tablebase.functions.chance.chances import UNIT
from tablebase.functions.chance.compiled import compiled
from tablebase.functions.chance.forced_chances import bounds_of
from tablebase.game.kernels import BEGINS, CHANCE, OVER, STATE, WEIGHT, Int64, Kernels
from tablebase.game.stochastic import State, StochasticGame
from tablebase.game.values import Bounds
from tablebase.system.compute.jit import inline, jit

MOST_TURNS = 12
"""More take longer than anyone waits: the number of paths grows by a factor of about eight with each turn."""
MOST_STATES = 1 << 29
"""More, those that are met again included, take minutes; a turn of some games has that many paths."""

WHO, ROWS, ROW, WEIGHTS, TURNS = range(5)
"""Fields of a frame: the results of `expand`, the next row, the sum of weights (1 if no chance moves), and the turns left."""
FRAME = 5
TOO_DEEP, TOO_MANY = -1, -2


def horizon(game: StochasticGame, state: State, turns: int, rules: Any = None) -> Bounds:
    """The chance that the player to move can force to win within a number of turns, and one minus that of the other.

    The lower bound rises with the number of turns, of both players together and missed ones included, to what the player can force
    at all, and the upper one falls. `rules` may be those of a region, for its cap. `RulesError` if nobody is to move,
    `CapacityError` if there are too many turns, or too many paths in them.

    Examples
    --------
    Home is six squares ahead and costs 21 carrots, one too many. Three squares ahead a card is drawn, and one of the twelve
    lets the player move again: home, for 6 of the 14 carrots that are left. In all other cases the other player comes home.

    >>> from fractions import Fraction
    >>> from tablebase_rules import harehedgehog
    >>> race = harehedgehog.game()
    >>> found = horizon(race, race.parse("58:20:0,59:20:0 1"), 2)
    >>> [Fraction(chance).limit_denominator(1000) for chance in (found.lower, found.upper)]
    [Fraction(1, 12), Fraction(1, 12)]
    """
    if turns > MOST_TURNS:
        raise CapacityError(f"too many turns ({turns}) for {game.name}", f"use at most {MOST_TURNS} turns")
    mover = game.to_move(state)
    if mover < 0:
        raise RulesError(f"{game.format(state)} has no player to move (game over or chance move): choose another position")
    form = compiled(game)
    row = form.row(state)
    if row is None:
        raise RulesError(f"{game.format(state)} cannot be reached in games of {game.name}: choose another position")
    kernels = form.kernels
    forced = [_within(kernels, kernels.rules if rules is None else rules, row, attacker, turns) for attacker in (0, 1)]
    if TOO_MANY in forced:
        raise CapacityError(f"too many turns ({turns}) for {game.name} from {game.format(state)}", "use fewer turns")
    return bounds_of((forced[0], forced[1]), mover)


def _within(kernels: Kernels, rules: Any, row: Any, attacker: int, turns: int) -> int:
    """Return a player's forced chance in so many turns, in units; `TOO_MANY` if that takes too long."""
    levels = (kernels.deepest + 2) * (turns + 1)
    chance = TOO_DEEP
    # A turn can be longer than what lies between two states of a table.
    while chance == TOO_DEEP:
        chance = int(within(kernels.expand, rules, row, attacker, turns, MOST_STATES, new_space(kernels, levels)))
        levels *= 2
    assert chance <= UNIT
    return chance


class HorizonSpace(NamedTuple):
    """Space for the states on the way."""

    rows: Int64  # (levels, widest, STATE + fields) what follows each of them
    frames: Int64  # (levels, FRAME)
    sums: Int64  # (levels,) the sums of weighted chances, or the best chances so far


def new_space(kernels: Kernels, levels: int) -> HorizonSpace:
    """Space for as many states, one after another, as `levels` says."""
    rows = np.zeros((levels, kernels.widest, STATE + kernels.fields), np.int64)
    return HorizonSpace(rows, np.zeros((levels, FRAME), np.int64), np.zeros(levels, np.int64))


@jit
def within(expand: Any, rules: Int64, state: Int64, attacker: int, turns: int, most: int, space: HorizonSpace) -> Any:
    """The attacker's chance, in units, of winning within a number of turns, all players' together, the present one included.

    `TOO_DEEP` if the space has too few levels, one for each state that can follow within the turns, and `TOO_MANY` if more than
    `most` states would have to be looked at.
    """
    rows, frames, sums = space
    level = seen = 0
    who, count = expand(rules, state, attacker, rows[0])
    sums[0] = _begin(who, count, attacker, turns, frames[0])
    while True:
        while frames[level, ROW] < frames[level, ROWS]:
            row = frames[level, ROW]
            left = frames[level, TURNS] - rows[level, row, BEGINS]
            level += 1
            seen += 1
            if level == len(frames):
                return TOO_DEEP
            if seen > most:
                return TOO_MANY
            who, count = expand(rules, rows[level - 1, row, STATE:], attacker, rows[level])
            sums[level] = _begin(who, count, attacker, left, frames[level])
        chance = sums[level] // frames[level, WEIGHTS]
        if level == 0:
            return chance
        level -= 1
        _take(attacker, chance, rows[level], frames[level], sums[level:])


@inline
def _begin(who: int, count: int, attacker: int, turns: int, frame: Int64) -> int:
    """Begin the frame of a state, which is complete if the game is over or no turn is left; return what it is worth so far."""
    ends = who == OVER or turns == 0
    frame[WHO], frame[ROWS], frame[ROW] = who, 0 if ends else count, 0
    frame[WEIGHTS] = 0 if who == CHANCE and not ends else 1
    frame[TURNS] = turns
    if who == OVER:
        return UNIT if count == attacker else 0
    return 0 if who in (attacker, CHANCE) or turns == 0 else UNIT


@inline
def _take(attacker: int, chance: int, rows: Int64, frame: Int64, worth: Int64) -> None:
    """Add the chance after the next row to a frame: chance weighs, the attacker takes the most, others the least."""
    who, row = frame[WHO], frame[ROW]
    if who == CHANCE:
        worth[0] += rows[row, WEIGHT] * chance
        frame[WEIGHTS] += rows[row, WEIGHT]
    elif who == attacker:
        worth[0] = max(worth[0], chance)
    else:
        worth[0] = min(worth[0], chance)
    frame[ROW] = row + 1
