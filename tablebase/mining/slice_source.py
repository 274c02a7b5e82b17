"""The rows of games of pieces on squares: those of slices."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from sqlglot import exp

from tablebase.game import Game
from tablebase.game.features import Feature
from tablebase.mining.arrow_arrays import array_of
from tablebase.mining.column import Column
from tablebase.mining.columns import columns, columns_of_moves
from tablebase.mining.lookup import look_up, named_positions
from tablebase.mining.own_tables import OwnTables
from tablebase.mining.reading import MOVE_TABLES, MOVES, POSITION_TABLES, POSITIONS, conditions_on, sources
from tablebase.mining.row_functions import register_functions
from tablebase.mining.row_selection import Selection, union
from tablebase.mining.row_source import NUMBER, Relation, RowSource
from tablebase.mining.rows import Named, positions_of
from tablebase.mining.scan import Scan
from tablebase.mining.selection import conditions_on_positions, known_slices, select_by_condition
from tablebase.positions.indexing import layout_of
from tablebase.tables.folder import table_path
from tablebase.tables.missing import missing_table
from tablebase.tables.store import Store

SPAN = 1 << 42
"""More than twice the indices of any table: numbers of positions of different slices are as far apart."""


class SliceRowSource(RowSource):
    """The slices that have been built; `MissingTableError` if there are none."""

    counts = True

    def __init__(self, game: Game, store: Store, features: Iterable[Feature], threads: int, catalog: str | None, own: OwnTables):
        self.game, self.store, self.threads, self.own = game, store, threads, own
        self.known = known_slices(game, store.folder, catalog)
        self._slices = list(self.known)
        firsts = {slice_: number * SPAN for number, slice_ in enumerate(self._slices)}
        self._number = Column(NUMBER, pa.int64(), lambda rows: array_of(firsts[rows.slice] + rows.position_numbers))
        positions = columns(game, self._slices, tuple(features))
        moves = columns_of_moves(game, self._slices, positions)
        self.offered = dict.fromkeys(POSITION_TABLES, positions) | dict.fromkeys(MOVE_TABLES, moves)

    def stream(self, name: str, needed: Sequence[Column], tables: Sequence[exp.Table]) -> Scan:
        """The slices and values that a statement needs; `MissingTableError` for a slice whose file is gone."""
        everything = {slice_: wanted for slice_, wanted in self.known.items() if slice_.distinct or name in (POSITIONS, MOVES)}
        selection = union([self._select(table, everything) for table in tables])
        for material in {slice_.location.material for slice_ in selection}:
            if not table_path(self.store.folder, self.game, material).exists():
                raise missing_table(self.game, material, self.store.folder)
        late = [column for column in needed if column.late]
        read = [column for column in needed if not column.late] + [self._number] * bool(late)
        read += {column.made_of.name: column.made_of for column in late if column.made_of is not None}.values()
        return Scan(self.game, self.store, selection, read, self.threads, of_moves=name in MOVE_TABLES)

    def _select(self, table: exp.Table, known: Selection) -> Selection:
        conditions, name = conditions_on(table), table.alias_or_name.lower()
        if table.name.lower() in MOVE_TABLES:
            conditions = conditions_on_positions(conditions)
        names = {name, ""} if len(sources(table)) == 1 else {name}
        selection = select_by_condition(self.game, known, conditions, names, self.store.folder)
        texts = named_positions(self.game, table, self.own)
        return selection if texts is None else look_up(self.game, known, selection, texts, self.store.folder)

    def made(self, column: Column, numbers: NDArray[np.int64], others: NDArray[Any] | None) -> pa.Array:
        """See `RowSource`; positions are set up slice by slice."""
        places, numbers = np.divmod(numbers, SPAN)
        order = np.argsort(places, kind="stable")
        occurring, firsts = np.unique(places[order], return_index=True)
        made = []
        for place, rows in zip(occurring.tolist(), np.split(order, firsts[1:]), strict=True):
            slice_ = self._slices[place]
            positions = positions_of(layout_of(self.game, slice_.location.material), slice_, numbers[rows])
            made.append(column.compute(Named(positions, others[rows] if others is not None else rows)))
        return pa.concat_arrays(made).take(array_of(np.argsort(order)))

    def register(self, connection: duckdb.DuckDBPyConnection, relations: Sequence[Relation]) -> None:
        """See `RowSource`; as well as the functions that find the row of a position."""
        super().register(connection, relations)
        register_functions(connection, self.game)
