"""Tables inside the search: a kernel looks positions up in chunks that are in memory, and names the chunk it lacks.

The search then stops at that node; `TableCache.load` reads what is missing, and the search goes on. A material without a
table is remembered as such: its positions are searched like any others.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.errors import MissingTableError
from tablebase.game import Game
from tablebase.game.moves import Position
from tablebase.positions.bit_board import MATERIAL, ONE, BitBoard, read_position
from tablebase.positions.index_arrays import IndexArrays, index_arrays
from tablebase.positions.index_kernels import index_of
from tablebase.positions.indexing import layout_of, most_pieces
from tablebase.positions.location import Address, locate
from tablebase.positions.material import material_name, material_of, materials
from tablebase.positions.rule_arrays import WORDS, Int8, Int32, Int64
from tablebase.system.compute.bits import trailing_zeros
from tablebase.system.compute.jit import inline
from tablebase.tables.folder import SUFFIX, slice_folder
from tablebase.tables.store import Store
from tablebase.tables.values import FULL, recode

NO_TABLE, UNKNOWN, NOT_LOADED = -1, -2, -3
"""Instead of a code: the material has no table, was never asked for, or the chunk is not in memory."""
BYTES_A_CODE = 2
CHUNK = 1 << 16
"""Codes that are read and replaced together, whatever chunks a file is divided into."""
FEWEST_CHUNKS = 4
UNUSED = -1


class TableArrays(NamedTuple):
    """Data of tables for kernels; A slices, H places for their names, C chunks in memory."""

    most_pieces: int  # positions with more have no table; 0 if there are no tables
    names: Int64  # (H,) material number and side of a slice, by open addressing
    slices: Int32  # (H,) the number of that slice, NO_TABLE, or UNKNOWN where there is no name
    layouts: IndexArrays  # layout a is that of slice a
    slots: Int64  # (A,) pieces
    slot_kind: Int8  # (A, P) the kind that stands in each slot
    image: Int8  # (A, S) image of each square
    first: Int64  # (A,) where the slice's chunks begin in `places`
    places: Int32  # (all chunks,) place in `codes`, or NOT_LOADED
    used: NDArray[np.bool_]  # (C,) whether a chunk was read since it was last passed over
    codes: NDArray[np.uint16]  # (C, CHUNK) in the coding `FULL`
    asked: Int64  # (2,) slice and chunk of the last code that was not loaded
    squares: Int8  # (P,) scratch space


@inline
def slice_name(board: BitBoard, side: int) -> Any:
    """Return the key of a position's slice."""
    number = board.numbers[MATERIAL]
    return ~number if side else number


@inline
def look_up(tables: TableArrays, board: BitBoard, side: int) -> Any:
    """The code of a position in the coding `FULL`, or `NO_TABLE`, `UNKNOWN` or `NOT_LOADED`."""
    name = slice_name(board, side)
    mask = len(tables.names) - 1
    place = (name ^ (name >> 32)) & mask
    while tables.slices[place] != UNKNOWN and tables.names[place] != name:
        place = (place + 1) & mask
    which = tables.slices[place]
    if which < 0:
        return np.int64(which)
    squares, image = tables.squares, tables.image
    slot, slots = 0, tables.slots[which]
    while slot < slots:
        # Identical pieces have slots side by side.
        kind = tables.slot_kind[which, slot]
        for word in range(WORDS):
            left = board.kinds[kind, word]
            while left:
                squares[slot] = image[which, 64 * word + trailing_zeros(left)]
                left &= left - ONE
                slot += 1
    number = index_of(tables.layouts, which, squares[:slots])
    chunk = number // CHUNK
    there = tables.places[tables.first[which] + chunk]
    if there < 0:
        tables.asked[0] = which
        tables.asked[1] = chunk
        return np.int64(NOT_LOADED)
    tables.used[there] = True
    return np.int64(tables.codes[there, number - chunk * CHUNK])


