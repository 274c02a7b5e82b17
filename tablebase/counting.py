"""How many positions a material has, without looking at one."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from math import factorial, prod

from tablebase.game import Game
from tablebase.material import Material, sides_stored


def placements(game: Game, material: Material) -> int:
    """Number of ways to put the pieces on different squares of theirs, like pieces not told apart.

    Notes
    -----
    Möbius inversion over the partitions of the pieces: a block of b pieces forced onto one square
    counts (-1)^(b-1) (b-1)! times the squares they share (Stanley, Enumerative Combinatorics 1, 3.7).
    """
    alike = prod(factorial(material.kinds.count(kind)) for kind in set(material.kinds))
    return _injections(tuple(sorted(game.kinds[kind].squares for kind in material.kinds))) // alike


def table_placements(game: Game, table: Material) -> int:
    """Positions that a table answers for under its own name, both sides to move."""
    return placements(game, table) * len(sides_stored(game, table))


@cache
def _injections(homes: tuple[tuple[int, ...], ...]) -> int:
    """Ways to choose a different square for each piece from its own set."""
    total = 0
    for partition in _partitions(list(range(len(homes)))):
        shared = [len(set.intersection(*(set(homes[piece]) for piece in block))) for block in partition]
        total += prod((-1) ** (len(block) - 1) * factorial(len(block) - 1) * n for block, n in zip(partition, shared, strict=True))
    return total


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
