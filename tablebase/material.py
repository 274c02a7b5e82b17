"""Slices: which materials there are, how captures connect them, and which play alike.

A *material* is what both sides have, written ``RCvW``. A *slice* is a material with one side
to move. Where the rules allow colour swap, ``RCvW`` with side 1 to move is ``WvRC`` with side 0
to move, so slices are counted with side 0 to move. Materials in which every piece finds a
counterpart that moves, takes and is taken alike are *aliases*: one of them stands for all.
A *table* holds one material that stands for its aliases, with both sides to move.

Where a kind is `tiered`, slices are divided further by how far its pieces have come, their *advance*: the sum of
the levels of their squares. ``FvHHHH@12`` has four hounds twelve rows ahead in all; each step of one leads to
``FvHHHH@13``, so a slice of Fox & Hounds holds only moves of the fox.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain, combinations, permutations, product
from typing import NamedTuple

from tablebase.choices import advances
from tablebase.errors import NotationError
from tablebase.game import Game, Step
from tablebase.moves import Position


@dataclass(frozen=True, order=True)
class Material:
    """The piece kinds of both sides.

    Parameters
    ----------
    first, second : tuple of int
        Kind numbers of side 0 and of side 1, ascending.
    advance : tuple of int
        For each tiered kind that is there, the levels of its pieces added up.
    """

    first: tuple[int, ...]
    second: tuple[int, ...]
    advance: tuple[int, ...] = ()

    @property
    def kinds(self) -> tuple[int, ...]:
        """All kind numbers, side 0 first: the order of `Position.pieces`."""
        return self.first + self.second

    @property
    def pieces(self) -> int:
        """Number of pieces."""
        return len(self.first) + len(self.second)


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


def material_of(game: Game, position: Position) -> Material:
    """The material of a position."""
    kinds = tuple(kind for kind, _ in position.pieces)
    advance = tuple(sum(_levels(game, kind)[s] for k, s in position.pieces if k == kind) for kind in tiered_kinds(game, kinds))
    return make_material(game, kinds, advance)


@cache
def make_material(game: Game, kinds: tuple[int, ...], advance: tuple[int, ...] = ()) -> Material:
    """The material of these kind numbers, in any order."""
    ordered = sorted(kinds)
    return Material(
        tuple(kind for kind in ordered if game.side_of(kind) == 0),
        tuple(kind for kind in ordered if game.side_of(kind) == 1),
        advance,
    )


@cache
def tiered_kinds(game: Game, kinds: tuple[int, ...]) -> tuple[int, ...]:
    """The tiered ones among these kind numbers, each once, ascending: those that `Material.advance` speaks of."""
    return tuple(kind for kind in sorted(set(kinds)) if game.kinds[kind].tiered)


def _levels(game: Game, kind: int) -> Mapping[int, int]:
    """Level of each square of a tiered kind."""
    levels = game.kinds[kind].levels
    assert levels is not None
    return levels


def place_levels(game: Game, kind: int) -> tuple[int, ...]:
    """The level of each of a kind's squares in their order; 0 throughout if the kind is not tiered."""
    squares = game.kinds[kind].squares
    return tuple(_levels(game, kind)[square] for square in squares) if game.kinds[kind].tiered else (0,) * len(squares)


