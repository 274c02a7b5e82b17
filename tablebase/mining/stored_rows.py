"""Rows of stored positions of games by functions and of their moves, and the columns of both."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain, pairwise
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tablebase.game.features import Feature, PositionList
from tablebase.game.rules import OVER, Rules, legal
from tablebase.game.types import Outcome
from tablebase.game.values import BOUNDED, EQUAL, Bounds
from tablebase.mining.arrow_arrays import array_of, array_of_numbers, array_of_words
from tablebase.mining.board_text import POSITION
from tablebase.mining.column import HASH, OUTCOMES, TEXT, Column, constant, of_dictionary, of_outcomes, small_integers, words_array
from tablebase.mining.columns import HASH_COLUMN, check_names, feature_columns
from tablebase.mining.word_checks import one_of
from tablebase.probe.source import natural
from tablebase.probe.stored import Numbers, Stored, StoredTable

BEST, FINAL, SIDE = "best", "final", "side"
BY_SIGN = np.array([OUTCOMES.index(outcome) for outcome in (Outcome.DRAW, Outcome.WIN, Outcome.LOSS)])
"""Places in `OUTCOMES` of a draw (0), a win (1) and a loss (-1)."""


class StoredRows:
    """Some stored positions; see `Stored`."""

    def __init__(self, stored: Stored[Any], numbers: Numbers, table: StoredTable | None = None) -> None:
        """All of them may be known to be in one table."""
        self.stored, self.numbers, self.table = stored, numbers, table

    def __len__(self) -> int:
        return len(self.numbers)

    @property
    def name(self) -> tuple[str, ...]:
        """The game, for hashes."""
        return (self.stored.rules.name,)

    @property
    def group(self) -> StoredTable:
        """Their table."""
        assert self.table is not None
        return self.table

    @property
    def place(self) -> str:
        """The folder for the rows of their table."""
        return table_place(self.group)

    def some(self, where: Numbers) -> StoredRows:
        """The rows at these places."""
        return StoredRows(self.stored, self.numbers[where], self.table)

    @cached_property
    def values(self) -> Mapping[str, NDArray[Any]]:
        """Their values; see `Stored.values`."""
        return self.stored.values(self.numbers)

    @cached_property
    def positions(self) -> PositionList:
        """The positions themselves."""
        return PositionList(self.stored.rules, self.stored.positions(self.numbers))

    @cached_property
    def moves(self) -> StoredMoves:
        """Their moves."""
        return StoredMoves(self)


def table_place(table: StoredTable) -> str:
    """The folder for the rows of a table, named in the way of Hive."""
    return "/".join(f"{name}={word}" for name, word in table.words.items())


class StoredMoves:
    """All moves of some rows, row by row."""

    def __init__(self, rows: StoredRows) -> None:
        self.rows = rows
        listed = [sorted(moves, key=lambda one: natural(one[0])) for moves in rows.stored.moves(rows.numbers)]
        self.begin = np.cumsum([0, *map(len, listed)])
        self.texts = [move for moves in listed for move, _ in moves]
        self.worth: list[Any] = [worth for moves in listed for _, worth in moves]
        self.is_best = list(chain.from_iterable(_is_best([worth for _, worth in moves]) for moves in listed))

    @cached_property
    def best(self) -> list[str | None]:
        """The first move of each row that is shown to be best."""
        ends = self.begin.tolist()
        firsts = (next((move for move in range(*span) if self.is_best[move]), None) for span in pairwise(ends))
        return [None if move is None else self.texts[move] for move in firsts]

    @cached_property
    def children(self) -> list[Any]:
        """The position after each move."""
        rules, counts = self.rows.stored.rules, np.diff(self.begin).tolist()
        after = [legal(rules, position) if count else {} for position, count in zip(self.rows.positions, counts, strict=True)]
        each = [moves for moves, count in zip(after, counts, strict=True) for _ in range(count)]
        return [moves[move] for moves, move in zip(each, self.texts, strict=True)]


def _is_best(worth: Sequence[Any]) -> Iterator[bool | None]:
    """For each move of a position whether no other is better; None if bounds leave it open."""
    for place, value in enumerate(worth):
        others = [*worth[:place], *worth[place + 1 :]]
        if not isinstance(value, Bounds):
            yield all(value.merit >= other.merit for other in others)
        elif any(value.upper < other.lower - EQUAL for other in others):
            yield False
        else:
            yield True if all(value.lower >= other.upper - EQUAL for other in others) else None


def position_columns(stored: Stored[Any], features: Sequence[Feature]) -> dict[str, Column]:
    """The columns of positions by name; all that need the rules, except the text, are late."""
    rules = stored.rules
    every = [_table_column(stored, name) for name in stored.tables[0].words]
    every.append(Column(POSITION, pa.string(), lambda rows: array_of_words(rows.stored.texts(rows.numbers))))
    every += _bounds_columns() if "chance" in rules.can else _exact_columns()
    letters = [side.letter for side in rules.sides]
    every.append(Column(SIDE, TEXT, lambda rows: _words(map(rules.side, rows.positions)), late=True, check=one_of(SIDE, letters)))
    every.append(Column(BEST, TEXT, lambda rows: _words(rows.moves.best), late=True))
    every += [replace(column, late=True) for feature in features for column in feature_columns(feature, 0)]
    check_names([*every, HASH_COLUMN])
    return {column.name: column for column in [*every, HASH_COLUMN]}


def move_columns(rules: Rules[Any], positions: Mapping[str, Column]) -> dict[str, Column]:
    """The columns of moves by name: those of their positions, the values of which have longer names, and their own."""
    its = {name: one for name, one in positions.items() if name not in (BEST, HASH, FINAL)}
    renamed = {name: f"{POSITION}_{name}" if name in rules.value_fields else name for name in its}
    made: dict[str, tuple[pa.DataType, Callable[[StoredMoves], pa.Array]]] = {
        "move": (TEXT, lambda moves: _words(moves.texts)),
        "ends": (pa.bool_(), lambda moves: array_of(np.array([rules.to_move(child) == OVER for child in moves.children], bool))),
        "outcome": (TEXT, lambda moves: _words(value.outcome and str(value.outcome) for value in moves.worth)),
        "distance": (pa.int16(), lambda moves: array_of_numbers([value.distance for value in moves.worth], np.int16)),
        "lower": (pa.float64(), lambda moves: array_of(np.array([value.lower for value in moves.worth], float))),
        "upper": (pa.float64(), lambda moves: array_of(np.array([value.upper for value in moves.worth], float))),
        "is_best": (pa.bool_(), lambda moves: array_of_numbers(moves.is_best, np.bool_)),
        "child": (pa.string(), lambda moves: array_of_words(map(rules.format, moves.children))),
    }
    every = [replace(one, name=renamed[name]) for name, one in its.items()]
    every += [
        Column(name, type_, compute, of_moves=True, check=of_outcomes(name) if name == "outcome" else None)
        for name, (type_, compute) in made.items()
        if name in its or name not in BOUNDED
    ]
    check_names(every)
    return {column.name: column for column in every}


def _table_column(stored: Stored[Any], name: str) -> Column:
    """A column with a word of the name of a row's table."""
    words = list(dict.fromkeys(table.words[name] for table in stored.tables))
    make = constant(words)
    return Column(name, TEXT, lambda rows: make(rows, rows.table.words[name]), check=one_of(name, words))


