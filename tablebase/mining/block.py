"""Positions of consecutive indices, and their mirror images."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tablebase.game import Outcome
from tablebase.mining.move_values import ListedMoves, in_full, list_moves, slice_moves
from tablebase.mining.row_selection import SliceSelection
from tablebase.mining.stored_codes import StoredCodes
from tablebase.positions.indexing import Layout, Squares, apart
from tablebase.positions.location import Address, is_self_paired, locate
from tablebase.tables.values import Codes, Coding

if TYPE_CHECKING:
    from tablebase.mining.tally import Tally

FEW = 4
"""If fewer than 1 in this many indices are wanted, only these are checked for being void."""

Flags = NDArray[np.bool_]
Int64 = NDArray[np.int64]


@dataclass(frozen=True)
class Block:
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
        return table.between(1 - self.side, self.begin, self.begin + len(self.codes))

    def found(self, wanted: SliceSelection) -> FoundPositions:
        """The positions that are wanted."""
        return FoundPositions(self, self._offsets(wanted))

    def _offsets(self, wanted: SliceSelection) -> Int64:
        """Offsets of the positions that are wanted, whatever their indices; no void ones."""
        has_value = np.zeros(self.coding.void + 1, dtype=bool)
        has_value[[value.code(self.coding) for value in wanted.values]] = True
        matches = has_value.take(self.codes)
        if wanted.zugzwang and self.other_codes is not None:
            worth = worth_of_codes(self.coding)
            matches &= worth.take(self.codes) + worth.take(self.other_codes) < 0
        offsets = np.flatnonzero(matches)
        if len(offsets) * FEW < len(matches) or not self._whole_rows:
            return offsets[apart(self.squares(offsets))]
        return np.flatnonzero(matches & self._legal)

    @property
    def _whole_rows(self) -> bool:
        """True if the block consists of whole rows, in which a single piece moves."""
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

    def squares(self, offsets: Int64) -> Squares:
        """Squares of each slot, shape (offsets, slots), including void indices."""
        layout, last = self.layout, self.layout.groups[-1]
        rows, digits = np.divmod(offsets + self.begin % layout.row_length, layout.row_length)
        return side_by_side([*(column.take(rows) for column in self._front.T), *last.unrank_many(digits).T])


class FoundPositions:
    """Positions of a block as they are indexed; what is not needed of them is not computed."""

    def __init__(self, block: Block, offsets: Int64) -> None:
        self.block, self.offsets = block, offsets

    def images(self) -> Iterator[tuple[bool, Int64 | None]]:
        """The positions, then those of their mirror images that have no index: each mirrored or not, with their places.

        The places are None for all.
        """
        layout, begin = self.block.layout, self.block.begin
        if not len(self.offsets):
            return
        yield False, None
        if layout.game.mirror is None:
            return
        # Weights change with the lead alone, so most blocks have a single one.
        stride = layout.size // layout.radices[0]
        first, last = begin // stride, (begin + len(self.block.codes) - 1) // stride
        twice = layout.lead_weights[first : last + 1] == 2
        if twice.all():
            yield True, None
        elif twice.any():
            bounds = np.searchsorted(self.offsets, np.arange(first, last + 2) * stride - begin)
            places = np.flatnonzero(np.repeat(twice, np.diff(bounds)))
            if len(places):
                yield True, places

    @cached_property
    def codes(self) -> Codes:
        """Codes of the positions."""
        codes: Codes = self.block.codes.take(self.offsets)
        return codes

    @cached_property
    def other_codes(self) -> Codes:
        """Codes of the same placements with the other side to move."""
        others, layout = self.block.other_codes, self.block.layout
        if others is not None:
            # Neither the slots nor the squares of the pieces depend on the side to move.
            codes: Codes = others.take(self.offsets)
            return codes
        location = locate(layout.game, layout.material, 1 - self.block.side)
        indices = Address(layout.game, location).index_many(self.squares[:, np.argsort(layout.slots)])
        return self.block.stored_codes.at(location.material, location.side, indices)

    @cached_property
    def values(self) -> Tally | None:
        """Frequency of each code."""
        return tally_of(self.codes)

    @cached_property
    def pairs(self) -> Tally | None:
        """Frequency of each pair of codes with either side to move; None if there may be too many pairs."""
        return tally_of(self.codes, self.other_codes)

    @cached_property
    def squares(self) -> Squares:
        """Square of each slot."""
        return self.block.squares(self.offsets)

    @cached_property
    def mirrored(self) -> Squares:
        """The same of the mirror images."""
        return mapped(self.block.layout.game.mirror, self.squares)

    @cached_property
    def listed(self) -> ListedMoves:
        """The moves of the positions."""
        block = self.block
        moves = slice_moves(block.layout.game, block.layout.material, block.side)
        return list_moves(moves, self.squares, in_full(block.coding).take(self.codes), block.stored_codes)


def tally_of(*codes: Codes) -> Tally | None:
    """Count combinations of codes; see `tally`."""
    # Imported here because Numba is slow to load.
    from tablebase.mining.tally import tally

    return tally(len(codes[0]), [(each, int(each.max(initial=0)) + 1) for each in codes])


def side_by_side(columns: Sequence[NDArray[np.int8]]) -> Squares:
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


@cache
def worth_of_codes(coding: Coding) -> NDArray[np.int8]:
    """For each code 1, 0 or -1 for a win, draw or loss of the side to move; 0 for the void one."""
    outcomes = [coding.value(code).outcome for code in range(coding.void)]
    return np.array([(outcome is Outcome.WIN) - (outcome is Outcome.LOSS) for outcome in outcomes] + [0], dtype=np.int8)
