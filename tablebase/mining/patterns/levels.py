"""Values as level numbers from 0, the SQL conditions that distinguish them, and the targets of patterns, whose classes are levels.

A target is a column with few classes: the outcome, the distance of wins or losses, or whether only one move keeps the outcome.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from operator import eq, ge, gt, le
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tablebase.errors import ArgumentError, TablebaseError, game_word, quoted
from tablebase.game import Game, Outcome
from tablebase.mining.column import OUTCOMES, Column
from tablebase.mining.move_values import UNDECIDED
from tablebase.mining.rows import Rows
from tablebase.mining.sandbox import scratch
from tablebase.mining.selection import Selection, SliceSelection
from tablebase.positions.material import material_name

MAX_VALUES = 32
"""Integers with more values than this are divided into ranges, as floating-point numbers are."""
RANGES = 16
"""Number of ranges, with roughly equal numbers of positions."""
MAX_WORDS = 100
"""Texts with more values than this, such as the materials of many slices, are not compared with each of them."""
CLASSES = 8
"""Distances are predicted one by one if there are no more than these, else in this many ranges."""
ANSWERS = ("no", "yes")
ADJECTIVES = {Outcome.WIN: "won", Outcome.LOSS: "lost", Outcome.DRAW: "drawn"}
OPERATORS: Mapping[str, Callable[[Any, Any], Any]] = {"=": eq, "<=": le, ">=": ge, ">": gt}

Raw = NDArray[Any]
"""Values of a feature: int16, or float64 for floating-point numbers."""
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Condition:
    """A comparison of one feature, and which of its levels satisfy it."""

    sql: str  # as `tablebase mine` accepts it
    holds: Flags  # shape (levels,)


@dataclass(frozen=True)
class Levels:
    """The values of a feature in ascending order: single ones, or ranges of them."""

    name: str  # the column
    kind: str  # ``text``, ``int`` or ``range``
    bounds: Raw  # the values; for ranges, the largest value of each but the last, which is unbounded
    words: tuple[str, ...] = ()  # the words that values stand for, unless they are numbers

    def __len__(self) -> int:
        return len(self.bounds) + (self.kind == "range")

    def codes(self, values: Raw) -> NDArray[np.intp]:
        """The level number of each value; single values must be among `bounds`."""
        if self.kind == "range":
            return np.searchsorted(self.bounds, values)
        # A difference too large for int16 wraps around; read as unsigned, it is correct.
        numbers: NDArray[np.intp] = self._numbers[(values - int(self.bounds[0])).astype(np.uint16)]
        return numbers

    @cached_property
    def _numbers(self) -> NDArray[np.intp]:
        """Level number of each value, indexed by its difference from the smallest value."""
        numbers = np.zeros(int(self.bounds[-1]) - int(self.bounds[0]) + 1, dtype=np.intp)
        numbers[self.bounds.astype(np.intp) - int(self.bounds[0])] = np.arange(len(self.bounds))
        return numbers

    @cached_property
    def conditions(self) -> tuple[Condition, ...]:
        """All comparisons that some positions satisfy and others do not, each set of levels once."""
        last = len(self) - 1
        if self.kind == "range":
            return tuple(self.compare(operator, level) for level in range(last) for operator in ("<=", ">"))
        if self.kind == "text" and len(self) > MAX_WORDS:
            return ()
        conditions = [self.compare("=", level) for level in range(last + 1)]
        if self.kind == "int":
            conditions += [self.compare(operator, level) for operator in ("<=", ">=") for level in range(1, last)]
        return tuple(conditions)

    def compare(self, operator: str, level: int) -> Condition:
        """The comparison of the value with that of a level, or with the largest one of a range."""
        return Condition(f"{self._sql} {operator} {self._literal(level)}", OPERATORS[operator](np.arange(len(self)), level))

    def up_to(self, level: int) -> Condition:
        """The value has this level or a lower one; there must be a higher one."""
        return self.compare("=" if level == 0 and self.kind != "range" else "<=", level)

    def label(self, level: int) -> str:
        """A level in words: a value such as ``mover``, or a range such as ``up to 5``."""
        if self.kind != "range":
            return self.words[int(self.bounds[level])] if self.words else self._literal(level)
        if level == 0:
            return f"up to {self.bounds[0].item()}"
        if self.bounds.dtype == np.float64:
            below = f"above {self.bounds[level - 1].item()}"
            return below if level == len(self) - 1 else f"{below}, up to {self.bounds[level].item()}"
        first = self.bounds[level - 1].item() + 1
        return f"{first} or more" if level == len(self) - 1 else f"{first} to {self.bounds[level].item()}"

    @property
    def _sql(self) -> str:
        return f'"{self.name}"' if self.name.lower() in _keywords() else self.name

    def _literal(self, level: int) -> str:
        value: int | float = self.bounds[level].item()
        if self.words:
            word = self.words[int(value)]
            return "'" + word.replace("'", "''") + "'" if self.kind == "text" else word
        # Without an exponent, SQL would read a decimal number, which may differ from the binary one.
        return f"{value!r}e0" if isinstance(value, float) and "e" not in repr(value) else repr(value)


@cache
def _keywords() -> frozenset[str]:
    """Words that DuckDB does not accept as a column's name without quotes."""
    with scratch() as connection:
        query = "SELECT keyword_name FROM duckdb_keywords() WHERE keyword_category IN ('reserved', 'type_function')"
        return frozenset(name for (name,) in connection.execute(query).fetchall())


