"""How many positions a material has, counted without enumerating them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from functools import cache
from math import factorial, prod

from tablebase.game import Game
from tablebase.slices.location import sides_stored
from tablebase.slices.material import Material, place_levels, tiered_kinds

Home = tuple[tuple[int, int], ...]


def placements(game: Game, material: Material) -> int:
    """Number of ways to put the pieces on different squares, identical pieces being indistinguishable.

    Pieces that may stand on the same squares are first taken for like ones, however many kinds there are of them, and
    then told apart. Squares contribute exponents, so that the tiers of a material are counted together.
    """
    tiered = tiered_kinds(game, material.kinds)
    # The exponents of each tiered kind are spaced so that no sums of the previous kinds reach them.
    units, unit = {}, 1
    for kind in tiered:
        units[kind] = unit
        unit *= 1 + material.kinds.count(kind) * max(place_levels(game, kind))
    homes = Counter(_home(game, kind, units.get(kind, 0)) for kind in material.kinds)
    power = sum(units[kind] * advance for kind, advance in zip(tiered, material.advance, strict=True))
    arranged = _selections(tuple(sorted(homes.items()))).get(power, 0) * prod(map(factorial, homes.values()))
    return arranged // prod(factorial(material.kinds.count(kind)) for kind in set(material.kinds))


@cache
def _home(game: Game, kind: int, unit: int) -> Home:
    """A kind's squares, each with the exponent that a piece on it contributes."""
    return tuple((square, unit * level) for square, level in zip(game.kinds[kind].squares, place_levels(game, kind), strict=True))


@cache
def _selections(homes: tuple[tuple[Home, int], ...]) -> Mapping[int, int]:
    """Ways to choose from each home as many squares as it has pieces, no square twice; by the sum of the exponents."""
    exponents = [dict(home) for home, _ in homes]
    wanted = tuple(count for _, count in homes)
    # Square by square: how many ways there are to choose these numbers of squares from each home, with this sum.
    ways = {((0,) * len(homes), 0): 1}
    for square in sorted(set().union(*exponents)):
        more = defaultdict(int, ways)
        for (chosen, total), number in ways.items():
            for place, powers in enumerate(exponents):
                if square in powers and chosen[place] < wanted[place]:
                    one_more = (*chosen[:place], chosen[place] + 1, *chosen[place + 1 :])
                    more[one_more, total + powers[square]] += number
        ways = dict(more)
    return {total: number for (chosen, total), number in ways.items() if chosen == wanted}


def table_placements(game: Game, material: Material) -> int:
    """Number of positions of a stored material under its own name, over the sides to move that its table holds."""
    return placements(game, material) * len(sides_stored(game, material))
