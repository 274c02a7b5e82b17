"""Rows of the tables of positions and of moves, before columns are computed of them.

Positions of consecutive indices are found once, for all slices and mirror images that are read from the same codes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.game import Game
from tablebase.mining.move_values import (
    Int32,
    Int64,
    ListedMoves,
    StoredCodes,
    list_moves,
    slice_moves,
    text_numbers,
    values_by_code,
)
from tablebase.mining.selection import SliceSelection
from tablebase.positions.indexing import Layout, Squares, apart
from tablebase.positions.location import Address, StoredSlice, is_self_paired, locate
from tablebase.positions.material import material_name
from tablebase.positions.move_lists import MoveLister
from tablebase.positions.position_arrays import Positions
from tablebase.tables.values import FULL, Codes, Coding, recode

if TYPE_CHECKING:
    from tablebase.mining.tally import Tally

FEW = 4
"""If fewer than 1 in this many indices are wanted, only these are checked for being void."""
MOST_MOVES = 1 << 12
"""A position has fewer moves."""
BITS = 7
"""Bits of the number of a square."""
Int8 = NDArray[np.int8]
Places = Int64 | slice
"""Of some positions among those found; a slice is all of them."""
EVERY = slice(None)


def at_places(values: NDArray[Any], places: Places) -> NDArray[Any]:
    """Values at some places; to take them is faster than to index an array."""
    return values if isinstance(places, slice) else values.take(places)


class FoundPositions:
    """Positions that are wanted among consecutive indices of a stored side, as they are indexed.

    An *offset* counts indices from the first. What is not needed of the positions is not computed.
    """

    def __init__(
        self, layout: Layout, side: int, begin: int, codes: Codes, coding: Coding, stored_codes: StoredCodes, wanted: SliceSelection
    ) -> None:
        """Set up the positions, given the codes of all these indices."""
        self.layout, self.side, self.begin, self.coding, self.stored_codes = layout, side, begin, coding, stored_codes
        self.cells, self.tallies = len(codes), dict[bool, "Tally | None"]()
        has_value = np.zeros(coding.void + 1, dtype=bool)
        has_value[[value.code(coding) for value in wanted.values]] = True
        matches = has_value.take(codes)
        if wanted.zugzwang and self._twin_codes is not None:
            worth = values_by_code(coding)[0]
            matches &= worth.take(codes) + worth.take(self._twin_codes) < 0
        self.offsets = np.flatnonzero(matches)
        # In a block of whole rows, a single piece moves along each of them.
        whole_rows = len(layout.groups[-1].slots) == 1 and begin % layout.row_length == len(codes) % layout.row_length == 0
        if whole_rows and len(self.offsets) * FEW >= len(matches):
            self.offsets = np.flatnonzero(matches & self._legal)
        else:
            self.offsets = self.offsets[apart(self.squares_at(self.offsets))]
        self.codes: Codes = codes.take(self.offsets)

    @cached_property
    def _twin_codes(self) -> Codes | None:
        """Codes of all these placements with the other side to move; None if these have indices of their own."""
        game, material = self.layout.game, self.layout.material
        if is_self_paired(game, material):
            return None
        table = self.stored_codes.store.table(game, material)
        return table.between(1 - self.side, self.begin, self.begin + self.cells)

    @property
    def _legal(self) -> NDArray[np.bool_]:
        """True for each index that is not void, computed row by row."""
        last = self.layout.groups[-1]
        legal = np.repeat(apart(self._front), self.layout.row_length).reshape(-1, self.layout.row_length)
        places = np.full(len(self.layout.game.board), -1)
        places[list(last.squares)] = range(len(last.squares))
        for squares in self._front.T:
            place = places[squares]
            met = np.flatnonzero(place >= 0)
            legal[met, place[met]] = False
        return legal.reshape(-1)

    @cached_property
    def _front(self) -> Squares:
        """Squares of all slots but the last group's, for each row of the block."""
        length = self.layout.row_length
        return self.layout.row_squares(np.arange(self.begin // length, -(-(self.begin + self.cells) // length)))

    def squares_at(self, offsets: Int64) -> Squares:
        """Squares of each slot, shape (offsets, slots), including void indices."""
        layout, last = self.layout, self.layout.groups[-1]
        rows, digits = np.divmod(offsets + self.begin % layout.row_length, layout.row_length)
        return side_by_side([*(column.take(rows) for column in self._front.T), *last.unrank_many(digits).T])

    def images(self) -> Iterator[tuple[bool, Places]]:
        """The positions, then those of their mirror images that have no index: each mirrored or not, with their places."""
        layout = self.layout
        if not len(self.offsets):
            return
        yield False, EVERY
        if layout.game.mirror is None:
            return
        # Weights change with the lead alone, so most blocks have a single one.
        stride = layout.size // layout.radices[0]
        first, last = self.begin // stride, (self.begin + self.cells - 1) // stride
        twice = layout.lead_weights[first : last + 1] == 2
        if twice.all():
            yield True, EVERY
        elif twice.any():
            bounds = np.searchsorted(self.offsets, np.arange(first, last + 2) * stride - self.begin)
            places = np.flatnonzero(np.repeat(twice, np.diff(bounds)))
            if len(places):
                yield True, places

    @cached_property
    def other_codes(self) -> Codes:
        """Codes of the same placements with the other side to move."""
        if self._twin_codes is not None:
            # Neither the slots nor the squares of the pieces depend on the side to move.
            return self._twin_codes.take(self.offsets)
        game, material = self.layout.game, self.layout.material
        location = locate(game, material, 1 - self.side)
        indices = Address(game, location).index_many(self.squares[:, np.argsort(self.layout.slots)])
        return self.stored_codes.at(location.material, location.side, indices)

    @cached_property
    def squares(self) -> Squares:
        """Square of each slot."""
        return self.squares_at(self.offsets)

    @cached_property
    def mirrored(self) -> Squares:
        """Square of each slot in the mirror image."""
        return mapped(self.layout.game.mirror, self.squares)

    @property
    def lister(self) -> MoveLister:
        """Lists the moves of the positions."""
        return slice_moves(self.layout.game, self.layout.material, self.side)

    @cached_property
    def listed(self) -> ListedMoves:
        """The moves of the positions."""
        return list_moves(self.lister, self.squares, recode(self.codes, self.coding, FULL), self.stored_codes)


def side_by_side(columns: Sequence[Int8]) -> Squares:
    """Columns as an array that keeps each contiguous, because features read squares piece by piece."""
    squares = np.empty((len(columns[0]), len(columns)), dtype=np.int8, order="F")
    for number, column in enumerate(columns):
        squares[:, number] = column
    return squares


def mapped(image: tuple[int, ...] | None, squares: Squares) -> Squares:
    """Squares under a symmetry of the board."""
    assert image is not None
    images = np.array(image, dtype=np.int8)
    return side_by_side([images.take(column) for column in squares.T])


class Rows:
    """Positions of one slice under its own name, or their mirror images: those at some places among `found`."""

    def __init__(self, found: FoundPositions, slice_: StoredSlice, mirrored: bool, places: Places) -> None:
        self.found, self.slice, self.mirrored, self.places = found, slice_, mirrored, places
        self.layout, self.coding = found.layout, found.coding
        # For hashes.
        self.name = slice_.side, slice_.material.kinds, slice_.material.advance

    def __len__(self) -> int:
        return len(self.found.offsets if isinstance(self.places, slice) else self.places)

    @property
    def codes(self) -> Codes:
        """Their codes."""
        return at_places(self.found.codes, self.places)

    @property
    def other_codes(self) -> Codes:
        """Codes of the same placements with the other side to move."""
        return at_places(self.found.other_codes, self.places)

    def tally(self, *, pairs: bool) -> Tally | None:
        """Return how often each code occurs, or each pair of codes with either side to move; None if there may be too many."""
        # Imported here because Numba is slow to load.
        from tablebase.mining.tally import tally

        # Aliases and mirror images share it.
        known = self.found.tallies if isinstance(self.places, slice) else {}
        if pairs not in known:
            counted = (self.codes, self.other_codes) if pairs else (self.codes,)
            known[pairs] = tally(len(self), [(codes, int(codes.max(initial=0)) + 1) for codes in counted])
        return known[pairs]

    @property
    def position_numbers(self) -> Int64:
        """Numbers that no other positions of the slice have; see `positions_of`."""
        return 2 * (self.found.begin + at_places(self.found.offsets, self.places)) + self.mirrored

    @property
    def numbers(self) -> Int64:
        """A number for each that no other row of the slice has."""
        return self.position_numbers

    @cached_property
    def positions(self) -> Positions:
        """Squares of the pieces in each position."""
        # If the alias of a slice is its mirror image, its positions are mirrored.
        squares = self.found.mirrored if self.mirrored else self.found.squares
        return _pieces(self.layout, self.slice, squares, self.places)

    @cached_property
    def every(self) -> Int64:
        """Their places among the positions that were found."""
        return np.arange(len(self.found.offsets))[self.places]

    @cached_property
    def image(self) -> Int8:
        """Squares of the slice under its own name, by those of the stored material."""
        image = np.arange(len(self.layout.game.board), dtype=np.int8)
        for symmetry, applies in ((self.layout.game.mirror, self.mirrored), (self.layout.game.swap, self.slice.location.swapped)):
            image = np.array(symmetry, dtype=np.int8)[image] if applies else image
        return image

    @cached_property
    def texts(self) -> Int32:
        """For each step of a piece the place of its text in `move_texts`."""
        lister = self.found.lister
        return text_numbers(self.layout.game)[self.image[lister.origins], self.image[lister.targets]]

    @property
    def best(self) -> Int32:
        """The step of the best move of each, the first by its text; -1 for none."""
        moves = MoveRows(self)
        kept = np.flatnonzero(moves.worth == moves.codes_before)
        rows, steps = moves.row[kept], moves.steps[kept]
        best = np.full(len(self), -1, dtype=np.int32)
        # Of several moves of a row, the last one stays.
        order = np.argsort(-self.texts[steps], kind="stable")
        best[rows[order]] = steps[order]
        return best

    @property
    def only(self) -> Int32:
        """The step of the only move of each that keeps the outcome; see `ListedMoves.judged`."""
        return self.found.listed.judged[1][self.every]

    def some(self, where: Int64) -> Rows:
        """Select rows by place."""
        return Rows(self.found, self.slice, self.mirrored, where if isinstance(self.places, slice) else self.places[where])


class MoveRows(Rows):
    """The moves of rows, a row each; a column of positions has the same value for each move of a position.

    By default these are all moves; else `spread` has for each move the place of its row, and its number among those listed.
    """

    def __init__(self, rows: Rows, spread: tuple[Int64, Int64] | None = None) -> None:
        self.rows, self.listed = rows, rows.found.listed
        if spread is None:
            begin = self.listed.begin[rows.every]
            counts = self.listed.begin[rows.every + 1] - begin
            row = np.repeat(np.arange(len(rows)), counts)
            spread = row, np.arange(len(row)) + np.repeat(begin - np.cumsum(counts) + counts, counts)
        self.row, self.number = spread
        super().__init__(rows.found, rows.slice, rows.mirrored, rows.every[self.row])
        self.steps = self.listed.steps[self.number]

    @property
    def numbers(self) -> Int64:
        """A number for each that no other row of the slice has."""
        return self.position_numbers * MOST_MOVES + self.number - self.listed.begin[self.every]

    @cached_property
    def positions(self) -> Positions:
        """The squares of their positions, found once for each position."""
        return self.rows.positions.take(self.row)

    @cached_property
    def kinds(self) -> NDArray[np.int16]:
        """The kind of the piece in each slot of the stored material, in the slice under its own name; -1 after the last."""
        pairing, kinds = self.slice.location.pairing, self.slice.material.kinds
        return np.array([*(kinds[pairing[piece]] for piece in self.layout.slots), -1], dtype=np.int16)

    @property
    def worth(self) -> Codes:
        """The value of each move in the coding `FULL`, or `UNKNOWN`."""
        return self.listed.worth[self.number]

    @property
    def codes_before(self) -> Codes:
        """The value of the position of each in the coding `FULL`."""
        return self.listed.codes[self.every]

    @property
    def origins(self) -> Int8:
        """Origin of each move."""
        return self.image[self.found.lister.origins[self.steps]]

    @property
    def targets(self) -> Int8:
        """Target of each move."""
        return self.image[self.found.lister.targets[self.steps]]

    @property
    def ways(self) -> NDArray[np.int16]:
        """Both squares of each move as a number, or -1 if it ends the game."""
        both = (self.origins.astype(np.int16) << BITS) + self.targets
        return np.where(self.listed.ends[self.number], -1, both).astype(np.int16)

    def some(self, where: Int64) -> MoveRows:
        """Select moves by place."""
        return MoveRows(self.rows, (self.row[where], self.number[where]))


class Named(NamedTuple):
    """Rows that are known by the numbers of their positions: all that texts are made from."""

    positions: Positions
    ways: NDArray[np.integer]  # of moves; see `MoveRows`


def positions_of(layout: Layout, slice_: StoredSlice, numbers: Int64) -> Positions:
    """The positions of a slice with these numbers; see `Rows`."""
    squares, _ = layout.squares_many(numbers // 2)
    if (numbers % 2).any():
        squares = np.where((numbers % 2 == 1)[:, None], mapped(layout.game.mirror, squares), squares)
    return _pieces(layout, slice_, squares)


def slice_place(game: Game, slice_: StoredSlice) -> str:
    """The folder for the rows of a slice, named in the way of Hive."""
    material, side = material_name(game, slice_.material), game.sides[slice_.side].letter
    return f"pieces={slice_.material.pieces}/material={material}/side={side}"


def _pieces(layout: Layout, slice_: StoredSlice, squares: Squares, places: Places = EVERY) -> Positions:
    """Positions of a slice under its own name at some places, given the squares of each slot."""
    location, kinds = slice_.location, slice_.material.kinds
    by_slot = mapped(layout.game.swap, squares) if location.swapped else squares
    order = np.argsort([location.pairing[piece] for piece in layout.slots])
    squares = side_by_side([at_places(by_slot[:, slot], places) for slot in order])
    for kind in {kind for kind in kinds if kinds.count(kind) > 1}:
        # Pieces of the same kind are listed in the order of their squares.
        alike = slice(kinds.index(kind), kinds.index(kind) + kinds.count(kind))
        squares[:, alike] = np.sort(squares[:, alike], axis=1)
    # Several columns share them.
    squares.flags.writeable = False
    return Positions(layout.game, slice_.material, slice_.side, squares)
