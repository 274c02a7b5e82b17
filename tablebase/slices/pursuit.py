"""Pursuits: slices in which one piece runs about and the other side's like pieces only step forwards.

Fox and hounds, rabbit and pawns. A step of a *pursuer* leads out of the slice into the next tier and only the *runner*
moves within it, so nothing comes back and each position needs to be looked at once. A *row* holds the positions of
one placement of the pursuers, with the runner on each of its squares; its number is the lead digit of the layout.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tablebase.game import Game, Kind, Outcome
from tablebase.slices.conversions import slot_conversions
from tablebase.slices.indexing import Layout, layout_of
from tablebase.slices.material import Material

NOWHERE = -1
Squares = NDArray[np.int8]
Flags = NDArray[np.bool_]


def pursuit_fault(game: Game, material: Material) -> str | None:
    """Why a slice is no pursuit; None if it is one."""
    sides = [{game.kinds[kind] for kind in side} for side in (material.first, material.second)]
    pursuing = [i for i in (0, 1) if len(sides[i]) == 1 and all(kind.tiered for kind in sides[i])]
    if len(pursuing) != 1:
        return "one side must have like pieces that only step forwards, and tiers for them"
    (pursuer,), runners = sides[pursuing[0]], (material.first, material.second)[1 - pursuing[0]]
    runner = game.kinds[runners[0]]
    if len(runners) != 1 or game.mirror is not None or game.no_move is not Outcome.LOSS:
        return "the other side must have one piece, the board no mirror, and no move must lose"
    steps = (*pursuer.steps, *runner.steps)
    if any(step.empty or step.wins or not step.quiet or step.victims & {pursuer.symbol, runner.symbol} for step in steps):
        return "its pieces must step to a neighbouring empty square and nothing else"
    if any(pursuer.levels[step.target] != pursuer.levels[step.origin] + 1 for step in pursuer.steps if pursuer.levels):
        return "each step forwards must lead to the next tier"
    if game.escape is not None and game.escape.runner != runner.symbol:
        return "what escapes must be the piece that runs"
    return None


@dataclass(frozen=True)
class Pursuit:
    """A pursuit as arrays of squares; S squares of the board, N the most steps from one.

    Parameters
    ----------
    own : Layout
        Of a material for which `pursuit_fault` finds none.
    """

    own: Layout

    @property
    def pursuer(self) -> Kind:
        """The kind that comes in numbers."""
        return self.own.game.kinds[self.own.groups[0].kind]

    @property
    def runner(self) -> Kind:
        """The kind that runs."""
        return self.own.game.kinds[self.own.groups[1].kind]

    @property
    def rows(self) -> int:
        """Placements of the pursuers."""
        return self.own.radices[0]

    @property
    def length(self) -> int:
        """Squares of the runner."""
        return self.own.row_length

    @cached_property
    def next_tier(self) -> Layout | None:
        """The layout that a step of a pursuer leads to; None if there are no more."""
        ways = slot_conversions(self.own.game, self.own.material)
        return layout_of(self.own.game, ways[0].child) if ways else None

    def targets(self, kind: Kind) -> Squares:
        """Where a kind can step from each square, shape (S, N), `NOWHERE` where there are fewer steps."""
        most = max((len(steps) for steps in kind.steps_from.values()), default=0)
        found = np.full((len(self.own.game.board), most), NOWHERE, dtype=np.int8)
        for origin, steps in kind.steps_from.items():
            found[origin, : len(steps)] = [step.target for step in steps]
        return found

    @property
    def runner_places(self) -> NDArray[np.int64]:
        """Place in a row of each square, `NOWHERE` where the runner cannot stand."""
        places = np.full(len(self.own.game.board), NOWHERE, dtype=np.int64)
        places[list(self.runner.squares)] = range(len(self.runner.squares))
        return places

    @property
    def guards(self) -> Flags:
        """[s, t]: whether a pursuer on square s guards square t, shape (S, S); all of them where nothing can escape."""
        escape, count = self.own.game.escape, len(self.own.game.board)
        if escape is None:
            return np.ones((count, count), dtype=bool)
        found = np.zeros((count, count), dtype=bool)
        for square, zone in escape.guarded.get(self.pursuer.symbol, {}).items():
            found[square, list(zone)] = True
        return found

    def escape_counts(self, side: int) -> bool:
        """Whether the runner can have escaped with this side to move."""
        escape = self.own.game.escape
        return escape is not None and side in escape.to_move

    @property
    def needs_room(self) -> bool:
        """Whether an escape needs a second unguarded square."""
        return self.own.game.escape is not None and self.own.game.escape.room
