"""Locations of the positions of a slice in stored tables, and their look-up.

Where the rules allow colour swap, ``RCvW`` with side 1 to move is ``WvRC`` with side 0 to move, so slices are counted
with side 0 to move. A table holds one *stored material*, which stands for its aliases, with both sides to move.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from tablebase.game import Game
from tablebase.game.moves import Position
from tablebase.positions.conversions import conversions, parents
from tablebase.positions.equivalence import pairing, representative, swapped_material
from tablebase.positions.indexing import Squares, layout_of
from tablebase.positions.material import Material, materials, placements


@dataclass(frozen=True)
class Location:
    """Location of the positions of a slice in a stored table, and their look-up.

    Piece ``pairing[j]`` of the slice, numbered as in `Material.kinds` before any exchange of colours, plays piece ``j`` of the
    stored material.
    """

    material: Material  # the stored material, whose table holds them
    side: int  # the side to move there
    swapped: bool  # whether colours are exchanged on the way
    pairing: tuple[int, ...]


@dataclass(frozen=True)
class StoredSlice:
    """A slice (all positions with the same pieces and side to move) and the equivalent stored slice."""

    material: Material
    side: int  # the side to move; 0 where the game has colour swap
    location: Location
    distinct: bool  # whether it stands for its aliases; each stored array has exactly one such slice


@cache
def locate(game: Game, material: Material, side: int) -> Location:
    """Return the location of the positions of this material with this side to move."""
    target = representative(game, material)
    swap = False
    if game.swap is not None:
        twin = representative(game, swapped_material(game, material))
        rank = _ranks(game, material.pieces)
        swap = rank[twin] < rank[target] or (twin == target and side == 1)
        target = twin if swap else target
    return Location(target, side ^ swap, swap, _pairing(game, material, target, swap))


def _pairing(game: Game, material: Material, target: Material, swap: bool) -> tuple[int, ...]:
    """Which piece of `material` plays each piece of `target`, colours exchanged on the way or not."""
    if not swap:
        return pairing(game, material, target)
    by_twin = sorted(range(material.pieces), key=lambda piece: game.twins[material.kinds[piece]])
    return tuple(by_twin[piece] for piece in pairing(game, swapped_material(game, material), target))


@cache
def _ranks(game: Game, pieces: int) -> dict[Material, int]:
    return {material: rank for rank, material in enumerate(materials(game, pieces))}


def is_self_paired(game: Game, material: Material) -> bool:
    """Return whether the other side to move of a stored material is the same slice again by colour swap."""
    return game.swap is not None and representative(game, swapped_material(game, material)) == representative(game, material)


def sides_stored(game: Game, material: Material) -> tuple[int, ...]:
    """The sides to move that the table of a stored material holds: both, or 0 alone if it is paired with itself."""
    return (0,) if is_self_paired(game, material) else (0, 1)


@cache
def stored_materials(game: Game, pieces: int) -> tuple[Material, ...]:
    """The materials with this number of pieces that have a table, in order."""
    return tuple(dict.fromkeys(locate(game, material, 0).material for material in materials(game, pieces)))


@cache
def dependencies(game: Game, material: Material) -> tuple[Material, ...]:
    """The stored materials that conversions lead to from a stored material."""
    children = conversions(game, material)
    return tuple(sorted({locate(game, conversion.child, conversion.side).material for conversion in children}))


@cache
def slices(game: Game, pieces: int) -> tuple[StoredSlice, ...]:
    """All slices with this number of pieces under their own names, aliases included."""
    listed = []
    seen = set()
    for side in _sides(game):
        for material in materials(game, pieces):
            location = locate(game, material, side)
            stored = (location.material, location.side)
            listed.append(StoredSlice(material, side, location, stored not in seen))
            seen.add(stored)
    return tuple(listed)


def count_slices(game: Game, pieces: int) -> int:
    """The number of `slices`, without finding out which of them are aliases."""
    return len(_sides(game)) * len(materials(game, pieces))


def _sides(game: Game) -> tuple[int, ...]:
    return (0,) if game.swap is not None else (0, 1)


@cache
def _aliases(game: Game, pieces: int) -> dict[tuple[Material, int], list[StoredSlice]]:
    found: dict[tuple[Material, int], list[StoredSlice]] = {}
    for slice_ in slices(game, pieces):
        found.setdefault((slice_.location.material, slice_.location.side), []).append(slice_)
    return found


def aliases(game: Game, material: Material, side: int) -> tuple[StoredSlice, ...]:
    """All slices that are stored as one side to move of a stored material, in the order of `slices`."""
    return tuple(_aliases(game, material.pieces).get((material, side), ()))


def own_position(game: Game, slice_: StoredSlice, stored: Position) -> Position:
    """The position of a slice that is stored as this position of the stored material; the inverse of looking it up."""
    location, kinds = slice_.location, slice_.material.kinds
    image = game.swap if location.swapped and game.swap is not None else range(len(game.board))
    pieces = ((kinds[own], image[square]) for own, (_, square) in zip(location.pairing, stored.pieces, strict=True))
    return Position(tuple(sorted(pieces)), slice_.side)


@cache
def dependents(game: Game, material: Material) -> tuple[Material, ...]:
    """The stored materials from which conversions lead to a stored material, in order."""
    alike = {slice_.material for side in sides_stored(game, material) for slice_ in aliases(game, material, side)}
    found = {locate(game, parent, 0).material for one in alike for parent in parents(game, one)}
    return tuple(sorted(found - {material}, key=lambda one: (one.pieces, _ranks(game, one.pieces)[one])))


class Address:
    """Look-up of a slice's positions where it is stored."""

    def __init__(self, game: Game, location: Location) -> None:
        # The stored material, whose file may be closed and opened again, and the side to move there.
        self.material, self.side = location.material, location.side
        self.layout = layout_of(game, location.material)
        # The image of each square there, and for each slot of the layout the piece of the slice that plays it.
        self.image = game.swap if location.swapped and game.swap is not None else tuple(range(len(game.board)))
        self.pieces = tuple(location.pairing[piece] for piece in self.layout.slots)

    def index(self, position: Position) -> int:
        """Index of a position of the slice."""
        pieces, image = position.pieces, self.image
        return self.layout.index([image[pieces[piece][1]] for piece in self.pieces])

    def index_many(self, squares: Squares) -> NDArray[np.int64]:
        """Indices of positions given by the square of each piece, shape (positions, pieces)."""
        return self.layout.index_many(np.array(self.image, dtype=np.int8)[squares[:, self.pieces]])


def table_placements(game: Game, material: Material) -> int:
    """Number of positions of a stored material under its own name, over the sides to move that its table holds."""
    return placements(game, material) * len(sides_stored(game, material))
