"""All positions of slices as a stream of Arrow batches; each stored side is decoded once.

Every placement is a row: an index that also stands for its mirror image yields two, and aliases yield rows under
their own names from the same decoded codes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tablebase.errors import TablebaseError
from tablebase.game import Game
from tablebase.mining.column import Column
from tablebase.mining.moves import Listed, RowMoves, in_full, slice_moves
from tablebase.mining.rows import MoveRows, Rows
from tablebase.mining.sample import ALL, WHOLE, Sample, end_of_smallest
from tablebase.mining.scan_kernels import spread_rows
from tablebase.mining.selection import Occurring, Selection
from tablebase.mining.square_columns import like_pieces, mapped, side_by_side
from tablebase.mining.stored_codes import StoredCodes
from tablebase.mining.stored_sides import Span, StoredSide, stored_sides
from tablebase.slices.address import Address
from tablebase.slices.indexing import Layout, Squares, apart, layout_of
from tablebase.slices.location import StoredSlice, is_self_paired, locate
from tablebase.slices.positions import Positions
from tablebase.tables.store import Store
from tablebase.values import Codes, Coding

BLOCK = 1 << 18
"""Approximate number of indices in a block."""
MOVES_BLOCK = 1 << 15
"""The same where moves are listed, of which there are several for each position."""
CODES_BLOCK = 1 << 20
"""The same where nothing but codes is needed, which take little memory."""
AHEAD = 3
"""Blocks in progress per thread."""
FEW = 4
"""If fewer than 1 in this many indices are wanted, only these are checked for being void."""

Flags = NDArray[np.bool_]
Result = TypeVar("Result")


class Scan:
    """Positions that can be streamed any number of times.

    Parameters
    ----------
    game : Game
    store : Store
    selection : Selection
        Slices and values that are wanted.
    columns : sequence of Column
        The columns to compute for each position.
    threads : int
    of_moves : bool
        Whether each legal move of a position is a row, and not the position.
    sample : Sample
        The rows that are drawn.
    drawn_from : Selection, optional
        What a sample of a number of rows is drawn from; by default the selection.

    Attributes
    ----------
    cells : int
        Indices that the first stream decodes.
    done : int
        Indices decoded so far.
    tick : callable
        Called when `done` has grown.
    fault : TablebaseError or None
        The error that ended a stream; its reader may have wrapped it in one of its own.
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
        sample: Sample = WHOLE,
        drawn_from: Selection | None = None,
    ) -> None:
        self.game, self.store, self.columns, self.threads, self.of_moves = game, store, columns, threads, of_moves
        self.selection, self.stored_codes = selection, StoredCodes(game, store)
        self.stored_sides = stored_sides(selection)
        self.schema = pa.schema([(column.name, column.type) for column in columns])
        self.sample, self.drawn_from = sample, self.stored_sides if drawn_from is None else stored_sides(drawn_from)
        read = [*self.stored_sides, *(self.drawn_from if sample.rows is not None else ())]
        self.cells = sum(stored.cells(layout_of(game, stored.material)) for stored in read)
        self.done = 0
        self.tick: Callable[[], object] = lambda: None
        self.fault: TablebaseError | None = None

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """A new stream, following Arrow's PyCapsule protocol."""
        return pa.RecordBatchReader.from_batches(self.schema, self.batches()).__arrow_c_stream__(requested_schema)

    def batches(self) -> Iterator[pa.RecordBatch]:
        """All rows, in the order of the blocks."""
        for block in self.spread(self._batch):
            yield from block

    def spread(self, work: Callable[[Rows], Result]) -> Iterator[list[Result]]:
        """Apply a function to the rows drawn of each slice in each block, on all threads; yield each block's results in order."""
        end = self._end_of_sample
        return self._spread(self.stored_sides, lambda rows: work(self.sample.of(rows, end)))

    @cached_property
    def _end_of_sample(self) -> int:
        """Rows with hashes below this are drawn; where that depends on all rows, they are read for it."""
        if self.sample.rows is None:
            return int(self.sample.share * ALL)
        blocks = self._spread(self.drawn_from, self.sample.hashes)
        return end_of_smallest(self.sample.rows, chain.from_iterable(blocks))

    def _spread(self, stored_sides: Sequence[StoredSide], work: Callable[[Rows], Result]) -> Iterator[list[Result]]:
        """Apply a function to the rows of each slice in each block."""
        lists_moves = self.of_moves or any(column.of_moves for column in self.columns)
        by_codes = all(column.by_codes for column in self.columns)
        size = min(BLOCK, MOVES_BLOCK) if lists_moves else CODES_BLOCK if by_codes else BLOCK
        blocks = ((stored, span) for stored in stored_sides for span in stored.spans(layout_of(self.game, stored.material), size))
        with ThreadPoolExecutor(self.threads) as pool:
            running: deque[Future[tuple[int, list[Result]]]] = deque()
            try:
                for stored, span in blocks:
                    running.append(pool.submit(self._process_block, stored, span, work))
                    if len(running) >= AHEAD * self.threads:
                        yield self._next_results(running)
                while running:
                    yield self._next_results(running)
            except TablebaseError as fault:
                self.fault = fault
                raise
            finally:
                for future in running:
                    future.cancel()

    def _next_results(self, running: deque[Future[tuple[int, list[Result]]]]) -> list[Result]:
        cells, results = running.popleft().result()
        self.done += cells
        self.tick()
        return results

    def _process_block(self, stored: StoredSide, span: Span, work: Callable[[Rows], Result]) -> tuple[int, list[Result]]:
        """The number of indices decoded in a block, and the results for its rows under each slice's name."""
        table = self.store.table(self.game, stored.material)
        codes = table.codes_between(stored.side, span.begin, span.end)
        if span.indices is not None:
            others = np.ones(len(codes), dtype=bool)
            others[span.indices - span.begin] = False
            codes = np.where(others, codes.dtype.type(table.coding.void), codes)
        block = _Block(table.layout, stored.side, span.begin, codes, table.coding, self.stored_codes)
        return span.cells, [
            work(MoveRows(rows) if self.of_moves else rows)
            for values, slices in stored.by_values.items()
            for image in block.images(values)
            for rows in (image.rows_of(slice_) for slice_ in slices)
        ]

    def _batch(self, rows: Rows) -> pa.RecordBatch:
        return pa.record_batch([column.compute(rows) for column in self.columns], schema=self.schema)