def raw(column: Column, array: pa.Array) -> Raw:
    """The values of a column as numbers; raise `TablebaseError` if one is not a finite number, so that it cannot be compared."""
    values: Raw = array.indices.to_numpy() if pa.types.is_dictionary(array.type) else array.to_numpy(zero_copy_only=False)
    if values.dtype != np.float64:
        return values.astype(np.int16, copy=False)
    if not np.isfinite(values).all():
        raise TablebaseError(f"the feature {column.name} has values that are not finite: return only finite numbers")
    return values


def levels_of(
    column: Column, present: Raw, sample: Raw, words: tuple[str, ...] = (), most: int = MAX_VALUES, ranges: int = RANGES
) -> Levels:
    """The levels of a column.

    `present` has all values of integers, booleans and texts, ascending, and is not used for floating-point numbers; from the
    values of the positions in `sample` ranges are computed. `words` are what the values of a text stand for. Numbers with more
    than `most` values are divided into this number of `ranges`.
    """
    if pa.types.is_dictionary(column.type):
        return Levels(column.name, "text", present, words)
    if pa.types.is_boolean(column.type):
        return Levels(column.name, "int", present, ("false", "true"))
    if pa.types.is_int16(column.type) and len(present) <= most:
        return Levels(column.name, "int", present)
    values = np.unique(sample)
    if len(values) > most:
        shares = np.arange(1, ranges) / ranges
        values = np.append(np.unique(np.quantile(sample, shares, method="inverted_cdf")), values[-1])
    return Levels(column.name, "range", values[values < values[-1]])


@dataclass(frozen=True)
class Target:
    """The column that a pattern search predicts, and the outcomes to which the search is limited."""

    name: str  # ``outcome``, ``distance`` or ``only_move``: the column that it is made from
    outcomes: tuple[Outcome, ...]  # only positions with these outcomes are examined

    @property
    def words(self) -> str:
        """Name of the target in words, such as ``only move``."""
        return self.name.replace("_", " ")

    @property
    def examined(self) -> str:
        """Outcomes of the positions to search, in words, such as ``won or drawn``."""
        return " or ".join(ADJECTIVES[outcome] for outcome in self.outcomes)

    def select(self, game: Game, selection: Selection) -> Selection:
        """Select the positions with the target's outcomes; raise `TablebaseError` if no position remains."""
        values = {
            slice_: frozenset(value for value in wanted.values if Outcome(value.outcome) in self.outcomes)
            for slice_, wanted in selection.items()
        }
        chosen = {slice_: SliceSelection(of_slice) for slice_, of_slice in values.items() if of_slice}
        if not chosen:
            raise TablebaseError(f"none of the requested slices of {game.name} has a {self.examined} position: choose other slices")
        return chosen

    def column(self, game: Game, columns: Mapping[str, Column]) -> Column:
        """Return the column to predict; `columns` maps names to the columns of the game."""
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
        """Divide the column to predict into classes; see `levels_of` for the parameters."""
        if self.name == "distance":
            return levels_of(column, present, sample, (), CLASSES, CLASSES)
        words = ANSWERS if self.name == "only_move" else tuple(map(str, OUTCOMES))
        return Levels(self.name, "text", np.arange(len(words), dtype=np.int16), words)

    def expression(self, classes: Levels) -> str:
        """SQL expression for the class of a position, for use in `tablebase mine`."""
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
            raise ArgumentError("cannot use --outcome with --target outcome: leave out --outcome, or choose another --target")
        return OUTCOME
    if name == "distance":
        if outcome == Outcome.DRAW:
            raise ArgumentError("a draw has no distance: choose --outcome win or --outcome loss")
        return Target(name, (Outcome(outcome or Outcome.WIN),))
    if name == "only_move":
        if outcome == Outcome.LOSS:
            raise ArgumentError("a lost position never has an only move: choose --outcome win or --outcome draw")
        return Target(name, (Outcome(outcome),) if outcome else (Outcome.WIN, Outcome.DRAW))
    raise ArgumentError(f"invalid --target {quoted(name)}: expected outcome, distance or only_move")
