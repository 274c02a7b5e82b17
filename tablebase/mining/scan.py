"""All positions of slices as a stream of Arrow batches; each stored side is decoded once.

Every placement is a row: an index that also stands for its mirror image yields two, and aliases yield rows under
their own names from the same decoded codes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np
import pyarrow as pa

from tablebase.game import Game
from tablebase.mining.block import Block
from tablebase.mining.column import Column
from tablebase.mining.counting import COUNT
from tablebase.mining.row_selection import Selection, Span, StoredSide, stored_sides
from tablebase.mining.row_source import Result, RowStream
from tablebase.mining.rows import MoveRows, Rows
from tablebase.mining.sample import drawn
from tablebase.mining.stored_codes import StoredCodes
from tablebase.positions.indexing import layout_of
from tablebase.tables.store import Store

BLOCK = 1 << 18
"""Approximate number of indices in a block."""
MOVES_BLOCK = 1 << 15
"""The same where moves are listed, of which there are several for each position."""
AHEAD = 3
"""Blocks in progress per thread."""


class Scan(RowStream):
    """Positions that can be streamed any number of times.

    A row is a position with these columns or, for `of_moves`, each of its legal moves.
    """

    def __init__(
        self,
        game: Game,
        store: Store,
        selection: Selection,
        columns: Sequence[Column],
        threads: int,
        *,
        of_moves: bool = False,
    ) -> None:
        self.game, self.store, self.threads, self.of_moves = game, store, threads, of_moves
        self.selection, self.stored_codes = selection, StoredCodes(game, store)
        self.stored_sides = stored_sides(selection)
        cells = sum(stored.cells(layout_of(game, stored.material)) for stored in self.stored_sides)
        super().__init__(columns, cells, len(selection))

    def spread(self, work: Callable[[Rows], Result]) -> Iterator[list[Result]]:
        """See `RowStream`; blocks are processed on all threads."""
        lists_moves = self.of_moves or any(column.of_moves for column in self.columns)
        size = min(BLOCK, MOVES_BLOCK) if lists_moves else BLOCK
        blocks = (
            (stored, span) for stored in self.stored_sides for span in stored.spans(layout_of(self.game, stored.material), size)
        )
        with ThreadPoolExecutor(self.threads) as pool:
            running: deque[Future[tuple[int, list[Result]]]] = deque()
            try:
                for stored, span in blocks:
                    running.append(pool.submit(self._process_block, stored, span, work))
                    if len(running) >= AHEAD * self.threads:
                        yield self.reached(*running.popleft().result())
                while running:
                    yield self.reached(*running.popleft().result())
            finally:
                for future in running:
                    future.cancel()

    def _process_block(self, stored: StoredSide, span: Span, work: Callable[[Rows], Result]) -> tuple[int, list[Result]]:
        """The number of indices decoded in a block, and the results for its rows under each slice's name."""
        table = self.store.table(self.game, stored.material)
        codes = table.between(stored.side, span.begin, span.end)
        if span.indices is not None:
            others = np.ones(len(codes), dtype=bool)
            others[span.indices - span.begin] = False
            codes = np.where(others, codes.dtype.type(table.coding.void), codes)
        found = Block(table.layout, stored.side, span.begin, codes, table.coding, self.stored_codes).found(stored.wanted)
        every = (Rows(found, slice_, *image) for image in found.images() for slice_ in stored.slices)
        return span.cells, [work(drawn(MoveRows(rows) if self.of_moves else rows, stored.wanted.sample)) for rows in every]

    def made(self, rows: Rows) -> pa.RecordBatch:
        """The columns of some rows; equal ones are counted together where the column of counts is read."""
        if COUNT not in self.columns:
            return super().made(rows)
        # Imported here because Numba is slow to load.
        from tablebase.mining.tally import tallied, with_counts

        columns = [column for column in self.columns if column is not COUNT]
        if all(column.by_value or column.of_twin for column in columns):
            counted = rows.tally(pairs=any(column.of_twin for column in columns))
            if counted is not None:
                return with_counts(super().made(rows.some(counted.places)), counted.counts)
        return tallied(super().made(rows))