class TableCache:
    """Chunks of tables in memory, for the search of one thread; without a store it searches without tables.

    Positions of up to `most` pieces are looked up, by default of as many as the folder has tables of; `size` is the memory for
    chunks in bytes. `arrays` are replaced by `load`, `misses` counts the chunks that had to be read, and `missing` has the
    materials without a table whose positions came up.
    """

    def __init__(self, game: Game, store: Store | None, most: int | None = None, size: int = 1 << 28) -> None:
        self.game, self.store = game, store
        self.misses = 0
        self.missing: set[str] = set()
        self._most = 0 if store is None else pieces_with_tables(game, store.folder)
        if most is not None:
            self._most = min(self._most, most)
        self._slices: dict[int, int] = {}
        self._addresses: list[Address] = []
        self._kinds: list[list[int]] = []
        shape = (max(FEWEST_CHUNKS, size // (CHUNK * BYTES_A_CODE)), CHUNK) if self._most else (1, 1)
        self._codes = np.empty(shape, dtype=np.uint16)
        self._used = np.zeros(len(self._codes), dtype=np.bool_)
        self._owners = np.full(len(self._codes), UNUSED, dtype=np.int64)
        self._hand = 0
        self.arrays = self._assemble()

    def load(self, board: BitBoard, side: int) -> None:
        """Find or read what `look_up` lacked for a position; errors are those of `Store.table`, but for a missing table."""
        name = int(slice_name(board, side))
        if name in self._slices:
            self._read_chunk(int(self.arrays.asked[0]), int(self.arrays.asked[1]))
        else:
            self._slices[name] = self._add_slice(read_position(board, side))
            self.arrays = self._assemble()

    def _add_slice(self, position: Position) -> int:
        assert self.store is not None
        material = material_of(self.game, position)
        address = Address(self.game, locate(self.game, material, position.side))
        try:
            self.store.table(self.game, address.material)
        except MissingTableError:
            self.missing.add(material_name(self.game, material))
            return NO_TABLE
        self._addresses.append(address)
        self._kinds.append([material.kinds[piece] for piece in address.pieces])
        return len(self._addresses) - 1

    def _read_chunk(self, which: int, number: int) -> None:
        """Read a chunk in place of one that was not used for the longest time, by the clock algorithm."""
        assert self.store is not None
        address = self._addresses[which]
        table = self.store.table(self.game, address.material)
        while self._used[self._hand]:
            self._used[self._hand] = False
            self._hand = (self._hand + 1) % len(self._used)
        if self._owners[self._hand] != UNUSED:
            self.arrays.places[self._owners[self._hand]] = NOT_LOADED
        begin = number * CHUNK
        codes = recode(table.between(address.side, begin, min(begin + CHUNK, table.layout.size)), table.coding, FULL)
        self._codes[self._hand, : len(codes)] = codes
        self._used[self._hand] = True
        place = int(self.arrays.first[which]) + number
        self._owners[self._hand], self.arrays.places[place] = place, self._hand
        self.misses += 1

    def _assemble(self) -> TableArrays:
        game, squares = self.game, len(self.game.board)
        names, slices = _hashed(self._slices)
        pieces = max((len(kinds) for kinds in self._kinds), default=1)
        count = max(1, len(self._addresses))
        arrays = TableArrays(
            most_pieces=self._most,
            names=names,
            slices=slices,
            # Without any, the layout of some material stands in, so that the types are the same.
            layouts=index_arrays(game, [a.layout for a in self._addresses] or [layout_of(game, materials(game, 2)[0])]),
            slots=np.array([len(kinds) for kinds in self._kinds] or [0], dtype=np.int64),
            slot_kind=np.zeros((count, pieces), dtype=np.int8),
            image=np.zeros((count, squares), dtype=np.int8),
            first=np.zeros(count + 1, dtype=np.int64),
            places=np.zeros(0, dtype=np.int32),
            used=self._used,
            codes=self._codes,
            asked=np.zeros(2, dtype=np.int64),
            squares=np.zeros(pieces, dtype=np.int8),
        )
        for which, (address, kinds) in enumerate(zip(self._addresses, self._kinds, strict=True)):
            arrays.slot_kind[which, : len(kinds)] = kinds
            arrays.image[which] = address.image
            arrays.first[which + 1] = arrays.first[which] - (-address.layout.size // CHUNK)
        # Slices are only appended, so a chunk keeps its number.
        places = np.full(int(arrays.first[len(self._addresses)]), NOT_LOADED, dtype=np.int32)
        loaded = np.flatnonzero(self._owners != UNUSED)
        places[self._owners[loaded]] = loaded
        return arrays._replace(places=places)


def pieces_with_tables(game: Game, folder: Path) -> int:
    """The most pieces of any table of a game in a folder; 0 if there is none."""
    counts = range(2, most_pieces(game) + 1)
    return max((count for count in counts if any(slice_folder(folder, game, count).glob(f"*{SUFFIX}"))), default=0)


def _hashed(slices: dict[int, int]) -> tuple[Int64, Int32]:
    """Names and numbers of slices as `look_up` finds them; at least half of the places are free."""
    size = 1 << (2 * len(slices) + 1).bit_length()
    names, numbers = np.zeros(size, dtype=np.int64), np.full(size, UNKNOWN, dtype=np.int32)
    for name, number in slices.items():
        place = (name ^ (name >> 32)) & (size - 1)
        while numbers[place] != UNKNOWN:
            place = (place + 1) & (size - 1)
        names[place], numbers[place] = name, number
    return names, numbers
