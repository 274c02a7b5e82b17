"""Materials: the pieces of both sides, and in how many ways they can stand.

A *material* is the piece kinds of both sides, written ``RCvW``. A *slice* is a material with one side to move.

If a kind is `tiered`, slices are further divided by how far its pieces have advanced. Their *advance* is the sum of the
levels of their squares. In ``FvHHHH@12`` the four hounds have advanced twelve rows in total; each step of a hound leads
to ``FvHHHH@13``, so within a slice of Fox & Hounds only the fox moves.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations, product
from math import factorial, prod

from tablebase.errors import NotationError, TablebaseError, quoted
from tablebase.game import Game
from tablebase.game.moves import Position
from tablebase.game.notation import whole_number
from tablebase.positions.combinadics import advances

Home = tuple[tuple[int, int], ...]
"""A kind's squares, each with the exponent that a piece on it contributes."""


@dataclass(frozen=True, order=True)
class Material:
    """The pieces of both sides, without their squares."""

    first: tuple[int, ...]  # kind numbers of side 0, ascending
    second: tuple[int, ...]  # kind numbers of side 1, ascending
    advance: tuple[int, ...] = ()  # for each tiered kind present, the sum of the levels of its pieces

    @property
    def kinds(self) -> tuple[int, ...]:
        """Number of the kind of each piece, side 0 first, in the order of `Position.pieces`."""
        return self.first + self.second

    @property
    def pieces(self) -> int:
        """Number of pieces."""
        return len(self.first) + len(self.second)


def material_of(game: Game, position: Position) -> Material:
    """The material of a position."""
    kinds = tuple(kind for kind, _ in position.pieces)
    advance = tuple(sum(levels_of(game, kind)[s] for k, s in position.pieces if k == kind) for kind in tiered_kinds(game, kinds))
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
    """The tiered kinds among these kind numbers, each once, ascending: the order of `Material.advance`."""
    return tuple(kind for kind in sorted(set(kinds)) if game.kinds[kind].tiered)


def levels_of(game: Game, kind: int) -> Mapping[int, int]:
    """Level of each square of a tiered kind."""
    levels = game.kinds[kind].levels
    assert levels is not None
    return levels


def place_levels(game: Game, kind: int) -> tuple[int, ...]:
    """Level of each of a kind's squares, in order; all 0 if the kind is not tiered."""
    squares = game.kinds[kind].squares
    return tuple(levels_of(game, kind)[square] for square in squares) if game.kinds[kind].tiered else (0,) * len(squares)


