"""How many positions a material has, without looking at one."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from math import factorial, prod

from tablebase.game import Game
from tablebase.slices.location import sides_stored
from tablebase.slices.material import Material, place_levels, tiered_kinds

BASE = 1 << 256
"""More than there are placements of any material, pieces told apart."""

Home = tuple[tuple[int, int], ...]


def placements(game: Game, material: Material) -> int:
    """Number of ways to put the pieces on different squares of theirs, like pieces not told apart.

    Notes
    -----
    Möbius inversion over the partitions of the pieces: a block of b pieces forced onto one square
    counts (-1)^(b-1) (b-1)! times the squares they share (Stanley, Enumerative Combinatorics 1, 3.7). Tiers are told
    apart by counting with a polynomial for each number, whose powers are advances; a polynomial is an integer
    in base `BASE` (Kronecker substitution), of which the slice's advance is one digit.
    """
    alike = prod(factorial(material.kinds.count(kind)) for kind in set(material.kinds))
    tiered = tiered_kinds(game, material.kinds)
    # Each tiered kind has powers of its own, out of reach of the one before.
    units, unit = {}, 1
    for kind in tiered:
        units[kind] = unit
        unit *= 1 + material.kinds.count(kind) * max(place_levels(game, kind))
    homes = tuple(sorted(_home(game, kind, units.get(kind, 0)) for kind in material.kinds))
    power = sum(units[kind] * one for kind, one in zip(tiered, material.advance, strict=True))
    counted = (_injections(homes) // BASE**power) % BASE
    return int(counted // alike)


@cache
def _home(game: Game, kind: int, unit: int) -> Home:
    """A kind's squares, each with the power that a piece on it stands for."""
    return tuple((square, unit * level) for square, level in zip(game.kinds[kind].squares, place_levels(game, kind), strict=True))


def table_placements(game: Game, table: Material) -> int:
    """Positions that a table answers for under its own name, both sides to move."""
    return placements(game, table) * len(sides_stored(game, table))


@cache
def _injections(homes: tuple[Home, ...]) -> int:
    """Ways to choose a different square for each piece from its own, by power, as digits in base `BASE`."""
    total = 0
    for partition in _partitions(list(range(len(homes)))):
        shared = [_shared([homes[piece] for piece in block]) for block in partition]
        total += prod((-1) ** (len(block) - 1) * factorial(len(block) - 1) * n for block, n in zip(partition, shared, strict=True))
    return total


def _shared(homes: list[Home]) -> int:
    """The squares that these pieces share, by the power they have there together."""
    powers = [dict(home) for home in homes]
    squares = set(powers[0]).intersection(*powers[1:])
    return sum(BASE ** sum(one[square] for one in powers) for square in squares)


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
