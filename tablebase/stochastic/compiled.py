"""The compiled form of a game of two players: its own kernels, or a list of all its states."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np

from tablebase.errors import RulesError
from tablebase.game.kernels import Int64, Kernels, Region
from tablebase.game.stochastic import State, StochasticGame
from tablebase.stochastic.explicit import Explicit, explicit


@dataclass(frozen=True)
class Compiled:
    """A game as the solver sees it."""

    game: StochasticGame
    kernels: Kernels
    listed: Explicit | None  # all states, if the game has no kernels of its own

    def region(self, limits: Mapping[str, int | str]) -> Region:
        """The part of the states that a table holds; see `StochasticGame.region`."""
        if self.listed is None:
            return self.game.region(limits)
        if limits:
            raise RulesError(f"{self.game.name} has no limit {next(iter(limits))}: its tables hold all states")
        return self.listed.region

    def row(self, state: State) -> Int64 | None:
        """A state as the kernels see it; None if it is not among those that are listed."""
        if self.listed is None:
            return np.array(state, np.int64)
        number = self.listed.numbers.get(state)
        return None if number is None else np.array([number], np.int64)


@cache
def compiled(game: StochasticGame) -> Compiled:
    """The compiled form of a game.

    `RulesError` if it is not a game of two players, `CapacityError` if it has no kernels and too many states to be listed.
    """
    kernels = game.kernels()
    if kernels is not None:
        return Compiled(game, kernels, None)
    listed = explicit(game)
    return Compiled(game, listed.kernels, listed)
