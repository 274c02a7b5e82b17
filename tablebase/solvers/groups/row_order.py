"""Rows in an order in which they can be solved: each layer only needs itself and those before it.

A piece that can never come back to a square has come some way, which is the level of its square. No step within the slice
leads to a row whose pieces have come less far in total. Rows of the same total are a layer; the furthest are the first.
"""

from __future__ import annotations

from functools import reduce
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.positions.indexing import Group, Layout
from tablebase.positions.slice_arrays import Bool, Int64
from tablebase.solvers.groups.arrays import WORD_BITS, Words

RowNumbers = NDArray[np.int64]


class RowOrder(NamedTuple):
    """All rows of a slice, R of them, and those to be solved, which stand for their mirror images."""

    layers: list[RowNumbers]  # numbers of the rows to be solved, layer by layer
    image: RowNumbers  # (R,) the mirror image of each row
    turn: Int64  # (cells of a row,) the mirror image of each cell
    words: Words  # (R, W) the squares on which the row's pieces stand
    is_void: Bool  # (R,) whether two of these pieces would share a square


def compile_rows(layout: Layout) -> RowOrder:
    """The rows of a slice."""
    game, outer = layout.game, layout.groups[:-1]
    images, turn = [np.arange(group.size) for group in outer], np.arange(layout.groups[-1].size)
    if game.mirror is not None:
        mirror = np.array(game.mirror, dtype=np.int8)
        *images, turn = (group.rank_many(mirror[group.unrank_many(np.arange(group.size))]) for group in layout.groups)
    image = np.zeros(1, dtype=np.int64)
    for group, images_of_group in zip(outer, images, strict=True):
        image = (image[:, None] * group.size + images_of_group).reshape(-1)
    words, is_void = _occupied(layout)
    levels = reduce(lambda one, other: np.add.outer(one, other).reshape(-1), (_progress(group, layout) for group in outer))
    flips = np.repeat(layout.lead.flip, len(levels) // outer[0].size)
    listed = np.flatnonzero(~flips & ~is_void)
    listed = listed[np.argsort(-levels[listed], kind="stable")]
    edges = np.flatnonzero(np.diff(levels[listed])) + 1
    return RowOrder(np.split(listed, edges), image, turn, words, is_void)


def _progress(group: Group, layout: Layout) -> NDArray[np.int16]:
    """Return how far the pieces of each placement of a group have come in total; 0 if its kind can come back."""
    placed = group.unrank_many(np.arange(group.size))
    come = np.zeros(len(layout.game.board), dtype=np.int16)
    for square, level in (layout.game.kinds[group.kind].levels or {}).items():
        come[square] = level
    total: NDArray[np.int16] = come[placed].sum(axis=1, dtype=np.int16)
    return total


def _occupied(layout: Layout) -> tuple[Words, Bool]:
    count = -(-len(layout.game.board) // WORD_BITS)
    words, is_void = np.zeros((1, count), dtype=np.uint64), np.zeros(1, dtype=bool)
    for group in layout.groups[:-1]:
        more = square_words(group.unrank_many(np.arange(group.size)), count)
        clash = (words[:, None] & more).any(axis=2)
        is_void = (is_void[:, None] | clash).reshape(-1)
        words = (words[:, None] | more).reshape(-1, count)
    return words, is_void


def square_words(squares: NDArray[np.int8], count: int) -> Words:
    """Placements, shape (placements, pieces), as sets of squares, shape (placements, count)."""
    words = np.zeros((len(squares), count), dtype=np.uint64)
    for column in squares.T:
        words[np.arange(len(squares)), column // WORD_BITS] |= np.uint64(1) << (column % WORD_BITS).astype(np.uint64)
    return words
