"""Position <-> index: where in a table's arrays a position stands.

The index is a mixed-radix number with one digit a *group* (the pieces of one kind), most
significant first:

1. the *lead* group; if the rules have a mirror, only one of two mirror images is numbered,
   so a lead that would not be has the whole board mirrored first;
2. the other groups, in the order of `Material.kinds`;
3. the *row piece*, the single piece with the most squares (the last of several).

A group of one piece has the place of its square among the kind's squares as its digit. A group of
k like pieces with places c1 < … < ck has the combinatorial number C(c1,1) + … + C(ck,k).
Where two pieces would share a square there is no position: the index is *void*.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tablebase.game import Game
from tablebase.material import Material
from tablebase.moves import Position

INDEX_VERSION = 1
"""Grows whenever the same position would get another index."""

Squares = NDArray[np.int8]
"""Squares of positions, shape (positions, slots)."""


@dataclass(frozen=True)
class Group:
    """The pieces of one kind.

    Parameters
    ----------
    kind : int
        Their kind number.
    slots : range
        Their places among the layout's slots.
    squares : tuple of int
        Squares by digit place.
    """

    kind: int
    slots: range
    squares: tuple[int, ...]

    @cached_property
    def size(self) -> int:
        """Number of ways to place the group, other pieces aside."""
        return comb(len(self.squares), len(self.slots))

    @cached_property
    def places(self) -> dict[int, int]:
        """Place of each square."""
        return {square: place for place, square in enumerate(self.squares)}

    def rank(self, squares: Sequence[int]) -> int:
        """Number of a placement from 0."""
        if len(squares) == 1:
            return self.places[squares[0]]
        ordered = sorted(self.places[square] for square in squares)
        return sum(comb(place, count) for count, place in enumerate(ordered, start=1))

    @cached_property
    def placements(self) -> tuple[tuple[int, ...], ...]:
        """The squares of each placement, by its number."""
        found = combinations(range(len(self.squares)), len(self.slots))
        by_rank = sorted(found, key=lambda places: places[::-1])
        return tuple(tuple(self.squares[place] for place in places) for places in by_rank)


class Layout:
    """The index of one material.

    Parameters
    ----------
    game : Game
    material : Material

    Attributes
    ----------
    groups : tuple of Group
        Lead first, row piece last.
    slots : tuple of int
        For each slot (the order in which the layout lists pieces), which piece of the material it is.
    lead_rank : ndarray of int32, shape (lead digits,)
        Placement number of the lead group for each lead digit.
    lead_digit : ndarray of int32, shape (lead placements,)
        Lead digit of each placement; of its mirror image if that one is numbered instead.
    lead_flip : ndarray of bool, shape (lead placements,)
        Whether the board is mirrored first.
    lead_fixed : ndarray of bool, shape (lead digits,)
        Whether the lead is its own mirror image, so that both images of a position are numbered.
    size : int
        Number of indices, void ones included.
    """

    def __init__(self, game: Game, material: Material) -> None:
        self.game = game
        self.material = material
        self.groups = _ordered_groups(game, material)
        self.slots = tuple(_slot_pieces(material, self.groups))
        self._number_lead()
        self.radices = (len(self.lead_rank), *(group.size for group in self.groups[1:]))
        self.size = int(np.prod(self.radices, dtype=object))
        self._terms = self._single_terms()

    @property
    def row_length(self) -> int:
        """Number of consecutive indices in which only the last group moves."""
        return self.radices[-1]

    @property
    def cells_with_images(self) -> int:
        """Number of indices, each that also stands for its mirror image counted twice."""
        return self.groups[0].size * (self.size // self.radices[0])

    def _number_lead(self) -> None:
        lead = self.groups[0]
        ranks = np.arange(lead.size, dtype=np.int32)
        image = ranks if self.game.mirror is None else self._mirror_lead(self.game.mirror)
        self.lead_flip = image < ranks
        self.lead_rank = ranks[~self.lead_flip]
        digits = np.cumsum(~self.lead_flip, dtype=np.int32) - 1
        self.lead_digit = np.where(self.lead_flip, digits[image], digits).astype(np.int32)
        fixed = np.zeros(lead.size, dtype=bool) if self.game.mirror is None else image == ranks
        self.lead_fixed = fixed[self.lead_rank]
        self._flips: list[bool] = self.lead_flip.tolist()

    def _mirror_lead(self, mirror: tuple[int, ...]) -> NDArray[np.int32]:
        lead = self.groups[0]
        images = [lead.rank([mirror[square] for square in squares]) for squares in lead.placements]
        return np.array(images, dtype=np.int32)

    # One position at a time, in plain Python.

    def index(self, squares: Sequence[int]) -> int:
        """Index of a position given by the square of each slot."""
        lead = self.groups[0]
        flip = self._flips[lead.rank(squares[: lead.slots.stop])]
        if self._terms is not None:
            return sum(term[square] for term, square in zip(self._terms[flip], squares, strict=True))
        if flip and self.game.mirror is not None:
            squares = [self.game.mirror[square] for square in squares]
        index = int(self.lead_digit[lead.rank(squares[: lead.slots.stop])])
        for group in self.groups[1:]:
            index = index * group.size + group.rank(squares[group.slots.start : group.slots.stop])
        return index

    def _single_terms(self) -> tuple[list[list[int]], list[list[int]]] | None:
        """What each slot on each square adds to the index, as it is and mirrored; None if there are like pieces."""
        if any(len(group.slots) > 1 for group in self.groups):
            return None
        board = range(len(self.game.board))
        found = []
        for image in (board, self.game.mirror or board):
            terms = []
            for slot, group in enumerate(self.groups):
                stride = int(np.prod(self.radices[slot + 1 :], dtype=object))
                places = [group.places.get(image[square], 0) for square in board]
                terms.append([(place if slot else int(self.lead_digit[place])) * stride for place in places])
            found.append(terms)
        return found[0], found[1]

    def squares(self, index: int) -> list[int] | None:
        """Square of each slot, or None where the index is void."""
        digits = []
        for radix in reversed(self.radices):
            index, digit = divmod(index, radix)
            digits.append(digit)
        digits.reverse()
        digits[0] = int(self.lead_rank[digits[0]])
        found = [square for group, digit in zip(self.groups, digits, strict=True) for square in group.placements[digit]]
        return found if len(set(found)) == len(found) else None

    def position(self, index: int, side: int) -> Position | None:
        """The position of an index, or None where it is void."""
        squares = self.squares(index)
        if squares is None:
            return None
        kinds = self.material.kinds
        return Position(tuple(sorted((kinds[piece], squares[slot]) for slot, piece in enumerate(self.slots))), side)

    # Many positions at a time, in NumPy.

    def index_many(self, squares: Squares) -> NDArray[np.int64]:
        """Indices of positions given as an array of shape (positions, slots)."""
        lead = self.groups[0]
        rank = self._rank_many(lead, squares)
        if self.game.mirror is not None:
            mirror = np.array(self.game.mirror, dtype=squares.dtype)
            squares = np.where(self.lead_flip[rank][:, None], mirror[squares], squares)
        index = self.lead_digit[rank].astype(np.int64)
        for group in self.groups[1:]:
            index = index * group.size + self._rank_many(group, squares)
        return index

    def _rank_many(self, group: Group, squares: Squares) -> NDArray[np.int64]:
        places = np.zeros(len(self.game.board), dtype=np.int64)
        places[list(group.squares)] = range(len(group.squares))
        own = np.sort(places[squares[:, group.slots.start : group.slots.stop]], axis=1)
        return sum(_binomials(len(group.squares), k + 1)[own[:, k]] for k in range(own.shape[1]))  # type: ignore[return-value]

    def squares_many(self, index: NDArray[np.int64]) -> tuple[Squares, NDArray[np.bool_]]:
        """Squares of each slot, shape (positions, slots), and whether each index is a position."""
        columns: list[Any] = []
        for group, radix in zip(self.groups[:0:-1], self.radices[:0:-1], strict=True):
            index, digit = np.divmod(index, radix)
            columns.insert(0, np.array(group.placements, dtype=np.int8)[digit])
        columns.insert(0, np.array(self.groups[0].placements, dtype=np.int8)[self.lead_rank[index]])
        squares = np.concatenate(columns, axis=1)
        legal = np.ones(len(squares), dtype=bool)
        for i, j in combinations(range(squares.shape[1]), 2):
            legal &= squares[:, i] != squares[:, j]
        return squares, legal

    @cached_property
    def lead_weights(self) -> NDArray[np.int64]:
        """Placements that an index stands for, by its lead digit: two if it also stands for its mirror image."""
        if self.game.mirror is None:
            return np.ones(self.radices[0], dtype=np.int64)
        return np.where(self.lead_fixed, 1, 2)

    def weights_many(self, index: NDArray[np.int64]) -> NDArray[np.int64]:
        """Placements that each index stands for."""
        return self.lead_weights[index // (self.size // self.radices[0])]


@cache
def layout(game: Game, material: Material) -> Layout:
    """The layout of a material, made once."""
    return Layout(game, material)


@cache
def _binomials(count: int, k: int) -> NDArray[np.int64]:
    return np.array([comb(n, k) for n in range(count)], dtype=np.int64)


def _ordered_groups(game: Game, material: Material) -> tuple[Group, ...]:
    """Groups with the row piece last, slots numbered in that order."""
    counts = {kind: material.kinds.count(kind) for kind in material.kinds}
    singles = [kind for kind, count in counts.items() if count == 1]
    order = list(counts)
    if singles:
        row = max(singles, key=lambda kind: (len(game.kinds[kind].squares), kind))
        order = [kind for kind in order if kind != row] + [row]
    groups = []
    slot = 0
    for kind in order:
        groups.append(Group(kind, range(slot, slot + counts[kind]), game.kinds[kind].squares))
        slot += counts[kind]
    return tuple(groups)


def _slot_pieces(material: Material, groups: tuple[Group, ...]) -> list[int]:
    """For each slot, the piece of the material: like pieces in the order of `kinds`."""
    return [material.kinds.index(group.kind) + i for group in groups for i in range(len(group.slots))]