@cache
def _tiers(game: Game, kinds: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """What the advance of a material of these kinds may be."""
    return tuple(product(*(advances(place_levels(game, kind), kinds.count(kind)) for kind in tiered_kinds(game, kinds))))


def material_name(game: Game, material: Material) -> str:
    """The material as ``RCvW``, or ``FvHHHH@12`` if it is one of several tiers."""
    pieces = "v".join("".join(game.kinds[kind].symbol.upper() for kind in side) for side in (material.first, material.second))
    return f"{pieces}@{','.join(map(str, material.advance))}" if material.advance else pieces


def parse_material(game: Game, text: str) -> Material:
    """Read a material such as ``RCvW`` or ``FvHHHH@12``; the letters of a side may come in any order.

    Raises
    ------
    NotationError
        If the text names no material of the game, or several tiers.
    """
    found = parse_materials(game, text)
    if len(found) > 1:
        first, last = material_name(game, found[0]), material_name(game, found[-1])
        raise NotationError(f"{text!r} is divided into {len(found)} slices, {first} to {last}: name one of them")
    return found[0]


def parse_materials(game: Game, text: str) -> tuple[Material, ...]:
    """Read a material as `parse_material` does; without an advance it means all tiers."""
    pieces, at, tier = text.partition("@")
    kinds = _parse_kinds(game, pieces, text)
    possible = _tiers(game, kinds)
    if not at:
        return tuple(make_material(game, kinds, advance) for advance in possible)
    if not tiered_kinds(game, kinds):
        raise NotationError(f"{text!r} names an advance, but {pieces} is not divided into tiers")
    numbers = tier.split(",")
    advance = tuple(int(number) if number.isascii() and number.isdigit() else -1 for number in numbers)
    if advance not in possible:
        first, last = (",".join(map(str, one)) for one in (possible[0], possible[-1]))
        raise NotationError(f"{pieces} has no tier {tier!r}: they run from {first} to {last}")
    return (make_material(game, kinds, advance),)


def _parse_kinds(game: Game, pieces: str, text: str) -> tuple[int, ...]:
    sides = pieces.split("v")
    if len(sides) != 2 or not all(sides):
        raise NotationError(f"{text!r} is not a material: write the pieces of both sides as in 'RCvW'")
    kinds = [_kind_number(game, letter, side) for side in (0, 1) for letter in sides[side]]
    for kind in set(kinds):
        if kinds.count(kind) > game.kinds[kind].limit:
            what = f"{game.sides[game.side_of(kind)].name} {game.kinds[kind].name}"
            raise NotationError(f"{text!r} has {kinds.count(kind)} pieces {what}; at most {game.kinds[kind].limit} can be")
    return tuple(sorted(kinds))


def _kind_number(game: Game, letter: str, side: int) -> int:
    own = {kind.symbol.upper(): number for number, kind in enumerate(game.kinds) if kind.side == side}
    if letter not in own:
        raise NotationError(f"{game.sides[side].name} has no piece {letter!r}: the letters are {''.join(own)}")
    return own[letter]


@cache
def materials(game: Game, pieces: int) -> tuple[Material, ...]:
    """All materials with so many pieces, at least one a side; side 0 strongest in number first, tiers ascending."""
    return tuple(replace(one, advance=advance) for one in _compositions(game, pieces) for advance in _tiers(game, one.kinds))


@cache
def _compositions(game: Game, pieces: int) -> tuple[Material, ...]:
    """All materials with so many pieces, tiers not told apart."""
    found = []
    for count in range(pieces - 1, 0, -1):
        for first in _choices(game, 0, count):
            found += [Material(first, second) for second in _choices(game, 1, pieces - count)]
    return tuple(found)


@cache
def _ranks(game: Game, pieces: int) -> dict[Material, int]:
    """Place of each material in `materials`."""
    return {material: rank for rank, material in enumerate(materials(game, pieces))}


def _choices(game: Game, side: int, count: int) -> Iterator[tuple[int, ...]]:
    own = [number for number, kind in enumerate(game.kinds) if kind.side == side for _ in range(kind.limit)]
    # A dict keeps the order and one of the choices that are the same.
    yield from dict.fromkeys(combinations(own, count))


def swapped_material(game: Game, material: Material) -> Material:
    """The material with colours exchanged."""
    return make_material(game, tuple(game.twins[kind] for kind in material.kinds))


class Conversion(NamedTuple):
    """A way out of a slice: a capture, or a step that changes the advance.

    Parameters
    ----------
    victim : int or None
        The piece that is taken, by its place in `Material.kinds`.
    child : Material
        What is there afterwards.
    side : int
        The side to move then.
    """

    victim: int | None
    child: Material
    side: int


def conversion(game: Game, material: Material, kind: int, step: Step, victim: int | None) -> Conversion | None:
    """Where a step of a kind leads from a material, taking a piece or none; None if it stays in the slice."""
    gone = [] if victim is None else [material.kinds[victim]]
    rest = tuple(other for place, other in enumerate(material.kinds) if place != victim)
    before = dict(zip(tiered_kinds(game, material.kinds), material.advance, strict=True))
    if game.kinds[kind].tiered:
        before[kind] += _levels(game, kind)[step.target] - _levels(game, kind)[step.origin]
    for other in gone:
        if game.kinds[other].tiered:
            before[other] -= _levels(game, other)[step.target]
    child = make_material(game, rest, tuple(before[one] for one in tiered_kinds(game, rest)))
    return None if child == material else Conversion(victim, child, 1 - game.side_of(kind))


@cache
def conversions(game: Game, material: Material) -> tuple[Conversion, ...]:
    """All ways out of a slice that do not end the game.

    A side that loses its last piece has lost, so that leads to no material.
    """
    victims = [place for place, kind in enumerate(material.kinds) if len(_own(game, material, kind)) > 1]
    found: dict[Conversion, None] = {}
    for kind in sorted(set(material.kinds)):
        for step in game.kinds[kind].steps:
            if step.wins:
                continue
            taken = [place for place in victims if game.kinds[material.kinds[place]].symbol in step.victims]
            quiet = [None] if step.quiet and game.kinds[kind].tiered else []
            for victim in (*taken, *quiet):
                way = conversion(game, material, kind, step, victim)
                if way is not None and way.child.advance in _tiers(game, way.child.kinds):
                    found[way] = None
    return tuple(sorted(found, key=lambda way: (-1 if way.victim is None else way.victim, way.child, way.side)))


def _own(game: Game, material: Material, kind: int) -> tuple[int, ...]:
    """The pieces of the side that a kind belongs to."""
    return material.second if game.side_of(kind) else material.first


@cache
def _movement_class(game: Game, kind: int) -> int:
    """A number that kinds of one side share if they stand and move alike, captures aside."""

    def movement(number: int) -> object:
        of, escape = game.kinds[number], game.escape
        steps = frozenset((s.origin, s.target, s.empty, s.quiet, s.wins) for s in of.steps)
        special = (escape and escape.runner == of.symbol, escape and escape.guarded.get(of.symbol), of.tiered and number)
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
    for material in _compositions(game, pieces):
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
