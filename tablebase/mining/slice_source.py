"""The rows of games of pieces on squares: those of slices."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

import duckdb
from sqlglot import exp

from tablebase.game import Game
from tablebase.game.features import Feature
from tablebase.mining.column import Column
from tablebase.mining.columns import columns, columns_of_moves
from tablebase.mining.conditions import conditions_on, sources
from tablebase.mining.lookup import look_up, named_positions
from tablebase.mining.own_tables import OwnTables
from tablebase.mining.position_text import PositionWriter
from tablebase.mining.reading import MOVE_TABLES, MOVES, POSITION_TABLES, POSITIONS
from tablebase.mining.row_functions import register_functions
from tablebase.mining.row_stream import Relation
from tablebase.mining.scan import Scan
from tablebase.mining.selection import conditions_on_positions, known_slices, select_by_condition
from tablebase.mining.wanted import Selection, union
from tablebase.tables.choice import missing_table
from tablebase.tables.folder import table_path
from tablebase.tables.store import Store


class SliceSource:
    """The tables that statements can read, with their columns as `offered`; `MissingTableError` if no slice has been built."""

    # Whether statements that only count can read equal rows with their number.
    counts = True

    def __init__(self, game: Game, store: Store, features: Iterable[Feature], threads: int, catalog: str | None, own: OwnTables):
        self.game, self.store, self.threads, self.own = game, store, threads, own
        self.known = known_slices(game, store.folder, catalog)
        self._positions = columns(game, list(self.known), tuple(features))
        self._moves = columns_of_moves(game, list(self.known), self._positions)
        self.offered = dict.fromkeys(POSITION_TABLES, self._positions) | dict.fromkeys(MOVE_TABLES, self._moves)

    def close(self) -> None:
        """Close all files."""
        self.store.close()

    @cached_property
    def _writer(self) -> PositionWriter:
        return PositionWriter(self.game, {slice_.material for slice_ in self.known}, self._positions, self._moves)

    def stream(self, name: str, needed: Sequence[Column], tables: Sequence[exp.Table]) -> Scan:
        """The slices and values of a table that a statement needs, which names it in `tables`, and what columns are made from.

        Raise `MissingTableError` for a slice whose file is gone.
        """
        everything = {slice_: wanted for slice_, wanted in self.known.items() if slice_.distinct or name in (POSITIONS, MOVES)}
        selection = union([self._select(table, everything) for table in tables])
        for material in {slice_.location.material for slice_ in selection}:
            if not table_path(self.store.folder, self.game, material).exists():
                raise missing_table(self.game, material, self.store.folder)
        made_of = [source for column in needed if column.late for source in self._writer.sources(column.name)]
        read = [column for column in dict.fromkeys([*needed, *made_of]) if not column.late]
        return Scan(self.game, self.store, selection, read, self.threads, of_moves=name in MOVE_TABLES)

    def _select(self, table: exp.Table, known: Selection) -> Selection:
        conditions, name = conditions_on(table), table.alias_or_name.lower()
        if table.name.lower() in MOVE_TABLES:
            conditions = conditions_on_positions(conditions)
        names = {name, ""} if len(sources(table)) == 1 else {name}
        selection = select_by_condition(self.game, known, conditions, names, self.store.folder)
        texts = named_positions(self.game, table, self.own)
        return selection if texts is None else look_up(self.game, known, selection, texts, self.store.folder)

    def view(self, relation: Relation) -> str:
        """The SELECT that makes the columns of a relation from its stream; texts are written for the rows that remain."""
        made = ", ".join(
            f'{self._writer.expression(column.name)} AS "{column.name}"' if column.late else f'"{column.name}"'
            for column in relation.columns
        )
        return f"SELECT {made} FROM {relation.stream}"

    def register(self, connection: duckdb.DuckDBPyConnection, relations: Sequence[Relation]) -> None:
        """Create the functions that statements, and the views of relations, call."""
        register_functions(connection, self.game)
        if any(column.late for relation in relations for column in relation.columns):
            self._writer.register(connection)
