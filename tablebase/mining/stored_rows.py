"""The rows of games by functions: stored positions, read in blocks, and the moves of these; and the columns of both."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import chain, pairwise
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from sqlglot import exp

from tablebase.errors import NotationError
from tablebase.game.features import Feature, PositionList
from tablebase.game.rules import OVER, Rules, legal
from tablebase.game.values import BOUNDED, EQUAL, Bounds
from tablebase.mining.column import (
    BY_SIGN,
    HASH,
    NO_OUTCOME,
    OUTCOMES,
    POSITION,
    TEXT,
    Column,
    array_of,
    array_of_numbers,
    array_of_words,
    constant,
    one_of,
    small_integers,
    sql_type,
    words_column,
)
from tablebase.mining.columns import HASH_COLUMN, by_name, feature_columns
from tablebase.mining.lookup import AS_DISTINCT_ROW, AS_ROW
from tablebase.mining.reading import MOVE_TABLES, POSITION_TABLES
from tablebase.mining.scan import NUMBER, Relation, Result, RowSource, RowStream, create_function, made_in_sql, plain
from tablebase.mining.selection import WHOLE, Sample, drawn
from tablebase.probe.prober import source_of
from tablebase.probe.source import natural
from tablebase.probe.stored import Numbers, Stored, StoredTable
from tablebase.tables.store import Store

BLOCK = 1 << 16
"""Numbers of positions in a block."""
STORED_NUMBER = Column(NUMBER, pa.int64(), lambda rows: array_of(rows.numbers))
BEST, FINAL, SIDE = "best", "final", "side"


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
        spans = (range(*span) for span in pairwise(self.begin.tolist()))
        return [next((self.texts[move] for move in span if self.is_best[move]), None) for span in spans]

    @cached_property
    def children(self) -> list[Any]:
        """The position after each move."""
        rules, counts = self.rows.stored.rules, np.diff(self.begin).tolist()
        after = [legal(rules, position) if count else {} for position, count in zip(self.rows.positions, counts, strict=True)]
        each = [moves for moves, count in zip(after, counts, strict=True) for _ in range(count)]
        return [moves[move] for moves, move in zip(each, self.texts, strict=True)]


def _is_best(worth: Sequence[Any]) -> Iterator[bool | None]:
    """For each move of a position whether no other is better; None if bounds leave it open."""
    bounds = [(value.lower, value.upper) if isinstance(value, Bounds) else (value.merit, value.merit) for value in worth]
    for place, (lower, upper) in enumerate(bounds):
        others = [*bounds[:place], *bounds[place + 1 :]]
        if any(upper < other - EQUAL for other, _ in others):
            yield False
        else:
            yield True if all(lower >= other - EQUAL for _, other in others) else None


def position_columns(stored: Stored[Any], features: Sequence[Feature]) -> dict[str, Column]:
    """The columns of positions by name; all that need the rules, except the text, are late."""
    rules, has_chance = stored.rules, "chance" in stored.rules.can

    def of_table(name: str) -> Column:
        """A column with a word of the name of a row's table."""
        words = list(dict.fromkeys(table.words[name] for table in stored.tables))
        return words_column(name, words, lambda rows: constant(rows, words.index(rows.table.words[name])))

    def side(rows: StoredRows) -> pa.Array:
        return _words(map(rules.side, rows.positions))

    def outcome(rows: StoredRows) -> NDArray[np.int16]:
        values = rows.values
        signs = np.select([values["lower"] == 1, values["upper"] == 0], [1, -1], NO_OUTCOME) if has_chance else values["outcome"]
        return BY_SIGN.take(signs, mode="wrap")

    its_outcome = words_column("outcome", OUTCOMES, outcome)
    exact = [
        Column(FINAL, pa.bool_(), lambda rows: array_of(rows.values[FINAL])),
        its_outcome,
        Column("distance", pa.int16(), lambda rows: small_integers(rows.values["distance"], rows.values["distance"] < 0)),
    ]
    of_bounds = [
        its_outcome,
        Column("lower", pa.float64(), lambda rows: array_of(rows.values["lower"])),
        Column("upper", pa.float64(), lambda rows: array_of(rows.values["upper"])),
    ]
    its_side = one_of(SIDE, [side.letter for side in rules.sides])
    return by_name(
        [
            *map(of_table, stored.tables[0].words),
            Column(POSITION, pa.string(), lambda rows: array_of_words(rows.stored.texts(rows.numbers))),
            *(of_bounds if has_chance else exact),
            Column(SIDE, TEXT, side, late=True, check=its_side),
            Column(BEST, TEXT, lambda rows: _words(rows.moves.best), late=True),
            *(replace(column, late=True) for feature in features for column in feature_columns(feature, 0)),
            HASH_COLUMN,
        ]
    )


