"""Targets of patterns: the outcome, the distance of wins or losses, or whether only one move keeps the outcome.

A target is a column with few classes; each position has one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from tablebase.errors import ArgumentError, TablebaseError, game_word, quoted
from tablebase.game import Game, Outcome
from tablebase.mining.column import OUTCOMES, Column
from tablebase.mining.move_values import UNDECIDED
from tablebase.mining.patterns.levels import Levels, Raw, levels_of
from tablebase.mining.row_selection import Selection, SliceSelection
from tablebase.mining.rows import Rows
from tablebase.positions.material import material_name

CLASSES = 8
"""Distances are predicted one by one if there are no more than these, else in this many ranges."""
ANSWERS = ("no", "yes")
ADJECTIVES = {Outcome.WIN: "won", Outcome.LOSS: "lost", Outcome.DRAW: "drawn"}


@dataclass(frozen=True)
class Target:
    """Prediction target."""

    name: str  # ``outcome``, ``distance`` or ``only_move``: the column that it is made from
    outcomes: tuple[Outcome, ...]  # only positions with these outcomes are examined

    @property
    def words(self) -> str:
        """Its name in sentences."""
        return self.name.replace("_", " ")

    @property
    def examined(self) -> str:
        """Which positions are examined, as in ``won or drawn``."""
        return " or ".join(ADJECTIVES[outcome] for outcome in self.outcomes)

    def select(self, game: Game, selection: Selection) -> Selection:
        """The positions that are examined; raise `TablebaseError` if there are none."""
        values = {
            slice_: frozenset(value for value in wanted.values if Outcome(value.outcome) in self.outcomes)
            for slice_, wanted in selection.items()
        }
        chosen = {slice_: SliceSelection(of_slice) for slice_, of_slice in values.items() if of_slice}
        if not chosen:
            raise TablebaseError(f"none of the requested slices of {game.name} has a {self.examined} position: choose others")
        return chosen

    def column(self, game: Game, columns: Mapping[str, Column]) -> Column:
        """The column of values that are divided into classes, given the columns of positions."""
        if self.name != "only_move":
            return columns[self.name]

        def has_only_move(rows: Rows) -> pa.Array:
            only = rows.only
            if (only == UNDECIDED).any():
                name = material_name(game, rows.slice.material)
                error = f"moves of {name} lead to a table of {game.name} that has not been built"
                raise TablebaseError(f"{error}: run 'tablebase build {game_word(game.name)} --material {name}'")
            return pa.array(only >= 0)

        return Column(self.name, pa.bool_(), has_only_move, of_moves=True)

    def classes(self, column: Column, present: Raw, sample: Raw) -> Levels:
        """The classes, as levels of the column; for the parameters see `levels_of`."""
        if self.name == "distance":
            return levels_of(column, present, sample, (), CLASSES, CLASSES)
        words = ANSWERS if self.name == "only_move" else tuple(map(str, OUTCOMES))
        return Levels(self.name, "text", np.arange(len(words), dtype=np.int16), words)

    def expression(self, classes: Levels) -> str:
        """The class of a position in SQL, as `tablebase mine` accepts it."""
        if self.name == "distance":
            *lower, last = range(len(classes))
            cases = "".join(f"WHEN {classes.up_to(level).sql} THEN '{classes.label(level)}' " for level in lower)
            return f"CASE {cases}ELSE '{classes.label(last)}' END" if lower else f"'{classes.label(last)}'"
        return f"CASE WHEN only_move IS NULL THEN '{ANSWERS[0]}' ELSE '{ANSWERS[1]}' END" if self.name == "only_move" else self.name


OUTCOME = Target("outcome", OUTCOMES)


def target_of(name: str, outcome: str | None = None) -> Target:
    """Return a target by name, of positions with one outcome: by default wins for ``distance``, wins and draws for ``only_move``.

    Raise `TablebaseError` if there is no such target, or it makes no sense for this outcome.
    """
    if name == OUTCOME.name:
        if outcome is not None:
            raise ArgumentError("with one outcome there is none to predict: choose --target distance or only_move")
        return OUTCOME
    if name == "distance":
        if outcome == Outcome.DRAW:
            raise ArgumentError("a draw has no distance: choose --outcome win or --outcome loss")
        return Target(name, (Outcome(outcome or Outcome.WIN),))
    if name == "only_move":
        if outcome == Outcome.LOSS:
            raise ArgumentError("in a lost position no move has an outcome to keep: choose --outcome win or --outcome draw")
        return Target(name, (Outcome(outcome),) if outcome else (Outcome.WIN, Outcome.DRAW))
    raise ArgumentError(f"unknown target {quoted(name)}: choose outcome, distance or only_move")
