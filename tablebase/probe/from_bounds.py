"""Values of games of chance: bounds from the tables of layers."""

from __future__ import annotations

from functools import cached_property

from tablebase.game.rules import CHANCE
from tablebase.game.stochastic import State, StochasticGame
from tablebase.game.values import AnyValue, Bounds
from tablebase.probe.answers import RatedDraw
from tablebase.probe.source import Source
from tablebase.stochastic.forced_chances import ForcedChances, bounds_of
from tablebase.stochastic.horizon import horizon
from tablebase.tables.store import Store


class BoundsSource(Source[State]):
    """The tables of a game of chance; every question is a `MissingTableError` if there are none."""

    def __init__(self, store: Store, game: StochasticGame) -> None:
        super().__init__(game)
        self.game, self._store = game, store

    @cached_property
    def _known(self) -> ForcedChances:
        return ForcedChances(self._store.folder, self.game, self._store.chunks)

    def require(self) -> None:
        """Raise `MissingTableError` if no layer of the game has been built."""
        opened = self._known
        del opened

    def close(self) -> None:
        """Close all files."""
        if "_known" in vars(self):
            self._known.close()

    def value(self, position: State, player: int) -> Bounds:
        """What a player can force, and what the other one cannot prevent; one choice ahead where no table has the state."""
        return bounds_of(self._known.chances(position), player)

    def reached(self, child: State, player: int, before: AnyValue) -> Bounds:
        """The same after a move, without a choice ahead; at most what the position is worth, of which a table may know more."""
        found = bounds_of(self._known.after_move(child), player)
        most = before.upper if isinstance(before, Bounds) else 1.0
        return Bounds(found.lower, max(found.lower, min(found.upper, most)))

    def draws(self, position: State, player: int) -> tuple[RatedDraw, ...]:
        """What chance may do, if it moves."""
        if self.game.to_move(position) != CHANCE:
            return ()
        return tuple(
            RatedDraw(self.game, one.probability, one.label, one.state, bounds_of(self._known.after_move(one.state), player))
            for one in self.game.draws(position)
        )

    def stalling(self, position: State) -> float | None:
        """What is left of the chance after all that the players could force if what no table knows were good for them."""
        return self._known.stalling(position)

    def within(self, position: State, turns: int) -> Bounds:
        """The chance that the player to move can force to win within a number of turns; errors are those of `horizon`."""
        return horizon(self.game, position, turns)
