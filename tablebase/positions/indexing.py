"""Position <-> index: where in a table's arrays a position is stored.

The index is a mixed-radix number with one digit per *group* (the pieces of one kind), most significant first:

1. the *lead* group; if the rules have a mirror, only one of two mirror images is numbered,
   and for the other one the whole board is mirrored first;
2. the other groups, in the order of `Material.kinds`;
3. the *row piece*, the single piece with the most squares (the last of several).

A group's digit is the number that `tablebase.positions.combinadics` assigns to its places among the squares of its kind: for one
piece the place itself, for identical pieces their combinatorial number. Of a tiered kind, only placements with the slice's
advance are numbered. An index at which two pieces would share a square is *void*.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.game import Game
from tablebase.game.moves import Position
from tablebase.positions.combinadics import Combinations, count_symmetric
from tablebase.positions.material import Material, advances_of, make_material, place_levels, tiered_kinds

INDEX_VERSION = 1
"""Raised whenever the index of a position changes."""

Squares = NDArray[np.int8]
"""Squares of positions, shape (positions, slots)."""
INDEX_LIMIT = 1 << 40
"""More indices than any machine could solve."""


@dataclass(frozen=True)
class Group:
    """The pieces of one kind."""

    kind: int  # their kind number
    slots: range  # their places among the layout's slots
    squares: tuple[int, ...]  # square of each place
    combinations: Combinations  # the placements, as choices of places

    @property
    def size(self) -> int:
        """Number of ways to place the group, ignoring other pieces."""
        return self.combinations.size

    @cached_property
    def places(self) -> dict[int, int]:
        """Place of each square."""
        return {square: place for place, square in enumerate(self.squares)}

    def rank(self, squares: Sequence[int]) -> int:
        """Number of a placement, counted from 0."""
        return self.combinations.rank([self.places[square] for square in squares])

    def unrank(self, digit: int) -> tuple[int, ...]:
        """The squares of a placement."""
        return tuple(self.squares[place] for place in self.combinations.unrank(digit))

    def rank_many(self, squares: Squares) -> NDArray[np.int64]:
        """Numbers of placements given as an array of shape (placements, pieces of the group)."""
        return self.combinations.rank_many(self._place_array[squares])

    def unrank_many(self, digits: NDArray[np.int64]) -> Squares:
        """Squares of placements, shape (placements, pieces of the group)."""
        return self._square_array.take(self.combinations.unrank_many(digits))

    @cached_property
    def _place_array(self) -> NDArray[np.int64]:
        places = np.zeros(max(self.squares) + 1, dtype=np.int64)
        places[list(self.squares)] = range(len(self.squares))
        return places

    @cached_property
    def _square_array(self) -> Squares:
        return np.array(self.squares, dtype=np.int8)


class Lead(NamedTuple):
    """Numbering of the lead group; D lead digits, R placements of the lead group."""

    rank: NDArray[np.int32]  # (D,) placement number of each lead digit
    digit: NDArray[np.int32]  # (R,) lead digit of each placement, or of its mirror image if only that one is numbered
    flip: NDArray[np.bool_]  # (R,) whether the board is mirrored first
    fixed: NDArray[np.bool_]  # (D,) whether the lead is its own mirror image; then both images of a position are numbered


class Layout:
    """The index of one material; it lists pieces in the order of its *slots*."""

    def __init__(self, game: Game, material: Material) -> None:
        self.game = game
        self.material = material
        # Lead first, row piece last.
        self.groups = _ordered_groups(game, material)
        # For each slot the piece of the material; identical pieces are in the order of `kinds`.
        self.slots = tuple(material.kinds.index(group.kind) + i for group in self.groups for i in range(len(group.slots)))
        # Number of digits of each group, and of indices, including void ones.
        self.radices = (self._lead_digits(), *(group.size for group in self.groups[1:]))
        self.size = prod(self.radices)
        self._terms = self._single_terms()
        self._flips = [] if self._terms is None else self._square_flips()

    @property
    def row_length(self) -> int:
        """Number of consecutive indices that differ only in the last group."""
        return self.radices[-1]

    @property
    def cells_with_images(self) -> int:
        """Number of indices; one that also stands for its mirror image counts twice."""
        return self.groups[0].size * (self.size // self.radices[0])

    def _lead_digits(self) -> int:
        """Number of lead digits, without the arrays of `lead`, which need gigabytes for the largest groups."""
        lead, mirror = self.groups[0], self.game.mirror
        if mirror is None:
            return lead.size
        image = tuple(lead.places[mirror[square]] for square in lead.squares)
        return (lead.size + count_symmetric(lead.combinations, image)) // 2

    @cached_property
    def lead(self) -> Lead:
        """Numbering of the lead group; without a mirror, each placement is its own digit."""
        ranks = np.arange(self.groups[0].size, dtype=np.int32)
        if self.game.mirror is None:
            never = np.broadcast_to(np.False_, ranks.shape)
            return Lead(ranks, ranks, never, never)
        images = np.array(self.game.mirror, dtype=np.int8)[self.groups[0].unrank_many(ranks.astype(np.int64))]
        image = self.groups[0].rank_many(images).astype(np.int32)
        flip = image < ranks
        digits = np.cumsum(~flip, dtype=np.int32) - 1
        return Lead(ranks[~flip], np.where(flip, digits[image], digits).astype(np.int32), flip, (image == ranks)[~flip])

    # One position at a time, in plain Python

    def index(self, squares: Sequence[int]) -> int:
        """Index of a position given by the square of each slot."""
        if self._terms is not None:
            terms = self._terms[self._flips[squares[0]]]
            return sum(term[square] for term, square in zip(terms, squares, strict=True))
        lead = self.groups[0]
        index = lead.rank(squares[: lead.slots.stop])
        if self.game.mirror is not None:
            if self.lead.flip[index]:
                squares = [self.game.mirror[square] for square in squares]
            index = int(self.lead.digit[index])
        for group in self.groups[1:]:
            index = index * group.size + group.rank(squares[group.slots.start : group.slots.stop])
        return index

    def _single_terms(self) -> tuple[list[list[int]], list[list[int]]] | None:
        """List the terms of slots on squares in the index, plain and mirrored; None if groups have several pieces or tiers."""
        if any(len(group.slots) > 1 or any(group.combinations.levels) for group in self.groups):
            return None
        board = range(len(self.game.board))
        by_image = []
        for image in (board, self.game.mirror or board):
            terms = []
            for slot, group in enumerate(self.groups):
                stride = prod(self.radices[slot + 1 :])
                places = [group.places.get(image[square], 0) for square in board]
                terms.append([(place if slot else int(self.lead.digit[place])) * stride for place in places])
            by_image.append(terms)
        return by_image[0], by_image[1]

    def _square_flips(self) -> list[bool]:
        places = self.groups[0].places
        return [square in places and bool(self.lead.flip[places[square]]) for square in range(len(self.game.board))]

    def squares(self, index: int) -> list[int] | None:
        """Square of each slot; None if the index is void."""
        digits = []
        for radix in reversed(self.radices):
            index, digit = divmod(index, radix)
            digits.append(digit)
        digits.reverse()
        if self.game.mirror is not None:
            digits[0] = int(self.lead.rank[digits[0]])
        squares = [square for group, digit in zip(self.groups, digits, strict=True) for square in group.unrank(digit)]
        return squares if len(set(squares)) == len(squares) else None

    def position(self, index: int, side: int) -> Position | None:
        """The position of an index; None if the index is void."""
        squares = self.squares(index)
        if squares is None:
            return None
        kinds = self.material.kinds
        return Position(tuple(sorted((kinds[piece], squares[slot]) for slot, piece in enumerate(self.slots))), side)

    # Many positions at a time, in NumPy

    def index_many(self, squares: Squares) -> NDArray[np.int64]:
        """Indices of positions given as an array of shape (positions, slots)."""
        index = self._rank_many(self.groups[0], squares)
        if self.game.mirror is not None:
            mirror = np.array(self.game.mirror, dtype=squares.dtype)
            squares = np.where(self.lead.flip[index][:, None], mirror[squares], squares)
            index = self.lead.digit[index].astype(np.int64)
        for group in self.groups[1:]:
            index = index * group.size + self._rank_many(group, squares)
        return index

    def _rank_many(self, group: Group, squares: Squares) -> NDArray[np.int64]:
        return group.rank_many(squares[:, group.slots.start : group.slots.stop])

    def squares_many(self, index: NDArray[np.int64]) -> tuple[Squares, NDArray[np.bool_]]:
        """Square of each slot, shape (positions, slots), and whether each index is a position."""
        squares = self._unrank_many(index, len(self.groups))
        return squares, apart(squares)

    def row_squares(self, row: NDArray[np.int64]) -> Squares:
        """Squares of all slots but those of the last group; the row is ``index // row_length``."""
        return self._unrank_many(row, len(self.groups) - 1)

    def _unrank_many(self, index: NDArray[np.int64], groups: int) -> Squares:
        """Squares of the slots of the first groups, from an index over these groups alone."""
        columns: list[Any] = []
        for group, radix in zip(self.groups[groups - 1 : 0 : -1], self.radices[groups - 1 : 0 : -1], strict=True):
            index, digit = np.divmod(index, radix)
            columns.insert(0, group.unrank_many(digit))
        lead = index if self.game.mirror is None else self.lead.rank[index].astype(np.int64)
        columns.insert(0, self.groups[0].unrank_many(lead))
        return np.concatenate(columns, axis=1)

    @cached_property
    def lead_weights(self) -> NDArray[np.int64]:
        """Number of placements that an index stands for, by its lead digit: two if it also stands for its mirror image."""
        if self.game.mirror is None:
            return np.broadcast_to(np.int64(1), self.radices[0])
        return np.where(self.lead.fixed, 1, 2)

    def weights_many(self, index: NDArray[np.int64]) -> NDArray[np.int64]:
        """Number of placements that each index stands for."""
        return self.lead_weights[index // (self.size // self.radices[0])]


def apart(squares: Squares) -> NDArray[np.bool_]:
    """Return whether no two pieces of a position share a square."""
    distinct = np.ones(len(squares), dtype=bool)
    for i, j in combinations(range(squares.shape[1]), 2):
        distinct &= squares[:, i] != squares[:, j]
    return distinct


@cache
def layout_of(game: Game, material: Material) -> Layout:
    """The layout of a material, cached."""
    return Layout(game, material)


def _ordered_groups(game: Game, material: Material) -> tuple[Group, ...]:
    """The groups, row piece last; slots are numbered in this order."""
    counts = {kind: material.kinds.count(kind) for kind in material.kinds}
    singles = [kind for kind, count in counts.items() if count == 1 and not game.kinds[kind].tiered]
    order = list(counts)
    if singles:
        row = max(singles, key=lambda kind: (len(game.kinds[kind].squares), kind))
        order = [kind for kind in order if kind != row] + [row]
    advance = dict(zip(tiered_kinds(game, material.kinds), material.advance, strict=True))
    groups = []
    slot = 0
    for kind in order:
        combinations = Combinations(place_levels(game, kind), counts[kind], advance.get(kind, 0))
        groups.append(Group(kind, range(slot, slot + counts[kind]), game.kinds[kind].squares, combinations))
        slot += counts[kind]
    return tuple(groups)


def is_buildable(game: Game, material: Material) -> bool:
    """Return whether a material has at most `INDEX_LIMIT` indices."""
    return layout_of(game, material).size <= INDEX_LIMIT


@cache
def most_pieces(game: Game) -> int:
    """The largest number of pieces of any material that can be built: one of the pieces with the fewest squares."""
    available = [number for number, kind in enumerate(game.kinds) for _ in range(kind.limit)]
    available.sort(key=lambda number: len(game.kinds[number].squares))
    chosen = [next(number for number in available if game.side_of(number) == side) for side in (0, 1)]
    for number in chosen:
        available.remove(number)
    for number in available[: game.max_pieces - len(chosen)]:
        kinds = tuple(sorted((*chosen, number)))
        if not is_buildable(game, make_material(game, kinds, advances_of(game, kinds)[0])):
            break
        chosen.append(number)
    return len(chosen)
