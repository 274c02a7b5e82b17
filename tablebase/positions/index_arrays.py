"""The index as flat arrays, for `tablebase.positions.index_kernels`."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

import numpy as np

from tablebase.game import Game
from tablebase.positions.indexing import Group, Layout
from tablebase.positions.rule_arrays import RuleArrays
from tablebase.positions.slice_arrays import Bool, Int8, Int32, Int64, SliceArrays


class IndexArrays(NamedTuple):
    """Layouts stacked along the first axis.

    There are L layouts and at most G groups, S squares, K pieces in a group, T advances and R lead placements. The places of a
    group of one piece are its digits.
    """

    groups: Int64  # (L,) groups in use
    first: Int64  # (L, G + 1) first slot of each group
    radix: Int64  # (L, G)
    place: Int32  # (L, G, S) place of a square in its group
    level: Int64  # (L, G, S) level of a place
    advance: Int64  # (L, G)
    ways: Int64  # (L, G, K + 1, S + 1, T) the array W of `tablebase.positions.combinadics`
    lead_digit: Int32  # (L, R)
    lead_flip: Bool  # (L, R)
    mirror: Int8  # (S,) image of each square, itself where there is no mirror


class IndexTerms(NamedTuple):
    """Terms of pieces in the index of the position that a move leads to; C destinations, P slots, S squares."""

    add_up: Bool  # (C,) whether the index is a sum: all pieces are of different kinds and without tiers
    lead: Int8  # (C,) the slot whose square decides whether the child is mirrored
    flips: Bool  # (C, S) for each square of that slot
    terms: Int64  # (C, 2, P, S) [c, f, p, s]: of slot p on square s, the child being mirrored or not


class ListedSlice(NamedTuple):
    """Input of the kernel that lists moves, for a slice with one side to move."""

    rules: RuleArrays
    arrays: SliceArrays  # with child 0 for the table that holds the other side to move
    layouts: IndexArrays  # of the table that holds the other side to move, and of each child
    child_slots: Int64  # number of slots of each of them
    terms: IndexTerms
    kinds: Int8  # (slots,)
    twins: Int32  # (steps,) an earlier step between the same squares, which is the same move; -1 if there is none
    side: int  # the side to move


def index_arrays(game: Game, layouts: list[Layout]) -> IndexArrays:
    """Layouts of one game as arrays, stacked in this order."""
    count = len(layouts)
    groups = max(len(layout.groups) for layout in layouts)
    squares, pieces = len(game.board), max(len(group.slots) for layout in layouts for group in layout.groups)
    totals = max(group.combinations.ways.shape[2] for layout in layouts for group in layout.groups)
    ranks = max(len(layout.lead.digit) for layout in layouts)
    arrays = IndexArrays(
        groups=np.array([len(layout.groups) for layout in layouts], dtype=np.int64),
        first=np.zeros((count, groups + 1), dtype=np.int64),
        radix=np.ones((count, groups), dtype=np.int64),
        place=np.zeros((count, groups, squares), dtype=np.int32),
        level=np.zeros((count, groups, squares), dtype=np.int64),
        advance=np.zeros((count, groups), dtype=np.int64),
        # Beyond a group's own places, W exceeds every number of a choice.
        ways=np.full((count, groups, pieces + 1, squares + 1, totals), np.iinfo(np.int64).max),
        lead_digit=np.zeros((count, ranks), dtype=np.int32),
        lead_flip=np.zeros((count, ranks), dtype=np.bool_),
        mirror=np.array(range(squares) if game.mirror is None else game.mirror, dtype=np.int8),
    )
    for i, layout in enumerate(layouts):
        for g, group in enumerate(layout.groups):
            arrays.first[i, g + 1] = group.slots.stop
            arrays.radix[i, g] = layout.radices[g]
            _fill_group(arrays, i, g, group)
        arrays.lead_digit[i, : len(layout.lead.digit)] = layout.lead.digit
        arrays.lead_flip[i, : len(layout.lead.flip)] = layout.lead.flip
    return arrays


def _fill_group(arrays: IndexArrays, i: int, g: int, group: Group) -> None:
    squares = group.squares
    if len(group.slots) == 1:
        # A single piece's digits are the places that its advance allows.
        squares = tuple(group.unrank_many(np.arange(group.size))[:, 0].tolist())
    arrays.place[i, g, list(squares)] = range(len(squares))
    arrays.level[i, g, : len(group.squares)] = group.combinations.levels
    arrays.advance[i, g] = group.combinations.advance
    ways = group.combinations.ways
    arrays.ways[i, g, : ways.shape[0], : ways.shape[1], : ways.shape[2]] = ways


def index_terms(game: Game, layouts: Sequence[Layout], child_slot: Int8, child_square: Int8) -> IndexTerms:
    """List each piece's terms in the index in each of these layouts, to which the moves of a slice lead.

    `child_slot` and `child_square` are those of `SliceArrays`.
    """
    count, squares, slots = len(layouts), len(game.board), child_slot.shape[1]
    terms = IndexTerms(
        np.zeros(count, dtype=bool),
        np.zeros(count, dtype=np.int8),
        np.zeros((count, squares), dtype=bool),
        np.zeros((count, 2, slots, squares), dtype=np.int64),
    )
    for number, layout in enumerate(layouts):
        if any(len(group.slots) > 1 or any(group.combinations.levels) for group in layout.groups):
            continue
        terms.add_up[number], terms.lead[number] = True, child_slot[number, 0]
        for slot, group in enumerate(layout.groups):
            stride = prod(layout.radices[slot + 1 :])
            for square, image in enumerate(child_square[number].tolist()):
                for flip, seen in enumerate((image, game.mirror[image] if game.mirror else image)):
                    place = group.places.get(seen, 0)
                    digit = place if slot else int(layout.lead.digit[place])
                    terms.terms[number, flip, child_slot[number, slot], square] = digit * stride
                if slot == 0 and image in group.places:
                    terms.flips[number, square] = layout.lead.flip[group.places[image]]
    return terms
