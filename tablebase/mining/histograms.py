"""The counts of positions by slice and value that the catalog holds, as a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa

from tablebase.errors import TablebaseError
from tablebase.game import Game
from tablebase.mining.arrow_arrays import array_of_numbers
from tablebase.mining.column import Column
from tablebase.mining.rewrite.counted import COUNT
from tablebase.mining.selection import slice_table, value_table
from tablebase.mining.wanted import Histograms, Selection


class HistogramTable:
    """A row for each value that is wanted in each slice, with the number of positions; nothing is decoded.

    It is streamed like a `Scan`; the columns are those of the slice and of the value, and `COUNT`.
    """

    cells = done = 0
    fault: TablebaseError | None = None

    def __init__(self, game: Game, histograms: Histograms, selection: Selection, columns: Sequence[Column]) -> None:
        self.selection = selection
        self.tick: Callable[[], object] = lambda: None
        rows = _rows(game, histograms, selection)
        for column in columns:
            # Slices with fewer pieces have no letters of others.
            if column.name not in rows.column_names:
                rows = rows.append_column(column.name, pa.nulls(len(rows), pa.string()))
        self._rows = rows.select([column.name for column in columns])

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """A new stream, following Arrow's PyCapsule protocol."""
        return self._rows.__arrow_c_stream__(requested_schema)


def _rows(game: Game, histograms: Histograms, selection: Selection) -> pa.Table:
    """All rows, with all columns."""
    counts = [
        (place, value, histograms[slice_][value])
        for place, (slice_, wanted) in enumerate(selection.items())
        for value in wanted.values
    ]
    values = list(dict.fromkeys(value for _, value, _ in counts))
    places = {value: place for place, value in enumerate(values)}
    of_slice = slice_table(game, selection).take(array_of_numbers([place for place, _, _ in counts], np.int64))
    of_value = value_table(values).take(array_of_numbers([places[value] for _, value, _ in counts], np.int64))
    numbers = array_of_numbers([count for _, _, count in counts], np.int64)
    columns = {name: part[name] for part in (of_slice, of_value) for name in part.column_names}
    return pa.table(columns | {COUNT.name: numbers})