def move_columns(rules: Rules[Any], positions: Mapping[str, Column]) -> dict[str, Column]:
    """The columns of moves by name: those of their positions, the values of which have longer names, and their own."""
    its = {name: one for name, one in positions.items() if name not in (BEST, HASH, FINAL)}
    renamed = {name: f"{POSITION}_{name}" if name in rules.value_fields else name for name in its}
    of_moves = [
        Column("move", TEXT, lambda moves: _words(moves.texts)),
        Column(
            "ends", pa.bool_(), lambda moves: array_of_numbers([rules.to_move(each) == OVER for each in moves.children], np.bool_)
        ),
        Column("outcome", TEXT, lambda moves: _words(value.outcome for value in moves.worth), check=one_of("outcome", OUTCOMES)),
        Column("distance", pa.int16(), lambda moves: array_of_numbers([value.distance for value in moves.worth], np.int16)),
        Column("lower", pa.float64(), lambda moves: array_of(np.array([value.lower for value in moves.worth], float))),
        Column("upper", pa.float64(), lambda moves: array_of(np.array([value.upper for value in moves.worth], float))),
        Column("is_best", pa.bool_(), lambda moves: array_of_numbers(moves.is_best, np.bool_)),
        Column("child", pa.string(), lambda moves: array_of_words(map(rules.format, moves.children))),
    ]
    shown = (replace(column, of_moves=True) for column in of_moves if column.name in its or column.name not in BOUNDED)
    return by_name([*(replace(one, name=renamed[name]) for name, one in its.items()), *shown])


def _words(words: Iterable[str | None]) -> pa.Array:
    return array_of_words(words).dictionary_encode().cast(TEXT)


class StoredStream(RowStream):
    """Stored positions, with columns that do not need all of the rules."""

    def __init__(
        self, stored: Stored[Any], columns: Sequence[Column], tables: Sequence[StoredTable], sample: Sample = WHOLE
    ) -> None:
        """Only those of some tables, and in a sample."""
        super().__init__(columns, sum(table.end - table.begin for table in tables), len(tables))
        self.stored, self.tables, self.sample = stored, tables, sample

    def spread(self, work: Callable[[StoredRows], Result]) -> Iterator[list[Result]]:
        """See `RowStream`."""
        for table in self.tables:
            for begin in range(table.begin, table.end, BLOCK):
                numbers = np.arange(begin, min(begin + BLOCK, table.end))
                rows = drawn(StoredRows(self.stored, self.stored.occupied(numbers), table), self.sample)
                yield self.reached(len(numbers), [work(rows)])


class StoredSource(RowSource):
    """The stored positions of a game by functions; `MissingTableError` without tables."""

    counts = False

    def __init__(self, rules: Rules[Any], store: Store, features: Sequence[Feature]) -> None:
        self.store, self._source = store, source_of(store, rules)
        self.stored = self._source.stored()
        positions = position_columns(self.stored, features)
        self.offered = dict.fromkeys(POSITION_TABLES, positions) | dict.fromkeys(MOVE_TABLES, move_columns(rules, positions))

    def close(self) -> None:
        """Close all files."""
        self._source.close()
        super().close()

    def stream(self, name: str, needed: Sequence[Column], tables: Sequence[exp.Table]) -> StoredStream:
        """All positions: DuckDB leaves out rows before it calls functions."""
        del name, tables
        read = [column for column in needed if not column.late and not column.of_moves]
        return StoredStream(self.stored, [*read, STORED_NUMBER], self.stored.tables)

    def made(self, column: Column, numbers: Numbers, others: object = None) -> pa.Array:
        """See `RowSource`."""
        del others
        return column.compute(StoredRows(self.stored, numbers))

    def view(self, relation: Relation) -> str:
        """See `RowSource`; with a row for each move where there are moves."""
        if relation.name not in MOVE_TABLES:
            return super().view(relation)
        moves = f'SELECT *, unnest("{relation.stream}"("{NUMBER}", NULL)) AS moved FROM {relation.stream}'
        made = (f'moved."{column.name}"' if column.of_moves else made_in_sql(relation, column) for column in relation.columns)
        return f"SELECT {', '.join(made)} FROM ({moves})"

    def register(self, connection: duckdb.DuckDBPyConnection, relations: Sequence[Relation]) -> None:
        """See `RowSource`; as well as the functions that find the row of a position, and that list moves."""
        super().register(connection, relations)
        for name in (AS_ROW, AS_DISTINCT_ROW):
            connection.create_function(name, self._as_row, ["VARCHAR"], "VARCHAR")
        for relation in relations:
            if relation.name in MOVE_TABLES:
                own = [column for column in relation.columns if column.of_moves] or [self.offered[relation.name]["move"]]
                fields = ", ".join(f'"{column.name}" {sql_type(column)}' for column in own)
                create_function(connection, relation, relation.stream, f"STRUCT({fields})[]", partial(self._moves, own))

    def _as_row(self, text: str) -> str:
        """Text of a position as its row has it; any other text stays as it is."""
        rules = self.stored.rules
        try:
            return rules.format(self.stored.representative(rules.parse(text)))
        except NotationError:
            return text

    def _moves(self, columns: Sequence[Column], numbers: Numbers, _: object) -> pa.Array:
        """For each position a list of its moves."""
        moves = StoredRows(self.stored, numbers).moves
        made = [plain(column.compute(moves)) for column in columns]
        lists = pa.StructArray.from_arrays(made, [column.name for column in columns])
        return pa.ListArray.from_arrays(array_of(moves.begin.astype(np.int32)), lists)