def _exact_columns() -> list[Column]:
    return [
        Column(FINAL, pa.bool_(), lambda rows: array_of(rows.values[FINAL])),
        Column("outcome", TEXT, lambda rows: _outcomes(rows.values["outcome"]), check=of_outcomes("outcome")),
        Column("distance", pa.int16(), lambda rows: small_integers(rows.values["distance"], rows.values["distance"] < 0)),
    ]


def _bounds_columns() -> list[Column]:
    def outcomes(rows: StoredRows) -> pa.Array:
        signs = (rows.values["lower"] == 1).astype(np.int8) - (rows.values["upper"] == 0)
        return _outcomes(signs, signs == 0)

    return [
        Column("outcome", TEXT, outcomes, check=of_outcomes("outcome")),
        Column("lower", pa.float64(), lambda rows: array_of(rows.values["lower"])),
        Column("upper", pa.float64(), lambda rows: array_of(rows.values["upper"])),
    ]


def _outcomes(signs: NDArray[np.integer], missing: NDArray[np.bool_] | None = None) -> pa.Array:
    """Outcomes given as 1, 0 and -1 for a win, a draw and a loss."""
    return of_dictionary(BY_SIGN.take(signs, mode="wrap"), words_array(tuple(map(str, OUTCOMES))), missing)


def _words(words: Iterable[str | None]) -> pa.Array:
    return array_of_words(words).dictionary_encode().cast(TEXT)
