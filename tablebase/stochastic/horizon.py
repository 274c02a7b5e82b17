"""Finite horizons: the exact chance of winning within a number of turns, and that of not losing within them."""

from __future__ import annotations

from typing import Any

from tablebase.errors import CapacityError, RulesError
from tablebase.game.kernels import Kernels
from tablebase.game.stochastic import State, StochasticGame
from tablebase.stochastic.chances import UNIT
from tablebase.stochastic.compiled import compiled
from tablebase.stochastic.prober import Bounds, bounds_of
from tablebase.stochastic.within import TOO_DEEP, TOO_MANY, new_space, within

MOST_TURNS = 12
"""More take longer than anyone waits: the number of paths grows by a factor of about eight with each turn."""
MOST_STATES = 1 << 29
"""More, those that are met again included, take minutes; a turn of some games has that many paths."""


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
        raise CapacityError(f"{turns} turns of {game.name}", f"ask for at most {MOST_TURNS}")
    mover = game.to_move(state)
    if mover < 0:
        raise RulesError(f"no player is to move in {game.format(state)}: name a position in which one is")
    form = compiled(game)
    row = form.row(state)
    if row is None:
        raise RulesError(f"{game.format(state)} cannot be reached from the start of {game.name}")
    kernels = form.kernels
    forced = [_within(kernels, kernels.rules if rules is None else rules, row, attacker, turns) for attacker in (0, 1)]
    if TOO_MANY in forced:
        raise CapacityError(f"{turns} turns of {game.name} from {game.format(state)}", "ask for fewer turns, or a later position")
    return bounds_of((forced[0], forced[1]), mover)


def _within(kernels: Kernels, rules: Any, row: Any, attacker: int, turns: int) -> int:
    """What a player can force within a number of turns, in units; `TOO_MANY` if that takes too long."""
    levels = (kernels.deepest + 2) * (turns + 1)
    chance = TOO_DEEP
    # A turn can be longer than what lies between two states of a table.
    while chance == TOO_DEEP:
        chance = int(within(kernels.expand, rules, row, attacker, turns, MOST_STATES, new_space(kernels, levels)))
        levels *= 2
    assert chance <= UNIT
    return chance