@cache
def advances_of(game: Game, kinds: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """All advances that a material of these kinds can have."""
    return tuple(product(*(advances(place_levels(game, kind), kinds.count(kind)) for kind in tiered_kinds(game, kinds))))


def material_name(game: Game, material: Material) -> str:
    """The name of a material: ``RCvW``, or ``FvHHHH@12`` if it has tiers."""
    pieces = "v".join("".join(game.kinds[kind].symbol.upper() for kind in side) for side in (material.first, material.second))
    return f"{pieces}@{','.join(map(str, material.advance))}" if material.advance else pieces


def parse_material(game: Game, text: str) -> Material:
    """Read a material such as ``RCvW`` or ``FvHHHH@12``; letters may be in any order and in lower case.

    It is a `NotationError` if the text names no material of the game, or more than one tier.
    """
    tiers = parse_materials(game, text)
    if len(tiers) > 1:
        first, last = material_name(game, tiers[0]), material_name(game, tiers[-1])
        raise NotationError(f"{quoted(text)} is divided into {len(tiers)} slices: choose a slice from {first} to {last}")
    return tiers[0]


def parse_materials(game: Game, text: str) -> tuple[Material, ...]:
    """Read a material like `parse_material`; a name without an advance stands for all tiers."""
    if not isinstance(text, str):
        raise NotationError(f"invalid material of type {type(text).__name__}: expected a string such as 'RCvW'")
    pieces, separator, tier = text.partition("@")
    kinds = _parse_kinds(game, pieces, text)
    possible = advances_of(game, kinds)
    if not separator:
        return tuple(make_material(game, kinds, advance) for advance in possible)
    if not tiered_kinds(game, kinds):
        raise NotationError(f"{quoted(text)} has a tier, but {pieces} is not divided into tiers: write {pieces}")
    advance = tuple(whole_number(number) for number in tier.split(","))
    if advance not in possible:
        first, last = (",".join(map(str, bound)) for bound in (possible[0], possible[-1]))
        raise NotationError(f"{pieces} has no tier {quoted(tier)}: choose a tier from {first} to {last}")
    return (make_material(game, kinds, advance),)


def _parse_kinds(game: Game, pieces: str, text: str) -> tuple[int, ...]:
    sides = pieces.split("v")
    if len(sides) != 2 or not all(sides):
        raise NotationError(f"invalid material {quoted(text)}: expected the pieces of both sides, as in 'RCvW'")
    kinds = [_kind_number(game, letter, side) for side in (0, 1) for letter in sides[side]]
    for kind in set(kinds):
        if kinds.count(kind) > game.kinds[kind].limit:
            name, limit = f"{game.sides[game.side_of(kind)].name} {game.kinds[kind].name}", game.kinds[kind].limit
            raise NotationError(f"too many {name} pieces in {quoted(text)}: expected at most {limit}")
    return tuple(sorted(kinds))


def _kind_number(game: Game, letter: str, side: int) -> int:
    numbers = {kind.symbol.upper(): number for number, kind in enumerate(game.kinds) if kind.side == side}
    if letter.upper() not in numbers:
        raise NotationError(f"{game.sides[side].name} has no piece {quoted(letter)}: use the letters {''.join(numbers)}")
    return numbers[letter.upper()]


def piece_counts(game: Game, pieces: int | range) -> range:
    """A number of pieces, or several, as a range; `TablebaseError` if the game has no slices with one of these numbers."""
    counts = range(pieces, pieces + 1) if isinstance(pieces, int) else pieces
    for count in (counts[0], counts[-1]):
        if not 2 <= count <= game.max_pieces:
            raise TablebaseError(f"invalid number of pieces {count}: {game.name} has slices of 2 to {game.max_pieces} pieces")
    return counts


@cache
def materials(game: Game, pieces: int) -> tuple[Material, ...]:
    """All materials with this number of pieces, at least one per side; most pieces of side 0 first, tiers ascending."""
    untiered = compositions(game, pieces)
    return tuple(replace(material, advance=advance) for material in untiered for advance in advances_of(game, material.kinds))


@cache
def compositions(game: Game, pieces: int) -> tuple[Material, ...]:
    """All materials with this number of pieces, not divided into tiers."""
    return tuple(
        Material(first, second)
        for count in range(pieces - 1, 0, -1)
        for first in _selections(game, 0, count)
        for second in _selections(game, 1, pieces - count)
    )


@cache
def _selections(game: Game, side: int, count: int) -> tuple[tuple[int, ...], ...]:
    available = [number for number, kind in enumerate(game.kinds) if kind.side == side for _ in range(kind.limit)]
    # A dict keeps the order and removes duplicates.
    return tuple(dict.fromkeys(combinations(available, count)))


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
    arranged = _choices(tuple(sorted(homes.items()))).get(power, 0) * prod(map(factorial, homes.values()))
    return arranged // prod(factorial(material.kinds.count(kind)) for kind in set(material.kinds))


@cache
def _home(game: Game, kind: int, unit: int) -> Home:
    return tuple((square, unit * level) for square, level in zip(game.kinds[kind].squares, place_levels(game, kind), strict=True))


@cache
def _choices(homes: tuple[tuple[Home, int], ...]) -> Mapping[int, int]:
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
