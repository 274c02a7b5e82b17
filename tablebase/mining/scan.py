"""All positions of slices as a stream of Arrow batches, each stored slice decoded once.

Every placement is a row of its own: an index that also stands for its mirror image gives two, and aliases give
their rows under their own names from the same decoded codes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tablebase.errors import TablebaseError
from tablebase.game import Game
from tablebase.mining.columns import Column, Rows
from tablebase.mining.selection import Occurring, Selection
from tablebase.slices.indexing import Layout, Squares, apart, layout_of
from tablebase.slices.location import StoredSlice
from tablebase.slices.material import Material
from tablebase.slices.positions import Positions
from tablebase.tables.store import Store
from tablebase.values import Codes, Coding

BLOCK = 1 << 18
"""Indices looked at together, roughly."""
AHEAD = 3
"""Blocks in work for each thread."""
FEW = 4
"""Where fewer than one in so many indices are wanted, only these are looked at."""

Flags = NDArray[np.bool_]
Result = TypeVar("Result")


@dataclass(frozen=True)
class Home:
    """A stored side to move, and the slices that are read from it.

    Parameters
    ----------
    table : Material
    side : int
    wanted : dict of frozenset of Occurring to list of StoredSlice
        Slices by which of their values are wanted.
    """

    table: Material
    side: int
    wanted: dict[frozenset[Occurring], list[StoredSlice]]


def homes(selection: Selection) -> list[Home]:
    """The slices by where they are stored."""
    found: dict[tuple[Material, int], Home] = {}
    for one, values in selection.items():
        place = (one.location.material, one.location.side)
        found.setdefault(place, Home(*place, {})).wanted.setdefault(values, []).append(one)
    return list(found.values())


class Scan:
    """Positions, to be streamed as often as they are asked for.

    Parameters
    ----------
    game : Game
    store : Store
    selection : Selection
        Slices and values that are wanted.
    columns : sequence of Column
        What is wanted of each position; nothing else is computed.
    threads : int

    Attributes
    ----------
    cells : int
        Indices that one stream looks at.
    done : int
        Indices looked at so far.
    tick : callable
        Called when `done` has grown.
    fault : TablebaseError or None
        What ended a stream; who reads it may tell that in words of their own.
    """

    def __init__(self, game: Game, store: Store, selection: Selection, columns: Sequence[Column], threads: int) -> None:
        self.game, self.store, self.columns, self.threads = game, store, columns, threads
        self.homes = homes(selection)
        self.schema = pa.schema([(column.name, column.type) for column in columns])
        self.cells = sum(layout_of(game, home.table).size for home in self.homes)
        self.done = 0
        self.tick: Callable[[], object] = lambda: None
        self.fault: TablebaseError | None = None

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """A new stream, as Arrow's PyCapsule protocol has it."""
        return pa.RecordBatchReader.from_batches(self.schema, self.batches()).__arrow_c_stream__(requested_schema)

    def batches(self) -> Iterator[pa.RecordBatch]:
        """All rows, the blocks in order."""
        for rows in self.spread(self._batch):
            yield from rows

    def spread(self, work: Callable[[Rows], Result]) -> Iterator[list[Result]]:
        """Do some work on the rows of each slice in each block, on all threads; the results of each block, in order."""
        blocks = ((home, begin) for home in self.homes for begin in _begins(layout_of(self.game, home.table)))
        with ThreadPoolExecutor(self.threads) as pool:
            running: deque[Future[tuple[int, list[Result]]]] = deque()
            try:
                for home, begin in blocks:
                    running.append(pool.submit(self._block, home, begin, work))
                    if len(running) >= AHEAD * self.threads:
                        yield self._result(running)
                while running:
                    yield self._result(running)
            except TablebaseError as fault:
                self.fault = fault
                raise
            finally:
                for one in running:
                    one.cancel()

    def _result(self, running: deque[Future[tuple[int, list[Result]]]]) -> list[Result]:
        cells, results = running.popleft().result()
        self.done += cells
        self.tick()
        return results

    def _block(self, home: Home, begin: int, work: Callable[[Rows], Result]) -> tuple[int, list[Result]]:
        """How many indices one block of a stored side to move has, and what the work makes of it under each of its names."""
        own = layout_of(self.game, home.table)
        end = min(begin + _step(own), own.size)
        table = self.store.table(self.game, home.table)
        block = _Block(own, begin, table.codes_between(home.side, begin, end), table.coding)
        return end - begin, [
            work(rows)
            for values, slices in home.wanted.items()
            for image in block.images(values)
            for rows in (image.seen_as(one) for one in slices)
        ]

    def _batch(self, rows: Rows) -> pa.RecordBatch:
        return pa.record_batch([column.compute(rows) for column in self.columns], schema=self.schema)


