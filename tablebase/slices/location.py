"""Where the positions of a slice are stored.

Where the rules allow colour swap, ``RCvW`` with side 1 to move is ``WvRC`` with side 0 to move, so slices are counted
with side 0 to move. A table holds one material that stands for its aliases, with both sides to move.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from tablebase.game import Game
from tablebase.slices.conversions import conversions
from tablebase.slices.equivalence import _canonical, representative, swapped_material
from tablebase.slices.material import Material, materials


@dataclass(frozen=True)
class Route:
    """Where the positions of a slice are stored.

    Parameters
    ----------
    table : Material
        The material whose table holds them.
    side : int
        The side to move there.
    swapped : bool
        Whether colours are exchanged on the way.
    order : tuple of int
        Piece ``order[j]`` of the asking material (numbered as in `Material.kinds`, before any
        exchange) stands for piece ``j`` of the table's material.
    """

    table: Material
    side: int
    swapped: bool
    order: tuple[int, ...]


@cache
def _ranks(game: Game, pieces: int) -> dict[Material, int]:
    """Place of each material in `materials`."""
    return {material: rank for rank, material in enumerate(materials(game, pieces))}


@cache
def route(game: Game, material: Material, side: int) -> Route:
    """Where the positions of this material with this side to move are stored."""
    target = representative(game, material)
    swap = False
    if game.swap is not None:
        twin = representative(game, swapped_material(game, material))
        rank = _ranks(game, material.pieces)
        swap = rank[twin] < rank[target] or (twin == target and side == 1)
        target = twin if swap else target
    return Route(target, side ^ swap, swap, _order(game, material, target, swap))


def _order(game: Game, material: Material, target: Material, swap: bool) -> tuple[int, ...]:
    """Which piece of `material` plays each piece of `target`."""
    places = list(range(material.pieces))
    seen = material
    if swap:
        places.sort(key=lambda i: game.twins[material.kinds[i]])
        seen = swapped_material(game, material)
    ours, theirs = _canonical(game, seen)[1], _canonical(game, target)[1]
    return tuple(places[i] for _, i in sorted(zip(theirs, ours, strict=True)))


def self_paired(game: Game, table: Material) -> bool:
    """Whether the table's other side to move is the same slice again by colour swap."""
    return game.swap is not None and representative(game, swapped_material(game, table)) == representative(game, table)


def sides_stored(game: Game, table: Material) -> tuple[int, ...]:
    """The sides to move that the table holds: both, or 0 alone if it is paired with itself."""
    return (0,) if self_paired(game, table) else (0, 1)


@cache
def tables(game: Game, pieces: int) -> tuple[Material, ...]:
    """The materials of all tables with so many pieces, in order."""
    return tuple(dict.fromkeys(route(game, material, 0).table for material in materials(game, pieces)))


@cache
def dependencies(game: Game, table: Material) -> tuple[Material, ...]:
    """Tables that a move out of this table leads to."""
    return tuple(sorted({route(game, way.child, way.side).table for way in conversions(game, table)}))


@dataclass(frozen=True)
class StoredSlice:
    """A slice under its own name, and where it is stored.

    Parameters
    ----------
    material : Material
    side : int
        The side to move; 0 where the game has colour swap.
    route : Route
    distinct : bool
        Whether it stands for its aliases; each stored array has exactly one such slice.
    """

    material: Material
    side: int
    route: Route
    distinct: bool


@cache
def slices(game: Game, pieces: int) -> tuple[StoredSlice, ...]:
    """All slices with so many pieces under their own names, aliases included."""
    sides = (0,) if game.swap is not None else (0, 1)
    found = []
    seen = set()
    for side in sides:
        for material in materials(game, pieces):
            way = route(game, material, side)
            home = (way.table, way.side)
            found.append(StoredSlice(material, side, way, home not in seen))
            seen.add(home)
    return tuple(found)
