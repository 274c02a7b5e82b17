"""Positions of consecutive indices: which there are, and their mirror images."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from tablebase.game import Outcome
from tablebase.mining.move_values import Listed, in_full, slice_moves
from tablebase.mining.stored_codes import StoredCodes
from tablebase.mining.tally import Tally, tally
from tablebase.mining.wanted import Wanted
from tablebase.slices.indexing import Layout, Squares, apart
from tablebase.slices.location import Address, is_self_paired, locate
from tablebase.tables.values import Codes, Coding

FEW = 4
"""If fewer than 1 in this many indices are wanted, only these are checked for being void."""

Flags = NDArray[np.bool_]


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
        return table.codes_between(1 - self.side, self.begin, self.begin + len(self.codes))

    def images(self, wanted: Wanted) -> Iterator[Image]:
        """The positions that are wanted, then those of their mirror images that have no index of their own."""
        offsets = self._offsets(wanted)
        if not len(offsets):
            return
        plain = Image(self, offsets)
        yield plain
        if self.layout.game.mirror is None:
            return
        # Weights change with the lead alone, so most blocks have a single one.
        stride = self.layout.size // self.layout.radices[0]
        first, last = self.begin // stride, (self.begin + len(self.codes) - 1) // stride
        twice = self.layout.lead_weights[first : last + 1] == 2
        if twice.all():
            yield Image(self, offsets, True, plain)
        elif twice.any():
            bounds = np.searchsorted(offsets, np.arange(first, last + 2) * stride - self.begin)
            places = np.flatnonzero(np.repeat(twice, np.diff(bounds)))
            if len(places):
                yield Image(self, offsets.take(places), True, plain, places)

    def _offsets(self, wanted: Wanted) -> NDArray[np.int64]:
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
        from tablebase.mining.scan_kernels import spread_rows

        layout, last = self.layout, self.layout.groups[-1]
        # Each column is contiguous, because features read squares piece by piece.
        squares = np.empty((len(offsets), len(layout.slots)), dtype=np.int8, order="F")
        digits = np.empty(len(offsets), dtype=np.int64)
        spread_rows(self._front, self.begin, layout.row_length, offsets, squares, digits)
        squares[:, last.slots.start :] = last.unrank_many(digits)
        return squares


@dataclass(frozen=True)
class Image:
    """Positions of a block as they are indexed, or their mirror images."""

    block: Block
    offsets: NDArray[np.int64]
    mirrored: bool = False
    # All positions as they are indexed; None if these are they.
    plain: Image | None = None
    # The places in `plain` of those that these are or mirror; None for all.
    places: NDArray[np.int64] | None = None

    def some(self, where: NDArray[np.int64]) -> Image:
        """Those at these places."""
        places = where if self.places is None else self.places[where]
        return Image(self.block, self.offsets[where], self.mirrored, self.plain or self, places)

    @cached_property
    def codes(self) -> Codes:
        """Codes of the positions."""
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
    def values(self) -> Tally | None:
        """How often each code occurs."""
        if self.plain is not None and self.places is None:
            return self.plain.values
        return tally(len(self.offsets), [_with_range(self.codes)])

    @cached_property
    def pairs(self) -> Tally | None:
        """How often each pair of codes with either side to move occurs; None if there may be too many pairs."""
        if self.plain is not None and self.places is None:
            return self.plain.pairs
        return tally(len(self.offsets), [_with_range(self.codes), _with_range(self.other_codes)])

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


def _with_range(codes: Codes) -> tuple[Codes, int]:
    """Codes, and a number above all of them."""
    return codes, int(codes.max(initial=0)) + 1


def side_by_side(columns: list[NDArray[np.int8]]) -> Squares:
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


def like_pieces(kinds: tuple[int, ...]) -> list[slice]:
    """Ranges of pieces of the same kind, which are listed in the order of their squares."""
    return [slice(kinds.index(kind), kinds.index(kind) + kinds.count(kind)) for kind in set(kinds) if kinds.count(kind) > 1]


@cache
def worth_of_codes(coding: Coding) -> NDArray[np.int8]:
    """For each code 1, 0 or -1 for a win, draw or loss of the side to move; 0 for the void one."""
    outcomes = [coding.value(code).outcome for code in range(coding.void)]
    return np.array([(outcome is Outcome.WIN) - (outcome is Outcome.LOSS) for outcome in outcomes] + [0], dtype=np.int8)
