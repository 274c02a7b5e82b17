"""Slices that play alike, and the tables that hold them.

Where the rules allow colour swap, ``RCvW`` with side 1 to move is ``WvRC`` with side 0 to move, so slices are counted
with side 0 to move. Materials in which every piece finds a counterpart that moves, takes and is taken alike are
*aliases*: one of them stands for all. A *table* holds one material that stands for its aliases, with both sides to
move.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain, permutations, product

from tablebase.game import Game
from tablebase.material import Material, compositions, conversions, make_material, materials


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


def swapped_material(game: Game, material: Material) -> Material:
    """The material with colours exchanged."""
    return make_material(game, tuple(game.twins[kind] for kind in material.kinds))


@cache
def _movement_class(game: Game, kind: int) -> int:
    """A number that kinds of one side share if they stand and move alike, captures aside."""

    def movement(number: int) -> object:
        of, escape = game.kinds[number], game.escape
        steps = frozenset((s.origin, s.target, s.empty, s.quiet, s.wins) for s in of.steps)
        special = (escape and escape.runner == of.symbol, escape and escape.guarded.get(of.symbol), number if of.tiered else None)
        return of.side, of.squares, steps, special

    return next(number for number in range(kind + 1) if movement(number) == movement(kind))


@cache
def _capture_class(game: Game, taker: int, victim: int) -> int:
    """A number that pairs of kinds share if the first takes the second by the same steps."""

    def steps(pair: tuple[int, int]) -> object:
        symbol = game.kinds[pair[1]].symbol
        return frozenset((s.origin, s.target, s.empty, s.wins) for s in game.kinds[pair[0]].steps if symbol in s.victims)

    count = len(game.kinds)
    wanted = steps((taker, victim))
    return next(t * count + v for t in range(count) for v in range(count) if steps((t, v)) == wanted)


def _signature(game: Game, kinds: tuple[int, ...], sizes: tuple[int, int]) -> tuple[int, ...]:
    """What decides the play of pieces in this order: movements, like pieces, who takes whom how."""
    first, second = kinds[: sizes[0]], kinds[sizes[0] :]
    parts = [len(first)]
    parts += [_movement_class(game, kind) for kind in kinds]
    parts += [kinds.index(kind) for kind in kinds]
    parts += [_capture_class(game, a, b) for a in first for b in second]
    parts += [_capture_class(game, b, a) for a in first for b in second]
    return tuple(parts)


@cache
def _canonical(game: Game, material: Material) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The least signature over the orders of each side's pieces, and an order that gives it.

    Pieces that `_colours` tells apart keep the order of their colours, so only the others are permuted.
    """
    sizes = len(material.first), len(material.second)
    colours = _colours(game, material)
    groups: dict[tuple[int, int], dict[int, list[int]]] = {}
    for place, kind in enumerate(material.kinds):
        groups.setdefault((int(place >= sizes[0]), colours[place]), {}).setdefault(kind, []).append(place)
    # Like pieces stay together: to exchange them changes nothing.
    orders = product(*(map(_flat, permutations(groups[key].values())) for key in sorted(groups)))
    flat = map(_flat, orders)
    return min((_signature(game, tuple(material.kinds[i] for i in order), sizes), order) for order in flat)


def _flat(parts: Iterable[Iterable[int]]) -> tuple[int, ...]:
    return tuple(chain.from_iterable(parts))


def _colours(game: Game, material: Material) -> list[int]:
    """A number for each piece; pieces that could be each other's counterparts share one.

    Colour refinement: pieces start with their movement and how many are alike, and are told apart by the
    colours of those they take and are taken by, until nothing changes.
    """
    kinds = material.kinds
    facts: list[object] = [(_movement_class(game, kind), kinds.count(kind)) for kind in kinds]
    colours: list[int] = []
    while True:
        ranks = {fact: rank for rank, fact in enumerate(sorted(set(facts)))}  # type: ignore[type-var]
        refined = [ranks[fact] for fact in facts]
        if refined == colours:
            return colours
        colours = refined
        facts = [
            (
                colours[i],
                tuple(
                    sorted(
                        (colours[j], _capture_class(game, kinds[i], kinds[j]), _capture_class(game, kinds[j], kinds[i]))
                        for j in range(len(kinds))
                        if game.side_of(kinds[j]) != game.side_of(kinds[i])
                    )
                ),
            )
            for i in range(len(kinds))
        ]


@cache
def _representatives(game: Game, pieces: int) -> dict[tuple[int, ...], Material]:
    """The first material of each signature."""
    first: dict[tuple[int, ...], Material] = {}
    for material in compositions(game, pieces):
        first.setdefault(_canonical(game, material)[0], material)
    return first


def representative(game: Game, material: Material) -> Material:
    """The material that stands for this one and all that play like it, colours as they are."""
    found = _representatives(game, material.pieces)[_canonical(game, material)[0]]
    return replace(found, advance=material.advance) if material.advance else found


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


def with_dependencies(game: Game, wanted: list[Material]) -> tuple[Material, ...]:
    """The tables of these materials and all that they depend on, fewest pieces and furthest advance first."""
    todo = [route(game, material, 0).table for material in wanted]
    found: dict[Material, None] = {}
    while todo:
        table = todo.pop()
        if table not in found:
            found[table] = None
            todo += dependencies(game, table)
    return tuple(sorted(found, key=lambda table: (table.pieces, table.first, table.second, [-one for one in table.advance])))


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