def _step(own: Layout) -> int:
    """Indices in a block: whole rows, unless a row is too long."""
    return BLOCK // own.row_length * own.row_length or BLOCK


def _begins(own: Layout) -> range:
    """Where the blocks of an index begin."""
    return range(0, own.size, _step(own))


@dataclass(frozen=True)
class _Block:
    """Codes of consecutive indices."""

    own: Layout
    begin: int
    codes: Codes
    coding: Coding

    def images(self, values: frozenset[Occurring]) -> Iterator[_Image]:
        """The positions with these values, and those mirror images of them that are not numbered themselves."""
        where = self._positions(values)
        if len(where):
            yield _Image(self, where, mirrored=False)
        if self.own.game.mirror is not None:
            twice = where[self.own.weights_many(self.begin + where) == 2]
            if len(twice):
                yield _Image(self, twice, mirrored=True)

    def _positions(self, values: frozenset[Occurring]) -> NDArray[np.int64]:
        """Where in the block positions with these values are."""
        wanted = np.zeros(self.coding.void + 1, dtype=bool)
        wanted[[one.code(self.coding) for one in values]] = True
        found = wanted.take(self.codes)
        where = np.flatnonzero(found)
        if len(where) * FEW < len(found) or not self._even:
            return where[apart(self.squares(where))]
        return np.flatnonzero(found & self._legal)

    @property
    def _even(self) -> bool:
        """Whether the block is whole rows of a single piece."""
        return len(self.own.groups[-1].slots) == 1 and len(self.codes) % self.own.row_length == 0

    @cached_property
    def _legal(self) -> Flags:
        """Which indices are positions, found without looking at each."""
        last = self.own.groups[-1]
        front = self._front
        legal = np.repeat(apart(front), self.own.row_length).reshape(-1, self.own.row_length)
        places = np.full(len(self.own.game.board), -1)
        places[list(last.squares)] = range(len(last.squares))
        for squares in front.T:
            place = places[squares]
            met = np.flatnonzero(place >= 0)
            legal[met, place[met]] = False
        return legal.reshape(-1)

    @cached_property
    def _front(self) -> Squares:
        """Squares of all slots but the last group's in each row of the block."""
        length = self.own.row_length
        return self.own.row_squares(np.arange(self.begin // length, -(-(self.begin + len(self.codes)) // length)))

    def squares(self, where: NDArray[np.int64]) -> Squares:
        """Squares of each slot there, shape (positions, slots), whether or not it is a position."""
        row, digit = np.divmod(self.begin + where, self.own.row_length)
        row -= self.begin // self.own.row_length
        last = self.own.groups[-1].unrank_many(digit)
        return _side_by_side([*(column.take(row) for column in self._front.T), *last.T])


def _side_by_side(columns: list[NDArray[np.int8]]) -> Squares:
    """Columns as an array that keeps each in one piece, for features look at squares piece by piece."""
    found = np.empty((len(columns[0]), len(columns)), dtype=np.int8, order="F")
    for number, column in enumerate(columns):
        found[:, number] = column
    return found


@dataclass(frozen=True)
class _Image:
    """Positions of a block as they are numbered, or their mirror images."""

    block: _Block
    where: NDArray[np.int64]
    mirrored: bool

    @cached_property
    def codes(self) -> Codes:
        found: Codes = self.block.codes.take(self.where)
        return found

    @cached_property
    def squares(self) -> Squares:
        """Square of each slot."""
        found = self.block.squares(self.where)
        return _mapped(self.block.own.game.mirror, found) if self.mirrored else found

    def seen_as(self, one: StoredSlice) -> Rows:
        """The rows of a slice that is stored here."""
        own = self.block.own

        def positions() -> Positions:
            there = _mapped(own.game.swap, self.squares) if one.location.swapped else self.squares
            slots = np.argsort([one.location.pairing[piece] for piece in own.slots])
            found = _side_by_side([there[:, slot] for slot in slots])
            for alike in _alike(one.material.kinds):
                found[:, alike] = np.sort(found[:, alike], axis=1)
            # Several columns share them.
            found.flags.writeable = False
            return Positions(own.game, one.material, one.side, found)

        return Rows(one, (self.block.begin, int(self.mirrored)), self.codes, self.block.coding, positions)


def _mapped(image: tuple[int, ...] | None, squares: Squares) -> Squares:
    """Squares under a symmetry of the board."""
    assert image is not None
    there = np.array(image, dtype=np.int8)
    return _side_by_side([there.take(column) for column in squares.T])


def _alike(kinds: tuple[int, ...]) -> list[slice]:
    """Where like pieces stand next to each other; these come in the order of their squares."""
    return [slice(kinds.index(kind), kinds.index(kind) + kinds.count(kind)) for kind in set(kinds) if kinds.count(kind) > 1]
