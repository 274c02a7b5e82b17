"""Pursuits: slices in which one piece moves freely and the other side's identical pieces only step forwards.

Examples are fox and hounds, rabbit and pawns. A step of a *pursuer* leads out of the slice into the next tier, and only
the *runner* moves within it. So no position repeats, and each is visited once. A *row* holds the positions of one
placement of the pursuers, with the runner on each of its squares; its number is the lead digit of the layout.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from tablebase.game import Game, Kind, Outcome
from tablebase.positions.conversions import slot_conversions
from tablebase.positions.indexing import Layout, layout_of
from tablebase.positions.material import Material

NOWHERE = -1
Squares = NDArray[np.int8]
Flags = NDArray[np.bool_]


def pursuit_error(game: Game, material: Material) -> str | None:
    """Return why a slice is not a pursuit, as half a sentence; None if it is one."""
    # Kinds are told apart by number: hashing one walks through all of its steps.
    sides = [[game.kinds[kind] for kind in set(side)] for side in (material.first, material.second)]
    pursuing = [i for i in (0, 1) if len(sides[i]) == 1 and all(kind.tiered for kind in sides[i])]
    if len(pursuing) != 1:
        return "one side must have identical pieces that only step forwards and are tiered"
    [pursuer], runners = sides[pursuing[0]], (material.first, material.second)[1 - pursuing[0]]
    runner = game.kinds[runners[0]]
    if len(runners) != 1 or game.mirror is not None or game.no_move is not Outcome.LOSS:
        return "the other side must have one piece, the board no mirror, and a side without a move must lose"
    steps = (*pursuer.steps, *runner.steps)
    if any(step.empty or step.wins or not step.quiet or step.victims & {pursuer.symbol, runner.symbol} for step in steps):
        return "its pieces must only step to neighbouring empty squares"
    if any(pursuer.levels[step.target] != pursuer.levels[step.origin] + 1 for step in pursuer.steps if pursuer.levels):
        return "each step forwards must lead to the next tier"
    if game.escape is not None and game.escape.runner != runner.symbol:
        return "the piece that escapes must be the runner"
    return None


@dataclass(frozen=True)
class Pursuit:
    """A pursuit as arrays of squares, with S squares on the board and at most N steps from a square."""

    layout: Layout  # of a material without a `pursuit_error`

    @property
    def pursuer(self) -> Kind:
        """The kind of the pursuers."""
        return self.layout.game.kinds[self.layout.groups[0].kind]

    @property
    def runner(self) -> Kind:
        """The kind of the runner."""
        return self.layout.game.kinds[self.layout.groups[1].kind]

    @property
    def rows(self) -> int:
        """Number of placements of the pursuers."""
        return self.layout.radices[0]

    @property
    def length(self) -> int:
        """Number of squares of the runner."""
        return self.layout.row_length

    @cached_property
    def next_tier(self) -> Layout | None:
        """The layout that a step of a pursuer leads to; None in the last tier."""
        conversions = slot_conversions(self.layout.game, self.layout.material)
        return layout_of(self.layout.game, conversions[0].child) if conversions else None

    @cached_property
    def pursuer_targets(self) -> Squares:
        """The targets of a pursuer's steps from each square, shape (S, N); `NOWHERE` where there are fewer steps."""
        return self._targets(self.pursuer)

    @cached_property
    def runner_targets(self) -> Squares:
        """The targets of the runner's steps, likewise."""
        return self._targets(self.runner)

    def _targets(self, kind: Kind) -> Squares:
        most = max((len(steps) for steps in kind.steps_from.values()), default=0)
        targets = np.full((len(self.layout.game.board), most), NOWHERE, dtype=np.int8)
        for origin, steps in kind.steps_from.items():
            targets[origin, : len(steps)] = [step.target for step in steps]
        return targets

    @cached_property
    def runner_places(self) -> NDArray[np.int64]:
        """Place of each square in a row; `NOWHERE` where the runner cannot stand."""
        places = np.full(len(self.layout.game.board), NOWHERE, dtype=np.int64)
        places[list(self.runner.squares)] = range(len(self.runner.squares))
        return places

    @cached_property
    def guards(self) -> Flags:
        """[s, t]: whether a pursuer on square s guards square t, shape (S, S); all True if nothing can escape."""
        escape, count = self.layout.game.escape, len(self.layout.game.board)
        if escape is None:
            return np.ones((count, count), dtype=bool)
        guards = np.zeros((count, count), dtype=bool)
        for square, zone in escape.guarded.get(self.pursuer.symbol, {}).items():
            guards[square, list(zone)] = True
        return guards

    def escape_counts(self, side: int) -> bool:
        """Return whether an escape counts with this side to move."""
        escape = self.layout.game.escape
        return escape is not None and side in escape.to_move

    @property
    def needs_room(self) -> bool:
        """True if an escape needs a second unguarded square."""
        return self.layout.game.escape is not None and self.layout.game.escape.room


@cache
def pursuit_of(layout: Layout) -> Pursuit:
    """The pursuit of a layout, cached."""
    return Pursuit(layout)
