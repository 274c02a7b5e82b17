"""Which slices play alike.

Materials in which every piece finds a counterpart that moves, captures and is captured alike are *aliases*: one of
them, the *representative*, stands for all.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from itertools import chain, permutations, product

from tablebase.game import Game, Kind
from tablebase.positions.material import Material, compositions, make_material


def swapped_material(game: Game, material: Material) -> Material:
    """The material with colours exchanged."""
    return make_material(game, tuple(game.twins[kind] for kind in material.kinds))


@cache
def _movement_class(game: Game, kind: int) -> int:
    """A number that kinds of one side share if they have the same squares and steps, captures aside."""

    def movement(number: int) -> object:
        other, escape = game.kinds[number], game.escape
        steps = frozenset((step.origin, step.target, step.empty, step.quiet, step.wins) for step in other.steps)
        runs, guards = (escape.runner == other.symbol, escape.guarded.get(other.symbol)) if escape else (None, None)
        return other.side, other.squares, steps, runs, guards, number if other.tiered else None

    return next(number for number in range(kind + 1) if movement(number) == movement(kind))


@cache
def _capture_classes(game: Game) -> dict[tuple[int, int], int]:
    """A number for each pair of kinds, which pairs share if the first captures the second by the same steps."""

    def captures(by: Kind, of: Kind) -> object:
        return frozenset((step.origin, step.target, step.empty, step.wins) for step in by.steps if of.symbol in step.victims)

    first: dict[object, int] = {}
    pairs = product(enumerate(game.kinds), repeat=2)
    return {(a, b): first.setdefault(captures(by, of), len(first)) for (a, by), (b, of) in pairs}


def _signature(game: Game, kinds: tuple[int, ...], sizes: tuple[int, int]) -> tuple[int, ...]:
    """All that matters about pieces in this order: how they move, which are alike, and who captures whom by which steps."""
    first, second = kinds[: sizes[0]], kinds[sizes[0] :]
    parts = [len(first)]
    parts += [_movement_class(game, kind) for kind in kinds]
    parts += [kinds.index(kind) for kind in kinds]
    classes = _capture_classes(game)
    parts += [classes[a, b] for a in first for b in second]
    parts += [classes[b, a] for a in first for b in second]
    return tuple(parts)


@cache
def _canonical(game: Game, material: Material) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The least signature over the orders of each side's pieces, and an order that yields it.

    Pieces that `_colours` distinguishes keep the order of their colours, so only the others are permuted.
    """
    sizes = len(material.first), len(material.second)
    colours = _colours(game, material)
    groups: dict[tuple[int, int], dict[int, list[int]]] = {}
    for place, kind in enumerate(material.kinds):
        groups.setdefault((int(place >= sizes[0]), colours[place]), {}).setdefault(kind, []).append(place)
    # Identical pieces stay together, since exchanging them changes nothing.
    orders = product(*(map(_flat, permutations(groups[key].values())) for key in sorted(groups)))
    flat = map(_flat, orders)
    return min((_signature(game, tuple(material.kinds[i] for i in order), sizes), order) for order in flat)


def _flat(parts: Iterable[Iterable[int]]) -> tuple[int, ...]:
    return tuple(chain.from_iterable(parts))


def _colours(game: Game, material: Material) -> list[int]:
    """A number for each piece; pieces that could be each other's counterparts share one.

    Colour refinement: the first colours are movement and number of identical pieces; then pieces are separated by the
    colours of those they capture and are captured by, until nothing changes.
    """
    kinds, classes = material.kinds, _capture_classes(game)
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
                        (colours[j], classes[kinds[i], kinds[j]], classes[kinds[j], kinds[i]])
                        for j in range(len(kinds))
                        if game.side_of(kinds[j]) != game.side_of(kinds[i])
                    )
                ),
            )
            for i in range(len(kinds))
        ]


@cache
def _representatives(game: Game, pieces: int) -> dict[tuple[int, ...], Material]:
    first: dict[tuple[int, ...], Material] = {}
    for material in compositions(game, pieces):
        first.setdefault(_canonical(game, material)[0], material)
    return first


def representative(game: Game, material: Material) -> Material:
    """The first material that plays like this one, without colour swap."""
    untiered = _representatives(game, material.pieces)[_canonical(game, material)[0]]
    return replace(untiered, advance=material.advance) if material.advance else untiered


def pairing(game: Game, material: Material, other: Material) -> tuple[int, ...]:
    """For each piece of `other`, which plays like `material`, the piece of `material` that is its counterpart."""
    ours, theirs = _canonical(game, material)[1], _canonical(game, other)[1]
    return tuple(piece for _, piece in sorted(zip(theirs, ours, strict=True)))
