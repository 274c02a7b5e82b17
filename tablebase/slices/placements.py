"""How many positions a material has, counted without enumerating them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from math import factorial, prod

from tablebase.game import Game
from tablebase.slices.location import sides_stored
from tablebase.slices.material import Material, place_levels, tiered_kinds

BASE = 1 << 256
"""Larger than the number of placements of any material, even with distinguishable pieces."""

Home = tuple[tuple[int, int], ...]


def placements(game: Game, material: Material) -> int:
    """Number of ways to put the pieces on different squares, like pieces being indistinguishable.

    Notes
    -----
    Möbius inversion over the partitions of the pieces: a block of b pieces forced onto one square
    counts (-1)^(b-1) (b-1)! times the squares they share (Stanley, Enumerative Combinatorics 1, 3.7). To separate
    tiers, each count is a polynomial whose exponents are advances; a polynomial is an integer in base `BASE`
    (Kronecker substitution), and the count of the slice's advance is one of its digits.
    """
    alike = prod(factorial(material.kinds.count(kind)) for kind in set(material.kinds))
    tiered = tiered_kinds(game, material.kinds)
    # The exponents of each tiered kind are spaced so that no sums of the previous kinds reach them.
    units, unit = {}, 1
    for kind in tiered:
        units[kind] = unit
        unit *= 1 + material.kinds.count(kind) * max(place_levels(game, kind))
    homes = tuple(sorted(_home(game, kind, units.get(kind, 0)) for kind in material.kinds))
    power = sum(units[kind] * advance for kind, advance in zip(tiered, material.advance, strict=True))
    labelled = (_injections(homes) // BASE**power) % BASE
    return int(labelled // alike)


@cache
def _home(game: Game, kind: int, unit: int) -> Home:
    """A kind's squares, each with the exponent that a piece on it contributes."""
    return tuple((square, unit * level) for square, level in zip(game.kinds[kind].squares, place_levels(game, kind), strict=True))


def table_placements(game: Game, material: Material) -> int:
    """Number of positions of a stored material under its own name, over the sides to move that its table holds."""
    return placements(game, material) * len(sides_stored(game, material))


@cache
def _injections(homes: tuple[Home, ...]) -> int:
    """Ways to choose a different square for each piece from its own squares; a digit in base `BASE` for each exponent."""
    total = 0
    for partition in _partitions(list(range(len(homes)))):
        shared = [_shared([homes[piece] for piece in block]) for block in partition]
        total += prod((-1) ** (len(block) - 1) * factorial(len(block) - 1) * n for block, n in zip(partition, shared, strict=True))
    return total


def _shared(homes: list[Home]) -> int:
    """The squares that these pieces share; a digit in base `BASE` for each total exponent."""
    powers = [dict(home) for home in homes]
    squares = set(powers[0]).intersection(*powers[1:])
    return sum(BASE ** sum(power[square] for power in powers) for square in squares)


def _partitions(items: list[int]) -> Iterator[list[list[int]]]:
    """All ways to split a list into blocks."""
    if not items:
        yield []
        return
    first, rest = items[0], items[1:]
    for partition in _partitions(rest):
        yield [[first], *partition]
        for i, block in enumerate(partition):
            yield [*partition[:i], [first, *block], *partition[i + 1 :]]