@dataclass(frozen=True)
class _Block:
    """Codes of consecutive indices; an *offset* counts indices from its first."""

    layout: Layout
    side: int
    begin: int
    codes: Codes
    coding: Coding
    stored_codes: StoredCodes

    @cached_property
    def other_codes(self) -> Codes | None:
        """Codes of the same placements with the other side to move; None if these have indices of their own."""
        game, material = self.layout.game, self.layout.material
        if is_self_paired(game, material):
            return None
        table = self.stored_codes.store.table(game, material)
        return table.codes_between(1 - self.side, self.begin, self.begin + len(self.codes))

    def images(self, values: frozenset[Occurring]) -> Iterator[_Image]:
        """The positions with these values, then those of their mirror images that have no index of their own."""
        offsets = self._offsets(values)
        if not len(offsets):
            return
        plain = _Image(self, offsets)
        yield plain
        if self.layout.game.mirror is None:
            return
        # Weights change with the lead alone, so most blocks have a single one.
        stride = self.layout.size // self.layout.radices[0]
        first, last = self.begin // stride, (self.begin + len(self.codes) - 1) // stride
        twice = self.layout.lead_weights[first : last + 1] == 2
        if twice.all():
            yield _Image(self, offsets, True, plain)
        elif twice.any():
            bounds = np.searchsorted(offsets, np.arange(first, last + 2) * stride - self.begin)
            places = np.flatnonzero(np.repeat(twice, np.diff(bounds)))
            if len(places):
                yield _Image(self, offsets.take(places), True, plain, places)

    def _offsets(self, values: frozenset[Occurring]) -> NDArray[np.int64]:
        """Offsets of the positions with these values; no void ones."""
        wanted = np.zeros(self.coding.void + 1, dtype=bool)
        wanted[[value.code(self.coding) for value in values]] = True
        matches = wanted.take(self.codes)
        offsets = np.flatnonzero(matches)
        if len(offsets) * FEW < len(matches) or not self._whole_rows:
            return offsets[apart(self.squares(offsets))]
        return np.flatnonzero(matches & self._legal)

    @property
    def _whole_rows(self) -> bool:
        """Whether the block consists of whole rows, in which a single piece moves."""
        ends = self.begin, len(self.codes)
        return len(self.layout.groups[-1].slots) == 1 and all(end % self.layout.row_length == 0 for end in ends)

    @cached_property
    def _legal(self) -> Flags:
        """Which indices are not void, computed row by row."""
        last = self.layout.groups[-1]
        front = self._front
        legal = np.repeat(apart(front), self.layout.row_length).reshape(-1, self.layout.row_length)
        places = np.full(len(self.layout.game.board), -1)
        places[list(last.squares)] = range(len(last.squares))
        for squares in front.T:
            place = places[squares]
            met = np.flatnonzero(place >= 0)
            legal[met, place[met]] = False
        return legal.reshape(-1)

    @cached_property
    def _front(self) -> Squares:
        """Squares of all slots but the last group's, for each row of the block."""
        length = self.layout.row_length
        return self.layout.row_squares(np.arange(self.begin // length, -(-(self.begin + len(self.codes)) // length)))

    def squares(self, offsets: NDArray[np.int64]) -> Squares:
        """Squares of each slot, shape (offsets, slots), of void indices, too."""
        layout, last = self.layout, self.layout.groups[-1]
        # Each column is contiguous, because features read squares piece by piece.
        squares = np.empty((len(offsets), len(layout.slots)), dtype=np.int8, order="F")
        digits = np.empty(len(offsets), dtype=np.int64)
        spread_rows(self._front, self.begin, layout.row_length, offsets, squares, digits)
        squares[:, last.slots.start :] = last.unrank_many(digits)
        return squares


@dataclass(frozen=True)
class _Image:
    """Positions of a block as they are indexed, or their mirror images.

    Parameters
    ----------
    block : _Block
    offsets : ndarray of int64
    mirrored : bool
    plain : _Image or None
        All positions as they are indexed; None if these are they.
    places : ndarray of int64 or None
        The places in `plain` of those that these are or mirror; None for all.
    """

    block: _Block
    offsets: NDArray[np.int64]
    mirrored: bool = False
    plain: _Image | None = None
    places: NDArray[np.int64] | None = None

    def some(self, where: NDArray[np.int64]) -> _Image:
        """Those at these places."""
        places = where if self.places is None else self.places[where]
        return _Image(self.block, self.offsets[where], self.mirrored, self.plain or self, places)

    @cached_property
    def shared(self) -> dict[str, Any]:
        """What all rows made from the same codes share."""
        return {} if self.plain is None or self.places is not None else self.plain.shared

    @cached_property
    def codes(self) -> Codes:
        if self.plain is not None and self.places is None:
            return self.plain.codes
        codes: Codes = self.block.codes.take(self.offsets)
        return codes

    @cached_property
    def other_codes(self) -> Codes:
        """Codes of the same placements with the other side to move."""
        codes: Codes
        if self.plain is not None:
            # A mirror image has the value of its original.
            codes = self.plain.other_codes
            return codes if self.places is None else codes.take(self.places)
        others, layout = self.block.other_codes, self.block.layout
        if others is not None:
            # Neither the slots nor the squares of the pieces depend on the side to move.
            codes = others.take(self.offsets)
            return codes
        location = locate(layout.game, layout.material, 1 - self.block.side)
        indices = Address(layout.game, location).index_many(self.squares[:, np.argsort(layout.slots)])
        return self.block.stored_codes.at(location.material, location.side, indices)

    @cached_property
    def squares(self) -> Squares:
        """Square of each slot."""
        squares = self.block.squares(self.offsets) if self.plain is None else self.plain.squares
        if self.places is not None:
            squares = side_by_side([column.take(self.places) for column in squares.T])
        return mapped(self.block.layout.game.mirror, squares) if self.mirrored else squares

    @cached_property
    def listed(self) -> Listed:
        """The moves of the positions as they are indexed."""
        if self.plain is not None:
            return self.plain.listed
        block = self.block
        moves = slice_moves(block.layout.game, block.layout.material, block.side)
        return moves.listed(self.squares, in_full(block.coding).take(self.codes), block.stored_codes)

    def rows_of(self, slice_: StoredSlice) -> Rows:
        """The rows of a slice that is stored here."""
        layout, material, location = self.block.layout, slice_.material, slice_.location

        def positions() -> Positions:
            by_slot = mapped(layout.game.swap, self.squares) if location.swapped else self.squares
            slots = np.argsort([location.pairing[piece] for piece in layout.slots])
            squares = side_by_side([by_slot[:, slot] for slot in slots])
            for alike in like_pieces(material.kinds):
                squares[:, alike] = np.sort(squares[:, alike], axis=1)
            # Several columns share them.
            squares.flags.writeable = False
            return Positions(layout.game, material, slice_.side, squares)

        def some(where: NDArray[np.int64]) -> Rows:
            return self.some(where).rows_of(slice_)

        moves = partial(self._moves_of, slice_)
        coding = self.block.coding
        return Rows(slice_, self.codes, coding, self._numbers, positions, lambda: self.other_codes, moves, some, self.shared)

    def _numbers(self) -> NDArray[np.int64]:
        """A number for each placement of the stored material."""
        return 2 * (self.block.begin + self.offsets) + self.mirrored

    def _moves_of(self, slice_: StoredSlice) -> RowMoves:
        """The moves of the rows of a slice."""
        game, layout, location = self.block.layout.game, self.block.layout, slice_.location
        squares = np.arange(len(game.board), dtype=np.int8)
        for image, applies in ((game.mirror, self.mirrored), (game.swap, location.swapped)):
            squares = np.array(image, dtype=np.int8)[squares] if applies else squares
        kinds = np.array([slice_.material.kinds[location.pairing[piece]] for piece in layout.slots], dtype=np.int16)
        moves = slice_moves(game, layout.material, self.block.side)
        places = np.arange(len(self.offsets)) if self.places is None else self.places
        return RowMoves(game, moves, self.listed, places, squares, kinds)
